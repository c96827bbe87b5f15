package check

import (
	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/quantity"
)

// TrainData is what a training run would take.
type TrainData struct {
	LastRun    *struct{}        `json:"lastRun"` // null: no run is known here
	EstCostUSD quantity.Decimal `json:"estCostUsd"`
	GPU        string           `json:"gpu"`
	Range      action.Range     `json:"range"`
}

// cost is the price of the run with its error.
func (w *walk) cost() string {
	r := w.Training.Range()
	return quantity.AboutDollars(w.Training.CostMicroUSD) + " (" + quantity.AboutDollars(r.LowMicroUSD) + " to " + quantity.AboutDollars(r.HighMicroUSD) + ")"
}

// train is the run: where it fits and what it costs.
func train(w *walk) Stage {
	found, blocks, warns := w.layoutFindings()
	w.findings = append(w.findings, found...)
	b, n := w.obstacles(action.Train)
	blocks, warns = blocks+b, warns+n
	t := w.Training
	s := Stage{
		Stage: action.Train, Status: statusOf(blocks, warns, false), Data: TrainData{EstCostUSD: quantity.USD(t.CostMicroUSD), GPU: w.GPU(), Range: action.RangeOf(t)},
		Headline: "about " + w.cost() + " on " + w.GPU() + ", " + quantity.Bytes(t.CardBytes) + " on the card; no run yet",
	}
	if s.Status == Blocked {
		s.Headline = "cannot be split that way: " + found[0].Detail
	}
	return s
}
