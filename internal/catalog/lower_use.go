package catalog

import "github.com/modelverifier/verifier/internal/op"

// named is y, behind which tensors are free that the Python code had names for until it was computed. That matters in use, where
// autograd saves nothing.
func (l *Lowering) named(y op.Value, tensors ...op.Value) op.Value {
	if l.P.Eval {
		for _, x := range tensors {
			op.Alive(l.P, x)
		}
	}
	return y
}

// fastPath reports whether torch.nn.MultiheadAttention, and with it torch.nn.TransformerEncoderLayer, runs in one call:
// in use, with itself, an even number of heads and a bias (why_not_fast_path of torch.nn.MultiheadAttention.forward).
func (m multiHead) fastPath(l *Lowering, x, y op.Value) bool {
	return l.P.Eval && x == y && !m.positionsFirst && m.heads%2 == 0 && m.keyDim == m.dim && l.W(join(m.module, "in_proj_bias")) != op.None
}

// native is torch._native_multi_head_attention: queries, keys and values by one map, which lie in it, where a kernel
// takes the heads; else scores in memory, of queries, keys and values that are copied apart, the place of the queries
// being used again for the result.
func (m multiHead) native(l *Lowering, x op.Value, needWeights bool) op.Value {
	p, d := l.P, m.headDim()
	h := op.Heads{Queries: p.Shape(x)[0], Keys: p.Shape(x)[0], Count: m.heads, Features: d, Values: d}
	mask := op.None
	if m.masked {
		mask = l.floatMask(h)
	}
	weight, bias := l.W(join(m.module, "in_proj_weight")), l.W(join(m.module, "in_proj_bias"))
	out, outBias := l.W(join(m.module, "out_proj.weight")), l.W(join(m.module, "out_proj.bias"))
	row := []int64{h.Queries, m.dim}
	if !needWeights && d%8 == 0 {
		all := op.Linear(p, x, weight, bias)
		part := func() op.Value { return op.View(p, all, m.heads, h.Queries, d) }
		y := op.View(p, op.Attention(p, part(), part(), part(), mask, h), row...)
		return l.named(op.Linear(p, y, out, outBias), all, y)
	}
	packed := op.Contiguous(p, op.Linear(p, x, weight, op.None), h.Queries, 3*m.dim)
	part := func() op.Value { return op.View(p, packed, m.heads, h.Queries, d) }
	scores := op.Softmax(p, op.Scores(p, part(), part(), mask, h))
	y := op.OfOutputInPlace(p, part())
	if !needWeights {
		y = l.named(y, scores)
	}
	y = op.Linear(p, op.Contiguous(p, op.View(p, y, row...), row...), out, outBias)
	if needWeights {
		l.named(y, scores)
	}
	return l.named(y, packed)
}

// nativeBlock is torch._transformer_encoder_layer_fwd: sums are in place, and the activation is a part of the first map
// (_addmm_activation).
func (m multiHead) nativeBlock(l *Lowering) op.Value {
	p, src, first := l.P, l.X[0], l.Bool("normFirst")
	norm := func(x op.Value, name string) op.Value { return op.LayerNorm(p, x, m.dim, l.Affine(name)...) }
	x := src
	if first {
		x = norm(x, "norm1")
	}
	x = l.named(op.AddInPlace(p, m.native(l, x, false), src), x)
	if !first {
		x = norm(x, "norm1")
	}
	before := x
	if first {
		x = norm(x, "norm2")
	}
	x = l.named(l.Map(l.Map(x, "linear1"), "linear2"), x)
	x = op.AddInPlace(p, x, before)
	if !first {
		x = norm(x, "norm2")
	}
	return x
}
