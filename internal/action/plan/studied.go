package plan

import (
	"slices"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/policy"
)

// studied is a model, examined and held to the caller's policy.
type studied struct {
	*action.Study
	blockers, warnings []action.Finding
	violations         int
	structure          *graph.Structure
	spent              int // operations that were followed for the question of the request
}

// examine looks at the model, or at its base in the same way.
func examine(g *graph.Graph, r *Request, text action.TextCall) *studied {
	s := look(nil, g, text)
	s.price(r)
	return s
}

// look walks a model, in a room or in memory of its own, and runs the rules.
func look(room *action.Room, g *graph.Graph, text action.TextCall) *studied {
	s := &studied{Study: room.Examine(g)}
	s.structure = s.Walked.Structure()
	s.Offer(text)
	return s
}

// price estimates the run, and holds the model to the policy.
func (s *studied) price(r *Request) {
	s.Price(r.Training, r.SeqLen)
	s.hold(r.Policy)
}

// hold adds what the policy finds behind what the rules find.
func (s *studied) hold(p *policy.Policy) {
	blocks, warns := s.Violations(p)
	s.violations = len(blocks) + len(warns)
	s.blockers = append(slices.Clip(s.Blockers), blocks...) // never nil: an empty list goes over the wire as one
	s.warnings = append(slices.Clip(s.Warnings), warns...)
	if f, found := s.AskedCard(); found {
		s.warnings = append(s.warnings, f)
	}
}

// against adds what the run needs besides, behind what the rules find and before what the policy does: the order of the stages.
func (s *studied) against(blocks, warns []action.Finding) {
	s.blockers = slices.Insert(s.blockers, len(s.Blockers), blocks...)
	s.warnings = slices.Insert(s.warnings, len(s.Warnings), warns...)
}

// legal reports whether nothing blocks.
func (s *studied) legal() bool { return len(s.blockers) == 0 }

// memory is what a step takes, nil where the model has no price.
func (s *studied) memory() *Memory {
	if !s.Priced() {
		return nil
	}
	t := s.Training
	m := &Memory{t.WeightBytes, t.GradientBytes, t.OptimizerBytes, t.ActivationBytes, t.LogitBytes, t.PeakBytes, t.NeedBytes, t.UpperBytes,
		t.CardBytes, t.Binding, s.EagerExtra(), t.PagedBytes, nil}
	if s.Complete() {
		m.ErrorPercent = t.PeakError()
	}
	return m
}
