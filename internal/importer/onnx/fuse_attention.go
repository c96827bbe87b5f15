package onnx

import (
	"math"
	"slices"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
)

// fusedAttention has the inputs queries, keys, values and mask. Its attributes are scale, causal and, where the keys arrive
// with their last two axes exchanged, transposed.
const fusedAttention = "Attention (fused)"

// attentionType stands for it.
const attentionType = "scaledDotProductAttention"

var _ = register(fusedAttention, operator{emit: emitAttention})

// scoring is what lies between the product of queries and keys and the softmax.
type scoring struct {
	product *node
	scale   float64
	mask    *value
	causal  bool
}

// attention matches softmax(q·kᵀ·scale + mask)·v.
func (f *fuser) attention(n *node) bool {
	if n.op != "MatMul" || n.in[0].konst || n.in[1].konst || catalog.Lookup(attentionType) == nil {
		return false
	}
	soft := f.softmax(n.in[0])
	if soft == nil || n.in[0].rank() < 3 {
		return false
	}
	s := scoring{scale: 1}
	if !f.scores(soft.in[0], &s, 6) {
		return false
	}
	q, k, v := s.product.in[0], s.product.in[1], n.in[1]
	if q.konst || k.konst || q.rank() != k.rank() || q.rank() != v.rank() {
		return false
	}
	if s.mask != nil && s.mask.rank() > q.rank() {
		return false
	}
	q, kq := f.unscaled(q)
	k, kk := f.unscaled(k)
	attrs := []protoAttr{{name: "scale", f: s.scale * kq * kk}, {name: "transposed", i: 1}, {name: "causal"}}
	if s.causal {
		attrs[2].i = 1
	}
	if t := f.is(k, "Transpose"); t != nil && swapsLast(perm(t)) {
		k, attrs[1].i = t.in[0], 0
	}
	in := []*value{q, k, v}
	if s.mask != nil {
		in = append(in, s.mask)
	}
	return n.become(fusedAttention, attrs, in...)
}

// softmax finds the softmax over the last axis behind what exporters put after it: dropout, and a guard against rows that are
// masked altogether.
func (f *fuser) softmax(v *value) *node {
	for range 6 {
		n := f.def(v)
		if n == nil {
			return nil
		}
		switch n.op {
		case "Dropout":
			v = n.in[0]
		case "Where": // Where(IsNaN(p), 0, p)
			guard := f.is(n.in[0], "IsNaN")
			zero, ok := f.im.scalar(n.in[1])
			if guard == nil || !ok || zero != 0 || !f.same(guard.in[0], n.in[2]) {
				return nil
			}
			v = n.in[2]
		case "Softmax":
			rank := n.in[0].rank()
			otherwise := int64(-1)
			if n.opset < 13 {
				otherwise = 1
			}
			if axis, err := n.axis(n.int("axis", otherwise), rank); err != nil || axis != rank-1 {
				return nil
			}
			return n
		default:
			return nil
		}
	}
	return nil
}

// scores follows what was done to the product of queries and keys back to it.
func (f *fuser) scores(v *value, s *scoring, depth int) bool {
	n := f.def(v)
	if n == nil || depth == 0 {
		return false
	}
	switch n.op {
	case "MatMul":
		s.product = n
		return true
	case "Mul", "Div":
		x, c, ok := pair(n)
		if !ok || n.op == "Div" && n.in[0].konst {
			return false
		}
		k, ok := f.im.scalar(c)
		if !ok || k == 0 || s.mask != nil || s.causal {
			return false // what is behind the mask is not scaled with it
		}
		if n.op == "Div" {
			k = 1 / k
		}
		s.scale *= k
		return f.scores(x, s, depth-1)
	case "Add":
		return f.masked(n, s, depth)
	case "Where":
		return f.chosen(n, s, depth)
	}
	return false
}

// masked matches scores + mask. A scale that was seen before belongs to both and is given up.
func (f *fuser) masked(n *node, s *scoring, depth int) bool {
	if len(n.in) != 2 || s.scale != 1 || s.mask != nil || s.causal {
		return false
	}
	for i, v := range n.in {
		trial := *s
		if v.konst || !f.scores(v, &trial, depth-1) || trial.mask != nil || trial.causal {
			continue
		}
		*s = trial
		switch mask := n.in[1-i]; {
		case mask.konst && f.im.allEqual(mask, 0): // nothing is hidden
		case mask.konst && f.im.triangle(mask, n.out[0].shape, hidesLater):
			s.causal = true
		default:
			s.mask = mask
		}
		return true
	}
	return false
}

