package bench

import "github.com/modelverifier/verifier/internal/quantity"

var _ = defineKind(Kind{
	Name: "flops",
	Doc:  "The forward pass of one sample takes so many FLOPs, counted as torch's FlopCounterMode counts them.",
	Want: func(c *Constraint) string {
		return "FLOPs of the forward pass of one sample (2 per multiply-add of matrix products and convolutions): " +
			span(c.Min, c.Max, quantity.Grouped)
	},
	Holds: func(c *Constraint, s *subject) (bool, string) {
		n := s.walked.KnownFLOPs()
		if n == nil {
			return false, "they are not known"
		}
		return within(*n, c), "it takes " + quantity.Grouped(*n)
	},
})
