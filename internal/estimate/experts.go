package estimate

import (
	"strings"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/infer"
)

// keepRouted is what experts keep beside what happens inside them: the positions that were gathered for each, what its last map gives,
// which the product with the router's share keeps, and that product, which index_add keeps. Autocast casts what was gathered for
// each map that reads it, and the product is as wide as the sum that it is added to.
func (s *stepper) keepRouted(p, i int) {
	n := &s.res.Nodes[i]
	count := times(max(0, n.Out.Size()), max(1, arg(n, "topK").Int()), s.o.Batch)
	gathered, sum := s.productBytes(), s.productBytes()
	if autocasts(s.o.Precision) {
		if gated := arg(n, "gated"); n.Type.Param("gated") == nil || gated.Bool() {
			gathered *= 2
		}
		if j := s.input(i, 0); j >= 0 {
			sum = width(&s.res.Nodes[j], s.narrow[j])
		}
	}
	s.add(p, times(count, gathered))
	s.add(p, times(count, s.productBytes()))
	s.add(p, times(count, sum))
}

// routedRows is the number of positions that experts compute: each visits several of them, or pairs of all.
func (s *stepper) routedRows(i int) int64 {
	n := &s.res.Nodes[i]
	visits := max(1, arg(n, "topK").Int())
	if s.how[i].has(paired) {
		visits = max(1, arg(n, "numExperts").Int())
	}
	return times(max(0, n.Out.Size())/max(1, n.Out.At(-1)), visits, s.o.Batch)
}

// keepExperts is what transformers' experts keep (grouped_mm_experts_forward of its moe.py): the positions that were gathered for
// each, what the first map gives, what its gate computes of that, and what the last map gives, which is weighted then; for each the
// places that it came from and went to, and whether an expert is here. All of it is as wide as the experts' weights, since autocast does
// not know their product (grouped_mm). Experts that are multiplied one after the other are in 16 bits under autocast.
func (s *stepper) keepExperts(p, i int) {
	if s.how[i].has(batched) {
		s.keepBatched(p, i)
		return
	}
	n := &s.res.Nodes[i]
	rows, width := s.routedRows(i), s.expertBytes(i)
	hidden, dim := max(0, arg(n, "expertDim").Int()), max(1, n.Out.At(-1))
	s.keepRouter(p, i)
	s.add(p, times(rows, dim, width))
	for range s.gateTensors(i) {
		s.add(p, times(rows, hidden, width))
	}
	s.add(p, times(rows, dim, width))
	s.add(p, times(rows, 3*8+1))
	if s.how[i].has(looped) { // the sum over the experts keeps what it adds, in the width of the weights that it was multiplied with
		s.add(p, times(rows, dim, weightSize(s.o.Precision)))
	}
	if s.how[i].has(paired) { // some of what they give is dropped
		s.add(p, times(rows, dim))
	}
}

// unvisited is the weights of the experts that compute nothing, of those that are numbered by a mask: all but the first two.
func (s *stepper) unvisited(i int, size int64) int64 {
	n := &s.res.Nodes[i]
	if count := arg(n, "numExperts").Int(); s.how[i].has(paired) && count > 2 && s.shares[i].own {
		return weights(n, func(w *catalog.Weight, elems int64) int64 {
			if isExpert(w) {
				return times(elems, size) / count * (count - 2)
			}
			return 0
		})
	}
	return 0
}

// expertBytes is the width of what the maps of transformers' experts give.
func (s *stepper) expertBytes(i int) int64 {
	if s.how[i].has(looped) {
		return s.productBytes()
	}
	return weightSize(s.o.Precision)
}

// gateTensors is how many tensors as wide as an expert are kept between its maps: of a plain one what the activation reads and gives; of
// a gated one both halves of the first map, the activation of one and the product; both halves bounded, too; or, written as
// (up+1)*gate*sigmoid(a*gate), the bounded gate, the sigmoid, their product, the sum and the product of all.
func (s *stepper) gateTensors(i int) int {
	switch {
	case s.how[i].has(rectified):
		return 1
	case !arg(&s.res.Nodes[i], "gated").Bool():
		return 2
	case s.how[i].has(steps):
		return 7
	case s.how[i].has(clamped):
		return 6
	}
	return 4
}

