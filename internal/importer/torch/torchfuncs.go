package torch

import (
	"math"
	"slices"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/importer/torch/interp"
)

func init() {
	for _, n := range []string{"zeros_like", "ones_like", "rand_like", "randn_like", "empty_like", "full_like"} {
		register(map[string]operation{n: (*reader)(nil).like(n)})
	}
	for _, n := range []string{"new_zeros", "new_ones", "new_empty", "new_full"} {
		register(map[string]operation{n: func(r *reader, t *Tensor, a *interp.Args) interp.Value {
			pos := a.Pos
			if n == "new_full" {
				pos = pos[:1]
			}
			c := r.filled(r.sizes(&interp.Args{Pos: pos, Kw: a.Kw}, "size"), t.isInt)
			c.mask = t.mask
			r.typed(c, a)
			if n == "new_zeros" || n == "new_ones" {
				c.fill(map[string]float64{"new_ones": 1}[n])
			}
			return c
		}})
	}
	register(map[string]operation{
		"new_tensor": func(r *reader, t *Tensor, a *interp.Args) interp.Value { return r.literalTensor(a) },
		"new":        func(r *reader, t *Tensor, a *interp.Args) interp.Value { return r.filled(r.sizes(a), t.isInt) },
	})
}

// addFunctions adds what other files have of the functions of torch that do not take a tensor first.
func (r *reader) addFunctions(torch *interp.Module) {
	torch.Attrs["newaxis"] = nil
	r.sequenceFunctions(torch)
	r.randomFunctions(torch)
	r.joiningFunctions(torch)
	r.diagonalFunctions(torch)
	r.complexFunctions(torch)
	r.settingFunctions(torch)
	r.typeNames(torch)
}

// setDefault adds a function to a module that has none of the name yet.
func setDefault(m *interp.Module, name string, f func(in *interp.Interp, a *interp.Args) interp.Value) {
	if _, has := m.Attrs[name]; !has {
		m.Attrs[name] = interp.Fn(name, f)
	}
}

// values are the values of keyword arguments.
func values(kw []interp.KV) []interp.Value {
	var out []interp.Value
	for _, k := range kw {
		out = append(out, k.Value)
	}
	return out
}

// keep are the arguments of some names.
func keep(kw []interp.KV, names ...string) []interp.KV {
	return slices.DeleteFunc(slices.Clone(kw), func(k interp.KV) bool { return !slices.Contains(names, k.Name) })
}

// torch are the functions of torch that do not take a tensor first.
func (r *reader) torch() map[string]interp.Value {
	fn := func(name string, f func(*interp.Args) interp.Value) interp.Value {
		return interp.Fn(name, func(_ *interp.Interp, a *interp.Args) interp.Value { return f(a) })
	}
	arg := func(a *interp.Args, name string, pos int, def interp.Value) interp.Value {
		if v, ok := a.Get(name, pos); ok {
			return v
		}
		return def
	}
	cat := fn("cat", func(a *interp.Args) interp.Value {
		return r.concat(r.tensors("cat", arg(a, "tensors", 0, nil)), arg(a, "dim", 1, arg(a, "axis", -1, int64(0))))
	})
	out := map[string]interp.Value{
		"cat": cat, "concat": cat, "concatenate": cat,
		"stack": fn("stack", func(a *interp.Args) interp.Value {
			return r.stack(r.tensors("stack", arg(a, "tensors", 0, nil)), arg(a, "dim", 1, int64(0)))
		}),
		"einsum":   fn("einsum", r.einsum),
		"meshgrid": fn("meshgrid", r.meshgrid),
		"arange":   fn("arange", r.sequence), "linspace": fn("linspace", r.linspace),
		"tensor": fn("tensor", r.literalTensor), "as_tensor": fn("as_tensor", r.literalTensor), "from_numpy": fn("from_numpy", r.fromNumpy),
		"zeros": r.constantOf(0), "ones": r.constantOf(1), "empty": r.constantOf(math.NaN()), "rand": r.constantOf(math.NaN()), "randn": r.constantOf(math.NaN()),
		"full": fn("full", func(a *interp.Args) interp.Value {
			size := arg(a, "size", 0, nil)
			if n, ok := interp.AsInt(size); ok {
				size = interp.NewTuple(n)
			}
			return r.full(size, arg(a, "fill_value", 1, nil), a)
		}),
		"randperm": fn("randperm", func(a *interp.Args) interp.Value { return r.filled(a.Pos[:min(1, len(a.Pos))], true) }),
		"eye":      fn("eye", r.eye),
		"randint": fn("randint", func(a *interp.Args) interp.Value {
			size, ok := a.Get("size", -1)
			if !ok {
				size = a.Pos[len(a.Pos)-1]
			}
			t := r.filled(r.in.Iterate(size), true)
			r.typed(t, a)
			return t
		}),
		"where": fn("where", func(a *interp.Args) interp.Value {
			var list []*Tensor
			for _, v := range a.Pos {
				if t, ok := v.(*Tensor); ok {
					list = append(list, t)
				}
			}
			if len(a.Pos) != 3 || len(list) == 0 {
				r.in.Fault("torch.where with one argument is not followed")
			}
			return r.chosen(a.Pos[1], a.Pos[2], r.elementwise("where", list...))
		}),
	}
	for name, v := range r.torchChecks() {
		out[name] = v
	}
	return out
}

