package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:      "groupNorm",
	Title:   "Normalises groups of channels of each sample",
	Doc:     `Brings each of numGroups groups of channels to mean 0 and variance 1 over its channels and positions, then scales and shifts each channel. Takes (channels) and any further axes; the channels must be divisible by numGroups. It does not depend on the batch.`,
	Source:  "torch.nn.GroupNorm; Wu and He 2018",
	Group:   Normalisation,
	Aliases: []string{"groupNormalization"},
	Traits:  IsNorm | KeepsShape,
	Params: []Param{
		{Name: "numGroups", Kind: Int, Min: 1, Aliases: []string{"groups"}, Doc: "number of groups that the channels are split into"},
		// Without weights nothing has this size, and PyTorch asks only whether it is divisible by numGroups.
		{Name: "numChannels", Kind: Int, Negative: true, Reads: At(0), Aliases: []string{"numFeatures"}, Doc: "number of channels, the first axis behind the batch"},
		paramEps,
		{Name: "affine", Kind: Bool, Default: true, Doc: "whether there is a trained scale and shift for each channel"},
	},
	Shape:   groupNormShape,
	Weights: func(c *Call) { normWeights(c, c.Int("numChannels")) },
	Lower: func(l *Lowering) op.Value {
		return op.GroupNorm(l.P, l.X[0], l.Int("numGroups"), l.Affine("")...)
	},
	Torch:         `nn.GroupNorm({{numGroups}}, {{numChannels}}, eps={{eps}}, affine={{affine}})`,
	WeightFormula: "affine*2*numChannels",
	Examples: []Example{
		{In: "[64,8,8]", Args: "numGroups=32 numChannels=64", Out: "[64,8,8]", Weights: 128},
		{In: "[12]", Args: "numGroups=4 numChannels=8 affine=false", Out: "[12]"},
		{In: "[7,3,3]", Args: "numGroups=2 numChannels=7", Err: "7 channels are not divisible by numGroups, which is 2"},
		{In: "[6,1,6]", Args: "numGroups=1 numChannels=5", Err: "numChannels is 5 but 6 channels arrive"},
		{In: "[8]", Args: "numGroups=0 numChannels=8", Err: "numGroups is 0 but takes an integer of at least 1"},
		{In: "[]", Args: "numGroups=1 numChannels=8", Err: "takes (channels, …), got []"},
	},
})

func groupNormShape(c *Call) (Shape, error) {
	in := c.In[0]
	if in.Rank() == 0 {
		return nil, c.Errorf(RankMismatch, "takes (channels, …), got %v", in)
	}
	n, groups := c.Int("numChannels"), c.Int("numGroups")
	if c.Bool("affine") && n != in[0] {
		r := c.Errorf(NormSizeMismatch, "numChannels is %d but %s", n, arrive(in[0], "channel"))
		if n%groups == 0 {
			r.Wants(0, At(0), n)
		}
		if in[0]%groups == 0 {
			r.SetInt("numChannels", in[0])
		}
		return in, r
	}
	for _, channels := range []int64{n, in[0]} { // the constructor checks the first, the call the second
		if channels%groups != 0 {
			return in, c.Errorf(GroupNormDivisibility, "%d channels are not divisible by numGroups, which is %d", channels, groups)
		}
	}
	return in, nil
}
