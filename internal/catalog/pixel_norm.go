package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:    "pixelNorm",
	Title: "Normalises the features of each position",
	Doc: `Divides the vector of channels at each position by its root mean square, without weights. The channels are the first axis behind the batch; ` +
		`any number of axes may follow.`,
	Source: "Karras et al. 2018, section 4.2; rosinality/stylegan2-pytorch model.py PixelNorm",
	Group:  Normalisation,
	Traits: IsNorm | KeepsShape,
	Params: []Param{{Name: "eps", Kind: Float, Default: 1e-8, Aliases: []string{"epsilon"}, Doc: "added to the mean square"}},
	Shape: func(c *Call) (Shape, error) {
		return c.In[0], c.Ranks(1, MaxAxes, "channels and any further axes")
	},
	Lower: func(l *Lowering) op.Value {
		mean := op.Mean(l.P, op.Pow(l.P, l.X[0]), l.In[0].With(0, 1)...)
		return op.Mul(l.P, l.X[0], op.WideOfOutput(l.P, op.Scale(l.P, mean)))
	},
	Torch: `PixelNorm({{eps}})`,
	Module: `class PixelNorm(nn.Module):
    def __init__(self, eps):
        super().__init__()
        self.eps = eps

    def forward(self, x):
        return x * torch.rsqrt(torch.mean(x**2, dim=1, keepdim=True) + self.eps)
`,
	Examples: []Example{
		{In: "[8,4,4]", Out: "[8,4,4]"},
		{In: "[512]", Args: "eps=0.001", Out: "[512]"},
		{In: "[]", Err: "takes channels and any further axes, got []"},
		{In: "int[8,4]", Err: "takes numbers with a fraction"},
	},
})
