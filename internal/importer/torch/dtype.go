package torch

import (
	"math"
	"strings"

	"github.com/modelverifier/verifier/internal/importer/torch/interp"
)

// The width of floating-point numbers, as far as products need it: PyTorch multiplies no two tensors of different widths. An empty width is
// the default one, float32; "?" is one that is not known, of which nothing is said.

const anyWidth = "?"

// widthOf is the width that a dtype names: "" for float32, "?" for what is no name of one.
func widthOf(v interp.Value) string {
	s, ok := v.(interp.Symbol)
	if !ok {
		return anyWidth
	}
	switch name := dtypes[strings.TrimPrefix(s.Name, "torch.")]; name {
	case "float32":
		return ""
	case "float16", "bfloat16", "float64":
		return name
	}
	return anyWidth
}

// wide is a tensor in another width.
func (r *reader) wide(t *Tensor, width string) *Tensor {
	t = r.toFloat(t)
	if t.width == width || t.param != nil && t.constant() {
		return t
	}
	c := *t
	if t.param != nil {
		c = *r.reshapeGraph(t, t.shape)
	}
	c.width = width
	return &c
}

// promoted is the width of the result of arithmetic: that of the widest. A tensor without axes, and one of whole numbers, does not widen others.
func promoted(inputs []*Tensor) string {
	order := map[string]int{"bfloat16": 1, "float16": 1, "": 2, "float64": 3}
	widest, scalar := "", true
	found := false
	for _, t := range inputs {
		if t.isInt || t.mask {
			continue
		}
		if t.width == anyWidth {
			return anyWidth
		}
		flat := t.rank() == 0
		switch {
		case !found || scalar && !flat:
			widest, scalar, found = t.width, flat, true
		case flat && !scalar:
		case order[t.width] == order[widest] && t.width != widest:
			return "" // float16 with bfloat16
		case order[t.width] > order[widest]:
			widest = t.width
		}
	}
	return widest
}

// sameWidth raises where a product meets numbers of different widths. What a model or a context casts is not followed: then nothing is said.
func (r *reader) sameWidth(what string, a, b *Tensor) {
	if r.cast || a.width == b.width || a.width == anyWidth || b.width == anyWidth || a.isInt || b.isInt || a.mask || b.mask {
		return
	}
	name := func(t *Tensor) string {
		if t.width == "" {
			return "float32"
		}
		return t.width
	}
	r.in.Raise("RuntimeError", "%s: expected both to have the same dtype, but got %s and %s", what, name(a), name(b))
}

// products are the types whose input is multiplied with a weight of the model.
var products = map[string]bool{"linear": true, "conv1d": true, "conv2d": true, "conv3d": true, "transposeConv1d": true, "transposeConv2d": true, "transposeConv3d": true}

// fitsWeight raises where the input of a layer has other numbers than its weight.
func (r *reader) fitsWeight(typ string, t *Tensor, weights []child) {
	if !products[typ] || r.cast {
		return
	}
	for _, w := range weights {
		r.sameWidth(typ, t, w.value.(*Tensor))
	}
}

// converted is x.to(dtype), x.to(other), x.type(dtype) and x.type_as(other).
func (r *reader) converted(method string, t *Tensor, a *interp.Args) (*Tensor, bool) {
	if method != "to" && method != "type" && method != "type_as" {
		return nil, false
	}
	given := a.Pos
	if d, ok := a.Get("dtype", -1); ok {
		given = append(given[:len(given):len(given)], d)
	}
	for _, v := range given {
		switch x := v.(type) {
		case *Tensor:
			if !x.isInt && !x.mask {
				return r.wide(t, x.width), true
			}
		case interp.Symbol:
			name := dtypes[strings.TrimPrefix(x.Name, "torch.")]
			switch {
			case isFloatType(x):
				return r.wide(t, widthOf(x)), true
			case name == "bool" || strings.HasPrefix(name, "int") || name == "uint8":
				method := map[bool]string{true: "bool", false: "long"}[name == "bool"]
				out, ok := operations[method](r, t, &interp.Args{}).(*Tensor)
				return out, ok
			}
		case *interp.Unknown, string:
			c := *t
			c.width = anyWidth
			return &c, t.param == nil
		}
	}
	return nil, false
}

// dtype is x.dtype.
func (t *Tensor) dtype() interp.Value {
	switch {
	case t.mask:
		return interp.Symbol{Name: "torch.bool"}
	case t.width == anyWidth:
		return t.r.in.Unknown("the type of the numbers of a tensor is not known")
	case t.width != "":
		return interp.Symbol{Name: "torch." + t.width}
	}
	return interp.Symbol{Name: "torch.float32"}
}

// fromNumpy is torch.from_numpy: NumPy's own numbers are of 64 bits.
func (r *reader) fromNumpy(a *interp.Args) interp.Value {
	t := r.literalTensor(a)
	if x, ok := t.(*Tensor); ok {
		x.width = anyWidth
	}
	return t
}

// isFloatType reports whether a value is a dtype of floating-point numbers.
func isFloatType(v interp.Value) bool {
	s, ok := v.(interp.Symbol)
	if !ok {
		return false
	}
	switch s.Name {
	case "torch.float", "torch.float32", "torch.float16", "torch.half", "torch.bfloat16", "torch.double", "torch.float64":
		return true
	}
	return false
}

// integers marks a tensor as one of integers, for the engine, too.
func (r *reader) integers(t *Tensor) *Tensor {
	t.isInt, t.mask = true, false
	if t.node >= 0 && t.node < len(r.graph.Components) {
		if c := &r.graph.Components[t.node]; c.Type == "customModule" {
			c.Params = append(c.Params, param("outDtype", "int64"))
		}
	}
	return t
}

// typeNames adds torch.iinfo, the dtypes that torch has beside those in dtypes, and the classes of tensors of one dtype.
func (r *reader) typeNames(torch *interp.Module) {
	setDefault(torch, "iinfo", func(in *interp.Interp, a *interp.Args) interp.Value {
		x := interp.NewInstance(interp.NewClass("iinfo"))
		x.Set("min", int64(math.MinInt64))
		x.Set("max", int64(math.MaxInt64))
		x.Set("bits", int64(64))
		return x
	})
	for _, n := range []string{"IntTensor", "ByteTensor", "BoolTensor", "ShortTensor", "CharTensor", "HalfTensor", "DoubleTensor", "BFloat16Tensor"} {
		torch.Attrs[n] = r.tensorClass
	}
	for name, v := range map[string]string{"cfloat": "complex64", "cdouble": "complex128", "complex32": "complex32", "complex128": "complex128", "qint8": "qint8", "uint16": "uint16"} {
		torch.Attrs[name] = interp.Symbol{Name: "torch." + v}
	}
}
