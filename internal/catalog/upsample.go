package catalog

import "github.com/modelverifier/verifier/internal/graph"

var _ = define(Type{
	ID:     "upsample",
	Title:  "Resizes the axes behind the channels",
	Doc:    `Resizes one, two or three axes behind the channels, either to size or by scaleFactor (size wins), as torch.nn.Upsample does. A factor gives the size rounded down. linear takes one axis, bilinear and bicubic two, trilinear three; nearest, nearest-exact and area any of these.`,
	Source: "torch.nn.Upsample, torch.nn.functional.interpolate",
	Group:  Resampling,
	Traits: IsLinear,
	Params: []Param{
		{Name: "size", Kind: Ints, Optional: true, Min: 1, Aliases: []string{"outputSize"}, Doc: "size of each axis behind the channels"},
		{Name: "scaleFactor", Kind: Floats, Optional: true, Aliases: []string{"scale"}, Doc: "how many times larger each of these axes becomes, read where size is left out"},
		interpolationMode(),
		{Name: "alignCorners", Kind: Bool, Default: false, Doc: "whether the corner elements keep their places; read by the linear modes and bicubic"},
	},
	Shape: upsampleShape,
	Lower: lowerInterpolation,
	Torch: `lambda x: F.interpolate(x, size={{size}}, scale_factor={{scaleFactor}} if {{size}} is None else None, mode={{mode}}, ` +
		`align_corners={{alignCorners}} if "linear" in {{mode}} or {{mode}} == "bicubic" else None)`,
	Examples: []Example{
		{In: "[8,16,16]", Args: "scaleFactor=2", Out: "[8,32,32]"},
		{In: "[8,5,7]", Args: "scaleFactor=[1.5,0.5] mode=bilinear", Out: "[8,7,3]"},
		{In: "[8,5]", Args: "size=9 mode=linear", Out: "[8,9]"},
		{In: "[8,5]", Args: "size=9 mode=bilinear", Err: "mode bilinear takes (channels, height, width), got [8,5]"},
		{In: "[8,5,5]", Args: "size=[9]", Err: "size is [9] but must be a number or a list of 2"},
		{In: "[8,1,1]", Args: "scaleFactor=0.5", Err: "0 elements"},
		{In: "[8,4,4]", Err: "needs size or scaleFactor"},
	},
})

func upsampleShape(c *Call) (Shape, error) {
	if err := c.interpolates(); err != nil {
		return nil, err
	}
	if _, read := interpolationAxes[c.Str("mode")]; read && c.arg("alignCorners").Kind() != graph.Bool {
		return nil, c.Errorf(BadParam, "alignCorners is %v but takes true or false", c.arg("alignCorners"))
	}
	switch factor := c.arg("scaleFactor"); {
	case c.Has("size"):
		return c.resize("size")
	case factor.Kind() == graph.Null, factor.Kind() != graph.List && factor.Float() == 0: // PyTorch takes a factor of 0 for none
		return nil, c.Errorf(MissingParam, "needs size or scaleFactor")
	}
	return c.resize("scaleFactor")
}
