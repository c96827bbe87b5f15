package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:      "dropout2d",
	Title:   "Drops whole channels at random",
	Doc:     `During training replaces each channel of each sample by zeros with probability p and divides the others by 1-p. Channels are the first axis behind the batch, so it takes any shape that has one. In evaluation it does nothing.`,
	Source:  "torch.nn.Dropout2d; Tompson et al. 2014",
	Group:   Regularising,
	Aliases: []string{"spatialDropout2d"},
	Traits:  IsDropout | KeepsShape,
	Params:  []Param{paramDropoutP, paramInplace},
	Ints:    IntsKept,
	Shape:   featureDropoutShape,
	Lower:   func(l *Lowering) op.Value { return l.mulNoise(l.In[0][:min(1, l.In[0].Rank())], false) },
	Torch:   `nn.Dropout2d(p={{p}}, inplace={{inplace}})`,
	Examples: []Example{
		{In: "[64,8,8]", Args: "p=0.2", Out: "[64,8,8]"},
		{In: "[4]", Args: "p=-0.1", Err: "p is -0.1 but must be from 0 to 1"},
		{In: "[]", Err: "takes (channels, …), got []"},
	},
})

// featureDropoutShape is shared by the dropouts of channels, which in PyTorch are one function.
func featureDropoutShape(c *Call) (Shape, error) {
	if err := c.checkDropout(); err != nil {
		return c.In[0], err
	}
	if p := c.Float("p"); c.In[0].Rank() == 0 && p > 0 && p < 1 {
		return nil, c.Errorf(RankMismatch, "takes (channels, …), got %v", c.In[0])
	}
	return c.In[0], nil
}

// unbatchedNoise draws as unbatchedDropoutSaved says.
func (l *Lowering) unbatchedNoise(rank int) op.Value {
	if in := l.In[0]; in.Rank() == rank {
		return l.mulNoise(in[:1], false)
	}
	return l.mulNoise(Of(), false)
}
