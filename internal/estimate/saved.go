package estimate

import (
	"strings"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/infer"
)

// keepAll finds out what is kept for the backward pass, and where it is kept first.
func (s *stepper) keepAll() {
	s.saved, s.activations = s.saved[:0], 0
	s.room.layout.parts = s.room.layout.parts[:0]
	clear(s.owned)
	clear(s.kept)
	clear(s.dropped)
	clear(s.passing)
	s.masked = [2]bool{}
	for p, i := range s.order {
		s.keep(p, i)
	}
	for _, k := range s.saved {
		s.put(int(k.first), k.unit, k.bytes)
	}
	for _, bytes := range s.kept {
		s.activations = plus(s.activations, bytes)
	}
}

// keep declares what the component at a position keeps for the backward pass.
func (s *stepper) keep(p, i int) {
	n := &s.res.Nodes[i]
	if s.idle(i) {
		if s.how[i].has(detached) && autocasts(s.o.Precision) { // the copies of its weights stay until the pass ends
			s.put(p, spent, s.kind(i).copies)
		}
		return
	}
	s.put(p, s.keptFor(p), s.kind(i).copies)
	s.follow(p, s.kind(i).copied)
	if s.unitOf(i) > 0 {
		s.keepMask(p, i)
		for j := range s.inputs(i) {
			if s.unitOf(j) != s.unitOf(i) {
				s.share(p, s.source(j))
			}
		}
	}
	if s.skips(i) || s.how[i].has(transformers) && s.keepTransformers(p, i) {
		return
	}
	if n.Type.Has(catalog.IsExperts) && !s.how[i].has(transformers) {
		s.keepRouted(p, i)
	}
	s.put(p, s.keptFor(p), s.kind(i).made)
	s.follow(p, s.kind(i).tensors)
	if j := s.input(i, 0); n.Type.ID == "squaredRelu" && autocasts(s.o.Precision) && j >= 0 && s.narrow[j] { // and as it was before the 32-bit copy that is squared
		s.add(p, times(max(0, n.Out.Size()), s.batch(i), 2))
	}
	if s.normsBySteps(i) { // what is normalised, in front of its scale
		s.add(p, times(max(0, n.Out.Size()), s.batch(i), 4))
	}
	for k := range n.Kept {
		switch kept := &n.Kept[k]; kept.Name {
		case catalog.KeptInput:
			if j := s.input(i, int(kept.Input)); j >= 0 && !s.needsNoInput(i) && s.isFactor(i, int(kept.Input)) {
				s.keepInput(p, i, j)
			}
		case catalog.KeptOutput:
			s.share(p, s.source(i))
		}
	}
}

// makes is the new tensors that a component keeps. With scores in memory there is no kernel that keeps their sums or a mask.
func (s *stepper) makes(i int) int64 {
	n, sum := &s.res.Nodes[i], int64(0)
	if sequences(n) {
		sum = s.sequenceKept(i)
	}
	scores := s.scores(n)
	eager := scores > 0 && s.o.Attention == "eager"
	for k := range n.Kept {
		kept := &n.Kept[k]
		switch name := kept.Name; {
		case name == catalog.KeptInput, name == catalog.KeptOutput, name == turnedResult && s.turned(n), eager && (name == "logsumexp" || name == "mask"):
		case eager && n.Type.ID == "mla" && name == "values": // a copy of them alone
			h := latentHeads(n)
			sum = plus(sum, s.note(times(h.keys, h.count, h.values, s.o.Batch, s.productBytes())))
		case autocasts(s.o.Precision) && (name == queriesBefore || name == keysBefore):
			half := s.newBytes(i, kept) / 2
			sum = plus(sum, s.note(half), s.note(half))
		default:
			sum = plus(sum, s.note(s.newBytes(i, kept)))
		}
	}
	switch w := s.scoreBytes(n); {
	case eager && w == 6: // the softmax, and a copy
		sum = plus(sum, s.note(times(scores, 4)), s.note(times(scores, 2)))
	case eager:
		sum = plus(sum, s.note(times(scores, w)))
	case scores > 0:
		sum = plus(sum, s.joined(n))
	}
	if eager && arg(n, "dropout").Float() > 0 { // which weights stay, and what is left of them; autocast copies that instead of the softmax
		sum = plus(sum, s.note(scores))
		if !autocasts(s.o.Precision) {
			sum = plus(sum, s.note(times(scores, s.productBytes())))
		}
	}
	return plus(sum, s.latentNorms(n))
}

// turnedResult is the name of the copy that multi-head attention makes of its kernel's result, to have the batch behind the
// sequence.
const turnedResult = "turned result"

// turned reports whether the kernel gives that result as it is wanted. cuDNN's does, which PyTorch prefers for 16-bit floats on
// current cards: the result lies as the queries do. Measured for 196 to 1,024 positions.
func (s *stepper) turned(n *infer.Node) bool {
	return s.productBytes() == 2 && (s.o.Attention == "sdpa" || alwaysFused(n))
}

