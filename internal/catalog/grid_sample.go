package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:    "gridSample",
	Title: "Reads an image at given positions",
	Doc: `The second input names for each pixel of the result the position in the first where it is read, as torch.nn.functional.grid_sample does: (channels, height, width) with a grid (height, width, 2), ` +
		`or one axis more and a last axis of 3 for volumes. Positions run from -1 to 1, x before y. The result has the channels of the image and the size of the grid.`,
	Source:  "torch.nn.functional.grid_sample; Jaderberg et al. 2015",
	Group:   Resampling,
	Aliases: []string{"gridSampler", "spatialTransformer"},
	Inputs:  Arity{2, 2},
	Params: []Param{
		{Name: "mode", Kind: String, Default: "bilinear", Values: []string{"bilinear", "nearest", "bicubic"}, Doc: "how to read between pixels; bicubic for images only"},
		{Name: "paddingMode", Kind: String, Default: "zeros", Values: []string{"zeros", "border", "reflection"}, Doc: "what lies outside of the image"},
		{Name: "alignCorners", Kind: Bool, Default: false, Strict: true, Doc: "whether -1 and 1 are the centres of the outermost pixels, or the edges of the image"},
	},
	Shape: func(c *Call) (Shape, error) {
		image, grid := c.In[0], c.In[1]
		if err := c.Ranks(3, 4, "(channels, height, width) or (channels, depth, height, width)"); err != nil {
			return nil, err
		}
		if n := image.Rank() - 1; grid.Rank() != n+1 || grid.At(-1) != int64(n) {
			return nil, c.Errorf(FeatureMismatch, "the grid of %v must have %d axes, the last of size %d, got %v", image, n+1, n, grid)
		}
		out := append(Of(image[0]), grid[:grid.Rank()-1]...)
		if c.Str("mode") == "bicubic" && image.Rank() == 4 {
			return out, c.Errorf(InterpolationRank, "mode bicubic reads images, not the volume %v", image)
		}
		return out, nil
	},
	Lower: func(l *Lowering) op.Value { return op.GridSample(l.P, l.X[0], l.X[1], l.Out...) },
	Torch: `lambda x, grid: F.grid_sample(x, grid, mode={{mode}}, padding_mode={{paddingMode}}, align_corners={{alignCorners}})`,
	Examples: []Example{
		{In: "[3,32,32] [16,20,2]", Args: "mode=nearest", Out: "[3,16,20]"},
		{In: "[3,8,32,32] [4,16,20,3]", Out: "[3,4,16,20]"},
		{In: "[3,32,32] [16,20,3]", Err: "the last of size 2, got [16,20,3]"},
		{In: "[3,8,32,32] [4,16,20,3]", Args: "mode=bicubic", Err: "mode bicubic reads images"},
	},
})
