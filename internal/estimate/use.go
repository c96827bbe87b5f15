package estimate

import (
	"iter"
	"slices"
	"strings"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/infer"
)

// use follows a model through a pass without gradients.
type use struct {
	loads   []load
	logits  int64 // of one position of each sequence, with the 32-bit copy that is sampled from: those of others are not computed
	foreign bool  // it has modules of transformers
}

// load is what is alive while a component runs: what grows with the positions that are read, scores, which grow with all that those see, too, and what a
// recurrence makes of whole chunks of a prompt.
type load struct{ linear, square, chunked, chunk int64 }

// most is the largest moment where a model that was walked at a length reads so many positions, which see so many: those of a prompt, or the next one.
func (u *use) most(read, seen, length int64, prompt bool) int64 {
	most := int64(0)
	for _, l := range u.loads {
		sum := plus(scale(l.linear, read, length), scale(scale(l.square, read, length), seen, length))
		if l.chunk > 0 && prompt {
			sum = plus(sum, scale(l.chunked, (read+l.chunk-1)/l.chunk, (length+l.chunk-1)/l.chunk))
		}
		most = max(most, sum)
	}
	return most
}

// inUse walks the components in the order in which they run.
func inUse(res *infer.Result, o InferOptions, size int64) use {
	s := &stepper{room: new(Room), res: res, o: Options{Batch: o.Batch, Attention: o.Attention, Precision: map[int64]string{2: "bf16", 4: "fp32"}[size]}, rests: true}
	s.how = make([]implementation, len(res.Nodes))
	for i := range res.Nodes {
		s.how[i] = implementationOf(res.Nodes[i].Component)
	}
	s.walkOrder()
	u := use{loads: make([]load, 0, 2*len(s.order)), foreign: slices.ContainsFunc(s.how, func(how implementation) bool { return how.has(transformers) })}
	ends, layers := s.ends()
	freed, unnamed := make([]int64, len(s.order)), make([]int64, len(s.order))
	live, scores := int64(0), s.maskBytes(size)
	for p, i := range s.order {
		n, own := &res.Nodes[i], int64(0)
		switch {
		case s.source(i) != i || n.Out == nil || n.Type.Has(catalog.IsTensor) || n.Type.Has(catalog.IsVirtual) && n.Type.ID != infer.InputID:
		case o.Prompt > 0 && s.isHead(i) && n.Out.Rank() > 0:
			u.logits = plus(u.logits, block(times(o.Batch, max(0, n.Out.At(-1)), size+4)))
		default:
			own = block(times(max(0, n.Out.Size()), o.Batch, elemSize(n, size)))
			freed[ends[i]] = plus(freed[ends[i]], own)
		}
		inside, last := s.insideUse(i, size)
		before, beside := s.heldScores(i, size)
		space, _ := blockSpace(n, o.Batch, size)
		if s.how[i].has(spread) {
			space = s.spreadBytes(n)
		}
		chunked, chunk := s.insideChunks(i, size)
		u.loads = append(u.loads, load{plus(live, inside, space), plus(scores, before), chunked, chunk}, load{plus(live, own, last, space), plus(scores, beside), 0, 0})
		h, ok := s.headsOf(i)
		if ok && s.kernel(i, h) == "math" { // before the scores are masked
			first := block(times(h.queries, h.count, h.features, o.Batch, 4))
			u.loads = append(u.loads, load{plus(live, space, inside, times(2, first)), plus(scores, times(h.queries, h.count, h.keys, o.Batch, 4)), 0, 0})
		}
		if ok && s.kernel(i, h) == "eager" { // a layer has a name for the weights, too, that its attention gives
			bytes := block(times(h.queries, h.count, h.keys, o.Batch, size))
			scores, unnamed[layers[i]] = plus(scores, bytes), plus(unnamed[layers[i]], bytes)
		}
		live, scores = plus(live, own), scores-unnamed[p]
		live -= min(live, freed[p])
	}
	return u
}

