package onnx

import "math"

// fuser finds what exporters took apart. Every pattern is matched from its last node backwards; that node then stands for all
// of it, and what nothing else reads is left behind.
type fuser struct {
	im    *reading
	reads map[*value][]*node
	kept  map[*value]bool // outputs
}

// fuse runs every pattern at every node that an output depends on, in the order of the computation.
func (im *reading) fuse() {
	f := &fuser{im: im, reads: map[*value][]*node{}, kept: map[*value]bool{}}
	for _, n := range im.nodes {
		for _, v := range n.in {
			if v != nil {
				f.reads[v] = append(f.reads[v], n)
			}
		}
	}
	for _, v := range im.outputs {
		f.kept[v] = true
	}
	for _, n := range im.live() {
		if !n.hasOneResult() {
			continue
		}
		for _, pattern := range patterns {
			if pattern(f, n) {
				break
			}
		}
	}
}

// patterns are tried in this order.
var patterns = []func(*fuser, *node) bool{
	(*fuser).linear, (*fuser).gelu, (*fuser).quickGelu, (*fuser).gated, (*fuser).hardSwish, (*fuser).softplus, (*fuser).layerNorm, (*fuser).rmsNorm, (*fuser).groupNorm, (*fuser).attention,
}

// hasOneResult reports whether a node has one result, and no other that it would lose as a fused one.
func (n *node) hasOneResult() bool { return len(n.out) == 1 && n.out[0] != nil }

// become turns a node with one result into a fused one.
func (n *node) become(op string, attrs []protoAttr, in ...*value) bool {
	n.op, n.attrs, n.in = op, attrs, in
	return true
}

// source is a value as it was before changes of precision, nil for none.
func (f *fuser) source(v *value) *value {
	if v == nil {
		return nil
	}
	return v.source()
}

// def is the operator that a value comes from as its first result, seen through changes of precision; nil for inputs and constants.
func (f *fuser) def(v *value) *node {
	if v = f.source(v); v == nil || v.def == nil || len(v.def.out) == 0 || v.def.out[0] != v {
		return nil
	}
	return v.def
}

// same reports whether two values are one, seen through changes of precision.
func (f *fuser) same(a, b *value) bool { return f.source(a) == f.source(b) }

func (f *fuser) is(v *value, op string) *node {
	if n := f.def(v); n != nil && n.op == op {
		return n
	}
	return nil
}

// once reports whether only one node reads a value.
func (f *fuser) once(v *value) bool { return len(f.reads[v]) == 1 && !f.kept[v] }

// pair splits the inputs of a node of two inputs into a computed one and a constant.
func pair(n *node) (x, c *value, ok bool) {
	if len(n.in) != 2 || n.in[0] == nil || n.in[1] == nil || n.in[0].konst == n.in[1].konst {
		return nil, nil, false
	}
	if n.in[0].konst {
		return n.in[1], n.in[0], true
	}
	return n.in[0], n.in[1], true
}

// factors takes a product apart into computed values and one number.
func (f *fuser) factors(v *value, depth int) (values []*value, k float64) {
	n := f.def(v)
	if n == nil || depth == 0 || len(n.in) != 2 || n.in[0] == nil || n.in[1] == nil {
		return []*value{f.source(v)}, 1
	}
	switch n.op {
	case "Mul":
		k = 1
		for _, in := range n.in {
			if c, ok := f.im.scalar(in); ok {
				k *= c
				continue
			}
			more, m := f.factors(in, depth-1)
			values, k = append(values, more...), k*m
		}
		return values, k
	case "Div":
		if c, ok := f.im.scalar(n.in[1]); ok && !n.in[0].konst {
			values, k = f.factors(n.in[0], depth-1)
			return values, k / c
		}
	case "Pow":
		if p, ok := f.im.scalar(n.in[1]); ok && (p == 2 || p == 3) {
			x := f.source(n.in[0])
			return []*value{x, x, x}[:int(p)], 1
		}
	}
	return []*value{f.source(v)}, 1
}

// scaled reports whether a value is x times a number.
func (f *fuser) scaled(v, x *value, want float64) bool {
	values, k := f.factors(v, 3)
	return len(values) == 1 && values[0] == f.source(x) && near(k, want)
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-3*math.Abs(b) }

// plus matches v = x + number.
func (f *fuser) plus(v *value, want float64) (*value, bool) {
	n := f.is(v, "Add")
	if n == nil {
		return nil, false
	}
	x, c, ok := pair(n)
	if !ok {
		return nil, false
	}
	k, ok := f.im.scalar(c)
	return x, ok && near(k, want)
}

// linear matches a bias that is added behind a product with a stored matrix.
func (f *fuser) linear(n *node) bool {
	if n.op != "Add" {
		return false
	}
	x, bias, ok := pair(n)
	if !ok || !bias.elem.isFloat() {
		return false
	}
	m := x.def
	if m == nil || m.op != "MatMul" || !m.hasOneResult() || !f.once(x) || m.in[0].konst && !m.in[0].isLiteral() || !m.in[1].konst || m.in[1].rank() != 2 {
		return false
	}
	if out := m.in[1].shape[1]; bias.size() != out || bias.rank() == 0 || bias.shape[bias.rank()-1] != out || bias.rank() > x.rank() || bias.isLiteral() {
		return false
	}
	if n.name == "" {
		n.name = m.name
	}
	return n.become(fusedLinear, nil, m.in[0], m.in[1], bias)
}

