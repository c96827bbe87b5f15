package bench

import (
	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/infer"
	"github.com/modelverifier/verifier/internal/quantity"
)

var _ = defineKind(Kind{
	Name: "input",
	Doc: "The model has one input, of this shape without the batch. With a vocabulary it holds token ids, and every " +
		"embedding that reads it has a row for each id and no other.",
	Want: func(c *Constraint) string {
		if c.Vocabulary > 0 && len(c.Shape) > 0 {
			return quantity.Sprintf("one input of %s token ids, shape %s without the batch, from a vocabulary of %s",
				quantity.Grouped(c.Shape[0]), shapeText(c.Shape), quantity.Grouped(c.Vocabulary))
		}
		return "one input of shape " + shapeText(c.Shape) + " without the batch"
	},
	Holds: func(c *Constraint, s *subject) (bool, string) {
		nodes := s.ofType(infer.InputID)
		if len(nodes) != 1 {
			return false, "it has " + count(len(nodes), "input")
		}
		n := &s.walked.Nodes[nodes[0]]
		if n.Out == nil || !n.Out.Equal(catalog.Of(c.Shape...)) {
			return false, "its input is " + n.Out.String()
		}
		if n.OutIsInt != (c.Vocabulary > 0) {
			if n.OutIsInt {
				return false, "its input holds integers"
			}
			return false, "its input is read as numbers and not as token ids"
		}
		return s.readsVocabulary(nodes[0], c.Vocabulary)
	},
})

// readsVocabulary reports whether every table that the input indexes has as many rows as there are ids.
func (s *subject) readsVocabulary(input int, vocabulary int64) (bool, string) {
	for _, j := range s.walked.Wiring.Outputs(input) {
		n := &s.walked.Nodes[j]
		if vocabulary == 0 || len(n.Weights) == 0 {
			continue
		}
		if rows := n.Weights[0].Shape; len(rows) > 0 && rows[0] != vocabulary {
			return false, quantity.Sprintf("%s has %s rows", quantity.Own(n.Component.Label()), quantity.Grouped(rows[0]))
		}
	}
	return true, "it is " + s.walked.Nodes[input].Out.String()
}

// ofType returns the positions of the components of a type.
func (s *subject) ofType(typ string) (out []int) {
	for i := range s.walked.Nodes {
		if t := s.walked.Nodes[i].Type; t != nil && t.ID == typ {
			out = append(out, i)
		}
	}
	return out
}

func shapeText(shape []int64) string { return catalog.Of(shape...).String() }
