package action

import (
	"fmt"

	"github.com/modelverifier/verifier/internal/estimate"
	"github.com/modelverifier/verifier/internal/hardware"
	"github.com/modelverifier/verifier/internal/quantity"
	"github.com/modelverifier/verifier/internal/rules"
)

// Obstacles are what a stage of the walk behind the graph itself finds in a model that runs. check lists them and rank counts them,
// so that both call the same things blocks. Those that there are warn: the work can be split, and the model deployed elsewhere.
func (s *Study) Obstacles(stage string) []Finding {
	var f Finding
	var found bool
	switch stage {
	case Train:
		if f, found = s.AskedCard(); !found {
			f, found = s.noCard()
		}
	case Deploy:
		f, found = s.noTargetFits(s.Deploy())
	}
	if !found {
		return nil
	}
	return []Finding{f}
}

// OfStored warns that the weights beside a model are not those that its description implies: transformers begins those that are missing at
// random, leaves out what is extra, and refuses shapes that differ.
func OfStored(differs string) Finding {
	return Finding{Stage: StoredWeights.Stage, Severity: rules.Warn, Title: StoredWeights.Title, Key: StoredWeights.ID, Detail: "of the weights that are stored, " + differs,
		Fix: "put the config.json beside the weights that they were saved with"}
}

// noCard warns of a training step that no single card holds.
func (s *Study) noCard() (Finding, bool) {
	if s.Training.GPU != nil {
		return Finding{}, false
	}
	t, largest := s.Training, s.Training.PricedOn
	return Finding{
		Stage: noCard.Stage, Severity: rules.Warn, Title: noCard.Title, Key: noCard.ID,
		Detail: fmt.Sprintf("a step takes %san estimated %s on the card and the largest that can be rented, %s, has %s; it must be split or made smaller",
			s.AtLeast(), quantity.Bytes(t.CardBytes), largest.Name, quantity.Bytes(largest.MemoryBytes)),
	}, true
}

// AskedCard warns of a card that is asked for and does not hold a training step.
func (s *Study) AskedCard() (Finding, bool) {
	g := hardware.Lookup(s.Training.Options.GPU)
	if g == nil || s.Training.CardBytes <= g.MemoryBytes || !s.Runs() {
		return Finding{}, false
	}
	return Finding{
		Stage: noCard.Stage, Severity: rules.Warn, Title: "The GPU that is asked for does not hold a training step", Key: noCard.ID,
		Detail: fmt.Sprintf("a step needs %s%s of the %s that %s has", s.AtLeast(), quantity.Bytes(s.Training.CardBytes), quantity.Bytes(g.MemoryBytes), g.Name),
	}, true
}

// Deploy scores every target that the trained model could be deployed to, the best first.
func (s *Study) Deploy() []estimate.Deployment {
	if s.targets == nil {
		s.targets = s.room.estimate.Deploy(s.Walked)
	}
	return s.targets
}

// noTargetFits warns of a model that none of the deploy targets holds.
func (s *Study) noTargetFits(targets []estimate.Deployment) (Finding, bool) {
	for i := range targets {
		if targets[i].Fits {
			return Finding{}, false
		}
	}
	best, bound := &targets[0], ""
	if len(s.ParamsWithheld) > 0 {
		bound = "at least "
	}
	return Finding{
		Stage: noTarget.Stage, Severity: rules.Warn, Title: noTarget.Title, Key: noTarget.ID,
		Detail: fmt.Sprintf("the weights take %s%s, %s in 8 bits, and none of the %d targets holds the model", bound, quantity.Bytes(best.WeightBytes),
			quantity.Bytes(best.QuantizedBytes), len(targets)),
	}, true
}

// AtLeast stands before memory, time and price of a model that lack components.
func (s *Study) AtLeast() string {
	if s.Complete() {
		return ""
	}
	return "at least "
}
