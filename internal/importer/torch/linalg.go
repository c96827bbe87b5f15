package torch

import (
	"slices"

	"github.com/modelverifier/verifier/internal/importer/torch/interp"
)

func init() { registerEach(same, "matrix_exp") }

// linalgModule is torch.linalg.
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
		set(n, same(n))
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

// svdOp is torch.linalg.svd.
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
