package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:     "alphaDropout",
	Title:  "Dropout that keeps mean and variance",
	Doc:    `During training replaces each value, with probability p, by the value at which selu levels off, and scales and shifts all of them so that mean and variance stay. Takes any shape; integers only where p is 0 or 1. It belongs behind selu. PyTorch ignores inplace.`,
	Source: "torch.nn.AlphaDropout; Klambauer et al. 2017",
	Group:  Regularising,
	Traits: IsDropout | KeepsShape,
	Params: []Param{paramDropoutP, paramInplace},
	Ints:   IntsKept,
	Shape:  func(c *Call) (Shape, error) { return c.In[0], c.checkDropout() },
	Lower:  func(l *Lowering) op.Value { return l.mulNoise(l.In[0], true) },
	Torch:  `nn.AlphaDropout(p={{p}}, inplace={{inplace}})`,
	Examples: []Example{
		{In: "[256]", Args: "p=0.1", Out: "[256]"},
		{In: "[256]", Args: "p=1.5", Err: "p is 1.5 but must be from 0 to 1"},
		{In: "int[256]", Err: "cannot scale the integers that arrive by 1/(1-p)"},
	},
})
