package torch

import (
	"slices"

	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/importer/torch/interp"
)

// Functions that fewer models use: of matrices, of histograms, and the forms of layers that take their weights with the call.

func init() {
	registerEach(same, "inverse", "cholesky", "cholesky_inverse", "matrix_power", "msort", "resolve_neg", "signbit", "fill")
	registerEach(pairwise, "ldexp", "igamma", "igammac")
	registerEach(lostAxes, "det", "logdet")
	register(map[string]operation{
		"adjoint": adjointOp, "pinverse": pinverseOp, "slogdet": slogdetOp, "svd": oldSVD, "dist": distOp, "isin": isinOp,
		"cov": covOp, "corrcoef": covOp, "diagflat": diagflatOp, "histc": histcOp, "narrow_copy": narrowOp,
		"atleast_1d": atLeast(1), "atleast_2d": atLeast(2), "atleast_3d": atLeast(3),
		"hsplit": splitAt(1), "vsplit": splitAt(0), "dsplit": splitAt(2), "unsafe_chunk": chunkOp, "unsafe_split": splitOp,
		"randint_like": func(r *reader, t *Tensor, a *interp.Args) interp.Value {
			c := r.like("empty_like")(r, t, &interp.Args{Kw: keep(a.Kw, "dtype")}).(*Tensor)
			return c
		},
		"copy_": copyInto, "fill_": fillWith, "zero_": fillWith, "uniform_": uniform, "normal_": normal,
		"as_strided": asStridedOp, "prelu": preluOp, "conv_transpose3d": convOp("transposeConv3d", 3), "conv_tbc": convTBCOp,
		"pairwise_distance": pairwiseDistance, "upsample_nearest": upsampleBy("nearest"), "upsample_bilinear": upsampleBy("bilinear"),
	})
}

// lostAxes is a function of matrices that gives a number for each.
func lostAxes(name string) operation {
	return func(r *reader, t *Tensor, _ *interp.Args) interp.Value {
		d := t.dims()
		if len(d) < 2 {
			r.in.Raise("RuntimeError", "linalg.%s: The input tensor A must have at least 2 dimensions.", name)
		}
		return r.declared(name, d[:len(d)-2], 0, t)
	}
}

func adjointOp(r *reader, t *Tensor, _ *interp.Args) interp.Value {
	if t.rank() < 2 {
		r.in.Doubt("RuntimeError", "tensor.adjoint() is only supported on matrices or batches of matrices")
	}
	return r.swap(t, t.rank()-2, t.rank()-1)
}

func pinverseOp(r *reader, t *Tensor, _ *interp.Args) interp.Value {
	d := t.dims()
	if len(d) < 2 {
		r.in.Raise("RuntimeError", "linalg.pinv: The input tensor A must have at least 2 dimensions.")
	}
	d[len(d)-2], d[len(d)-1] = d[len(d)-1], d[len(d)-2]
	return r.declared("pinverse", d, 0, t)
}

func slogdetOp(r *reader, t *Tensor, a *interp.Args) interp.Value {
	return &interp.Tuple{Items: []interp.Value{lostAxes("slogdet")(r, t, a), lostAxes("slogdet")(r, t, a)}, Fields: []string{"sign", "logabsdet"}}
}

// oldSVD is torch.svd, which gives V and not its transpose, of the reduced form.
func oldSVD(r *reader, t *Tensor, a *interp.Args) interp.Value {
	if len(a.Pos)+len(a.Kw) > 0 {
		r.in.Fault("torch.svd with arguments is not followed")
	}
	parts := svdOp(r, t, &interp.Args{Kw: []interp.KV{{Name: "full_matrices", Value: false}}}).(*interp.Tuple)
	v := parts.Items[2].(*Tensor)
	return &interp.Tuple{Items: []interp.Value{parts.Items[0], parts.Items[1], r.swap(v, v.rank()-2, v.rank()-1)}, Fields: []string{"U", "S", "V"}}
}

