package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:     "dropout",
	Title:  "Drops values at random",
	Doc:    `During training replaces each value by zero with probability p and divides the others by 1-p, so that the mean stays. In evaluation it does nothing. Takes any shape; integers only where p is 0 or 1.`,
	Source: "torch.nn.Dropout; Hinton et al. 2012",
	Group:  Regularising,
	Traits: IsDropout | KeepsShape,
	Params: []Param{paramDropoutP, paramInplace},
	Ints:   IntsKept,
	Shape:  func(c *Call) (Shape, error) { return c.In[0], c.checkDropout() },
	Lower: func(l *Lowering) op.Value {
		if p := l.Float("p"); p > 0 && p < 1 && !l.Bool("inplace") {
			return op.Dropout(l.P, l.X[0])
		}
		return l.mulNoise(l.In[0], false)
	},
	Torch: `nn.Dropout(p={{p}}, inplace={{inplace}})`,
	Examples: []Example{
		{In: "[128,768]", Args: "p=0.1", Out: "[128,768]"},
		{In: "[10]", Args: "p=1.5", Err: "p is 1.5 but must be from 0 to 1"},
		{In: "int[10]", Err: "cannot scale the integers that arrive by 1/(1-p)"},
		{In: "int[10]", Args: "p=0", Out: "[10]"},
	},
})

// paramDropoutP is the probability of the dropouts.
var paramDropoutP = Param{Name: "p", Kind: Float, Default: 0.5, Aliases: []string{"rate", "dropRate", "dropProb"}, Doc: "probability of a value to be dropped, from 0 to 1"}

// checkDropout refuses a p that is no probability, and integers, which cannot be divided by 1-p.
func (c *Call) checkDropout() error {
	p := c.Float("p")
	if p < 0 || p > 1 {
		return c.Errorf(DropoutRange, "p is %v but must be from 0 to 1", c.arg("p"))
	}
	if c.OutIsInt && p > 0 && p < 1 {
		return c.Errorf(DtypeMismatch, "cannot scale the integers that arrive by 1/(1-p), p is %v", c.arg("p"))
	}
	return nil
}

// mulNoise multiplies the input by what a dropout drew. PyTorch draws nothing where p is 0 or 1, as keepDropout says.
func (l *Lowering) mulNoise(drawn Shape, alpha bool) op.Value {
	noise := op.Noise{Shape: drawn, InPlace: l.Bool("inplace"), Alpha: alpha}
	switch l.Float("p") {
	case 0:
		return l.X[0]
	case 1:
		noise = op.Noise{Shape: Of(1), Shared: true, InPlace: noise.InPlace}
	}
	return op.MulNoise(l.P, l.X[0], noise)
}