// ends is the position behind which each component's result is free. In transformers' models what a module is called with stays until it is
// through, whatever it does with it first, and what is looked up has a name until the pass ends. It also returns where each component's layer is.
func (s *stepper) ends() (out, layers []int32) {
	out, layers = make([]int32, len(s.res.Nodes)), make([]int32, len(s.res.Nodes))
	scopes, through, final := make([]string, len(s.res.Nodes)), map[string]int32{}, int32(0)
	for p, i := range s.order {
		out[i] = max(int32(p), s.last[i])
		if s.res.Nodes[i].Type.ID == infer.InputID { // whoever calls has it
			out[i] = int32(len(s.order) - 1)
		}
		if s.how[i].has(transformers) {
			scopes[i], final = scopeOf(s.res.Nodes[i].Component)+".", int32(p)
			for m := range modules(scopes[i]) {
				if len(m) < len(scopes[i]) || through[m] > 0 { // a module of others
					through[m] = int32(p)
				}
			}
		}
	}
	for _, i := range s.order {
		if layers[i] = int32(s.at[i]); scopes[i] == "" {
			continue
		}
		for m := range modules(scopes[i]) { // the innermost that has a number
			if layerOf(m[strings.LastIndexByte(m[:len(m)-1], '.')+1:len(m)-1]) != "" {
				layers[i] = max(int32(s.at[i]), through[m])
			}
		}
		if s.res.Nodes[i].Type.ID == "embedding" {
			out[i] = final
		}
		for j := range s.inputs(i) {
			for m := range modules(scopes[i]) {
				if from := s.source(j); !strings.HasPrefix(scopes[j], m) { // called from outside
					out[from] = max(out[from], through[m])
				}
			}
		}
	}
	return out, layers
}

// modules yields the modules that a path lies in, and itself, each with the point behind it.
func modules(scope string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for at, c := range scope {
			if c == '.' && !yield(scope[:at+1]) {
				return
			}
		}
	}
}

// maskBytes is the mask that scores in memory are added to, one for each sequence, for all layers of a model of transformers'.
func (s *stepper) maskBytes(size int64) int64 {
	if s.o.Attention != "eager" {
		return 0
	}
	for _, i := range s.order {
		if n := &s.res.Nodes[i]; s.how[i].has(transformers) && looksBack(n) && s.plainShapes(n) {
			return block(times(n.In[0][0], n.In[min(1, len(n.In)-1)][0], s.o.Batch, size))
		}
	}
	return 0
}

// insideUse is what a component holds of its own before there is its result, and beside it.
func (s *stepper) insideUse(i int, size int64) (inside, last int64) {
	n := &s.res.Nodes[i]
	if h, ok := s.headsOf(i); ok {
		queries, repeated := times(h.queries, h.count, h.features, s.o.Batch, size), int64(0)
		if h.kv < h.count { // keys and values for each head of the queries
			repeated = times(h.keys, h.count, plus(h.features, h.values), s.o.Batch, size)
		}
		inside, last = innerBytes(n, s.o.Batch, size)
		switch s.kernel(i, h) {
		case "eager":
			inside = plus(queries, repeated)
		case "math": // in 32 bits, and with the queries scaled first
			inside = plus(times(2, queries), repeated)
			if size == 2 {
				inside = plus(queries, times(2, queries, 2), times(2, repeated))
			}
		}
		return inside, last
	}
	if groups(n, s.how[i]) && !s.how[i].has(looped) && n.Out.Rank() > 0 {
		return s.insideExperts(i, size)
	}
	if inside, last, ok := s.insideModule(i, size); ok {
		return inside, last
	}
	inside, last = innerBytes(n, s.o.Batch, size)
	return plus(inside, s.single(i, size)), last
}

// insideExperts is the same of transformers' experts: the positions that were gathered for each, what the first maps give, and what is made of that;
// then what the last maps give, that weighted, and in the order in which it came. Some compute every position for each expert.
func (s *stepper) insideExperts(i int, size int64) (inside, last int64) {
	n := &s.res.Nodes[i]
	rows := s.routedRows(i)
	if s.how[i].has(batched) {
		rows = times(max(0, n.Out.Size())/max(1, n.Out.At(-1)), max(1, arg(n, "numExperts").Int()), s.o.Batch)
	}
	gathered, hidden := block(times(rows, max(1, n.Out.At(-1)), size)), block(times(rows, max(0, arg(n, "expertDim").Int()), size))
	between := times(2, hidden)
	if arg(n, "gated").Bool() {
		between = times(4, hidden)
	}
	return max(plus(gathered, between), times(4, gathered)), gathered
}