// keepRouter is what the choice of the experts keeps: what it reads, and the shares of all experts.
func (s *stepper) keepRouter(p, i int) {
	n := &s.res.Nodes[i]
	j := s.input(i, 0)
	if j < 0 {
		return
	}
	if s.o.Precision == "bf16" && s.how[i].has(wide) { // a product of 32-bit copies
		s.add(p, times(max(0, n.Out.Size()), s.o.Batch, 4))
	} else {
		s.keepInput(p, i, j)
	}
	s.add(p, times(max(0, n.Out.Size())/max(1, n.Out.At(-1)), max(0, arg(n, "numExperts").Int()), s.o.Batch, 4))
}

// innerExperts is what the backward pass of those experts has beside all that they kept, all gradients of their weights and that of
// what they read, at the worst of four moments; less than nothing where some of those are not there any more or not yet. First the
// gradient of what was weighted, its product with the weights and that with what was weighted; then the gradients in front of the last
// map; then those in front of the gate; then those in front of the first map.
func (s *stepper) innerExperts(i int) int64 {
	first, last := s.expertGradients(i)
	if s.how[i].has(batched) {
		return s.innerBatched(i, first)
	}
	n := &s.res.Nodes[i]
	width := s.expertBytes(i)
	whole := times(s.routedRows(i), max(1, n.Out.At(-1)), width)
	inside := times(s.routedRows(i), max(0, arg(n, "expertDim").Int()), width)
	between := int64(s.gateTensors(i)) * inside
	return max(3*whole-first-last, inside-first, 2*inside-whole-first, 2*inside-between)
}

// expertGradients is the gradients of the first maps of all experts, and of the last.
func (s *stepper) expertGradients(i int) (first, last int64) {
	n := &s.res.Nodes[i]
	if s.kind(i).own > 0 && !s.adds {
		last = weights(n, func(w *catalog.Weight, elems int64) int64 {
			if isExpert(w) && strings.Contains(w.Module, "down_proj") {
				return times(elems, weightSize(s.o.Precision))
			}
			return 0
		})
		first = max(0, s.kind(i).own-last)
	}
	return first, last
}

// castBytes is the 16-bit copies that autocast makes of the weights that a component multiplies with. transformers' experts are
// multiplied all at once, by an operation that autocast does not know (grouped_mm), in 32 bits, unless they are in one product over all.
func (s *stepper) castBytes(i int) int64 {
	n := &s.res.Nodes[i]
	if !autocasts(s.o.Precision) || !multiplies(n) {
		return 0
	}
	sum := weights(n, func(w *catalog.Weight, elems int64) int64 {
		if groups(n, s.how[i]) && isExpert(w) && !s.how[i].has(looped) && !s.how[i].has(batched) {
			return 0
		}
		for range min(w.Times-1, mostTensors) {
			s.note(times(elems, 2))
		}
		return s.note(times(elems, 2))
	})
	if tied(n) {
		sum = plus(sum, block(times(2, features(n), n.Out.At(-1))))
	}
	return sum
}

// groups reports whether a component's experts are transformers', whose weights are one tensor for each map.
func groups(n *infer.Node, how implementation) bool {
	return how.has(transformers) && n.Type.Has(catalog.IsExperts)
}

// grouped reports the same of a component whose implementation is not at hand.
func grouped(n *infer.Node) bool {
	return n.Type.Has(catalog.IsExperts) && groups(n, implementationOf(n.Component))
}

// weightBytes is one copy of a component's trained tensors. transformers' experts are one tensor for the first maps of all, and one
// for the last.
func (s *stepper) weightBytes(i int, n *infer.Node, size int64) int64 {
	if !groups(n, s.how[i]) || s.shares[i].adapters > 0 {
		return weightBytes(n, size)
	}
	first, last := int64(0), int64(0)
	rest := weights(n, func(w *catalog.Weight, elems int64) int64 {
		all := times(elems, w.Times, size)
		switch {
		case !isExpert(w):
			return fresh(times(elems, size))
		case strings.Contains(w.Module, "down_proj"):
			last = plus(last, all)
		default:
			first = plus(first, all)
		}
		return 0
	})
	return plus(rest, fresh(first), fresh(last))
}

// isExpert reports whether a weight is that of one of many experts.
func isExpert(w *catalog.Weight) bool { return strings.HasPrefix(w.Module, "experts") }
