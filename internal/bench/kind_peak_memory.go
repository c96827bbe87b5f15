package bench

import "github.com/modelverifier/verifier/internal/quantity"

var _ = defineKind(Kind{
	Name: "peak-memory",
	Doc:  "A training step of the stated run allocates at most so many bytes, as the verifier estimates it.",
	Want: func(c *Constraint) string {
		return "peak memory of a training step (" + c.Run.text() + "): " + span(c.Min, c.Max, exactBytes)
	},
	Holds: func(c *Constraint, s *subject) (bool, string) {
		t, why := s.priced(c.Run)
		if t == nil {
			return false, why
		}
		return within(t.PeakBytes, c), "it takes " + exactBytes(t.PeakBytes)
	},
})

// exactBytes writes a number of bytes in full and, where it is large, in words.
func exactBytes(n int64) string {
	if n < 1<<20 {
		return quantity.Grouped(n) + " bytes"
	}
	return quantity.Grouped(n) + " bytes (" + quantity.Bytes(n) + ")"
}