// insideChunks is the same of transformers' recurrences that take chunk by chunk, and the positions of one. Of the gated delta rule, in 32 bits, it is what
// that makes of all positions first, keys and queries for each head of the values, and the matrix of a head as it is changed. In Mamba 2's a sum of products
// is computed as a product and a sum, and the first of those products, of all pairs of positions in a chunk, has a name until the end.
func (s *stepper) insideChunks(i int, size int64) (bytes, chunk int64) {
	if r, ok := s.recurrenceOf(i); ok {
		pairs := plus(times(r.chunk, r.state), times(5, r.chunk), times(3, r.state), times(3, r.features), times(r.features, max(r.chunk, r.state)))
		return times(r.padded(), r.heads, pairs, 4), r.chunk
	}
	if !s.how[i].has(chunks) {
		return 0, 0
	}
	r, ok := s.ruleOf(i)
	if !ok {
		return 0, 0
	}
	for _, features := range []int64{r.value, r.value, r.value, r.value, r.key, r.key, r.key, ruleChunk, ruleChunk} {
		bytes = plus(bytes, block(times(r.heads, r.chunks, ruleChunk, features, 4)))
	}
	if r.repeats {
		bytes = plus(bytes, times(2, block(times(r.heads, s.res.Nodes[i].Out[0], r.key, size))))
	}
	return plus(bytes, times(4, r.heads, r.key, r.value, 4), times(3, r.heads, ruleChunk, r.value, 4)), ruleChunk
}

// insideModule is the same of modules of PyTorch's that do without gradients what they do not with them, or keep other tensors for the
// backward pass than they make: operation by operation, as replayed passes have them.
func (s *stepper) insideModule(i int, size int64) (inside, last int64, ok bool) {
	n := &s.res.Nodes[i]
	if s.how[i].has(transformers) || n.Out == nil || len(n.In) == 0 || n.In[0].Rank() == 0 {
		return 0, 0, false
	}
	rows := times(max(0, n.In[0].Size())/features(n), s.o.Batch)
	each := func(features int64) int64 { return block(times(rows, features, size)) }
	whole := each(features(n))
	switch n.Type.ID {
	case "mbConvBlock", "invResidualBlock": // what a convolution is given, what it gives, and that normalised
		before := int64(0)
		for _, one := range s.stages(n, size) {
			inside, last, before = max(inside, plus(before, times(2, one))), plus(before, one), one
		}
		return inside, last, true
	case "denseLayer": // a copy of what arrives, that normalised, and what the first convolution gives
		if all := s.stages(n, size); len(all) == 2 {
			return plus(times(2, all[0]), all[1]), all[1], true
		}
	case "rope": // turned, and both sides of a sum
		return times(3, whole), 0, true
	case "softmin":
		return 0, whole, true
	case "feedForward", "projection": // a map, and its activation
		hidden := block(times(s.largestMap(n), rows, size))
		return times(2, hidden), hidden, true
	case "multiHeadAttention", "selfAttention", "causalAttention", "localAttention":
		switch {
		case !fastPath(n): // a product, and its sum with a bias
			return times(6, whole), times(4, whole), true
		case s.scoresInUse(i) > 0:
			return times(3, whole), times(2, whole), true
		}
		return times(4, whole), times(4, whole), true // queries, keys and values in one, and what the kernel gives
	case "transformerBlock":
		wide, first := each(arg(n, "ffDim").Int()), arg(n, "normFirst").Bool()
		if !fastPath(n) { // what is normalised stays beside the sum
			ahead := int64(0)
			if first {
				ahead = whole
			}
			return plus(ahead, max(times(6, whole), plus(whole, times(2, wide)))), times(2, whole), true
		}
		if first {
			return times(6, whole), plus(times(2, whole), wide), true
		}
		return max(times(5, whole), plus(times(2, whole), wide)), times(2, whole), true
	case "transformerDecoderBlock": // attention to itself, to what comes in second, and the feed-forward network; before each the sum and what is normalised of it
		ahead, other := int64(0), whole
		if arg(n, "normFirst").Bool() {
			ahead = whole
		}
		if len(n.In) > 1 {
			other = block(times(max(0, n.In[1].Size()), s.o.Batch, size))
		}
		most := max(times(6, whole), plus(times(2, whole), times(4, other)), plus(whole, times(2, each(arg(n, "ffDim").Int()))))
		return plus(ahead, most), times(2, whole), true
	case "crossAttention":
		keys := times(4, block(times(max(0, n.In[len(n.In)-1].Size()), s.o.Batch, size)))
		return plus(whole, keys), plus(times(2, whole), keys/2), true
	case "crossAttentionBlock": // the sum, and what is normalised of it, with a map and its activation
		return plus(times(2, whole), times(2, block(times(rows, s.largestMap(n), size)))), times(2, whole), true
	case "perceiverResampler": // keys and values of a layer, those of the one before, and what they are made of
		latent := block(times(arg(n, "numLatents").Int(), features(n), s.o.Batch, size))
		together := plus(whole, latent)
		if arg(n, "depth").Int() > 1 {
			inside = times(2, together)
		}
		return plus(inside, times(3, together), times(2, latent)), plus(times(2, together), latent), true
	case "ropeAttention", "groupedQueryAttention":
		return s.insideHeads(i, size)
	case "mla":
		h := latentHeads(n)
		together, values := each(times(h.count, h.features)), each(times(h.count, h.values))
		nope := max(0, arg(n, "qkNopeHeadDim").Int())
		inside = plus(times(3, together), each(times(h.count, plus(nope, h.values))), values, each(plus(arg(n, "kvLoraRank").Int(), arg(n, "qkRopeHeadDim").Int())))
		if s.scoresInUse(i) > 0 {
			inside = plus(inside, values)
		}
		return inside, values, true
	case "retention": // values, queries and keys; then what is normalised, the gate, and both joined
		values := each(times(features(n), max(1, arg(n, "valueFactor").Int())))
		return plus(values, times(2, whole)), plus(times(5, values), times(2, whole)), true
	case "mamba2": // position by position: the state and what goes into it, before and behind
		heads, state := s.scanned(n)
		return plus(times(4, block(times(state, s.o.Batch, size))), heads), 0, true
	case "mamba", "rwkvTimeMix":
		inner := features(n)
		if n.Type.ID == "mamba" {
			inner = times(inner, max(1, arg(n, "expand").Int()))
		}
		return times(8, each(inner)), each(inner), true
	}
	return 0, 0, false
}

