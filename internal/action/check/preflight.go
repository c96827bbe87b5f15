package check

import (
	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/quantity"
)

// PreflightData is what is known before anything is spent.
type PreflightData struct {
	Score               int               `json:"score"`
	Verdict             string            `json:"verdict"` // ready, caution or not-ready
	Blockers            []action.Finding  `json:"blockers"`
	Warnings            []action.Finding  `json:"warnings"`
	Layers              int               `json:"layers"`
	Params              int64             `json:"params"`
	FLOPs               *int64            `json:"flops"` // null where it lacks a component
	GPU                 string            `json:"gpu"`
	EstCostUSD          *quantity.Decimal `json:"estCostUsd"` // null, as the next four, where the model has no price
	EstTrainSec         *quantity.Decimal `json:"estTrainSec"`
	WeightBytes         *int64            `json:"weightBytes"`
	TrainFootprintBytes *int64            `json:"trainFootprintBytes"`
	SamplesAssumed      bool              `json:"samplesAssumed"`
	MACs                *int64            `json:"macs"`
	Withheld            []string          `json:"withheld"`
	PeakBytes           *int64            `json:"peakBytes"`        // allocated at most; trainFootprintBytes is the upper bound of what is reserved, with the context
	PeakErrorPercent    *int64            `json:"peakErrorPercent"` // what it is off by at the most in nineteen of twenty runs; null where no such run was measured
	Range               *action.Range     `json:"range"`
	Assumptions         string            `json:"assumptions"`
	ParamsWithheld      []string          `json:"paramsWithheld"` // components whose weights are not in params
	CostWithheld        []string          `json:"costWithheld"`   // components that time, memory and price lack: those are lower bounds then
}

// preflight is the graph itself: does it run, and what does it cost.
func preflight(w *walk) Stage {
	w.findings = append(append(w.findings, w.Blockers...), w.Warnings...)
	t := w.Training
	d := PreflightData{
		Blockers: w.Blockers, Warnings: w.Warnings, Layers: w.Layers(), Params: w.Params(), FLOPs: w.FLOPs(), MACs: w.MACs(),
		GPU: w.GPU(), EstCostUSD: w.CostUSD(), EstTrainSec: w.TrainSec(), WeightBytes: w.Bytes(t.WeightBytes), TrainFootprintBytes: w.Bytes(t.CardBytes),
		SamplesAssumed: !t.Options.SamplesGiven, Withheld: w.Withheld, PeakBytes: w.Bytes(t.PeakBytes), Range: w.Range(), Assumptions: w.Assumptions(),
		ParamsWithheld: w.ParamsWithheld, CostWithheld: w.CostWithheld,
	}
	if w.Whole() {
		d.PeakErrorPercent = t.PeakError()
	}
	s := Stage{Stage: action.Preflight, Status: statusOf(len(w.Blockers), len(w.Warnings), len(w.Withheld) > 0)}
	d.Score, d.Verdict = score(len(w.Blockers), len(w.Warnings), len(w.Withheld))
	switch s.Status {
	case Blocked:
		s.Headline = "does not run: " + w.Blockers[0].Detail
	case NeedsInput:
		s.Headline = w.followed() + "the shapes of " + count(len(w.Withheld), "component") + " are not known"
	case Attention:
		s.Headline = "runs, with " + count(len(w.Warnings), "warning") + ": " + w.size()
	default:
		s.Headline = "runs: " + w.size()
	}
	s.Data = d
	return s
}

// size is how large the model is, in words, and what that does not contain.
func (w *walk) size() string {
	text := w.ParamsText()
	if n := w.FLOPs(); n != nil {
		return text + ", " + quantity.FLOPs(*n) + " a sample"
	}
	return text + "; its compute is not known"
}

// Marks of the score. A model that does not run is always below one that does.
const (
	full          = 100
	leastRunning  = 40
	perWarning    = 5
	perWithheld   = 10
	firstBlocker  = 70
	furtherBlocks = 10
)

// score is a function of the findings alone: 100, less 5 for every warning and 10 for every component without a verdict, but
// at least 40 for a model that runs; with a blocker 30, less 10 for every further one and nothing else.
func score(blockers, warnings, withheld int) (int, string) {
	if blockers > 0 {
		return max(0, full-firstBlocker-furtherBlocks*(min(blockers, full)-1)), "not-ready"
	}
	if warnings+withheld == 0 {
		return full, "ready"
	}
	return max(leastRunning, full-perWarning*min(warnings, full)-perWithheld*min(withheld, full)), "caution"
}
