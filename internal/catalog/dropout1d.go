package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:      "dropout1d",
	Title:   "Drops whole channels of sequences at random",
	Doc:     `During training replaces each channel of each sample by zeros with probability p and divides the others by 1-p. Takes (channels, length). It also takes one axis, but PyTorch then drops whole samples, since it takes the batch for the channels.`,
	Source:  "torch.nn.Dropout1d; Tompson et al. 2014",
	Group:   Regularising,
	Aliases: []string{"spatialDropout1d"},
	Traits:  IsDropout | KeepsShape,
	Params:  []Param{paramDropoutP, paramInplace},
	Ints:    IntsKept,
	Shape: func(c *Call) (Shape, error) {
		if err := c.Ranks(1, 2, "(channels, length) or one axis"); err != nil {
			return nil, err
		}
		return c.In[0], c.checkDropout()
	},
	Lower: func(l *Lowering) op.Value { return l.unbatchedNoise(2) },
	Torch: `nn.Dropout1d(p={{p}}, inplace={{inplace}})`,
	Examples: []Example{
		{In: "[64,100]", Args: "p=0.2", Out: "[64,100]"},
		{In: "[64]", Out: "[64]"},
		{In: "[64,8,8]", Err: "takes (channels, length) or one axis, got [64,8,8]"},
		{In: "[64,100]", Args: "p=2", Err: "p is 2 but must be from 0 to 1"},
	},
})
