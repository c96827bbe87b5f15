package torch

import (
	"math"

	"github.com/modelverifier/verifier/internal/importer/torch/interp"
)

// Diagonals and triangles of matrices.
func init() {
	register(map[string]operation{
		"diagonal": diagonalOp, "diag": diagOp, "tril": triangle("tril"), "triu": triangle("triu"),
		"diag_embed": func(r *reader, t *Tensor, a *interp.Args) interp.Value {
			d := t.dims()
			return r.declared("diag_embed", append(d, d[len(d)-1]), 0, t)
		},
		"trace": func(r *reader, t *Tensor, _ *interp.Args) interp.Value { return r.declared("trace", nil, 0, t) },
	})
}

// diagonalFunctions adds torch.tril_indices, torch.triu_indices and torch.block_diag.
func (r *reader) diagonalFunctions(torch *interp.Module) {
	for _, n := range []string{"tril_indices", "triu_indices"} {
		setDefault(torch, n, func(in *interp.Interp, a *interp.Args) interp.Value { return r.triangle(n == "tril_indices", a) })
	}
	setDefault(torch, "block_diag", r.blockDiag)
}

// blockDiag is torch.block_diag.
func (r *reader) blockDiag(in *interp.Interp, a *interp.Args) interp.Value {
	var n, m int64
	list := r.tensors("block_diag", interp.NewTuple(a.Pos...))
	for _, t := range list {
		if t.rank() != 2 || t.batch >= 0 {
			in.Fault("block_diag of this kind is not followed")
		}
		n, m = n+t.shape[0], m+t.shape[1]
	}
	return r.declared("block_diag", []interp.Value{n, m}, 0, list...)
}

// diagonalSize is the length of a diagonal of an a × b matrix.
func diagonalSize(r *reader, a, b interp.Value, offset int64) interp.Value {
	n, okN := r.in.Int(a)
	m, okM := r.in.Int(b)
	if !okN || !okM {
		r.in.Fault("the size of a diagonal is not known")
	}
	if offset >= 0 {
		return max(min(n, m-offset), 0)
	}
	return max(min(n+offset, m), 0)
}

// diagonalOp is torch.diagonal.
func diagonalOp(r *reader, t *Tensor, a *interp.Args) interp.Value {
	b := a.Bind(r.in, "diagonal", "offset", "dim1", "dim2")
	offset, _ := interp.AsInt(interp.Or(b[0], int64(0)))
	i, k := r.dim(interp.Or(b[1], int64(0)), t.rank()), r.dim(interp.Or(b[2], int64(1)), t.rank())
	d := t.dims()
	var dims []interp.Value
	for at, size := range d {
		if at != i && at != k {
			dims = append(dims, size)
		}
	}
	return r.declared("diagonal", append(dims, diagonalSize(r, d[i], d[k], offset)), 0, t)
}

// diagOp is torch.diag: a matrix of a vector, or the diagonal of a matrix.
func diagOp(r *reader, t *Tensor, a *interp.Args) interp.Value {
	b := a.Bind(r.in, "diag", "diagonal")
	offset, _ := interp.AsInt(interp.Or(b[0], int64(0)))
	d := t.dims()
	switch len(d) {
	case 1:
		n := r.in.Binary("+", d[0], int64(math.Abs(float64(offset))))
		return r.declared("diag", []interp.Value{n, n}, 0, t)
	case 2:
		return r.declared("diag", []interp.Value{diagonalSize(r, d[0], d[1], offset)}, 0, t)
	}
	r.in.Raise("RuntimeError", "diag(): Supports 1D or 2D tensors. Got %dD", len(d))
	return nil
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
