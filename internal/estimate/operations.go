package estimate

import (
	"strings"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/infer"
	"github.com/modelverifier/verifier/internal/op"
)

// What a component starts on the card, forward and backward: kernels, counted in drawn runs by PyTorch's profiler (truth/draw.py --timed)
// and shared out to these by least squares. What is found for one also covers what tends to come with it, as the sum behind a branch.
// A norm counts the operations that the host calls, not the sums that its kernels start by themselves: that is closer to the measured times.
// From serialStarts on they are the operations of the modules, which truth/launches.py counts without a card; that of blocks is from the time
// of BigBird's, that of adapters three times the six operations of the code. TestStarts of truth holds what they add up to for models to
// counted operations; Mamba 2's, which no row has, was counted in six small models.
const (
	anyStarts       = 2    // a component that multiplies with no weight: forward, backward, and at times a copy
	viewStarts      = 1    // one that only looks at its input otherwise: its gradient is often laid out anew
	keptStarts      = 2    // a new tensor that is kept: what made it, and its gradient
	mapStarts       = 3    // a product with a matrix, and the two behind it
	convStarts      = 6    // a convolution, the two behind it, and the layout of what they read
	castStarts      = 5    // a product that autocast casts for: its input, its weight, its bias, and their gradients
	normStarts      = 3    // a norm in one operation
	stepNormStarts  = 26   // one that is written as single operations
	attendStarts    = 18   // attention beside its matrices: its kernel, and the layout of queries, keys and values
	blockStarts     = 30   // a block of a transformer beside its matrices and what it keeps
	rotateStarts    = 38   // turning queries and keys by their positions
	turnStarts      = 7    // turning one of them
	headNormStarts  = 26   // norms of queries and keys
	stepGELUStarts  = 19   // a GELU of single operations
	routeStarts     = 105  // the choice of experts, and bringing positions to them and back
	groupStarts     = 43   // experts whose positions are sorted once
	expertStarts    = 30   // each of those that are taken one after the other
	serialStarts    = 20   // a position of a recurrence that is written as single operations
	mixStarts       = 110  // a position of RWKV's time mix
	blockwiseStarts = 400  // attention by blocks, five kinds of them by themselves
	bandStarts      = 130  // attention in a band of blocks that are cut, joined and masked
	adapterStarts   = 18   // two maps beside another, a product and a sum
	distanceStarts  = 49   // a bias by distances, of which each is given its bucket
	scanStarts      = 165  // Mamba 2's recurrence, all chunks at once
	ruleStarts      = 1235 // the gated delta rule: each row of a chunk by itself
	ruleChunkStarts = 97   // and each chunk
	matrixStarts    = 106  // a chunk of the matrix memory of an mLSTM
)

// ruleChunk is the positions of a chunk of the gated delta rule (torch_chunk_gated_delta_rule of transformers).
const ruleChunk = 64

// scatters is what a recurrence over positions writes into gradients, each time with all positions of which one is meant.
func (s *starter) scatters(i int) int64 {
	features, state := s.serialSizes(i)
	if features < 1 || state < 1 {
		return 0
	}
	n := s.res.Nodes[i].Out[0]
	return times(s.o.Batch, n, n, features, state, 4)
}

// starts is the number of kernels that a component starts, forward and backward.
func (s *starter) starts(i int) int64 {
	n := &s.res.Nodes[i]
	switch {
	case n.Type.Has(catalog.IsVirtual) || s.skips(i):
		return 0
	case n.Type.Has(catalog.IsView):
		return viewStarts
	}
	count := times(adapterStarts, s.shares[i].adapters)
	count = plus(count, times(keptStarts, s.newlySaved(i)))
	maps, convs := s.multiplications(n)
	count = plus(count, times(maps, mapStarts), times(convs, convStarts))
	if !s.shares[i].own {
		count = max(0, count-maps) // no gradient of the matrix itself
	}
	if autocasts(s.o.Precision) {
		count = plus(count, times(plus(maps, convs), castStarts))
	}
	count = plus(count, s.loops(i))
	switch {
	case n.Type.Has(catalog.IsNorm):
		return plus(count, s.normalises(i))
	case n.Type.Has(catalog.IsExperts):
		return plus(count, s.routes(i))
	case n.Type.Has(catalog.IsAttention):
		return plus(count, s.attends(i))
	case maps == 0 && convs == 0:
		return plus(count, s.elementwise(i))
	}
	return count
}

// newlySaved counts the tensors inside of a component that autograd saves for each sample.
func (s *starter) newlySaved(i int) (count int64) {
	if s.res.Nodes[i].Saves.New <= 0 || !s.res.Lower(i, &s.lowering) {
		return 0
	}
	p := s.lowering.P
	for _, v := range p.Saved() {
		if t := &p.Tensors[v]; t.Role == op.Made && t.DType == op.Float && !t.Shared && v != p.Tensors[p.Out].Base {
			count++
		}
	}
	return count
}