// insideHeads is attention with its four matrices: where it turns keys, with the queries turned, or queries; or where its scores are in memory.
func (s *stepper) insideHeads(i int, size int64) (inside, last int64, ok bool) {
	n := &s.res.Nodes[i]
	if n.In[0].Rank() != 2 {
		return 0, 0, false
	}
	h := wholeHeads(n)
	queries := block(times(h.queries, h.count, h.features, s.o.Batch, size))
	keys := block(times(h.keys, h.kv, h.features, s.o.Batch, size))
	if s.scoresInUse(i) > 0 {
		inside = times(3, queries)
		if size == 4 { // and the result of its last product
			inside = plus(inside, queries)
		}
		if h.kv == h.count {
			inside = plus(inside, keys)
		}
		return inside, queries, true
	}
	if n.Type.ID == "ropeAttention" {
		return max(plus(times(2, queries), times(5, keys)), plus(times(4, queries), times(2, keys))), times(2, queries), true
	}
	return 0, 0, false
}

// stages is what the batch norms of a block read, one after the other.
func (s *stepper) stages(n *infer.Node, size int64) []int64 {
	var all []int64
	for k := range n.Kept {
		if n.Kept[k].Name == "normalised" {
			all = append(all, block(times(n.Kept[k].Elems, s.o.Batch, size)))
		}
	}
	return all
}

// scanned is what PyTorch's Mamba 2 holds while it goes through the positions, and the elements of its state: what its first map and its convolution
// gave, inputs and outputs of the state repeated for each head, and its results so far.
func (s *stepper) scanned(n *infer.Node) (all, state int64) {
	rows := times(max(0, n.In[0].Size())/features(n), s.o.Batch)
	size, wide := weightSize(s.o.Precision), arg(n, "stateDim").Int()
	inner := times(features(n), max(1, arg(n, "expand").Int()))
	groups, heads := max(1, arg(n, "numGroups").Int()), inner/max(1, arg(n, "headDim").Int())
	mixed := plus(inner, times(2, groups, wide))
	for _, features := range []int64{plus(inner, mixed, heads), mixed, times(2, heads, wide), inner} {
		all = plus(all, block(times(rows, features, size)))
	}
	return all, times(inner, wide)
}

// largestMap is the features between the maps of a component.
func (s *stepper) largestMap(n *infer.Node) int64 {
	most := int64(0)
	for k := range n.Weights {
		if w := &n.Weights[k]; w.Shape.Rank() == 2 && w.Shape[1] == features(n) {
			most = max(most, w.Shape[0])
		}
	}
	return most
}

