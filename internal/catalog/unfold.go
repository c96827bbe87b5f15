package catalog

var _ = define(Type{
	ID:      "unfold",
	Title:   "Lays the patches of an image out as columns",
	Doc:     `Copies each patch that a sliding kernel covers into one column, as torch.nn.Unfold does: (channels, height, width) becomes (channels * size of the kernel, number of patches). Followed by a matrix product it is a convolution; fold is its counterpart.`,
	Source:  "torch.nn.Unfold",
	Group:   Resampling,
	Traits:  IsLinear,
	Aliases: []string{"im2col"},
	Params:  foldParams(),
	Shape: func(c *Call) (Shape, error) {
		in := c.In[0]
		if err := c.Ranks(2, 3, imageAxes[2]); err != nil {
			return nil, err
		}
		taps := c.taps(2)
		if in.Rank() == 2 && taps != 1 { // PyTorch takes the batch for the channels, which a kernel multiplies
			return nil, c.Errorf(BatchAxis, "takes %s, got %v", imageAxes[2], in)
		}
		blocks, err := foldBlocks(c, in[in.Rank()-2:])
		if err != nil {
			return nil, err
		}
		if in.Rank() == 2 {
			return Of(blocks), nil
		}
		return Of(c.Mul(in[0], taps), blocks), nil
	},
	Lower: lowerResampled,
	Torch: `nn.Unfold({{kernelSize}}, dilation={{dilation}}, padding={{padding}}, stride={{stride}})`,
	Examples: []Example{
		{In: "[3,8,8]", Args: "kernelSize=2 stride=2", Out: "[12,16]"},
		{In: "[3,8,8]", Args: "kernelSize=[3,2] padding=[1,0] dilation=2", Out: "[18,36]"},
		{In: "[3,4,4]", Args: "kernelSize=5", Err: "the kernel covers 5 but the padded height is 4"},
		{In: "[4,4]", Args: "kernelSize=2", Err: "takes (channels, height, width), got [4,4]"},
	},
})

// foldParams are those of fold and unfold, whose lists have one number for each axis.
func foldParams(own ...Param) []Param {
	stride, dilation := strideParam(2), dilationParam(2)
	stride.One, dilation.One = false, false
	padding := Param{Name: "padding", Kind: Dims, N: 2, Default: 0, Doc: "zeros added on both sides of each axis"}
	return append(own, kernelParam(2), dilation, padding, stride)
}

// foldBlocks is the number of places at which the kernel stands in an image.
func foldBlocks(c *Call, image Shape) (int64, error) {
	kernel, stride, dilation, padding := c.Dims("kernelSize"), c.Dims("stride"), c.Dims("dilation"), c.Dims("padding")
	blocks := int64(1)
	for i, n := range image {
		padded, reach := c.Add(n, c.Mul(2, padding[i])), c.reach(kernel[i], dilation[i])
		if padded < reach {
			return 0, c.Errorf(KernelExceedsInput, "the kernel covers %d%s but the padded %s is %d", reach, spread(kernel[i], dilation[i]), axisNames[2][i], padded)
		}
		blocks = c.Mul(blocks, (padded-reach)/stride[i]+1)
	}
	return blocks, nil
}
