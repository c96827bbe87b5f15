package catalog

var _ = define(Type{
	ID:     "pixelShuffle",
	Title:  "Rearranges channels into space",
	Doc:    `Moves upscaleFactor² channels into an image that is upscaleFactor times larger, as torch.nn.PixelShuffle does.`,
	Source: "torch.nn.PixelShuffle",
	Group:  Resampling,
	Traits: IsLinear,
	Params: []Param{{Name: "upscaleFactor", Kind: Int, Min: 1, Doc: "how many times larger the image becomes"}},
	Ints:   IntsKept,
	Shape: func(c *Call) (Shape, error) {
		r, in := c.Int("upscaleFactor"), c.In[0]
		if in.Rank() < 2 {
			return nil, c.Errorf(RankMismatch, "takes (channels, height, width), got %v", in)
		}
		if in.Rank() == 2 && r == 1 {
			return in, nil
		}
		if in.Rank() == 2 { // PyTorch takes the batch for the channels, and does not keep it
			return nil, c.Errorf(BatchAxis, "takes (channels, height, width), got %v", in)
		}
		square := c.Mul(r, r)
		if in.At(-3)%square != 0 {
			return nil, c.Errorf(ShuffleDivisibility, "%d channels are not divisible by %d", in.At(-3), square)
		}
		return in.With(-3, in.At(-3)/square).With(-2, c.Mul(in.At(-2), r)).With(-1, c.Mul(in.At(-1), r)), nil
	},
	Lower: lowerResampled,
	Torch: `nn.PixelShuffle({{upscaleFactor}})`,
	Examples: []Example{
		{In: "[8,4,4]", Args: "upscaleFactor=2", Out: "[2,8,8]"},
		{In: "[6,4,4]", Args: "upscaleFactor=2", Err: "not divisible by 4"},
	},
})