// torchChecks are constants, questions and small helpers of torch.
func (r *reader) torchChecks() map[string]interp.Value {
	fn := func(name string, f func(*interp.Args) interp.Value) interp.Value {
		return interp.Fn(name, func(_ *interp.Interp, a *interp.Args) interp.Value { return f(a) })
	}
	return map[string]interp.Value{
		"Size":      fn("Size", func(a *interp.Args) interp.Value { return interp.NewTuple(r.sizes(a)...) }),
		"_assert":   fn("_assert", func(*interp.Args) interp.Value { return nil }),
		"is_tensor": fn("is_tensor", func(a *interp.Args) interp.Value { _, ok := a.Pos[0].(*Tensor); return ok }),
		"addmm": fn("addmm", func(a *interp.Args) interp.Value {
			return r.merge("add", r.matmul(r.tensor("addmm", a.Pos[1]), r.tensor("addmm", a.Pos[2])), r.tensor("addmm", a.Pos[0]))
		}),
		"finfo": fn("finfo", func(*interp.Args) interp.Value {
			x := interp.NewInstance(interp.NewClass("finfo"))
			x.Set("min", -math.MaxFloat32)
			x.Set("max", math.MaxFloat32)
			x.Set("eps", 1.1920929e-07)
			x.Set("tiny", 1.1754944e-38)
			return x
		}),
		"compile": fn("compile", func(a *interp.Args) interp.Value {
			if len(a.Pos) == 0 {
				return interp.Fn("compile", func(_ *interp.Interp, a *interp.Args) interp.Value { return a.Pos[0] })
			}
			return a.Pos[0]
		}),
		"inf": math.Inf(1), "pi": math.Pi, "e": math.E, "nan": math.NaN(),
		"split": fn("split", func(a *interp.Args) interp.Value {
			args := &interp.Args{Pos: a.Pos[1:], Kw: a.Kw}
			return splitOp(r, r.tensor("split", a.Pos[0]), args)
		}),
		"is_grad_enabled":           fn("is_grad_enabled", func(*interp.Args) interp.Value { return true }),
		"is_autocast_enabled":       fn("is_autocast_enabled", func(*interp.Args) interp.Value { return false }),
		"cosine_similarity":         r.cosineFn(),
		"is_inference_mode_enabled": fn("x", func(*interp.Args) interp.Value { return false }),
	}
}

