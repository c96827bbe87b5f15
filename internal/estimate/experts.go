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

// castBytes is the 16-bit copies that autocast makes of the weights that a component multiplies with. transformers' experts are
// multiplied all at once, by an operation that autocast does not know (grouped_mm), in 32 bits.
func (s *stepper) castBytes(i int) int64 {
	n := &s.res.Nodes[i]
	if !autocasts(s.o.Precision) || !multiplies(n) {
		return 0
	}
	sum := block(weights(n, func(w *catalog.Weight, elems int64) int64 {
		if groups(n, s.how[i]) && isExpert(w) {
			return 0
		}
		return block(times(elems, 2))
	}))
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

// isExpert reports whether a weight is that of one of many experts.
func isExpert(w *catalog.Weight) bool { return strings.HasPrefix(w.Module, "experts") }

// What experts start: for each a search for its positions, which waits for the card, two gathers, three maps, their activation and two
// products, and the sum. transformers sorts the positions once for all.
const (
	expertOperations = 12
	groupOperations  = 30
)
