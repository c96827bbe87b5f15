package estimate

import "github.com/modelverifier/verifier/internal/infer"

// native is a module of PyTorch's in use, with what it reads: rows of features, for all samples.
type native struct {
	*stepper
	node     *infer.Node
	at       int
	size     int64 // of an element
	rows     int64
	features int64
	whole    int64 // bytes of what arrives
	scores   bool  // whether its scores are in memory
}

// insideNative is what a module of PyTorch's holds of its own before there is its result, and beside it, where it does without gradients what it does not
// with them, or keeps other tensors for the backward pass than it makes: operation by operation, as replayed passes have them.
func (s *stepper) insideNative(i int, size int64) (inside, last int64, ok bool) {
	n := &s.res.Nodes[i]
	if s.how[i].has(transformers) || n.Out == nil || len(n.In) == 0 || n.In[0].Rank() == 0 {
		return 0, 0, false
	}
	m := native{stepper: s, node: n, at: i, size: size, features: features(n), scores: s.scoresInUse(i) > 0}
	m.rows = times(max(0, n.In[0].Size())/m.features, s.o.Batch)
	m.whole = m.each(m.features)
	for _, kind := range []func() (int64, int64, bool){m.attention, m.otherAttention, m.layer, m.convolved, m.recurrent, m.plainly} {
		if inside, last, ok = kind(); ok {
			return inside, last, true
		}
	}
	return 0, 0, false
}

// each is the bytes of so many features for every row.
func (m *native) each(features int64) int64 { return block(times(m.rows, features, m.size)) }

// second is the bytes of what comes in last.
func (m *native) second() int64 {
	return block(times(max(0, m.node.In[len(m.node.In)-1].Size()), m.o.Batch, m.size))
}

// ahead is what is normalised in front of a layer's parts, where it is.
func (m *native) ahead() int64 {
	if arg(m.node, "normFirst").Bool() {
		return m.whole
	}
	return 0
}

// fastPath reports whether PyTorch runs an attention or an encoder layer in one call where no gradients are wanted (the conditions of
// nn.MultiheadAttention): it has an even number of heads, and a bias.
func (m *native) fastPath() bool {
	n := m.node
	return max(1, arg(n, "numHeads").Int())%2 == 0 && (n.Type.Param("bias") == nil || arg(n, "bias").Bool())
}

// attention is nn.MultiheadAttention: in one call queries, keys and values lie together, beside what the kernel gives; otherwise their product is there, too, to
// which a bias is added.
func (m *native) attention() (inside, last int64, ok bool) {
	whole := m.whole
	switch m.node.Type.ID {
	case "multiHeadAttention", "selfAttention", "causalAttention", "localAttention":
		switch {
		case m.scores && m.fastPath():
			return times(3, whole), times(2, whole), true
		case m.scores:
			return times(3, whole), times(5, whole), true
		case !m.fastPath():
			return times(6, whole), times(4, whole), true
		}
		return times(4, whole), times(4, whole), true
	case "crossAttention":
		return plus(whole, times(4, m.second())), plus(times(2, whole), times(2, m.second())), true
	}
	return 0, 0, false
}

// otherAttention is attention that is no module of PyTorch's, as the exporter writes it.
func (m *native) otherAttention() (inside, last int64, ok bool) {
	n, whole := m.node, m.whole
	switch n.Type.ID {
	case "windowAttention": // the windows, queries, keys and values in one, the queries scaled and keys and values apart
		return times(6, whole), times(5, whole), true
	case "linearAttention": // queries, keys, values, what they give, and that with the heads together
		return times(5, whole), times(5, whole), true
	case "ropeAttention", "groupedQueryAttention":
		return m.heads()
	case "mla":
		h := latentHeads(n)
		together, values := m.each(times(h.count, h.features)), m.each(times(h.count, h.values))
		inside = plus(times(3, together), m.each(times(h.count, plus(max(0, arg(n, "qkNopeHeadDim").Int()), h.values))), values,
			m.each(plus(arg(n, "kvLoraRank").Int(), arg(n, "qkRopeHeadDim").Int())))
		if m.scores {
			inside = plus(inside, values)
		}
		return inside, values, true
	case "retention": // values, queries and keys; then what is normalised, the gate, and both joined
		values := m.each(times(m.features, max(1, arg(n, "valueFactor").Int())))
		return plus(values, times(2, whole)), plus(times(5, values), times(2, whole)), true
	}
	return 0, 0, false
}

// heads is attention with its four matrices: where it turns keys, with the queries turned, or queries; or where its scores are in memory.
func (m *native) heads() (inside, last int64, ok bool) {
	if m.node.In[0].Rank() != 2 {
		return 0, 0, false
	}
	h := wholeHeads(m.node)
	queries, keys := m.each(times(h.count, h.features)), m.each(times(h.kv, h.features))
	switch {
	case m.scores:
		inside = times(3, queries)
		if m.size == 4 { // and the result of its last product
			inside = plus(inside, queries)
		}
		if h.kv == h.count {
			inside = plus(inside, keys)
		}
		return inside, queries, true
	case m.node.Type.ID == "ropeAttention":
		return max(plus(times(2, queries), times(5, keys)), plus(times(4, queries), times(2, keys))), times(2, queries), true
	}
	return 0, 0, false
}