func (r *reader) cosineFn() interp.Value {
	return interp.Fn("cosine_similarity", func(in *interp.Interp, a *interp.Args) interp.Value {
		b := a.Bind(in, "cosine_similarity", "x1", "x2", "dim", "eps")
		return r.cosine(r.tensor("cosine", b[0]), r.tensor("cosine", b[1]), interp.Or(b[2], int64(1)))
	})
}

// functional are the functions of torch.nn.functional that do not take a tensor first, or not only.
func (r *reader) functional() map[string]interp.Value {
	out := map[string]interp.Value{"cosine_similarity": r.cosineFn(),
		"multi_head_attention_forward": interp.Fn("multi_head_attention_forward", func(_ *interp.Interp, a *interp.Args) interp.Value { return r.attentionForward(a) }),
		"one_hot": interp.Fn("one_hot", func(in *interp.Interp, a *interp.Args) interp.Value {
			b := a.Bind(in, "one_hot", "input", "num_classes")
			t := r.tensor("one_hot", b[0])
			n, ok := interp.AsInt(b[1])
			if !ok || n < 1 {
				in.Fault("one_hot without a number of classes")
			}
			return r.custom("one_hot", append(append(catalog.Of(), t.shape...), n), 0, t)
		}),
		"affine_grid": interp.Fn("affine_grid", func(in *interp.Interp, a *interp.Args) interp.Value {
			b := a.Bind(in, "affine_grid", "theta", "size", "align_corners")
			sizes := in.Iterate(b[1])
			var shape []int64
			for _, v := range sizes[min(2, len(sizes)):] {
				n, ok := interp.AsInt(v)
				if !ok {
					in.Fault("affine_grid of a size that is not known")
				}
				shape = append(shape, n)
			}
			theta, n := r.tensor("affine_grid", b[0]), int64(len(shape))
			if !theta.plain() || !theta.shape.Equal(catalog.Of(n, n+1)) {
				in.Raise("ValueError", "Expected a batch of %dD affine matrices, got %s", n, r.describe(theta))
			}
			return r.custom("affine_grid", append(shape, n), 0, theta)
		}),
		"grid_sample": interp.Fn("grid_sample", func(in *interp.Interp, a *interp.Args) interp.Value {
			b := a.Bind(in, "grid_sample", "input", "grid", "mode", "padding_mode", "align_corners")
			return r.apply("gridSample", "grid_sample", nil, r.tensor("grid_sample", b[0]), r.tensor("grid_sample", b[1]))
		}),
		"gumbel_softmax": interp.Fn("gumbel_softmax", func(in *interp.Interp, a *interp.Args) interp.Value {
			b := a.Bind(in, "gumbel_softmax", "logits", "tau", "hard", "eps", "dim")
			return operations["softmax"](r, r.tensor("gumbel_softmax", b[0]), &interp.Args{Pos: []interp.Value{interp.Or(b[4], int64(-1))}})
		}),
	}
	for name, f := range r.lossFunctions() {
		out[name] = f
	}
	out["unfold"] = interp.Fn("unfold", func(in *interp.Interp, a *interp.Args) interp.Value {
		return r.operate("unfold", func(r *reader, t *Tensor, a *interp.Args) interp.Value { return r.functionalLayer("Unfold", t, a) }, a)
	})
	return out
}

// einsum hands an equation to the catalogue, which has the batch as the first letter of each operand.
func (r *reader) einsum(a *interp.Args) interp.Value {
	if len(a.Pos) < 2 {
		r.in.Raise("ValueError", "einsum needs an equation and operands")
	}
	equation, ok := a.Pos[0].(string)
	if !ok {
		r.in.Fault("einsum with an equation that is not known")
	}
	list := a.Pos[1:]
	if len(list) == 1 {
		if _, isTensor := list[0].(*Tensor); !isTensor {
			list = r.in.Iterate(list[0])
		}
	}
	var inputs []*Tensor
	for _, v := range list {
		inputs = append(inputs, r.tensor("einsum", v))
	}
	return r.contract(equation, inputs)
}
