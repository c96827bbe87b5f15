package estimate

import (
	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/infer"
)

// forward walks the components in the order in which they run. Beside what is kept so far, results live until their last reader is
// through. Where nothing is kept, since nothing before is trained, this is the largest moment.
func (s *stepper) forward(always int64) {
	clear(s.freed)
	live, sum := int64(0), int64(0)
	for p, i := range s.order {
		s.running = i
		sum = plus(sum, s.kept[p])
		if s.passing != nil {
			sum = plus(sum, s.passing[p])
		}
		n := &s.res.Nodes[i]
		if s.owned[i] == 0 && s.source(i) == i && n.Out != nil && n.Type.ID != infer.InputID && !n.Type.Has(catalog.IsTensor) {
			bytes := block(s.result(i))
			live = plus(live, bytes)
			end := max(p, int(s.last[i]))
			s.freed[end] = plus(s.freed[end], bytes)
		}
		most := plus(sum, live, s.kind(i).conv)
		if s.idle(i) {
			inside, _ := innerBytes(n, s.o.Batch, s.productBytes())
			most = plus(most, inside)
		}
		s.reach(moment{total: plus(always, most), activations: most})
		live -= min(live, s.freed[p])
	}
}
