package bench

import "github.com/modelverifier/verifier/internal/catalog"

var _ = defineKind(Kind{
	Name: "output",
	Doc:  "The model has one output, of this shape without the batch.",
	Want: func(c *Constraint) string { return "one output of shape " + shapeText(c.Shape) + " without the batch" },
	Holds: func(c *Constraint, s *subject) (bool, string) {
		nodes := s.ofType("output")
		if len(nodes) != 1 {
			return false, "it has " + count(len(nodes), "output")
		}
		out := s.walked.Nodes[nodes[0]].Out
		if out == nil {
			return false, "the shape of its output is not known"
		}
		return out.Equal(catalog.Of(c.Shape...)), "its output is " + out.String()
	},
})
