package catalog

import "github.com/modelverifier/verifier/internal/op"

var _ = define(Type{
	ID:    "spatialPyramidPool",
	Title: "Largest values of windows of several sizes",
	Doc: `For each level n it splits an image (channels, height, width) into n times n windows and takes the largest value of each, as torch.nn.AdaptiveMaxPool2d does, ` +
		`and sets all of them side by side, so that the result has one size whatever the size of the image.`,
	Source:  "He et al. 2014, Spatial Pyramid Pooling, section 2.2",
	Group:   Pooling,
	Aliases: []string{"spp", "spatialPyramidPooling"},
	Traits:  IsPool,
	Params:  []Param{{Name: "levels", Kind: Ints, Min: 1, Default: []int64{1, 2, 4}, Aliases: []string{"poolSizes", "bins"}, Doc: "windows along each axis, for each level"}},
	Shape: func(c *Call) (Shape, error) {
		if err := c.Ranks(3, 3, imageAxes[2]); err != nil {
			return nil, err
		}
		windows := int64(0)
		for _, n := range c.Ints("levels") {
			windows = c.Add(windows, c.Mul(n, n))
		}
		return Of(c.Mul(c.In[0][0], windows)), nil
	},
	Lower: func(l *Lowering) op.Value {
		p, channels, levels := l.P, l.In[0][0], l.Ints("levels")
		if len(levels) > MostParts {
			return op.None
		}
		parts := make([]op.Value, len(levels))
		for k, n := range levels {
			parts[k] = op.View(p, op.MaxPool(p, l.X[0], channels, n, n), channels*n*n)
		}
		return op.Concatenate(p, l.Out, parts...)
	},
	Torch: `SpatialPyramidPool({{levels}})`,
	Module: `class SpatialPyramidPool(nn.Module):
    def __init__(self, levels):
        super().__init__()
        self.levels = levels if isinstance(levels, tuple) else (levels,)

    def forward(self, x):
        return torch.cat([F.adaptive_max_pool2d(x, n).flatten(1) for n in self.levels], 1)
`,
	Examples: []Example{
		{In: "[256,13,13]", Out: "[5376]"},
		{In: "[8,7,5]", Args: "levels=[1,3]", Out: "[80]"},
		{In: "[256,13]", Err: "takes (channels, height, width), got [256,13]"},
		{In: "[8,7,5]", Args: "levels=[1,0]", Err: "levels is"},
	},
})