// distOp is the norm of the difference of all elements.
func distOp(r *reader, t *Tensor, a *interp.Args) interp.Value {
	b := a.Bind(r.in, "dist", "other", "p")
	return r.reducedBy("dist", false, r.merge("subtract", t, r.tensor("dist", b[0])), nil, false, false)
}

// isinOp says of every element whether it is among others.
func isinOp(r *reader, t *Tensor, a *interp.Args) interp.Value {
	inputs := []*Tensor{t}
	if v, ok := a.Get("test_elements", 0); ok {
		if x, isTensor := v.(*Tensor); isTensor && !x.constant() {
			inputs = append(inputs, x)
		}
	}
	out := r.declared("isin", t.dims(), 0, inputs...)
	out.isInt, out.mask = false, true
	return out
}

// covOp is torch.cov and torch.corrcoef of variables in rows.
func covOp(r *reader, t *Tensor, _ *interp.Args) interp.Value {
	d := t.dims()
	switch len(d) {
	case 0, 1:
		return r.declared("cov", nil, 0, t)
	case 2:
		return r.declared("cov", []interp.Value{d[0], d[0]}, 0, t)
	}
	r.in.Raise("RuntimeError", "cov(): expected input to have two or fewer dimensions but got an input with %d dimensions", len(d))
	return nil
}

func diagflatOp(r *reader, t *Tensor, a *interp.Args) interp.Value {
	b := a.Bind(r.in, "diagflat", "offset")
	k, _ := interp.AsInt(interp.Or(b[0], int64(0)))
	n := int64(1)
	for _, d := range t.dims() {
		size, ok := d.(int64)
		if !ok {
			r.in.Fault("diagflat of the batch is not followed")
		}
		n *= size
	}
	n += max(k, -k)
	return r.declared("diagflat", []interp.Value{n, n}, 0, t)
}

func histcOp(r *reader, t *Tensor, a *interp.Args) interp.Value {
	b := a.Bind(r.in, "histc", "bins", "min", "max")
	n, ok := interp.AsInt(interp.Or(b[0], int64(100)))
	if !ok {
		r.in.Fault("the bins of histc are not known")
	}
	return r.declared("histc", []interp.Value{n}, 0, t)
}

// atLeast adds axes of size 1 until there are n, where NumPy does: a third one behind the others.
func atLeast(n int) operation {
	return func(r *reader, t *Tensor, _ *interp.Args) interp.Value {
		if t.rank() == 2 && n == 3 {
			return r.unsqueeze(t, 2)
		}
		for k := t.rank(); k < min(n, 2); k++ {
			t = r.unsqueeze(t, 0)
		}
		if n == 3 && t.rank() == 2 {
			return r.unsqueeze(t, 2)
		}
		return t
	}
}

// splitAt is hsplit and its kin: tensor_split along an axis of their own.
func splitAt(dim int) operation {
	return func(r *reader, t *Tensor, a *interp.Args) interp.Value {
		at := dim
		if dim == 1 && t.rank() == 1 {
			at = 0
		}
		return tensorSplit(r, t, &interp.Args{Pos: append(slices.Clone(a.Pos[:min(1, len(a.Pos))]), int64(at)), Kw: a.Kw})
	}
}

// copyInto is x.copy_(y): the values of y, broadcast to the shape of x.
func copyInto(r *reader, t *Tensor, a *interp.Args) interp.Value {
	b := a.Bind(r.in, "copy_", "src", "non_blocking")
	if x, ok := b[0].(*Tensor); ok && t.param == nil && len(r.inputs) > 0 {
		t.SetItem(r.in, &interp.Slice{}, x)
	}
	t.data = nil
	return t
}

// refill is x.uniform_ and its kin, which give a tensor other values.
func refill(_ *reader, t *Tensor, _ *interp.Args) interp.Value {
	t.data = nil
	return t
}

// uniform is x.uniform_, of a range that must not be turned round.
func uniform(r *reader, t *Tensor, a *interp.Args) interp.Value {
	b := a.Bind(r.in, "uniform_", "from", "to", "generator")
	from, known := interp.AsFloat(interp.Or(b[0], 0.0))
	to, knownToo := interp.AsFloat(interp.Or(b[1], 1.0))
	if known && knownToo && from > to {
		r.in.Raise("RuntimeError", "uniform_ expects to return a [from, to) range, but found from=%g > to=%g", from, to)
	}
	return refill(r, t, a)
}