// chosen matches Where(seen, scores, -∞) with a constant triangle.
func (f *fuser) chosen(n *node, s *scoring, depth int) bool {
	if len(n.in) != 3 || !n.in[0].konst || s.scale != 1 || s.mask != nil || s.causal {
		return false
	}
	for side, v := range n.in[1:] {
		low, ok := f.im.scalar(n.in[2-side])
		if !ok || low > -1e4 || v.konst || !f.im.triangle(n.in[0], n.out[0].shape, []pattern{choosesSeen, choosesLater}[side]) {
			continue
		}
		if f.scores(v, s, depth-1) && s.mask == nil && !s.causal {
			s.causal = true
			return true
		}
	}
	return false
}

// pattern is what a square constant says of each pair of positions, of which the second is visible to the first or comes later.
type pattern int

const (
	hidesLater   pattern = iota // is added: 0 for what is visible, and very low for what comes later
	choosesSeen                 // is not 0 for what is visible
	choosesLater                // is not 0 for what comes later
	patternCount
)

func (p pattern) fits(x float64, visible bool) bool {
	if p == hidesLater {
		return visible && x == 0 || !visible && x <= -1e4
	}
	return (x != 0) == (visible == (p == choosesSeen))
}

// triangle reports whether a square constant, the same for all heads, has a pattern. Its elements are looked at once.
func (im *reading) triangle(v *value, scores []int64, p pattern) bool {
	rank := v.rank()
	if rank < 2 || len(scores) < 2 {
		return false
	}
	n := v.shape[rank-1]
	if n < 2 || v.shape[rank-2] != n || v.size() != n*n || scores[len(scores)-1] != n || scores[len(scores)-2] != n || n*n > maxConstant {
		return false
	}
	return v.patterns[p].asked(func() bool { return im.hasPattern(v, n, p) })
}

func (im *reading) hasPattern(v *value, n int64, p pattern) bool {
	num := v.num
	if num == nil && v.stored != nil && im.budget(n*n) {
		var err error
		if num, err = im.load(v.stored, n*n); err != nil {
			return false
		}
	}
	if num == nil {
		return false
	}
	for i := range num.len() {
		if !p.fits(num.float(i), int64(i)%n <= int64(i)/n) {
			return false
		}
	}
	return true
}

// unscaled takes a number off queries or keys.
func (f *fuser) unscaled(v *value) (*value, float64) {
	n := f.def(v)
	if n == nil || n.op != "Mul" && n.op != "Div" {
		return v, 1
	}
	x, c, ok := pair(n)
	if !ok || n.op == "Div" && n.in[0].konst {
		return v, 1
	}
	k, ok := f.im.scalar(c)
	if !ok || k == 0 {
		return v, 1
	}
	if n.op == "Div" {
		k = 1 / k
	}
	return x, k
}

// swapsLast reports whether an order exchanges the last two axes and nothing else.
func swapsLast(order []int64) bool {
	n := len(order)
	for i, j := range order[:max(n-2, 0)] {
		if int64(i) != j {
			return false
		}
	}
	return n >= 2 && order[n-1] == int64(n-2) && order[n-2] == int64(n-1)
}

func emitAttention(e *emitter, n *node) error {
	rank := n.out[0].rank()
	p := *e.at[n.in[0]]
	lay := p.layout
	for _, v := range n.in[:3] {
		if q := e.at[v]; q.axis != lay.axis || lay.axis >= rank-2 || lay.axis >= 0 && !e.dropped(v.shape, q.layout) {
			if e.im.batch != 1 {
				return refused{"its inputs have the batch in different places"}
			}
			lay = noBatch
		}
	}
	var in []port
	for i, v := range n.in {
		var q port
		var err error
		shape := append(slices.Repeat([]int64{1}, rank-v.rank()), v.shape...)
		if lay.axis >= 0 {
			shape = slices.Delete(shape, lay.axis, lay.axis+1)
		}
		if v.konst {
			q, err = e.tensor(n, v, shape)
		} else {
			q, err = e.reshaped(n, n.name, *e.at[v], shape)
		}
		if err == nil && i == 1 && n.int("transposed", 0) != 0 {
			q, err = e.permuted(n, q, swapped(len(shape)))
		}
		if err != nil {
			return err
		}
		in = append(in, q)
	}
	var params []graph.Param
	if n.int("causal", 0) != 0 {
		params = append(params, boolean("causal", true))
	}
	features := in[0].shape[len(in[0].shape)-1]
	if scale := n.attr("scale").f; math.Abs(scale*math.Sqrt(float64(features))-1) > 1e-3 {
		params = append(params, number("scale", shorten(float64(float32(scale)))))
	}
	out, err := e.add(n, attentionType, params, nil, in...)
	if err != nil {
		return err
	}
	return e.give(n.out[0], out, lay)
}

// swapped is the order that exchanges the last two axes.
func swapped(rank int) []int64 {
	order := make([]int64, rank)
	for i := range order {
		order[i] = int64(i)
	}
	order[rank-1], order[rank-2] = order[rank-2], order[rank-1]
	return order
}
