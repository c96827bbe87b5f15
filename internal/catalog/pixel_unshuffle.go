package catalog

var _ = define(Type{
	ID:     "pixelUnshuffle",
	Title:  "Rearranges space into channels",
	Doc:    `Moves blocks of downscaleFactor by downscaleFactor pixels into channels, as torch.nn.PixelUnshuffle does: the opposite of pixelShuffle. Height and width must be divisible by the factor.`,
	Source: "torch.nn.PixelUnshuffle",
	Group:  Resampling,
	Traits: IsLinear,
	Params: []Param{{Name: "downscaleFactor", Kind: Int, Min: 1, Doc: "how many times smaller the image becomes"}},
	Ints:   IntsKept,
	Shape: func(c *Call) (Shape, error) {
		r, in := c.Int("downscaleFactor"), c.In[0]
		if in.Rank() < 2 {
			return nil, c.Errorf(RankMismatch, "takes (channels, height, width), got %v", in)
		}
		for i := -2; i < 0; i++ {
			if in.At(i)%r != 0 {
				return nil, c.Errorf(ShuffleDivisibility, "the %s %d is not divisible by downscaleFactor %d", axisNames[2][i+2], in.At(i), r)
			}
		}
		if in.Rank() == 2 && r == 1 {
			return in, nil
		}
		if in.Rank() == 2 { // PyTorch takes the batch for the channels, and does not keep it
			return nil, c.Errorf(BatchAxis, "takes (channels, height, width), got %v", in)
		}
		return in.With(-3, c.Mul(in.At(-3), r, r)).With(-2, in.At(-2)/r).With(-1, in.At(-1)/r), nil
	},
	Lower: lowerResampled,
	Torch: `nn.PixelUnshuffle({{downscaleFactor}})`,
	Examples: []Example{
		{In: "[2,8,8]", Args: "downscaleFactor=2", Out: "[8,4,4]"},
		{In: "[2,8,7]", Args: "downscaleFactor=2", Err: "the width 7 is not divisible by downscaleFactor 2"},
	},
})
