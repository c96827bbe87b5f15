package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:     "glu",
	Title:  "Gated linear unit",
	Doc:    `Splits the axis dim into two halves and multiplies the first by the sigmoid of the second. The result is half as large along that axis, which must be even. dim counts the batch as axis 0.`,
	Source: "torch.nn.GLU; Dauphin et al. 2016",
	Group:  Activation,
	Traits: IsActivation | HasActivation,
	Params: []Param{{Name: "dim", Kind: Int, Negative: true, Default: -1, Doc: "axis that is halved; the batch is axis 0"}},
	Shape: func(c *Call) (Shape, error) {
		in := c.In[0]
		axis, err := c.SampleAxis("dim", c.Int("dim"), in.Rank())
		if err != nil {
			return nil, err
		}
		if in[axis]%2 != 0 {
			return nil, c.Errorf(OddGate, "halves axis %d of %v, but %d is odd", axis+1, in, in[axis])
		}
		return in.With(axis, in[axis]/2), nil
	},
	Lower: func(l *Lowering) op.Value { return op.GLU(l.P, l.X[0], l.Out...) },
	Torch: `nn.GLU(dim={{dim}})`,
	Examples: []Example{
		{In: "[12,64]", Out: "[12,32]"},
		{In: "[64,8,8]", Args: "dim=1", Out: "[32,8,8]"},
		{In: "[12,5]", Err: "halves axis 2 of [12,5], but 5 is odd"},
		{In: "[12,4]", Args: "dim=0", Err: "dim names the batch"},
		{In: "[12,4]", Args: "dim=3", Err: "dim is 3 but must be from -3 to 2"},
	},
})
