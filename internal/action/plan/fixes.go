package plan

import (
	"fmt"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/estimate"
	"github.com/modelverifier/verifier/internal/hardware"
	"github.com/modelverifier/verifier/internal/quantity"
)

// Fix is a change of a run that does not fit, with what it comes to.
type Fix struct {
	Change     string           `json:"change"`
	PeakBytes  int64            `json:"peakBytes"`
	CardBytes  int64            `json:"cardBytes"`
	StepMicros int64            `json:"stepMicros"`
	CostUSD    quantity.Decimal `json:"costUsd"`
	GPU        string           `json:"gpu"`
	Fits       bool             `json:"fits"`
	Training   Training         `json:"training"` // what to ask for
}

// asked is whether the run fits on the card that it is asked for, nil where none is. One that crashes fits on none.
func (s *studied) asked() *Asked {
	g := hardware.Lookup(s.Training.Options.GPU)
	if g == nil || !s.Complete() {
		return nil
	}
	return &Asked{g.Name, len(s.Blockers) == 0 && s.Training.CardBytes <= g.MemoryBytes, s.Training.CardBytes, g.MemoryBytes}
}

// words is a line on it.
func (a *Asked) words() string {
	needs := fmt.Sprintf("needs %s of %s", quantity.Bytes(a.NeedBytes), quantity.Bytes(a.MemoryBytes))
	if !a.Fits && a.NeedBytes <= a.MemoryBytes {
		return a.GPU + " no, the model does not run; repaired, it " + needs
	}
	return a.GPU + " " + yes(a.Fits) + ", " + needs
}

// fixes are there where the model runs and its training does not fit: on the card asked for, or on any.
func (s *studied) fixes() []Fix {
	t := s.Training
	gpu := hardware.Lookup(t.Options.GPU)
	if !s.Whole() || gpu == nil && t.GPU != nil || gpu != nil && t.Fitting() {
		return nil
	}
	return fixesOf(s.Estimates().Fixes(s.Sized, t, gpu, s.spent))
}

// fixesOf writes changes down.
func fixesOf(fixes []estimate.Fix) []Fix {
	var out []Fix
	for _, f := range fixes {
		out = append(out, Fix{f.Change, f.Training.PeakBytes, f.Training.CardBytes, f.Training.StepMicros, quantity.USD(f.Training.CostMicroUSD), f.GPU.Name, f.Fits,
			trainingOf(f.Training)})
	}
	return out
}

// words is a line on it.
func (f *Fix) words() string {
	end := "does not fit yet"
	if f.Fits {
		end = fmt.Sprintf("fits, about %s and %s a step", dollars(f.CostUSD), quantity.AboutDuration(f.StepMicros))
	}
	return fmt.Sprintf("%s: %s on %s, %s", f.Change, quantity.Bytes(f.CardBytes), f.GPU, end)
}

// Fixes are what makes a run fit: those of the plan, or, where it fits, the changes that take less of the card. The model must have been
// priced, and run.
func Fixes(s *action.Study) []Fix {
	if out := (&studied{Study: s}).fixes(); len(out) > 0 {
		return out
	}
	return fixesOf(s.Estimates().Savings(s.Sized, s.Training.Options))
}
