package catalog

import (
	"math"

	"github.com/modelverifier/verifier/internal/graph"
)

var _ = define(Type{
	ID:     "upsample",
	Title:  "Resizes the axes behind the channels",
	Doc:    `Resizes one, two or three axes behind the channels, either to size or by scaleFactor (size wins), as torch.nn.Upsample does. A factor gives the size rounded down. linear takes one axis, bilinear and bicubic two, trilinear three; nearest, nearest-exact and area any of these.`,
	Source: "torch.nn.Upsample, torch.nn.functional.interpolate",
	Group:  Resampling,
	Params: []Param{
		{Name: "size", Kind: Ints, Optional: true, Min: 1, Aliases: []string{"outputSize"}, Doc: "size of each axis behind the channels"},
		{Name: "scaleFactor", Kind: Floats, Optional: true, Aliases: []string{"scale"}, Doc: "how many times larger each of these axes becomes, read where size is left out"},
		{Name: "mode", Kind: String, Values: []string{"nearest", "nearest-exact", "area", "linear", "bilinear", "bicubic", "trilinear"}, Default: "nearest", Doc: "how values between the elements are found"},
		{Name: "alignCorners", Kind: Bool, Default: false, Doc: "whether the corner elements keep their places; read by the linear modes and bicubic"},
	},
	Shape: upsampleShape,
	Saved: func(c *Call) {
		if c.Str("mode") == "area" { // an adaptive mean
			keepAveraged(len(c.Out) - 1)(c)
		}
	},
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

// interpolationAxes are the numbers of spatial axes that the modes take; those left out take one to three.
var interpolationAxes = map[string]int{"linear": 1, "bilinear": 2, "bicubic": 2, "trilinear": 3}

func upsampleShape(c *Call) (Shape, error) {
	in, mode := c.In[0], c.Str("mode")
	n := in.Rank() - 1
	if n < 1 || n > 3 {
		return nil, c.Errorf(InterpolationRank, "takes channels and one to three axes, got %v", in)
	}
	if want := interpolationAxes[mode]; want != 0 && want != n {
		return nil, c.Errorf(InterpolationRank, "mode %s takes %s, got %v", mode, imageAxes[want], in)
	}
	if _, read := interpolationAxes[mode]; read && c.arg("alignCorners").Kind() != graph.Bool {
		return nil, c.Errorf(BadParam, "alignCorners is %v but takes true or false", c.arg("alignCorners"))
	}
	param := "size"
	if !c.Has("size") {
		param = "scaleFactor"
	}
	given := c.Floats(param)
	switch {
	case !c.Has(param) || param == "scaleFactor" && !c.IsList(param) && given[0] == 0: // PyTorch takes a factor of 0 for none
		return nil, c.Errorf(MissingParam, "needs size or scaleFactor")
	case c.IsList(param) && len(given) != n:
		return nil, c.Errorf(InterpolationRank, "%s is %v but must be a number or a list of %d: %v has so many axes behind the channels", param, c.arg(param), n, in)
	}
	out := append(Shape{}, in...)
	for i := range n {
		at := min(i, len(given)-1)
		if param == "size" {
			out[i+1] = c.Ints(param)[at]
			continue
		}
		scaled := math.Trunc(float64(in[i+1]) * given[at])
		if !(scaled < math.MaxInt64) {
			c.overflow, scaled = true, 1
		}
		if scaled < 1 {
			return nil, c.Errorf(EmptyOutput, "scaleFactor %g makes 0 elements of %d", given[at], in[i+1])
		}
		out[i+1] = int64(scaled)
	}
	return out, nil
}
