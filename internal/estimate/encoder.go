package estimate

import "github.com/modelverifier/verifier/internal/infer"

// encoder is the parts of torch.nn.TransformerEncoderLayer, and of layers that are one of them.
type encoder struct {
	rows, positions, features, wide, heads int64 // rows are the positions of all samples
	bias, gelu, drops, copied, eager       bool  // copied: attention's result is turned by a copy
	thins                                  bool  // weights that are in memory are dropped
}

// innerParts is what the backward pass of torch.nn.TransformerEncoderLayer, of its attention or of its feed-forward network needs beside
// the gradients of its weights, of its result and of its input, operation by operation as autograd runs them; false for other components
// and where attention is no kernel.
func (s *stepper) innerParts(i int) (int64, bool) {
	n := &s.res.Nodes[i]
	if s.isMap(i) {
		return s.innerLinear(i), true
	}
	if s.how[i].has(transformers) || len(n.In) == 0 || n.In[0].Rank() != 2 || keptScores(n) > 0 {
		return 0, false
	}
	e := encoder{positions: n.In[0][0], features: n.In[0][1], wide: arg(n, "ffDim").Int(), heads: max(1, arg(n, "numHeads").Int()), bias: arg(n, "bias").Bool(),
		gelu: arg(n, "activation").Str() != "relu", drops: arg(n, "dropout").Float() > 0, copied: !s.turned(n)}
	e.rows = times(e.positions, s.batch(i))
	t := tape{width: s.productBytes(), cast: autocasts(s.o.Precision), again: s.unitOf(i) > 0}
	elems := times(e.rows, e.features)
	sum := times(elems, t.sumWidth())
	switch n.Type.ID {
	case "transformerBlock":
		e.layer(&t, arg(n, "normFirst").Bool())
	case "multiHeadAttention", "selfAttention", "causalAttention", "localAttention":
		e.eager = s.o.Attention == "eager"
		e.drops, e.thins = false, e.drops && e.eager
		e.attention(&t, false)
	case "crossAttention":
		keys := s.keysOf(i, e.features)
		if keys < 1 || s.o.Attention == "eager" {
			return 0, false
		}
		e.crossed(&t, keys)
		sum = plus(sum, times(keys, e.features, t.sumWidth()))
	case "groupedQueryAttention", "ropeAttention":
		if s.o.Attention != "eager" {
			return 0, false
		}
		e.grouped(&t, times(e.rows, e.heads, max(0, arg(n, "headDim").Int())))
	case "feedForward":
		e.feedForward(&t, 0)
		t.widen(elems)
	case "swiglu", "geglu":
		e.wide = arg(n, "intermediateSize").Int()
		e.gated(&t)
	default:
		return 0, false
	}
	return t.most - s.kind(i).own - block(sum), true
}

// isMap reports whether a component is a linear map that is trained, and not by adapters.
func (s *stepper) isMap(i int) bool {
	n := &s.res.Nodes[i]
	return n.Type.ID == "linear" && n.Out != nil && n.Out.Rank() > 0 && s.shares[i].own && s.shares[i].adapters == 0
}

// innerLinear is the same of a linear map: under autocast the gradient of its weight has 16 bits until that of the bias is summed.
func (s *stepper) innerLinear(i int) int64 {
	n := &s.res.Nodes[i]
	t := tape{width: s.productBytes(), cast: autocasts(s.o.Precision), again: s.unitOf(i) > 0}
	in, out := features(n), max(1, n.Out.At(-1))
	rows := times(max(0, n.Out.Size())/out, s.batch(i))
	t.linear(rows, in, out, len(n.Weights) > 1, 0, 0)
	return t.most - s.kind(i).own - block(times(rows, in, t.width))
}

// layer is the whole of it.
func (e *encoder) layer(t *tape, first bool) {
	elems := times(e.rows, e.features)
	sum := times(elems, t.sumWidth())
	if !first {
		t.norm(elems, e.features, false) // the gradient of the result is free behind it
	}
	gradient := t.narrow(elems)
	if e.drops {
		t.drop(elems, t.sumWidth(), false)
		gradient = plus(gradient, sum)
	}
	e.feedForward(t, gradient)
	t.widen(elems)
	if first {
		t.norm(elems, e.features, false)
	}
	t.free(sum) // added to the gradient of the result, in place
	if !first {
		t.norm(elems, e.features, false)
	}
	e.attention(t, true)
	if first {
		t.norm(elems, e.features, true)
	}
}

// keptScores is the scores of a sample that a component's attention has in memory whatever is asked for, since there is no kernel for its heads.
func keptScores(n *infer.Node) int64 {
	for k := range n.Kept {
		if n.Kept[k].Name == attentionWeights {
			return n.Kept[k].Elems
		}
	}
	return 0
}

