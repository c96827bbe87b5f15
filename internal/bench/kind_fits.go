package bench

import (
	"github.com/modelverifier/verifier/internal/hardware"
	"github.com/modelverifier/verifier/internal/quantity"
)

var _ = defineKind(Kind{
	Name: "fits",
	Doc:  "A training step of the stated run fits on a card, with what the allocator and the context of the process take.",
	Want: func(c *Constraint) string { return "a training step (" + c.Run.text() + ") must fit on one " + c.GPU },
	Holds: func(c *Constraint, s *subject) (bool, string) {
		g := hardware.Lookup(c.GPU)
		if g == nil {
			return false, "there is no card " + clip(c.GPU)
		}
		t, why := s.priced(c.Run)
		if t == nil {
			return false, why
		}
		need, has := quantity.BytesApart(t.CardBytes, g.MemoryBytes)
		return t.CardBytes <= g.MemoryBytes, "it takes " + need + " and the card has " + has
	},
})
