package estimate

import (
	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/infer"
)

// forward walks the components in the order in which they run. Beside what is kept so far, results live until their last reader is
// through. Where nothing is kept, since nothing before is trained, this is the largest moment.
func (s *stepper) forward(always int64) {
	last := make([]int, len(s.res.Nodes))
	for p, i := range s.order {
		for j := range s.inputs(i) {
			last[s.source(j)] = p
		}
	}
	kept := make([]int64, len(s.order))
	for _, k := range s.saved {
		if k.unit == 0 {
			kept[k.first] = plus(kept[k.first], k.bytes)
		}
	}
	freed := make([]int64, len(s.order))
	live, sum := int64(0), int64(0)
	for p, i := range s.order {
		sum = plus(sum, kept[p])
		n := &s.res.Nodes[i]
		if s.owned[i] == 0 && s.source(i) == i && n.Out != nil && n.Type.ID != infer.InputID && !n.Type.Has(catalog.IsTensor) {
			bytes := block(s.result(i))
			live = plus(live, bytes)
			freed[max(p, last[i])] = plus(freed[max(p, last[i])], bytes)
		}
		most := plus(sum, live)
		most = plus(most, convWorkspace(n, s.o.Batch, s.productBytes()))
		if s.idle(i) {
			most = plus(most, innerBytes(n, s.o.Batch, s.productBytes()))
		}
		s.moment(plus(always, most), 0, most, 0, 0)
		live -= min(live, freed[p])
	}
}