// layer is attention and a feed-forward network, with the sum in front of each and what is normalised of it.
func (m *native) layer() (inside, last int64, ok bool) {
	n, whole, wide := m.node, m.whole, m.each(arg(m.node, "ffDim").Int())
	switch n.Type.ID {
	case "transformerBlock":
		switch first := m.ahead() > 0; {
		case !m.fastPath():
			return plus(m.ahead(), max(times(6, whole), plus(whole, times(2, wide)))), times(2, whole), true
		case first: // the activation is a part of the first map, and sums are in place
			return times(6, whole), plus(times(2, whole), wide), true
		}
		return max(times(5, whole), plus(times(2, whole), wide)), times(2, whole), true
	case "transformerDecoderBlock": // it attends to what comes in second, too
		return plus(m.ahead(), max(times(6, whole), plus(times(2, whole), times(4, m.second())), plus(whole, times(2, wide)))), times(2, whole), true
	case "crossAttentionBlock":
		return plus(times(2, whole), times(2, m.each(m.widest()))), times(2, whole), true
	case "ditBlock": // queries, keys and values in one, which have a name, and their result twice
		wide = m.each(int64(arg(n, "mlpRatio").Float() * float64(m.features)))
		if m.scores {
			return times(5, whole), plus(times(4, whole), wide), true
		}
		return plus(times(5, whole), times(2, wide)), plus(times(4, whole), wide), true
	case "perceiverResampler": // keys and values of a layer, those of the one before, and what they are made of
		latent := block(times(arg(n, "numLatents").Int(), m.features, m.o.Batch, m.size))
		together := plus(whole, latent)
		if arg(n, "depth").Int() > 1 {
			inside = times(2, together)
		}
		return plus(inside, times(3, together), times(2, latent)), plus(times(2, together), latent), true
	}
	return 0, 0, false
}

// convolved is a block of convolutions.
func (m *native) convolved() (inside, last int64, ok bool) {
	switch m.node.Type.ID {
	case "mbConvBlock", "invResidualBlock": // what a convolution is given, what it gives, and that normalised
		before := int64(0)
		for _, one := range m.stages() {
			inside, last, before = max(inside, plus(before, times(2, one))), plus(before, one), one
		}
		return inside, last, true
	case "denseLayer": // a copy of what arrives, that normalised, and what the first convolution gives
		if all := m.stages(); len(all) == 2 {
			return plus(times(2, all[0]), all[1]), all[1], true
		}
	}
	return 0, 0, false
}

// stages is what the batch norms of a block read, one after the other.
func (m *native) stages() []int64 {
	var all []int64
	for k := range m.node.Kept {
		if kept := &m.node.Kept[k]; kept.Name == "normalised" {
			all = append(all, block(times(kept.Elems, m.o.Batch, m.size)))
		}
	}
	return all
}

// recurrent is a recurrence that goes position by position, or by a transform.
func (m *native) recurrent() (inside, last int64, ok bool) {
	n := m.node
	inner := times(m.features, max(1, arg(n, "expand").Int()))
	switch n.Type.ID {
	case "mamba":
		return times(8, m.each(inner)), m.each(inner), true
	case "rwkvTimeMix":
		return times(8, m.whole), m.whole, true
	case "mamba2": // what its first map and its convolution gave, what goes into the state and comes out of it for each head, the results so far; and the state, four times
		state := arg(n, "stateDim").Int()
		heads := inner / max(1, arg(n, "headDim").Int())
		mixed := plus(inner, times(2, max(1, arg(n, "numGroups").Int()), state))
		for _, features := range []int64{plus(inner, mixed, heads), mixed, times(2, heads, state), inner} {
			inside = plus(inside, m.each(features))
		}
		return plus(inside, times(4, block(times(inner, state, m.o.Batch, m.size)))), 0, true
	case "s4dLayer": // its kernel in complex numbers, one for all samples, or the transforms of what arrives
		kernel := times(2*8, max(0, n.Out.Size()), max(1, arg(n, "stateDim").Int()/2))
		return max(kernel, times(6, m.whole)), times(2, m.whole), true
	}
	return 0, 0, false
}

// plainly is a component without parts of its own.
func (m *native) plainly() (inside, last int64, ok bool) {
	switch m.node.Type.ID {
	case "rope": // turned, and both sides of a sum
		return times(3, m.whole), 0, true
	case "softmin": // what arrives with its signs changed
		return 0, m.whole, true
	case "feedForward", "projection": // a map, and its activation
		return times(2, m.each(m.widest())), m.each(m.widest()), true
	}
	return 0, 0, false
}

// widest is the features that the widest map gives of those that read what arrives.
func (m *native) widest() int64 {
	most := int64(0)
	for k := range m.node.Weights {
		if w := &m.node.Weights[k]; w.Shape.Rank() == 2 && w.Shape[1] == m.features {
			most = max(most, w.Shape[0])
		}
	}
	return most
}
