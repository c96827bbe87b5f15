package catalog

var _ = define(Type{
	ID:      "fold",
	Title:   "Adds columns up to an image",
	Doc:     `Puts each column back as a patch and adds where patches overlap, as torch.nn.Fold does: (channels * size of the kernel, number of patches) becomes (channels, height, width). The number of patches must be exactly what unfold makes of an image of outputSize.`,
	Source:  "torch.nn.Fold",
	Group:   Resampling,
	Traits:  IsLinear,
	Aliases: []string{"col2im"},
	Params:  foldParams(Param{Name: "outputSize", Kind: Dims, N: 2, Min: 1, Doc: "height and width of the result"}),
	Shape:   foldShape,
	Lower:   lowerResampled,
	Torch:   `nn.Fold({{outputSize}}, {{kernelSize}}, dilation={{dilation}}, padding={{padding}}, stride={{stride}})`,
	Examples: []Example{
		{In: "[12,16]", Args: "outputSize=8 kernelSize=2 stride=2", Out: "[3,8,8]"},
		{In: "[30,6]", Args: "outputSize=[5,5] kernelSize=[2,3] stride=[2,1]", Out: "[5,5,5]"},
		{In: "[90]", Args: "outputSize=[9,10] kernelSize=1", Out: "[9,10]"},
		{In: "[12,15]", Args: "outputSize=8 kernelSize=2 stride=2", Err: "15 columns arrive but an image of 8 by 8 has 16 patches"},
		{In: "[10,16]", Args: "outputSize=8 kernelSize=2 stride=2", Err: "10 rows are not divisible by the 4 elements of the kernel"},
		{In: "[12,16,2]", Args: "outputSize=8 kernelSize=2 stride=2", Err: "takes (channels * size of the kernel, patches), got [12,16,2]"},
		{In: "[9,4]", Args: "outputSize=2 kernelSize=3", Err: "the kernel covers 3 but the padded height is 2"},
	},
})

func foldShape(c *Call) (Shape, error) {
	in, size, taps := c.In[0], c.Dims("outputSize"), c.taps(2)
	if err := c.Ranks(1, 2, "(channels * size of the kernel, patches)"); err != nil {
		return nil, err
	}
	if in.Rank() == 1 && taps != 1 { // PyTorch takes the batch for the rows, which a kernel divides
		return nil, c.Errorf(BatchAxis, "takes (channels * size of the kernel, patches), got %v", in)
	}
	if in.Rank() == 2 && in[0]%taps != 0 {
		return nil, c.Errorf(FoldSize, "%d rows are not divisible by the %d elements of the kernel", in[0], taps)
	}
	blocks, err := foldBlocks(c, size[:2])
	if err != nil {
		return nil, err
	}
	if got := in.At(-1); got != blocks {
		return nil, c.Errorf(FoldSize, "%s but an image of %d by %d has %d patches", arrive(got, "column"), size[0], size[1], blocks).Wants(0, At(-1), blocks)
	}
	if in.Rank() == 1 {
		return Of(size[0], size[1]), nil
	}
	return Of(in[0]/taps, size[0], size[1]), nil
}
