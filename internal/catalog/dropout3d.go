package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:      "dropout3d",
	Title:   "Drops whole channels of volumes at random",
	Doc:     `During training replaces each channel of each sample by zeros with probability p and divides the others by 1-p. Meant for (channels, depth, height, width). It takes any other number of axes, but PyTorch then drops whole samples, since it takes the batch for the channels.`,
	Source:  "torch.nn.Dropout3d; Tompson et al. 2014",
	Group:   Regularising,
	Aliases: []string{"spatialDropout3d"},
	Traits:  IsDropout | KeepsShape,
	Params:  []Param{paramDropoutP, paramInplace},
	Ints:    IntsKept,
	Shape:   func(c *Call) (Shape, error) { return c.In[0], c.checkDropout() },
	Lower:   func(l *Lowering) op.Value { return l.unbatchedNoise(4) },
	Torch:   `nn.Dropout3d(p={{p}}, inplace={{inplace}})`,
	Examples: []Example{
		{In: "[16,4,8,8]", Args: "p=0.2", Out: "[16,4,8,8]"},
		{In: "[7]", Out: "[7]"},
		{In: "[16,4,8,8]", Args: "p=-0.1", Err: "p is -0.1 but must be from 0 to 1"},
	},
})
