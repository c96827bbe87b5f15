package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:      "dropPath",
	Title:   "Drops whole samples at random",
	Doc:     `During training replaces each sample by zeros with probability p and divides the others by 1-p. At the end of a residual branch this skips the branch, which is known as stochastic depth. Takes any shape; integers only where p is 0 or 1. p is 0 if it is left out, and then it does nothing.`,
	Source:  "torchvision.ops.StochasticDepth in mode row; Huang et al. 2016",
	Group:   Regularising,
	Aliases: []string{"stochasticDepth"},
	Traits:  IsDropout | KeepsShape,
	Params: []Param{
		{Name: "p", Kind: Float, Default: 0.0, Aliases: paramDropoutP.Aliases, Doc: "probability of a sample to be dropped, from 0 to 1"},
	},
	Ints:  IntsKept,
	Shape: func(c *Call) (Shape, error) { return c.In[0], c.checkDropout() },
	Lower: func(l *Lowering) op.Value {
		if l.Float("p") == 0 {
			return l.X[0]
		}
		return op.MulNoise(l.P, l.X[0], op.Noise{Shape: Of(1)})
	},
	Torch: `DropPath({{p}})`,
	Module: `class DropPath(nn.Module):
    """Zeroes whole samples with probability p while training, and scales the others to keep the mean."""

    def __init__(self, p):
        super().__init__()
        if not 0 <= p <= 1:
            raise ValueError(f"p is {p} but must be from 0 to 1")
        self.p = p

    def forward(self, x):
        if not self.training or self.p == 0:
            return x
        keep = x.new_empty([x.shape[0]] + [1] * (x.dim() - 1)).bernoulli_(1 - self.p)
        if self.p < 1:
            keep.div_(1 - self.p)
        return x * keep
`,
	Examples: []Example{
		{In: "[49,96]", Args: "p=0.1", Out: "[49,96]"},
		{In: "int[9]", Out: "[9]"},
		{In: "[9]", Args: "p=2", Err: "p is 2 but must be from 0 to 1"},
		{In: "int[9]", Args: "p=0.5", Err: "cannot scale the integers that arrive by 1/(1-p)"},
	},
})
