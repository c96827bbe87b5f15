package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(activation(Type{
	ID:     "rrelu",
	Title:  "Rectified linear unit with a random slope below zero",
	Doc:    `Keeps positive values and multiplies each negative one by a slope drawn between lower and upper; in evaluation by the mean of the two. Takes any shape, but no integers. It keeps the drawn slopes for the backward pass, which leakyRelu need not.`,
	Source: "torch.nn.RReLU; Xu et al. 2015",
	Params: []Param{
		{Name: "lower", Kind: Float, Default: 1.0 / 8, Doc: "smallest slope"},
		{Name: "upper", Kind: Float, Default: 1.0 / 3, Doc: "largest slope"},
		paramInplace,
	},
	Shape: func(c *Call) (Shape, error) {
		if c.Float("lower") > c.Float("upper") {
			return c.In[0], c.Errorf(BadParam, "lower is %v, above upper, which is %v", c.arg("lower"), c.arg("upper"))
		}
		return c.In[0], c.checkNumbers()
	},
	Lower: func(l *Lowering) op.Value { return op.RReLU(l.P, l.X[0]) },
	Torch: `nn.RReLU({{lower}}, {{upper}}, inplace={{inplace}})`,
	Examples: []Example{
		{In: "[64,8,8]", Out: "[64,8,8]"},
		{In: "[64]", Args: "lower=0.2 upper=0.2", Out: "[64]"},
		{In: "[64]", Args: "lower=0.6 upper=0.5", Err: "lower is 0.6, above upper, which is 0.5"},
		{In: "int[64]", Err: "takes numbers with a fraction"},
	},
}))
