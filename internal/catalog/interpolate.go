package catalog

var _ = define(Type{
	ID:     "interpolate",
	Title:  "Resizes the axes behind the channels",
	Doc:    `Resizes one, two or three axes behind the channels, as torch.nn.functional.interpolate does: either to size or by scaleFactor, and exactly one of the two must be given. linear takes one axis, bilinear and bicubic two, trilinear three; nearest, nearest-exact and area any of these. alignCorners belongs to the modes in linear and bicubic, and giving it with another is refused.`,
	Source: "torch.nn.functional.interpolate",
	Group:  Resampling,
	Traits: IsLinear,
	Params: []Param{
		{Name: "size", Kind: Ints, Optional: true, Min: 1, Aliases: []string{"outputSize"}, Doc: "size of each axis behind the channels"},
		{Name: "scaleFactor", Kind: Floats, Optional: true, Aliases: []string{"scale"}, Doc: "how many times larger each of these axes becomes"},
		interpolationMode(),
		{Name: "alignCorners", Kind: Bool, Strict: true, Optional: true, Doc: "whether the corner elements keep their places; only for the linear modes and bicubic"},
		{Name: "antialias", Kind: Bool, Default: false, Doc: "whether shrinking averages over all elements; only for bilinear and bicubic"},
	},
	Shape: interpolateShape,
	Lower: lowerInterpolation,
	Torch: `lambda x: F.interpolate(x, size={{size}}, scale_factor={{scaleFactor}}, mode={{mode}}, align_corners={{alignCorners}}, antialias={{antialias}})`,
	Examples: []Example{
		{In: "[8,16,16]", Args: "scaleFactor=2", Out: "[8,32,32]"},
		{In: "[8,5,7]", Args: "scaleFactor=[1.5,0.5] mode=bilinear alignCorners=true", Out: "[8,7,3]"},
		{In: "[8,32,32]", Args: "size=[9,9] mode=bicubic antialias=true", Out: "[8,9,9]"},
		{In: "[8,5]", Args: "size=9 mode=area", Out: "[8,9]"},
		{In: "[8,5,5]", Args: "size=9 scaleFactor=2", Err: "size and scaleFactor are both given"},
		{In: "[8,5,5]", Err: "needs size or scaleFactor"},
		{In: "[8,5,5]", Args: "size=9 alignCorners=false", Err: "mode nearest takes no alignCorners"},
		{In: "[8,5,5]", Args: "size=9 antialias=true", Err: "antialias needs mode bilinear or bicubic"},
		{In: "[8,5]", Args: "size=9 mode=bilinear", Err: "mode bilinear takes (channels, height, width), got [8,5]"},
		{In: "[8,1,1]", Args: "scaleFactor=0.5", Err: "0 elements"},
	},
})

func interpolateShape(c *Call) (Shape, error) {
	if err := c.interpolates(); err != nil {
		return nil, err
	}
	mode := c.Str("mode")
	param := "size"
	switch {
	case c.Has("size") && c.Has("scaleFactor"):
		return nil, c.Errorf(BadParam, "size and scaleFactor are both given, but only one may be")
	case c.Has("scaleFactor"):
		param = "scaleFactor"
	case !c.Has("size"):
		return nil, c.Errorf(MissingParam, "needs size or scaleFactor")
	}
	shape, err := c.resize(param)
	if _, reads := interpolationAxes[mode]; err == nil && !reads && c.Has("alignCorners") {
		return shape, c.Errorf(BadParam, "mode %s takes no alignCorners, but it is given", mode)
	}
	if err == nil && c.Bool("antialias") && mode != "bilinear" && mode != "bicubic" {
		return shape, c.Errorf(BadParam, "antialias needs mode bilinear or bicubic, but mode is %s", mode)
	}
	return shape, err
}
