package estimate

import "github.com/modelverifier/verifier/internal/catalog"

// gradient is a buffer that holds the gradient of one or more results: an addition hands the same one to both its inputs.
type gradient struct {
	bytes int64
	users int
}

// flow is the state of the backward pass.
type flow struct {
	of   []int32 // the buffer of each component's result, from 1; 0 where there is none yet
	bufs []gradient
	live int64
}

func (f *flow) begin() {
	clear(f.of)
	f.bufs, f.live = f.bufs[:0], 0
}

func (f *flow) set(i int, bytes int64) {
	f.bufs = append(f.bufs, gradient{bytes, 1})
	f.of[i] = int32(len(f.bufs))
	f.live = plus(f.live, bytes)
}

func (f *flow) drop(i int) {
	at := f.of[i]
	if at == 0 {
		return
	}
	f.of[i] = 0
	if b := &f.bufs[at-1]; b.users == 1 {
		b.users, f.live = 0, f.live-min(f.live, b.bytes)
	} else {
		b.users--
	}
}

// backward walks the components from the last to the first. A component's own gradients come to life, then the gradients of
// its inputs, and then what it kept is freed.
func (s *stepper) backward(always int64) {
	copy(s.freed, s.kept)
	for p, bytes := range s.dropped {
		s.freed[p] = plus(s.freed[p], bytes)
	}
	f := &s.flow
	f.begin()
	for _, i := range s.heads {
		f.set(i, s.headGradient(i))
	}
	again := s.recomputed()
	rest, gradients, early := s.activations, int64(0), int64(0)
	for p := len(s.order) - 1; p >= 0; p-- {
		i := s.order[p]
		if u := s.unitOf(i); u > 0 {
			rest, again[u] = plus(rest, again[u]), 0
		}
		if s.running = i; f.of[i] != 0 {
			var fresh int64
			gradients, fresh = s.grade(i, gradients)
			if !s.adds {
				gradients, fresh = s.gradeTied(i, gradients, &early)
			}
			inner := s.narrowed(i, s.kind(i).inner) // experts free more than they need
			if s.normsBySteps(i) {
				inner = s.innerSteps(i)
			}
			most, behind := s.pass(f, i)
			s.reach(moment{plus(always, gradients, rest, inner, most, fresh) - max(0, -inner), gradients, rest, s.held, 0})
			if left := rest - min(rest, s.freed[p]); behind > 0 {
				s.reach(moment{plus(always, gradients, left, behind), gradients, left, s.held, 0})
			}
			f.drop(i)
		}
		rest -= min(rest, s.freed[p])
	}
}

// gradeTied brings the gradient of an embedding to life where a head that uses its weight is through, and adds that of the lookup
// to it, from a tensor of the same size: into a third, since the head's is a view of what its product gave, or in place where autocast
// made it anew.
func (s *stepper) gradeTied(i int, gradients int64, early *int64) (all, fresh int64) {
	n := &s.res.Nodes[i]
	switch {
	case s.kind(i).tied && s.o.Adapt == nil:
		bytes := block(times(features(n), max(0, n.Out.At(-1)), weightSize(s.o.Precision)))
		*early = plus(*early, bytes)
		return plus(gradients, bytes), 0
	case n.Type.Has(catalog.IsEmbedding) && *early > 0 && s.kind(i).own >= *early:
		fresh, *early = *early, 0
		gradients -= min(gradients, fresh)
		if !autocasts(s.o.Precision) {
			fresh = times(2, fresh)
		}
		return gradients, fresh
	}
	return gradients, 0
}

func (s *stepper) trained() []bool {
	out := s.room.bools.Make(len(s.res.Nodes))
	for _, i := range s.order {
		n := &s.res.Nodes[i]
		out[i] = s.kind(i).own > 0
		for j := range s.inputs(i) {
			out[i] = out[i] || out[j] && !n.Type.Has(catalog.IsTensor)
		}
		out[i] = out[i] && !n.OutIsInt && !s.how[i].has(detached) && !s.how[i].has(ungraded)
	}
	return out
}