// feedForward leaves the gradient of what arrived, as wide as a product's result. That of the result is freed where it is a copy.
func (e *encoder) feedForward(t *tape, gradient int64) {
	elems, inner := times(e.rows, e.features), times(e.rows, e.wide, t.width)
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

// gated is a feed-forward network with a gate: the product's two factors have gradients at once, and the map that came last is first.
func (e *encoder) gated(t *tape) {
	elems, inner := times(e.rows, e.features), times(e.rows, e.wide, t.width)
	t.linear(e.rows, e.wide, e.features, e.bias, inner, 0)
	t.take(inner)
	t.swap(inner, inner)
	t.free(inner) // the gate
	t.free(inner) // what it is multiplied with
	one := int64(0)
	if t.cast { // a copy of what arrives for each map
		one = times(elems, t.width)
	}
	t.linear(e.rows, e.features, e.wide, e.bias, one, inner)
	t.widen(elems)
	t.swap(inner, inner)
	t.free(inner) // what the activation kept
	t.linear(e.rows, e.features, e.wide, e.bias, one, inner)
	t.widen(elems)
}

// attention leaves the gradient of what arrived, as wide as what is added up: behind a residual connection, of which its gradient is a copy
// under autocast, or by itself.
func (e *encoder) attention(t *tape, residual bool) {
	elems := times(e.rows, e.features)
	one := times(elems, t.width)
	cast := int64(0)
	if residual {
		if e.drops {
			t.drop(elems, t.sumWidth(), false)
		}
		cast = t.narrow(elems)
	}
	if e.positions > 1 {
		t.take(one) // turned
	}
	t.free(cast)
	if e.drops {
		t.free(times(elems, t.sumWidth()))
	}
	kept, result := int64(0), int64(0)
	if e.copied || e.eager {
		kept = one
	}
	if e.positions > 1 {
		result = one
	}
	t.linear(e.rows, e.features, e.features, e.bias, kept, result)
	if e.eager {
		e.scores(t)
	} else {
		e.kernel(t)
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

// crossed is attention to so many keys of another sequence: queries have a map of their own, keys and values one together, which comes first.
func (e *encoder) crossed(t *tape, keys int64) {
	elems, others := times(e.rows, e.features), times(keys, e.features)
	one, other := times(elems, t.width), times(others, t.width)
	t.take(one) // turned
	t.linear(e.rows, e.features, e.features, e.bias, one, one)
	t.take(one)
	t.take(other)
	t.take(other)
	t.free(one)
	t.free(plus(one, one)) // queries, and the kernel's result
	t.free(times(2, other))
	t.free(times(e.rows, e.heads, 4))
	t.swap(times(2, other), other) // each becomes a half of one tensor
	t.swap(times(2, other), other)
	t.free(times(2, other))
	t.swap(times(2, other), times(2, other)) // turned
	t.turned(keys, e.features, times(2, e.features), e.bias, other, times(2, other))
	t.widen(others)
	t.turned(e.rows, e.features, e.features, e.bias, one, one)
	t.widen(elems)
}

// keysOf is the positions of all samples that attention reads from another sequence as wide as its own; 0 where that is not so.
func (s *stepper) keysOf(i int, features int64) int64 {
	n := &s.res.Nodes[i]
	if len(n.In) < 2 || n.In[1].Rank() != 2 || n.In[1][1] != features {
		return 0
	}
	return times(n.In[1][0], s.batch(i))
}

// grouped is attention with a matrix for each of queries, keys and values and with its scores in memory, up to the gradient in front of the softmax,
// which is taken in 32 bits whatever arrives: so many queries for all samples.
func (e *encoder) grouped(t *tape, queries int64) {
	one, count := times(queries, t.width), times(e.rows, e.heads, e.positions)
	t.linear(e.rows, queries/max(1, e.rows), e.features, false, one, 0)
	t.take(times(count, t.width))
	t.swap(one, one) // of the values
	t.free(one)      // which are free
	if t.width < 4 {
		t.free(times(count, t.width)) // the copy
		t.swap(times(count, 4), times(count, t.width))
	}
	t.pass(times(count, 8))
	t.swap(times(count, t.width), times(count, 4))
	t.free(times(count, 4)) // the softmax
	t.take(one)
	t.take(one)
	t.free(times(count, t.width))
	t.pass(times(3, times(e.rows, e.features, t.sumWidth()))) // the three maps' gradients of what arrived
}

// kernel is the fused kernel: it gives the gradients of queries, keys and values.
func (e *encoder) kernel(t *tape) {
	one := times(e.rows, e.features, t.width)
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
}

// scores is the same with the scores in memory: softmax_backward_data multiplies into a tensor of its own. Autocast takes the softmax in 32 bits
// and multiplies a copy.
func (e *encoder) scores(t *tape) {
	one, count := times(e.rows, e.features, t.width), times(e.rows, e.heads, e.positions)
	soft := times(count, t.sumWidth())
	t.take(times(count, t.width))
	t.take(one) // of the values
	t.free(one)
	if t.cast {
		t.free(times(count, t.width)) // the copy
		t.swap(soft, times(count, t.width))
	}
	if e.thins {
		if !t.cast {
			t.free(soft) // what was left of the weights
		}
		t.drop(count, t.sumWidth(), true)
	}
	t.pass(plus(soft, soft))
	t.swap(soft, soft)
	t.free(soft) // the softmax
	if t.cast {
		t.swap(times(count, t.width), soft)
	}
	t.take(one)
	t.take(one)
	t.free(times(count, t.width))
	t.free(one) // scaled queries
	t.swap(one, one)
	t.free(times(3, one))
}