// tied reports whether a component multiplies with the weight of another, an embedding.
func tied(n *infer.Node) bool { return arg(n, "tiedTo").Str() != "" || arg(n, "tied").Bool() }

// add keeps a new tensor.
func (s *stepper) add(p int, bytes int64) {
	s.put(p, s.keptFor(p), block(bytes))
	s.followOne(p, bytes)
}

// note counts a tensor that components of a kind keep, and remembers it where the allocator may give it more.
func (s *stepper) note(bytes int64) int64 {
	if bytes > smallBytes {
		s.room.notes.Push(bytes)
	}
	return block(bytes)
}

// follow has settle follow tensors that are kept at a position until its backward pass.
func (s *stepper) follow(p int, tensors []int64) {
	for _, bytes := range tensors {
		s.followOne(p, bytes)
	}
}

func (s *stepper) followOne(p int, bytes int64) {
	if l := &s.room.layout; bytes > smallBytes && s.keptFor(p) == 0 && len(l.parts) <= mostTensors {
		l.parts = append(l.parts, tensor{bytes: bytes, made: int32(p), freed: int32(p)})
	}
}

// put counts what is kept at a position, computed again with a unit, or gone when the forward pass ends.
func (s *stepper) put(p int, unit int32, bytes int64) {
	switch unit {
	case 0:
		s.kept[p] = plus(s.kept[p], bytes)
	case spent:
		s.passing[p] = plus(s.passing[p], bytes)
	default:
		s.dropped[p] = plus(s.dropped[p], bytes)
	}
}

// share keeps the result of a component, once however many keep it. Inputs and weights are there anyway.
func (s *stepper) share(p, owner int) {
	if t := s.res.Nodes[owner].Type; t.ID == infer.InputID || t.Has(catalog.IsTensor) {
		return
	}
	unit := s.keptFor(p)
	if unit != spent && s.unitOf(owner) != unit {
		unit = 0 // what comes in from outside is kept
	}
	if at := s.owned[owner]; at > 0 {
		kept := &s.saved[at-1]
		switch {
		case unit == spent:
		case kept.unit == spent:
			kept.first, kept.unit = int32(p), unit
		default:
			kept.unit = min(kept.unit, unit)
		}
		return
	}
	s.saved = append(s.saved, storage{block(s.result(owner)), int32(p), unit})
	s.owned[owner] = int32(len(s.saved))
}

// keepInput keeps an input. Under autocast that is a copy where the component computes in another width: a product one
// for every matrix that it is multiplied with, since autocast does not remember casts of activations. A copy is as large as
// what comes in; what is kept as it is, as all that it is a view of.
func (s *stepper) keepInput(p, i, j int) {
	owner := s.source(j)
	n, from := &s.res.Nodes[i], &s.res.Nodes[owner]
	count := times(max(0, s.res.Nodes[j].Out.Size()), s.batch(owner))
	switch {
	case s.turnsSteps(i, owner):
		s.add(p, times(count, s.productBytes()))
	case s.how[i].has(recast) && from.Type.Has(catalog.IsTensor): // a constant in 32 bits
		s.add(p, times(count, s.productBytes()))
	case !autocasts(s.o.Precision) || from.OutIsInt:
		s.share(p, owner)
	case recasts(n, s.how[i]):
		if s.narrow[owner] {
			s.share(p, owner)
		} else {
			s.add(p, times(count, 2))
		}
	case multiplies(n) && (!n.Type.Has(catalog.HasNorm) || n.Type.ID == "retention") && (!s.narrow[owner] || s.how[i].has(recast)):
		for range projections(n, s.how[i]) {
			s.add(p, times(count, 2))
		}
	case startsWithProduct(n) && !s.narrow[owner]:
		for range copiesOf(n) {
			s.add(p, times(count, 2))
		}
	case widens(n) && s.narrow[owner]:
		s.add(p, times(count, 4))
	default:
		s.share(p, owner)
	}
}

// projections is the number of matrices of a component that its input is multiplied with.
func projections(n *infer.Node, how implementation) int {
	switch {
	case how.has(fused), n.Type.ID == "attentionCore": // that has no matrices
		return 1
	case n.Type.Has(catalog.IsExperts) && !how.has(transformers):
		return sharedProjections(n)
	case n.Type.ID == "retention": // queries, keys, values and a gate
		return 4
	case n.Type.ID == "linearAttention":
		return 3
	case n.Type.Has(catalog.IsGated):
		return 2
	case n.Type.Has(catalog.IsAttention) && n.Type.Param("numKVHeads") != nil && n.Type.ID != "attentionCore":
		return 3
	}
	return 1
}