// pass hands gradients to the inputs of a component. It returns the most that was alive while they were computed, and behind that, when
// what the component got and kept is free: where autocast widens one, or one is added to another into a new buffer.
func (s *stepper) pass(f *flow, i int) (most, behind int64) {
	n := &s.res.Nodes[i]
	same := n.Type.HasAny(catalog.IsView|catalog.IsAdd) || s.skips(i)
	joins := n.Type.ID == "concatenate" // each input gets its part of the gradient as a view
	most = f.live
	own := int64(0) // of its gradient, what nobody else has
	if b := &f.bufs[f.of[i]-1]; b.users == 1 {
		own = b.bytes
	}
	for j := range s.inputs(i) {
		if !s.trains[j] || n.Type.Has(catalog.IsTensor) {
			continue
		}
		bytes := block(s.result(j))
		given := bytes // by the last operation, which autocast then widens
		if s.widensLast(i, j) {
			given = block(s.result(j) / 2)
		}
		before := f.live
		switch {
		case f.of[j] == 0 && (joins && s.narrow[j] == s.narrow[i] || same && s.result(j) == s.result(i)):
			f.of[j] = f.of[i]
			f.bufs[f.of[i]-1].users++
			continue
		case f.of[j] == 0:
			f.set(j, bytes)
		case f.bufs[f.of[j]-1].users == 1: // added in place
		default: // added into a new buffer
			if !same {
				behind = max(behind, plus(before-min(before, own), bytes, bytes))
			}
			f.drop(j)
			f.set(j, bytes)
			if same {
				most = max(most, f.live)
				continue
			}
		}
		most = max(most, plus(before, given))
		if given < bytes {
			behind = max(behind, plus(before-min(before, own), given, bytes))
		}
	}
	return most, behind
}

// widensLast reports whether autocast makes 32 bits of the gradient that a component gives for an input when all else is done.
func (s *stepper) widensLast(i, j int) bool {
	return autocasts(s.o.Precision) && !s.narrow[j] && s.isMap(i)
}

// inner is what the backward pass of a component needs for itself: the gradient of its largest inner tensor, of queries, keys
// and values together, and of eager attention's scores before and after the softmax.
func (s *stepper) inner(i int) int64 {
	n := &s.res.Nodes[i]
	if s.how[i].has(transformers) {
		if bytes, ok := s.innerTransformers(i); ok {
			return bytes
		}
	}
	if sequences(n) {
		return s.innerSequence(i)
	}
	if bytes, ok := s.innerParts(i); ok {
		return bytes
	}
	if bytes, ok := s.innerBlock(i); ok {
		return bytes
	}
	largest := int64(0)
	for k := range n.Kept {
		kept := &n.Kept[k]
		if kept.As == catalog.AsActivation && kept.Name != catalog.KeptInput && kept.Name != catalog.KeptOutput {
			bytes := s.newBytes(i, kept)
			if kept.Name == attentionWeights && s.how[i].has(transformers) {
				bytes = times(kept.Elems, s.batch(i), s.weightGradientBytes())
			}
			largest = max(largest, bytes)
		}
	}
	if steps := s.oneByOne(i); steps > 0 { // what one position made
		largest /= steps
	}
	if n.Type.ID == "squaredRelu" { // a power, a multiple and a product, before there is the gradient of what came in
		largest = times(2, largest)
		if autocasts(s.o.Precision) {
			largest = scale(largest, 10, 8)
		}
	}
	if scores := s.scores(n); scores > 0 && s.o.Attention == "eager" {
		largest = max(largest, times(scores, s.scoreGradientBytes(n)))
	}
	if space := s.kind(i).back; space > 0 {
		if n.Type.ID == "separableConv2d" { // the gradient between its two convolutions is there, and that of its input is not
			return max(largest, plus(largest, space)-times(max(0, n.In[0].Size()), s.o.Batch, s.productBytes()))
		}
		if n.Type.Has(catalog.HasResidual) && copiesOf(n) > 1 { // the result is free, and what the projection gave is replaced by its gradient
			space -= block(s.result(i))
		}
		return max(largest, space)
	}
	if n.Type.ID == "layerScale" && s.shares[i].own { // each factor's part, which are summed
		rows := times(max(0, n.Out.Size())/max(1, n.Out.At(-1)), s.batch(i))
		return plus(block(times(rows, n.Out.At(-1), weightSize(s.o.Precision))), sumWorkspace(rows, n.Out.At(-1)))
	}
	if n.Type.ID == "grn" && n.Out.Rank() > 1 { // its factors and what it adds are the same at all places
		places := times(max(0, n.Out.Size())/max(1, n.Out.At(-1)), s.o.Batch)
		return plus(largest, sumWorkspace(places, n.Out.At(-1)))
	}
	return s.biasInner(i, largest)
}
