package bench

import "github.com/modelverifier/verifier/internal/quantity"

var _ = defineKind(Kind{
	Name: "depth",
	Doc: "The longest way from the input to the output passes so many components with weights, normalisations not " +
		"counted.",
	Want: func(c *Constraint) string {
		return "layers with weights, other than normalisations, on the longest way from input to output: " + span(c.Min,
			c.Max, quantity.Grouped)
	},
	Holds: func(c *Constraint, s *subject) (bool, string) {
		n := s.depth()
		return within(n, c), "it has " + quantity.Grouped(n)
	},
})

// depth is the number of layers with weights on the longest way to an output.
func (s *subject) depth() (most int64) {
	deep := make([]int64, len(s.walked.Nodes))
	for _, i := range s.walked.Wiring.Order {
		for _, j := range s.walked.Wiring.Inputs(i) {
			deep[i] = max(deep[i], deep[j])
		}
		if n := &s.walked.Nodes[i]; n.Params > 0 && !isNorm(n.Type) {
			deep[i]++
		}
		if isType(s.walked.Nodes[i].Type, "output") {
			most = max(most, deep[i])
		}
	}
	return most
}