// gelu matches 0.5·x·(1 + erf(x/√2)) and 0.5·x·(1 + tanh(√(2/π)·(x + 0.044715·x³))), whatever is multiplied first.
func (f *fuser) gelu(n *node) bool {
	if n.op != "Mul" {
		return false
	}
	values, k := f.factors(n.out[0], 3)
	if len(values) != 2 || !near(k, 0.5) {
		return false
	}
	for i, v := range values {
		x := values[1-i]
		inner, ok := f.plus(v, 1)
		if !ok {
			continue
		}
		if erf := f.is(inner, "Erf"); erf != nil && f.scaled(erf.in[0], x, math.Sqrt(0.5)) {
			return n.become("Gelu", nil, x)
		}
		if tanh := f.is(inner, "Tanh"); tanh != nil && f.cubic(tanh.in[0], x) {
			return n.become("Gelu", []protoAttr{{name: "approximate", s: "tanh"}}, x)
		}
	}
	return false
}

// cubic matches √(2/π)·(x + 0.044715·x³).
func (f *fuser) cubic(v, x *value) bool {
	values, k := f.factors(v, 2)
	if len(values) != 1 || !near(k, math.Sqrt(2/math.Pi)) {
		return false
	}
	sum := f.is(values[0], "Add")
	if sum == nil || len(sum.in) != 2 {
		return false
	}
	for i, a := range sum.in {
		if !f.same(a, x) {
			continue
		}
		powers, c := f.factors(sum.in[1-i], 3)
		if len(powers) == 3 && powers[0] == f.source(x) && powers[1] == powers[0] && powers[2] == powers[0] && near(c, 0.044715) {
			return true
		}
	}
	return false
}

// quickGelu matches x·sigmoid(1.702·x).
func (f *fuser) quickGelu(n *node) bool {
	return f.selfGate(n, func(gate, x *value) bool {
		s := f.is(gate, "Sigmoid")
		return s != nil && f.def(s.in[0]) != nil && f.scaled(s.in[0], x, 1.702) && n.become("com.microsoft.QuickGelu", nil, x)
	})
}

// selfGate tries a gate on both inputs of a product.
func (f *fuser) selfGate(n *node, match func(gate, x *value) bool) bool {
	if n.op != "Mul" || len(n.in) != 2 || n.in[0] == nil || n.in[1] == nil || n.in[0].konst || n.in[1].konst {
		return false
	}
	return match(n.in[0], n.in[1]) || match(n.in[1], n.in[0])
}

// gated matches x·sigmoid(x), x·tanh(softplus(x)) and x·hardsigmoid(x).
func (f *fuser) gated(n *node) bool {
	return f.selfGate(n, func(gate, x *value) bool {
		if s := f.is(gate, "Sigmoid"); s != nil && f.same(s.in[0], x) {
			return n.become(fusedSilu, nil, x)
		}
		if h := f.is(gate, "HardSigmoid"); h != nil && f.same(h.in[0], x) && near(h.float("alpha", 0.2), 1.0/6) && h.float("beta", 0.5) == 0.5 {
			return n.become(fusedHardSwish, nil, x)
		}
		if t := f.is(gate, "Tanh"); t != nil {
			if s := f.is(t.in[0], "Softplus"); s != nil && f.same(s.in[0], x) {
				return n.become(fusedMish, nil, x)
			}
		}
		return false
	})
}

// hardSwish matches x·clip(x + 3, 0, 6)/6.
func (f *fuser) hardSwish(n *node) bool {
	if n.op != "Mul" && n.op != "Div" {
		return false
	}
	values, k := f.factors(n.out[0], 3)
	if len(values) != 2 || !near(k, 1.0/6) {
		return false
	}
	for i, v := range values {
		clip := f.is(v, "Clip")
		if clip == nil {
			continue
		}
		lo, hi, ok := f.im.limits(clip)
		x, shifted := f.plus(clip.in[0], 3)
		if ok && shifted && lo == 0 && hi == 6 && f.same(x, values[1-i]) {
			return n.become(fusedHardSwish, nil, values[1-i])
		}
	}
	return false
}

// softplus matches Where(x > 20, x, softplus(x)), which keeps the exponential from overflowing.
func (f *fuser) softplus(n *node) bool {
	if n.op != "Where" || len(n.in) != 3 {
		return false
	}
	over, s := f.is(n.in[0], "Greater"), f.is(n.in[2], "Softplus")
	if over == nil || s == nil || !f.same(over.in[0], n.in[1]) || !f.same(s.in[0], n.in[1]) {
		return false
	}
	limit, ok := f.im.scalar(over.in[1])
	return ok && limit == 20 && n.become("Softplus", nil, n.in[1])
}
