package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:     "featureAlphaDropout",
	Title:  "Drops whole channels, keeping mean and variance",
	Doc:    `Does to whole channels what alphaDropout does to single values. Channels are the first axis behind the batch, so it takes any shape that has one. PyTorch ignores inplace.`,
	Source: "torch.nn.FeatureAlphaDropout; Klambauer et al. 2017",
	Group:  Regularising,
	Traits: IsDropout | KeepsShape,
	Params: []Param{paramDropoutP, paramInplace},
	Ints:   IntsKept,
	Shape:  featureDropoutShape,
	Lower:  func(l *Lowering) op.Value { return l.mulNoise(l.In[0][:min(1, l.In[0].Rank())], true) },
	Torch:  `nn.FeatureAlphaDropout(p={{p}}, inplace={{inplace}})`,
	Examples: []Example{
		{In: "[64,8,8]", Args: "p=0.2", Out: "[64,8,8]"},
		{In: "[4]", Args: "p=-0.1", Err: "p is -0.1 but must be from 0 to 1"},
		{In: "[]", Err: "takes (channels, …), got []"},
	},
})
