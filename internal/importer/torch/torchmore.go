package torch

import (
	"math"
	"slices"
	"strings"

	"github.com/modelverifier/verifier/internal/importer/torch/interp"
)

// moreFunctions are functions of torch that do not take a tensor first, or that join several.
func (r *reader) moreFunctions(torch *interp.Module) {
	set := func(name string, f func(in *interp.Interp, a *interp.Args) interp.Value) {
		if _, has := torch.Attrs[name]; !has {
			torch.Attrs[name] = interp.Fn(name, f)
		}
	}
	for _, n := range []string{"hann_window", "hamming_window", "blackman_window", "bartlett_window", "kaiser_window"} {
		set(n, func(in *interp.Interp, a *interp.Args) interp.Value {
			v, _ := a.Get("window_length", 0)
			return r.filled([]interp.Value{v}, false)
		})
	}
	set("randperm", func(in *interp.Interp, a *interp.Args) interp.Value { return r.filled(a.Pos[:1], true) })
	set("logspace", func(in *interp.Interp, a *interp.Args) interp.Value {
		t := r.linspace(&interp.Args{Pos: a.Pos[:min(3, len(a.Pos))], Kw: keep(a.Kw, "start", "end", "steps")}).(*Tensor)
		for i, v := range t.data {
			t.data[i] = math.Pow(10, v)
		}
		return t
	})
	set("range", func(in *interp.Interp, a *interp.Args) interp.Value {
		lo, hi := interp.Value(int64(0)), a.Pos[0]
		if len(a.Pos) > 1 {
			lo, hi = a.Pos[0], a.Pos[1]
		}
		return r.toFloat(r.sequence(&interp.Args{Pos: []interp.Value{lo, in.Binary("+", hi, int64(1))}}).(*Tensor))
	})
	set("normal", func(in *interp.Interp, a *interp.Args) interp.Value {
		if size, ok := a.Get("size", 2); ok {
			return r.filled(in.Iterate(size), false)
		}
		for _, v := range append(slices.Clone(a.Pos), values(a.Kw)...) {
			if t, ok := v.(*Tensor); ok {
				return r.declared("normal", t.dims(), 0, t)
			}
		}
		return r.filled(nil, false)
	})
	for _, n := range []string{"tril_indices", "triu_indices"} {
		set(n, func(in *interp.Interp, a *interp.Args) interp.Value { return r.triangle(n == "tril_indices", a) })
	}
	set("cartesian_prod", func(in *interp.Interp, a *interp.Args) interp.Value {
		n := interp.Value(int64(1))
		list := r.tensors("cartesian_prod", interp.NewTuple(a.Pos...))
		for _, t := range list {
			n = in.Binary("*", n, t.size(0))
		}
		return r.declared("cartesian_prod", []interp.Value{n, int64(len(list))}, 0, list...)
	})
	for name, axis := range map[string]int64{"vstack": 0, "hstack": 1, "dstack": 2, "row_stack": 0, "column_stack": 1} {
		set(name, func(in *interp.Interp, a *interp.Args) interp.Value {
			list := r.tensors(name, a.Pos[0])
			at := axis
			for i, t := range list {
				switch {
				case t.rank() < 2 && axis == 1 && name == "hstack":
					at = 0
				case t.rank() < 2 && name == "column_stack":
					list[i] = r.unsqueeze(t, 1)
				case t.rank() < 2:
					list[i] = r.unsqueeze(t, 0)
				}
				if axis == 2 && list[i].rank() < 3 {
					list[i] = r.unsqueeze(list[i], 2)
				}
			}
			return r.concat(list, at)
		})
	}
	set("broadcast_tensors", func(in *interp.Interp, a *interp.Args) interp.Value {
		list := r.tensors("broadcast_tensors", interp.NewTuple(a.Pos...))
		dims := list[0].dims()
		for _, t := range list[1:] {
			dims = r.broadcastDims("broadcast_tensors", dims, t.dims())
		}
		out := interp.NewTuple()
		for _, t := range list {
			out.Items = append(out.Items, expandOp(r, t, &interp.Args{Pos: slices.Clone(dims)}))
		}
		return out
	})
	set("block_diag", func(in *interp.Interp, a *interp.Args) interp.Value {
		var n, m int64
		list := r.tensors("block_diag", interp.NewTuple(a.Pos...))
		for _, t := range list {
			if t.rank() != 2 || t.batch >= 0 {
				in.Fault("block_diag of this kind is not followed")
			}
			n, m = n+t.shape[0], m+t.shape[1]
		}
		return r.declared("block_diag", []interp.Value{n, m}, 0, list...)
	})
	for _, n := range []string{"complex", "polar"} {
		set(n, func(in *interp.Interp, a *interp.Args) interp.Value {
			list := r.tensors(n, interp.NewTuple(append(slices.Clone(a.Pos), values(keep(a.Kw, "real", "imag", "abs", "angle"))...)...))
			return r.complexOf(r.elementwise(n, list...))
		})
	}
	set("iinfo", func(in *interp.Interp, a *interp.Args) interp.Value {
		x := interp.NewInstance(interp.NewClass("iinfo"))
		x.Set("min", int64(math.MinInt64))
		x.Set("max", int64(math.MaxInt64))
		x.Set("bits", int64(64))
		return x
	})
	for _, n := range []string{"IntTensor", "ByteTensor", "BoolTensor", "ShortTensor", "CharTensor", "HalfTensor", "DoubleTensor", "BFloat16Tensor"} {
		torch.Attrs[n] = r.tensorClass
	}
	for _, n := range []string{"set_default_tensor_type", "set_default_dtype", "set_num_threads", "use_deterministic_algorithms", "set_printoptions", "seed", "initial_seed", "set_rng_state",
		"get_rng_state", "set_default_device", "set_num_interop_threads"} {
		set(n, func(*interp.Interp, *interp.Args) interp.Value {
			r.cast = r.cast || strings.HasPrefix(n, "set_default_")
			return nil
		})
	}
	set("get_default_dtype", func(*interp.Interp, *interp.Args) interp.Value { return interp.Symbol{Name: "torch.float32"} })
	set("is_complex", func(_ *interp.Interp, a *interp.Args) interp.Value {
		t, ok := a.Pos[0].(*Tensor)
		return ok && t.complex
	})
	for name, v := range map[string]string{"cfloat": "complex64", "cdouble": "complex128", "complex32": "complex32", "complex128": "complex128", "qint8": "qint8", "uint16": "uint16"} {
		torch.Attrs[name] = interp.Symbol{Name: "torch." + v}
	}
}

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

