package catalog

var _ = define(Type{
	ID:     "channelShuffle",
	Title:  "Interleaves groups of channels",
	Doc:    `Splits the channels into groups and interleaves them, as torch.nn.ChannelShuffle does, so that the groups of the next grouped convolution see channels of every group. The input needs at least one axis behind the channels, whose number must be divisible by groups.`,
	Source: "torch.nn.ChannelShuffle; Zhang et al. 2017, ShuffleNet",
	Group:  Resampling,
	Traits: KeepsShape | IsLinear,
	Params: []Param{{Name: "groups", Kind: Int, Min: 1, Doc: "number of groups"}},
	Ints:   IntsKept,
	Shape: func(c *Call) (Shape, error) {
		g, in := c.Int("groups"), c.In[0]
		if in.Rank() < 2 {
			return nil, c.Errorf(RankMismatch, "takes (channels, …) with at least two axes, got %v", in)
		}
		if in[0]%g != 0 {
			return in, c.Errorf(ShuffleDivisibility, "%d channels are not divisible by groups %d", in[0], g)
		}
		return in, nil
	},
	Lower: lowerResampled,
	Torch: `nn.ChannelShuffle({{groups}})`,
	Examples: []Example{
		{In: "[8,4,4]", Args: "groups=2", Out: "[8,4,4]"},
		{In: "[6,4,4]", Args: "groups=4", Err: "6 channels are not divisible by groups 4"},
		{In: "[6]", Args: "groups=2", Err: "at least two axes"},
	},
})
