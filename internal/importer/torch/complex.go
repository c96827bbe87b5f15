package torch

import (
	"slices"

	"github.com/modelverifier/verifier/internal/importer/torch/interp"
)

// Complex tensors: their parts, and what makes them.
func init() {
	register(map[string]operation{
		"view_as_complex": viewAsComplex,
		"view_as_real": func(r *reader, t *Tensor, _ *interp.Args) interp.Value {
			return realOf(r.declared("view_as_real", append(t.dims(), int64(2)), 0, t))
		},
		"real": partOf("real"), "imag": partOf("imag"),
		"is_complex": func(_ *reader, t *Tensor, _ *interp.Args) interp.Value { return t.complex },
	})
	registerEach(same, "conj", "conj_physical", "resolve_conj")
}

// complexFunctions adds torch.complex, torch.polar and torch.is_complex.
func (r *reader) complexFunctions(torch *interp.Module) {
	for _, n := range []string{"complex", "polar"} {
		setDefault(torch, n, func(in *interp.Interp, a *interp.Args) interp.Value {
			list := r.tensors(n, interp.NewTuple(append(slices.Clone(a.Pos), values(keep(a.Kw, "real", "imag", "abs", "angle"))...)...))
			return r.complexOf(r.elementwise(n, list...))
		})
	}
	setDefault(torch, "is_complex", func(_ *interp.Interp, a *interp.Args) interp.Value {
		t, ok := a.Pos[0].(*Tensor)
		return ok && t.complex
	})
}

// complexOf marks a tensor as one of complex numbers.
func (r *reader) complexOf(t *Tensor) *Tensor {
	t.complex = true
	return t
}

// realOf marks a tensor as one of real numbers.
func realOf(t *Tensor) *Tensor {
	t.complex = false
	return t
}

// viewAsComplex is torch.view_as_complex.
func viewAsComplex(r *reader, t *Tensor, _ *interp.Args) interp.Value {
	d := t.dims()
	if len(d) == 0 || d[len(d)-1] != int64(2) {
		r.in.Raise("RuntimeError", "Tensor must have a last dimension of size 2, got %s", r.describe(t))
	}
	return r.complexOf(r.declared("view_as_complex", d[:len(d)-1], 0, t))
}

// partOf is the real or the imaginary part.
func partOf(name string) operation {
	return func(r *reader, t *Tensor, _ *interp.Args) interp.Value {
		if !t.complex {
			return t
		}
		return realOf(r.declared(name, t.dims(), 0, t))
	}
}

// realOfComplex is an operation that gives real numbers for complex ones; for others it is op.
func realOfComplex(name string, op operation) operation {
	return func(r *reader, t *Tensor, a *interp.Args) interp.Value {
		if t.complex {
			return realOf(r.declared(name, t.dims(), 0, t))
		}
		return op(r, t, a)
	}
}
