package action

import (
	"fmt"

	"github.com/modelverifier/verifier/internal/estimate"
	"github.com/modelverifier/verifier/internal/quantity"
	"github.com/modelverifier/verifier/internal/rules"
)

// Obstacles are what stands in the way of a model that runs, past the graph itself. They warn and block nothing: the work can
// be split, and the model deployed elsewhere.
func (s *Study) Obstacles() []Finding {
	var out []Finding
	if f, found := s.NoCard(); found {
		out = append(out, f)
	}
	if f, found := NoTarget(s.Deploy()); found {
		out = append(out, f)
	}
	return out
}

// NoCard warns of a training step that no single card holds.
func (s *Study) NoCard() (Finding, bool) {
	if s.Training.GPU != nil {
		return Finding{}, false
	}
	t, largest := s.Training, s.Training.PricedOn
	return Finding{
		Stage: noCard.Stage, Severity: rules.Warn, Title: noCard.Title, Key: noCard.ID,
		Detail: fmt.Sprintf("a step takes an estimated %s on the card and the largest that can be rented, %s, has %s; it must be split or made smaller",
			quantity.Bytes(t.CardBytes), largest.Name, quantity.Bytes(largest.MemoryBytes)),
	}, true
}

// Deploy scores every target that the trained model could be deployed to, the best first.
func (s *Study) Deploy() []estimate.Deployment { return s.room.estimate.Deploy(s.Walked) }

// NoTarget warns of a model that none of the deploy targets holds.
func NoTarget(targets []estimate.Deployment) (Finding, bool) {
	for i := range targets {
		if targets[i].Fits {
			return Finding{}, false
		}
	}
	best := &targets[0]
	return Finding{
		Stage: noTarget.Stage, Severity: rules.Warn, Title: noTarget.Title, Key: noTarget.ID,
		Detail: fmt.Sprintf("the weights take %v MB, %v MB in 8 bits, and none of the %d targets holds the model", quantity.Round(best.SizeMB, 3),
			quantity.Round(best.SizeMBQuantized, 3), len(targets)),
	}, true
}
