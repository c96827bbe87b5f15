package view

import (
	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/action/plan"
	"github.com/modelverifier/verifier/internal/graph"
)

var _ = define(call{"fit", fit})

// Fit is what makes a training run fit its card, or, where it fits, what takes less of it. The request is that of plan.
type Fit struct {
	Fits      bool       `json:"fits"`
	CardBytes int64      `json:"cardBytes"`
	GPU       string     `json:"gpu"`   // that the figures are for
	Fixes     []plan.Fix `json:"fixes"` // each with the training to ask for
	Lacks     string     `json:"lacks"` // why there are none to be named
}

func fit(body []byte, limits graph.Limits) (any, error) {
	r, err := plan.Decode(body, limits)
	if err != nil {
		return nil, err
	}
	s := action.Examine(r.Model)
	s.Price(r.Training, r.SeqLen)
	out := &Fit{Fixes: []plan.Fix{}}
	if !s.Whole() {
		switch {
		case !s.Runs():
			out.Lacks = "the model does not run"
		case s.Unpriced() != "":
			out.Lacks = s.Unpriced()
		default:
			out.Lacks = s.Bounded()
		}
		return out, nil
	}
	out.Fits, out.CardBytes, out.GPU = s.Training.Fitting(), s.Training.CardBytes, s.GPU()
	out.Fixes = append(out.Fixes, plan.Fixes(s)...)
	return out, nil
}
