package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:     "prelu",
	Title:  "Rectified linear unit with a learned slope",
	Doc:    `Keeps positive values and multiplies negative ones by a trained slope: one for all, or one for each channel, which is the first axis behind the batch. Takes any shape, but no integers. Weight decay should leave the slopes alone.`,
	Source: "torch.nn.PReLU; He et al. 2015",
	Group:  Activation,
	Traits: IsActivation | KeepsShape,
	Params: []Param{
		{Name: "numParameters", Kind: Int, Min: 1, Default: 1, Reads: At(0), Doc: "number of slopes: 1, or the number of channels"},
		{Name: "init", Kind: Float, Default: 0.25, Doc: "slope at the start"},
	},
	Shape: func(c *Call) (Shape, error) {
		if err := c.checkNumbers(); err != nil {
			return c.In[0], err
		}
		if c.Int("numParameters") == 1 {
			return c.In[0], nil
		}
		return c.In[0], c.Match(ChannelMismatch, "numParameters", "channel")
	},
	Weights:       func(c *Call) { c.Weight("weight", c.Int("numParameters")) },
	Lower:         func(l *Lowering) op.Value { return op.PReLU(l.P, l.X[0], l.W("weight")) },
	Torch:         `nn.PReLU({{numParameters}}, init={{init}})`,
	WeightFormula: "numParameters",
	Examples: []Example{
		{In: "[64,8,8]", Out: "[64,8,8]", Weights: 1},
		{In: "[64,8,8]", Args: "numParameters=64", Out: "[64,8,8]", Weights: 64},
		{In: "[64,8,8]", Args: "numParameters=8", Err: "numParameters is 8 but 64 channels arrive"},
		{In: "[]", Args: "numParameters=8", Err: "needs an axis that [] does not have"},
		{In: "int[64]", Err: "takes numbers with a fraction"},
	},
})
