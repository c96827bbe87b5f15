package catalog

import "github.com/modelverifier/verifier/internal/op"

// lower is torch.nn.MultiheadAttention with the batch first: it turns the sequences so that the positions come first,
// which is a copy where there are several positions and samples. Eager asks for the weights (need_weights), which has
// them in memory.
func (m multiHead) lower(l *Lowering, x, y op.Value, eager bool) op.Value {
	if m.fastPath(l, x, y) {
		return m.native(l, x, eager)
	}
	p := l.P
	d := m.headDim()
	h := op.Heads{Queries: p.Shape(x)[0], Keys: p.Shape(y)[0], Count: m.heads, Features: d, Values: d}
	h.Dropout = l.InnerDropout()
	mask := op.None
	if m.masked {
		mask = l.floatMask(h)
	}
	q, k, v := m.project(l, x, y, h)
	var out op.Value
	if eager {
		out = m.eager(l, q, k, v, mask, h)
	} else {
		out = m.fusedKernel(l, q, k, v, mask, h)
	}
	out = op.Linear(p, out, l.W(join(m.module, "out_proj.weight")), l.W(join(m.module, "out_proj.bias")))
	l.named(out, q, k, v)
	if l.inOrder(h.Queries) || m.positionsFirst {
		return op.View(p, out, h.Queries, m.dim)
	}
	return op.Reshaped(p, out, h.Queries, m.dim)
}

// floatMask is the mask of booleans that a module makes, and the floats that MultiheadAttention makes of it.
func (l *Lowering) floatMask(h op.Heads) op.Value {
	op.Constant(l.P, op.Byte, true, h.Queries, h.Keys)
	return op.Constant(l.P, op.Float, true, h.Queries, h.Keys)
}

// project is _in_projection_packed, or _in_projection where keys have another size.
func (m multiHead) project(l *Lowering, x, y op.Value, h op.Heads) (q, k, v op.Value) {
	p := l.P
	weight, bias := l.W(join(m.module, "in_proj_weight")), l.W(join(m.module, "in_proj_bias"))
	switch {
	case m.keyDim != m.dim:
		biases := [3]op.Value{op.None, op.None, op.None}
		if bias != op.None {
			copy(biases[:], op.Split(p, bias, []int64{m.dim}, []int64{m.dim}, []int64{m.dim}))
		}
		q = m.turnedProduct(l, x, l.W(join(m.module, "q_proj_weight")), biases[0])
		k = m.turnedProduct(l, y, l.W(join(m.module, "k_proj_weight")), biases[1])
		v = m.turnedProduct(l, y, l.W(join(m.module, "v_proj_weight")), biases[2])
		return q, k, v
	case x == y:
		all := m.turnedProduct(l, x, weight, bias)
		all = op.Contiguous(p, op.View(p, all, h.Queries, 3, m.dim), 3, h.Queries, m.dim)
		return op.View(p, all, h.Queries, m.dim), op.View(p, all, h.Queries, m.dim), op.View(p, all, h.Queries, m.dim)
	}
	weights := op.Split(p, weight, []int64{m.dim, m.dim}, []int64{2 * m.dim, m.dim})
	biases := []op.Value{op.None, op.None}
	if bias != op.None {
		biases = op.Split(p, bias, []int64{m.dim}, []int64{2 * m.dim})
	}
	q = m.turnedProduct(l, x, weights[0], biases[0])
	both := m.turnedProduct(l, y, weights[1], biases[1])
	both = op.Contiguous(p, op.View(p, both, h.Keys, 2, m.dim), 2, h.Keys, m.dim)
	return q, op.View(p, both, h.Keys, m.dim), op.View(p, both, h.Keys, m.dim)
}

// turnedProduct is a linear layer of a sequence whose positions come first. Behind one that lies so already the
// gradient is laid out anew.
func (m multiHead) turnedProduct(l *Lowering, x, weight, bias op.Value) op.Value {
	shape := l.P.Shape(x)
	if m.positionsFirst || l.inOrder(shape[0]) {
		y := op.Linear(l.P, x, weight, bias)
		return op.Reshaped(l.P, y, l.P.Shape(y)...)
	}
	return op.Product(l.P, op.InRows(l.P, x, shape...), weight, bias)
}

// fusedKernel attends without weights in memory. The efficient kernel gives the batch in front of the positions, as
// well in its gradients.
func (m multiHead) fusedKernel(l *Lowering, q, k, v, mask op.Value, h op.Heads) op.Value {
	p := l.P
	turns := h.Kernel(l.product(), mask != op.None) != op.CuDNN
	all := []*op.Value{&q, &k, &v}
	for range 2 { // into heads, and with the batch in front of them
		for _, x := range all {
			if n := p.Shape(*x)[0]; turns && !l.inOrder(n) {
				*x = op.Reshaped(p, *x, n, m.dim)
			}
		}
	}
	out := op.Attention(p, q, k, v, mask, h)
	if !turns || l.inOrder(h.Queries) {
		return op.View(p, out, h.Queries, m.dim)
	}
	return op.Contiguous(p, out, h.Queries, m.dim)
}

// eager attends with weights in memory, and means them over the heads.
func (m multiHead) eager(l *Lowering, q, k, v, mask op.Value, h op.Heads) op.Value {
	p := l.P
	for _, x := range []*op.Value{&q, &k, &v} {
		if n := p.Shape(*x)[0]; n > 1 {
			*x = op.Reshaped(p, *x, n, m.dim)
		}
	}
	weights := l.dropout(op.Softmax(p, op.Scores(p, op.Scale(p, q), k, mask, h)))
	out := op.Weigh(p, weights, v, h)
	op.Mean(p, weights, h.Queries, h.Keys) // what need_weights asks for, and the module drops
	if h.Queries == 1 {
		return op.View(p, out, h.Queries, m.dim)
	}
	return op.Contiguous(p, out, h.Queries, m.dim)
}

// inOrder reports whether so many positions in front of the batch lie as they do behind it.
func (l *Lowering) inOrder(positions int64) bool { return positions == 1 || l.P.Single }

// product is the bytes of an element of what a product gives.
func (l *Lowering) product() int64 {
	if l.P.Precision.Autocast {
		return 2
	}
	return l.P.Precision.Width(op.Float)
}