// sharedProjections is the maps of a mixture of experts that read every position: the router, the expert that all positions go to, which has a
// gate and what it is multiplied with, and the gate of that expert.
func sharedProjections(n *infer.Node) int {
	maps := 1
	if n.Type.ID == "sharedExpertMoE" || arg(n, "numSharedExperts").Int() > 0 {
		maps += 2
	}
	if arg(n, "sharedGate").Bool() {
		maps++
	}
	return maps
}

// attentionWeights is the name of what a softmax over scores in memory gives. Autocast takes it in 32 bits, and multiplies a 16-bit copy
// with the values.
const attentionWeights = "attention weights"

// newBytes is the size of a new tensor that component i keeps.
func (s *stepper) newBytes(i int, k *catalog.Kept) int64 {
	size, batch := k.As.Bytes(), s.batch(i)
	if k.As == catalog.AsActivation && (s.o.Precision == "bf16" || autocasts(s.o.Precision) && !s.staysWide(i, k)) {
		size = 2
	}
	if k.Name == "decay" && s.o.Precision == "bf16" { // a buffer, which goes with the module
		size = 2
	}
	if autocasts(s.o.Precision) {
		switch k.Name {
		case attentionWeights:
			size = 6
		case queriesBefore, keysBefore:
			size = 8
		}
	}
	if k.Fixed {
		batch = 1
	}
	bytes := times(k.Elems, batch, size)
	if round := int64(k.Round); round > 0 {
		bytes = (bytes + round - 1) / round * round
	}
	return bytes
}

// staysWide reports whether a new tensor has 32-bit elements under autocast: what a block with a residual adds up, and what a
// component without products computes on the way to a result in 32 bits, or takes a power of.
func (s *stepper) staysWide(i int, k *catalog.Kept) bool {
	n := &s.res.Nodes[i]
	if n.Type.ID == "retention" { // what its norm reads and gives
		return k.Name == "read" || k.Name == "normalised"
	}
	return s.oneByOne(i) > 0 || n.Type.ID == "convNeXtBlock" && k.Name == "convolved" || !multiplies(n) && (!s.narrow[i] || n.Type.ID == "squaredRelu") || n.Type.Has(catalog.HasResidual) && strings.Contains(k.Name, "sum")
}

// scores is the number of attention scores of a component for the whole batch; 0 where it has none or keeps them anyway.
func (s *stepper) scores(n *infer.Node) int64 {
	if !n.Type.Has(catalog.IsAttention) || len(n.In) == 0 || alwaysFused(n) {
		return 0
	}
	for i := range n.Kept {
		if k := &n.Kept[i]; k.Name == "logsumexp" { // one number for each head and query, so the kernel is the fused one
			keys := n.In[len(n.In)-1]
			if n.Type.ID == "ditBlock" { // what comes in second says how to shift and scale
				keys = n.In[0]
			}
			if len(n.In) > 2 { // queries, keys and values, each with its heads
				keys = n.In[1][n.In[1].Rank()-2:]
			}
			if keys.Rank() == 0 {
				return 0
			}
			return times(k.Elems, keys[0], s.o.Batch)
		}
	}
	return 0
}

// alwaysFused reports whether a component is a layer of PyTorch's or torchaudio's that asks its attention for no weights, whatever is
// wanted elsewhere: nn.TransformerEncoderLayer, nn.TransformerDecoderLayer, ConformerLayer.
func alwaysFused(n *infer.Node) bool {
	switch n.Type.ID {
	case "transformerBlock", "transformerDecoderBlock", "conformerBlock":
		return true
	}
	return false
}

// widensScores reports whether attention with its scores in memory takes their softmax in 32 bits whatever the precision, as Llama's does (measured) and a
// DiT block's (in replay).
func widensScores(n *infer.Node) bool {
	return n.Type.Param("numKVHeads") != nil || n.Type.ID == "mla" || n.Type.ID == "ditBlock"
}

// scoreBytes is what eager attention keeps of a score: its weight; under autocast, and where the softmax is widened, that in 32 bits and a 16-bit copy.
func (s *stepper) scoreBytes(n *infer.Node) int64 {
	switch {
	case autocasts(s.o.Precision):
		return 6
	case s.o.Precision != "bf16":
		return 4
	case widensScores(n):
		return 6
	}
	return 2
}

// scoreGradientBytes is what the backward pass of eager attention needs of a score at the most: three tensors in the width
// of the softmax (softmax_backward_data of PyTorch multiplies into a third), less the 16-bit copy that is free by then.
func (s *stepper) scoreGradientBytes(n *infer.Node) int64 {
	switch kept := s.scoreBytes(n); kept {
	case 6:
		return 3*4 - 2
	default:
		return 3 * kept
	}
}

// weightGradientBytes is the same of a weight that is kept in memory whatever attention is asked for.
func (s *stepper) weightGradientBytes() int64 {
	if autocasts(s.o.Precision) {
		return 3*4 - 2
	}
	return 3 * weightSize(s.o.Precision)
}
