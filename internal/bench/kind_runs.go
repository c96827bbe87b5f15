package bench

import (
	"github.com/modelverifier/verifier/internal/infer"
	"github.com/modelverifier/verifier/internal/quantity"
	"github.com/modelverifier/verifier/internal/rules"
)

var _ = defineKind(Kind{
	Name:  "runs",
	Doc:   "The verifier finds nothing that blocks and withholds nothing: PyTorch runs the model forward and backward.",
	Want:  func(*Constraint) string { return "the model must run in PyTorch, forward and backward" },
	Holds: func(_ *Constraint, s *subject) (bool, string) { return s.runs() },
})

// runs says whether the verifier is sure that the model runs, or what it found first.
func (s *subject) runs() (bool, string) {
	for _, f := range s.study.Findings {
		if f.Rule.Severity != rules.Block {
			continue
		}
		if f.Node >= 0 {
			return false, s.study.Graph.Components[f.Node].Label() + " is refused: " + f.Message
		}
		return false, "it is refused: " + f.Message
	}
	if why := s.study.Unread() + s.study.Asked(); why != "" {
		return false, "no verdict is given on all of it: " + why
	}
	for i := range s.walked.Nodes {
		if n := &s.walked.Nodes[i]; n.State == infer.Withheld || n.State == infer.Unknown {
			return false, "no verdict is given on " + n.Component.Label() + ": its shape is not known"
		}
	}
	if s.study.Layers() == 0 {
		return false, "it has no layers"
	}
	return true, quantity.Sprintf("it runs, with %s", quantity.Own(count(s.study.Layers(), "layer")))
}

// count writes a number of things.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return quantity.Grouped(int64(n)) + " " + noun + "s"
}