// multiplications counts the products with weights of a component: matrices and convolutions, without those of experts and lookups.
func (s *starter) multiplications(n *infer.Node) (maps, convs int64) {
	if !multiplies(n) {
		return 0, 0
	}
	for k := range n.Weights {
		switch w := &n.Weights[k]; {
		case isExpert(w):
		case w.Shape.Rank() >= 3:
			convs = plus(convs, w.Times)
		case w.Shape.Rank() == 2:
			maps = plus(maps, w.Times)
		}
	}
	if maps == 0 && convs == 0 && tied(n) {
		maps = 1
	}
	return maps, convs
}

// loops is what is computed position by position, or chunk by chunk, in single operations.
func (s *starter) loops(i int) int64 {
	n, how := &s.res.Nodes[i], s.how[i]
	if n.Out.Rank() != 2 {
		return 0
	}
	length := n.Out[0]
	parts := func(size int64) int64 { return (length + size - 1) / max(1, size) }
	switch {
	case how.has(serial):
		return times(serialStarts, length)
	case n.Type.ID == "rwkvTimeMix" && how.has(transformers):
		return times(mixStarts, length)
	case how.has(scan):
		return scanStarts
	case how.has(matrices):
		return times(matrixStarts, parts(arg(n, "chunkSize").Int()))
	case n.Type.ID == "customModule" && how.has(chunks):
		return plus(ruleStarts, times(ruleChunkStarts, parts(ruleChunk)))
	}
	return 0
}

func (s *starter) normalises(i int) int64 {
	n := &s.res.Nodes[i]
	if s.how[i].has(steps) || n.Type.ID == "grn" || s.how[i].has(transformers) && (n.Type.ID == "rmsNorm" || n.Type.ID == "qkNorm") {
		return stepNormStarts
	}
	return normStarts
}

func (s *starter) routes(i int) int64 {
	n := &s.res.Nodes[i]
	if groups(n, s.how[i]) && !s.how[i].has(looped) {
		return routeStarts + groupStarts
	}
	return plus(routeStarts, times(expertStarts, arg(n, "numExperts").Int()))
}

func (s *starter) attends(i int) int64 {
	n := &s.res.Nodes[i]
	count, scores := int64(attendStarts), int64(7) // what scores in memory start more
	switch {
	case s.how[i].has(transformers):
		count, scores = 13, 22
	case n.Type.ID == "transformerDecoderBlock": // two of them
		count, scores = 2*blockStarts, 0
	case n.Type.Has(catalog.HasResidual): // there is no other way to attend
		count, scores = blockStarts, 0
	}
	if s.o.Attention == "eager" || s.how[i].has(eager) {
		count += scores
	}
	switch {
	case s.how[i].has(banded):
		count += bandStarts
	case s.how[i].has(blocks):
		count += blockwiseStarts
	}
	if n.Type.ID == "ropeAttention" || n.Type.ID == "mla" {
		count += rotateStarts
	}
	if arg(n, "qkNorm").Bool() {
		count += headNormStarts
	}
	return count
}

func (s *starter) elementwise(i int) int64 {
	switch n := &s.res.Nodes[i]; {
	case n.Type.ID == "rope":
		return anyStarts + turnStarts
	case n.Type.ID == "gelu" && s.how[i].has(steps):
		return stepGELUStarts
	case n.Type.ID == "relativePositionBias":
		return distanceStarts
	case s.how[i].has(banded):
		return bandStarts
	}
	return anyStarts
}

// serialSizes are the features and the state of each in Mamba's recurrence, which transformers computes position by position where no kernel
// is installed (mamba_selective_scan).
func (s *starter) serialSizes(i int) (features, state int64) {
	n := &s.res.Nodes[i]
	switch {
	case !s.how[i].has(serial) || n.Out.Rank() != 2:
	case n.Type.ID == "mamba":
		return s.sizeIn(i, "A_log", 0), s.sizeIn(i, "A_log", 1)
	case arg(n, "stateSize").Int() > 0:
		return n.Out.At(-1), arg(n, "stateSize").Int()
	case len(n.In) > 2:
		return n.Out.At(-1), n.In[2].At(-1)
	}
	return 0, 0
}

// sizeIn is an axis of a weight of a component.
func (s *starter) sizeIn(i int, name string, axis int) int64 {
	n := &s.res.Nodes[i]
	for k := range n.Weights {
		if w := &n.Weights[k]; w.Path() == name && axis < w.Shape.Rank() {
			return w.Shape[axis]
		}
	}
	return 0
}

// groups reports whether a component's experts are transformers', whose weights are one tensor for each map.
func groups(n *infer.Node, how implementation) bool {
	return how.has(transformers) && n.Type.Has(catalog.IsExperts)
}

// grouped reports the same of a component whose implementation is not at hand.
func grouped(n *infer.Node) bool {
	return n.Type.Has(catalog.IsExperts) && groups(n, implementationOf(n))
}

// isExpert reports whether a weight is that of one of many experts.
func isExpert(w *catalog.Weight) bool { return strings.HasPrefix(w.Module, "experts") }

// tied reports whether a component multiplies with the weight of another, an embedding.
func tied(n *infer.Node) bool { return arg(n, "tiedTo").Str() != "" || arg(n, "tied").Bool() }