// triangle is the indices of a triangle of a matrix: two rows of as many as there are.
func (r *reader) triangle(lower bool, a *interp.Args) interp.Value {
	b := (&interp.Args{Pos: a.Pos, Kw: keep(a.Kw, "row", "col", "offset")}).Bind(r.in, "triangle", "row", "col", "offset")
	rows, ok1 := interp.AsInt(b[0])
	cols, ok2 := interp.AsInt(b[1])
	offset, ok3 := interp.AsInt(interp.Or(b[2], int64(0)))
	if !ok1 || !ok2 || !ok3 || rows < 0 || cols < 0 || rows > 1<<20 {
		r.in.Fault("the indices of a triangle of this size are not followed")
	}
	n := int64(0)
	r.in.Spend(rows / 16)
	for i := range rows {
		if lower {
			n += min(max(i+1+offset, 0), cols)
		} else {
			n += min(max(cols-i-offset, 0), cols)
		}
	}
	return r.constantOfShape(true, 2, n)
}

func (r *reader) linalgModule() *interp.Module {
	m := r.module("torch.linalg", nil)
	r.linalg(m)
	return m
}

// linalg adds what torch.linalg has beside the operations of tensors.
func (r *reader) linalg(m *interp.Module) {
	set := func(name string, op operation) {
		m.Attrs[name] = interp.Fn(name, func(_ *interp.Interp, a *interp.Args) interp.Value { return r.operate(name, op, a) })
	}
	norm := func(r *reader, t *Tensor, a *interp.Args) interp.Value {
		d, given := a.Get("dim", 1)
		keepDim, ok := a.Get("keepdim", 2)
		return r.reducedBy("norm", false, t, d, given && d != nil, ok && r.in.Truth(keepDim))
	}
	set("norm", norm)
	set("vector_norm", norm)
	set("matrix_norm", func(r *reader, t *Tensor, a *interp.Args) interp.Value {
		return r.reducedBy("matrix_norm", false, t, interp.NewTuple(int64(-2), int64(-1)), true, false)
	})
	lost := func(name string, n int) {
		set(name, func(r *reader, t *Tensor, _ *interp.Args) interp.Value {
			d := t.dims()
			if len(d) < 2 {
				r.in.Raise("RuntimeError", "linalg.%s: The input tensor A must have at least 2 dimensions.", name)
			}
			return r.declared(name, d[:len(d)-n], 0, t)
		})
	}
	lost("det", 2)
	lost("matrix_rank", 2)
	lost("eigvalsh", 1)
	for _, n := range []string{"inv", "cholesky", "matrix_power", "matrix_exp"} {
		set(n, same(n, false))
	}
	set("pinv", func(r *reader, t *Tensor, _ *interp.Args) interp.Value {
		d := t.dims()
		d[len(d)-2], d[len(d)-1] = d[len(d)-1], d[len(d)-2]
		return r.declared("pinv", d, 0, t)
	})
	set("solve", func(r *reader, _ *Tensor, a *interp.Args) interp.Value {
		b := r.tensor("solve", a.Pos[0])
		return r.declared("solve", b.dims(), 0, b)
	})
	set("qr", func(r *reader, t *Tensor, _ *interp.Args) interp.Value {
		d := t.dims()
		n, okN := r.in.Int(d[len(d)-2])
		k, okK := r.in.Int(d[len(d)-1])
		if !okN || !okK {
			r.in.Fault("qr of this kind is not followed")
		}
		lead := d[:len(d)-2]
		q := r.declared("qr", append(slices.Clone(lead), n, min(n, k)), 0, t)
		return interp.NewTuple(q, r.declared("qr", append(slices.Clone(lead), min(n, k), k), 0, t))
	})
	set("svd", svdOp)
}

func svdOp(r *reader, t *Tensor, a *interp.Args) interp.Value {
	d := t.dims()
	n, okN := r.in.Int(d[len(d)-2])
	m, okM := r.in.Int(d[len(d)-1])
	if !okN || !okM {
		r.in.Fault("svd of this kind is not followed")
	}
	k, rows, cols := min(n, m), n, m
	if full, ok := a.Get("full_matrices", 0); ok && !r.in.Truth(full) {
		rows, cols = k, k
	}
	lead := d[:len(d)-2]
	out := interp.NewTuple()
	for _, s := range [][]interp.Value{{n, rows}, {k}, {cols, m}} {
		out.Items = append(out.Items, r.declared("svd", append(slices.Clone(lead), s...), 0, t))
	}
	return out
}
