package estimate

import "github.com/modelverifier/verifier/internal/infer"

// encoder is torch.nn.TransformerEncoderLayer.
type encoder struct {
	rows, positions, features, wide, heads int64 // rows are the positions of all samples
	bias, gelu, drops, copied              bool  // copied: attention's result is turned by a copy
}

// innerEncoder is what the backward pass of torch.nn.TransformerEncoderLayer needs beside the gradients of its weights and of its
// input, operation by operation as autograd runs them; false where its attention is not a kernel.
func (s *stepper) innerEncoder(i int) (int64, bool) {
	n := &s.res.Nodes[i]
	if n.Type.ID != "transformerBlock" || len(n.In) == 0 || s.scoresKept(n) {
		return 0, false
	}
	e := encoder{positions: n.In[0][0], features: arg(n, "embedDim").Int(), wide: arg(n, "ffDim").Int(), heads: max(1, arg(n, "numHeads").Int()),
		bias: arg(n, "bias").Bool(), gelu: arg(n, "activation").Str() == "gelu", drops: arg(n, "dropout").Float() > 0, copied: !s.turned(n)}
	e.rows = times(e.positions, s.batch(i))
	t := tape{width: s.productBytes(), cast: autocasts(s.o.Precision), again: s.unitOf(i) > 0}
	elems := times(e.rows, e.features)
	sum := times(elems, t.sumWidth())
	if arg(n, "normFirst").Bool() {
		e.feedForward(&t)
		t.widen(elems)
		t.norm(elems, e.features, false)
		t.free(sum) // added to the gradient of the result, in place
		e.attention(&t)
		t.norm(elems, e.features, true)
	} else {
		t.norm(elems, e.features, false) // the gradient of the result is free behind it
		e.feedForward(&t)
		t.widen(elems)
		t.free(sum)
		t.norm(elems, e.features, false)
		e.attention(&t)
	}
	return t.most - s.kind(i).own - block(sum), true
}

// scoresKept reports whether a component's attention has its scores in memory.
func (s *stepper) scoresKept(n *infer.Node) bool {
	for k := range n.Kept {
		if n.Kept[k].Name == attentionWeights {
			return true
		}
	}
	return false
}

// feedForward leaves the gradient of what arrived, as wide as a product's result.
func (e *encoder) feedForward(t *tape) {
	elems, inner := times(e.rows, e.features), times(e.rows, e.wide, t.width)
	gradient := t.narrow(elems)
	if e.drops {
		t.drop(elems, t.sumWidth(), false)
		gradient = plus(gradient, times(elems, t.sumWidth()))
	}
	kept := inner
	if !e.gelu && !e.drops { // the one result is kept by both
		kept = 0
	}
	t.linear(e.rows, e.wide, e.features, e.bias, kept, gradient)
	if e.drops {
		t.drop(times(e.rows, e.wide), t.width, true)
	}
	t.swap(inner, inner)
	t.free(inner) // what the activation kept
	t.linear(e.rows, e.features, e.wide, e.bias, times(elems, t.width), inner)
}

// attention leaves the gradient of what arrived, as wide as what is added up.
func (e *encoder) attention(t *tape) {
	elems := times(e.rows, e.features)
	one := times(elems, t.width)
	if e.drops {
		t.drop(elems, t.sumWidth(), false)
	}
	cast := t.narrow(elems)
	if e.positions > 1 {
		t.take(one) // turned
	}
	t.free(cast)
	if e.drops {
		t.free(times(elems, t.sumWidth()))
	}
	kept, result := int64(0), int64(0)
	if e.copied {
		kept = one
	}
	if e.positions > 1 {
		result = one
	}
	t.linear(e.rows, e.features, e.features, e.bias, kept, result)
	for range 3 {
		t.take(one)
	}
	t.free(one)
	t.free(times(3, one)) // queries, keys and values
	t.free(one)           // the kernel's result
	t.free(times(e.rows, e.heads, 4))
	if t.width == 4 { // the kernel gives the positions in front of the heads
		t.pass(one)
	}
	t.swap(times(3, one), one) // each becomes a third of one tensor, which is added to the others
	for range 2 {
		t.swap(times(3, one), one)
		t.free(times(3, one))
	}
	t.swap(times(3, one), times(3, one)) // turned
	t.turned(e.rows, e.features, times(3, e.features), e.bias, one, times(3, one))
	t.widen(elems)
}