// fastPath reports whether PyTorch runs an attention or an encoder layer in one call where no gradients are wanted (the conditions of
// nn.MultiheadAttention): it has an even number of heads, and a bias.
func fastPath(n *infer.Node) bool {
	return max(1, arg(n, "numHeads").Int())%2 == 0 && (n.Type.Param("bias") == nil || arg(n, "bias").Bool())
}

// headsOf is the heads of attention of transformers'.
func (s *stepper) headsOf(i int) (heads, bool) {
	n := &s.res.Nodes[i]
	if !s.how[i].has(transformers) || !s.plainShapes(n) {
		return heads{}, false
	}
	switch n.Type.ID {
	case "groupedQueryAttention", "ropeAttention":
		return wholeHeads(n), true
	case "attentionCore":
		if len(n.In) >= 3 {
			return coreHeads(n), true
		}
	}
	return heads{}, false
}

// heldScores is what attention holds of its scores before there is its result, and beside it: in eager attention before the softmax and behind it, of 16
// bits with a copy in 32 between them; where transformers' falls back to the formula also which of them are masked.
func (s *stepper) heldScores(i int, size int64) (before, beside int64) {
	n := &s.res.Nodes[i]
	if n.Type.ID == "retention" && len(n.In) > 0 && n.In[0].Rank() == 2 { // beside them the decay of each head, and how far positions are apart
		places := times(n.In[0][0], n.In[0][0])
		one, fixed := times(places, max(1, arg(n, "numHeads").Int()), size), plus(times(places, max(1, arg(n, "numHeads").Int()), size), times(places, 8))
		return plus(times(2, one, s.o.Batch), fixed), plus(times(one, s.o.Batch), fixed)
	}
	if !s.how[i].has(transformers) || !s.plainShapes(n) {
		return times(s.scoresInUse(i), s.o.Batch), 0
	}
	h, _ := s.headsOf(i)
	each := int64(0)
	switch kernel := s.kernel(i, h); {
	case kernel == "math":
		each = 2*4 + 1
	case kernel == "eager" && size == 4:
		each = 2 * 4
	case kernel == "eager" && s.how[i].has(plain): // and those of the layer before
		each = 3 * 2
	case kernel == "eager":
		each = 2 + 2*4
	}
	return times(h.queries, h.count, h.keys, s.o.Batch, each), 0
}

// scoresInUse is what attention of PyTorch's holds of the scores of a sample, 0 where they are not in memory: what a kernel's heads of another
// size than a multiple of 8 are too, in the one call.
func (s *stepper) scoresInUse(i int) int64 {
	n := &s.res.Nodes[i]
	scores := s.scores(n) / max(1, s.o.Batch)
	size := weightSize(s.o.Precision)
	switch {
	case scores == 0 || s.o.Attention != "eager":
		return 0
	case size == 2 && (n.Type.Param("numKVHeads") != nil || n.Type.ID == "mla"): // a softmax of a 32-bit copy
		return times(scores, 2+2*4)
	}
	return times(scores, 2*size)
}

// single is what an activation holds that is written as single operations: what it is multiplied with, a power and the sum under way.
func (s *stepper) single(i int, size int64) int64 {
	n := &s.res.Nodes[i]
	if n.Type.ID != "gelu" || !s.how[i].has(transformers|steps) {
		return 0
	}
	return times(3, max(0, n.Out.Size()), s.o.Batch, size)
}

func elemSize(n *infer.Node, size int64) int64 {
	if n.OutIsInt {
		return 8
	}
	return size
}

// innerBytes is the most that a component holds of what it computes on its way, and the largest of that.
func innerBytes(n *infer.Node, batch, size int64) (most, largest int64) {
	all := int64(0)
	for k := range n.Kept {
		kept := &n.Kept[k]
		if kept.As != catalog.AsActivation || kept.Name == catalog.KeptInput || kept.Name == catalog.KeptOutput {
			continue
		}
		count := batch
		if kept.Fixed {
			count = 1
		}
		bytes := block(times(kept.Elems, count, size))
		largest, all = max(largest, bytes), plus(all, bytes)
	}
	at := int64(2) // what one of them is made of is freed behind it
	if n.Type.Has(catalog.IsGated) || n.Type.Has(catalog.IsAttention) {
		at = 3
	}
	return min(all, times(at, largest)), largest
}