// normal is x.normal_, of a deviation that is not negative.
func normal(r *reader, t *Tensor, a *interp.Args) interp.Value {
	b := a.Bind(r.in, "normal_", "mean", "std", "generator")
	if std, known := interp.AsFloat(interp.Or(b[1], 1.0)); known && std < 0 {
		r.in.Raise("RuntimeError", "normal expects std >= 0.0, but found std %g", std)
	}
	return refill(r, t, a)
}

// fillWith is x.fill_ and x.zero_, of one value.
func fillWith(_ *reader, t *Tensor, a *interp.Args) interp.Value {
	t.data = nil
	v, ok := a.Get("value", 0)
	if !ok {
		v = 0.0
	}
	if f, number := interp.AsFloat(v); number && t.constant() && t.param == nil {
		t.fill(f)
	}
	return t
}

// asStridedOp is a view by strides: the shape that is given.
func asStridedOp(r *reader, t *Tensor, a *interp.Args) interp.Value {
	b := a.Bind(r.in, "as_strided", "size", "stride", "storage_offset")
	out := r.declared("as_strided", r.in.Iterate(b[0]), 0, t)
	out.isInt = t.isInt
	return out
}

// preluOp is F.prelu, whose weight is given.
func preluOp(r *reader, t *Tensor, a *interp.Args) interp.Value {
	b := a.Bind(r.in, "prelu", "weight")
	w := r.tensor("prelu", b[0])
	if own, ok := ownedBy(weightAndBias, w); ok && len(w.shape) <= 1 {
		return r.attach("prelu", -1, []graph.Param{param("numParameters", w.shape.Size())}, own, []*Tensor{t})
	}
	return r.custom("prelu", t.shape, 0, t, w)
}

// convTBCOp is torch.conv_tbc: a convolution of (time, batch, channels) with a weight of (kernel, in, out).
func convTBCOp(r *reader, t *Tensor, a *interp.Args) interp.Value {
	b := a.Bind(r.in, "conv_tbc", "weight", "bias", "pad")
	w, bias := r.tensor("conv_tbc", b[0]), r.tensor("conv_tbc", b[1])
	pad, _ := interp.AsInt(interp.Or(b[2], int64(0)))
	if t.rank() != 3 || len(w.shape) != 3 || w.batch >= 0 {
		r.in.Raise("RuntimeError", "conv_tbc: the input is %s and the weight %s where both have three axes", r.describe(t), r.describe(w))
	}
	d := t.dims()
	steps, ok := d[0].(int64)
	if !ok || d[2] != w.shape[1] {
		r.in.Fault("conv_tbc of %s with a weight of %s is not followed", r.describe(t), r.describe(w))
	}
	d[0], d[2] = steps+2*pad-w.shape[0]+1, w.shape[2]
	return r.declared("conv_tbc", d, 0, t, w, bias)
}

// pairwiseDistance is the norm of the difference along the last axis.
func pairwiseDistance(r *reader, t *Tensor, a *interp.Args) interp.Value {
	b := a.Bind(r.in, "pairwise_distance", "x2", "p", "eps", "keepdim")
	diff := r.merge("subtract", t, r.tensor("pairwise_distance", b[0]))
	return r.reducedBy("pairwise_distance", false, diff, int64(-1), true, r.in.Truth(interp.Or(b[3], false)))
}

func upsampleBy(mode string) operation {
	return func(r *reader, t *Tensor, a *interp.Args) interp.Value {
		b := a.Bind(r.in, "upsample_"+mode, "size", "scale_factor")
		pos := []interp.Value{interp.Or(b[0], nil), interp.Or(b[1], nil), mode}
		if mode == "bilinear" {
			pos = append(pos, true)
		}
		return interpolateOp(r, t, &interp.Args{Pos: pos})
	}
}
