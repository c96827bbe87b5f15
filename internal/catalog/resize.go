package catalog

import (
	"math"

	"github.com/modelverifier/verifier/internal/op"
)

// This file holds what upsample and interpolate share: torch.nn.functional.interpolate.

// interpolationAxes are the numbers of spatial axes that the modes take; those left out take one to three. The modes here
// are also those that read alignCorners.
var interpolationAxes = map[string]int{"linear": 1, "bilinear": 2, "bicubic": 2, "trilinear": 3}

func interpolationMode() Param {
	return Param{Name: "mode", Kind: String, Values: []string{"nearest", "nearest-exact", "area", "linear", "bilinear", "bicubic", "trilinear"}, Default: "nearest", Doc: "how values between the elements are found"}
}

// interpolates refuses an input with another number of axes than the mode takes.
func (c *Call) interpolates() error {
	in, mode := c.In[0], c.Str("mode")
	n := in.Rank() - 1
	if n < 1 || n > 3 {
		return c.Errorf(InterpolationRank, "takes channels and one to three axes, got %v", in)
	}
	if want := interpolationAxes[mode]; want != 0 && want != n {
		return c.Errorf(InterpolationRank, "mode %s takes %s, got %v", mode, imageAxes[want], in)
	}
	return nil
}

// resize gives the axes behind the channels the sizes of a parameter, which is size or scaleFactor.
func (c *Call) resize(param string) (Shape, error) {
	in, given := c.In[0], c.Floats(param)
	if n := in.Rank() - 1; c.IsList(param) && len(given) != n {
		return nil, c.Errorf(InterpolationRank, "%s is %v but must be a number or a list of %d: %v has so many axes behind the channels", param, c.arg(param), n, in)
	}
	out := append(Shape{}, in...)
	for i := range out[1:] {
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

func lowerInterpolation(l *Lowering) op.Value {
	if l.Str("mode") == "area" {
		return lowerAveraged(len(l.Out) - 1)(l)
	}
	return lowerResampled(l)
}
