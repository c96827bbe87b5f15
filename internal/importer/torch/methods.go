package torch

import "github.com/modelverifier/verifier/internal/importer/torch/interp"

// Attr reads an attribute or a method of a tensor.
func (t *Tensor) Attr(in *interp.Interp, name string) (interp.Value, bool) {
	r := t.r
	switch name {
	case "shape":
		return &interp.Tuple{Items: t.dims()}, true
	case "ndim":
		return int64(t.rank()), true
	case "device", "dtype", "layout", "names":
		if name == "dtype" && t.isInt {
			return interp.Symbol{Name: "torch.int64"}, true
		}
		if name == "dtype" {
			return t.dtype(), true
		}
		return interp.Symbol{Name: name}, true
	case "data":
		return t, true
	case "T", "mT", "H":
		if t.rank() < 2 {
			return t, true
		}
		if name == "T" {
			order := make([]int, t.rank())
			for i := range order {
				order[i] = t.rank() - 1 - i
			}
			return r.permute(t, order), true
		}
		return r.swap(t, t.rank()-2, t.rank()-1), true
	case "real", "imag":
		return operations[name](r, t, &interp.Args{}), true
	case "is_cuda", "is_quantized", "is_sparse", "is_nested":
		return false, true
	case "requires_grad":
		return t.requiresGrad(), true
	case "grad":
		return nil, true
	}
	if t.Lacks(name) && !(len(name) > 1 && name[0] == '_') {
		return nil, false
	}
	if op, ok := operations[name]; ok {
		return checked("tensor."+name, interp.Fn(name, func(in *interp.Interp, a *interp.Args) interp.Value { return op(r, t, numpyNames(a)) })), true
	}
	if len(name) > 1 && name[len(name)-1] == '_' && name[0] != '_' { // relu_ and the like
		if op, ok := operations[name[:len(name)-1]]; ok && reshapesInPlace[name] {
			return checked("tensor."+name, interp.Fn(name, func(in *interp.Interp, a *interp.Args) interp.Value { return r.inPlace(t, op, numpyNames(a)) })), true
		}
		if op, ok := operations[name[:len(name)-1]]; ok {
			return checked("tensor."+name, interp.Fn(name, func(in *interp.Interp, a *interp.Args) interp.Value { return op(r, t, a) })), true
		}
		if t.constant() || t.param != nil { // initialisers
			return checked("tensor."+name, interp.Fn(name, func(*interp.Interp, *interp.Args) interp.Value { t.data = nil; return t })), true
		}
	}
	if name[0] == '_' {
		return nil, false
	}
	return in.Unknown("the method %s of tensors is not known", name), true
}

// SetAttr sets what changes nothing: names, gradients, and the data of weights.
func (t *Tensor) SetAttr(in *interp.Interp, name string, v interp.Value) bool {
	if name == "requires_grad" && t.param != nil {
		t.param.trains(v)
	}
	if x, ok := v.(*Tensor); ok && name == "data" {
		t.shape, t.data = x.shape, x.data
		return true
	}
	return name != "shape"
}

// swap exchanges two axes of PyTorch's shape.
func (r *reader) swap(t *Tensor, a, b int) *Tensor {
	order := make([]int, t.rank())
	for i := range order {
		order[i] = i
	}
	order[a], order[b] = order[b], order[a]
	return r.permute(t, order)
}

// sizes reads sizes that are given one by one or in one sequence.
func (r *reader) sizes(a *interp.Args, names ...string) []interp.Value {
	list := a.Pos
	for _, n := range names {
		if v, ok := a.Get(n, -1); ok {
			list = append(list[:len(list):len(list)], v)
		}
	}
	if len(list) == 1 {
		switch x := list[0].(type) {
		case *interp.Tuple, *interp.List:
			return r.in.Iterate(x)
		case *interp.Unknown:
			r.in.Fault("sizes are not known: %s", x.Reason())
		}
	}
	return list
}

// What a tensor tells of itself: its sizes, its storage and, where they are known, its values.
func init() {
	register(map[string]operation{
		"size": sizeMethod, "dim": rankMethod, "ndimension": rankMethod, "numel": numel, "nelement": numel,
		"is_contiguous": isContiguousMethod, "tolist": toList,
		"is_floating_point": func(r *reader, t *Tensor, _ *interp.Args) interp.Value { return !t.isInt },
		"is_signed":         func(*reader, *Tensor, *interp.Args) interp.Value { return true },
		"is_leaf":           func(r *reader, t *Tensor, _ *interp.Args) interp.Value { return t.param != nil },
		"get_device":        func(*reader, *Tensor, *interp.Args) interp.Value { return int64(0) },
		"item":              func(r *reader, t *Tensor, _ *interp.Args) interp.Value { return t.ToNumber(r.in) },
		"element_size":      elementSize,
		"data_ptr":          unknownValue("the place of a tensor in memory is not known"),
		"register_hook":     func(r *reader, t *Tensor, _ *interp.Args) interp.Value { return handle("register_hook")(r.in, nil) },
	})
}

// sizeMethod is x.size() and x.size(dim).
func sizeMethod(r *reader, t *Tensor, a *interp.Args) interp.Value {
	if d, ok := a.Get("dim", 0); ok {
		return t.size(r.dim(d, t.rank()))
	}
	return &interp.Tuple{Items: t.dims()}
}

// rankMethod is x.dim().
func rankMethod(r *reader, t *Tensor, _ *interp.Args) interp.Value { return int64(t.rank()) }

// isContiguousMethod is x.is_contiguous().
func isContiguousMethod(r *reader, t *Tensor, a *interp.Args) interp.Value {
	is, known := t.isContiguous()
	if !known || len(a.Pos)+len(a.Kw) > 0 {
		return interp.Assumed{Value: true, Why: "whether a tensor is contiguous is not known"}
	}
	return is
}

// elementSize is x.element_size(), in bytes.
func elementSize(r *reader, t *Tensor, _ *interp.Args) interp.Value {
	if t.isInt {
		return int64(8)
	}
	return int64(4)
}

// toList is x.tolist() of a vector.
func toList(r *reader, t *Tensor, _ *interp.Args) interp.Value {
	if len(t.shape) != 1 || int64(len(t.data)) != t.shape[0] {
		return r.in.Unknown("the values of a tensor are not known")
	}
	out := interp.NewList()
	for _, v := range t.data {
		if t.isInt {
			out.Items = append(out.Items, int64(v))
		} else {
			out.Items = append(out.Items, v)
		}
	}
	return out
}

// numel is x.numel().
func numel(r *reader, t *Tensor, _ *interp.Args) interp.Value {
	n := t.shape.Size()
	if t.batch >= 0 {
		return sym{n}
	}
	return n
}
