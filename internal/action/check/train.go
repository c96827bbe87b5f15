package check

import "github.com/modelverifier/verifier/internal/quantity"

// TrainData is what a training run would take.
type TrainData struct {
	LastRun    *struct{}        `json:"lastRun"` // null: no run is known here
	EstCostUSD quantity.Decimal `json:"estCostUsd"`
	GPU        string           `json:"gpu"`
}

// train is the run: where it fits and what it costs.
func train(w *walk) Stage {
	found, blocks, warns := w.layoutFindings()
	w.findings = append(w.findings, found...)
	if f, found := w.NoCard(); found {
		w.findings = append(w.findings, f)
		warns++
	}
	t := w.Training
	r := t.Range()
	s := Stage{
		Stage: "train", Status: statusOf(blocks, warns, false), Data: TrainData{EstCostUSD: quantity.USD(t.CostMicroUSD), GPU: w.GPU()},
		Headline: "about " + quantity.AboutDollars(t.CostMicroUSD) + " (" + quantity.AboutDollars(r.LowMicroUSD) + " to " + quantity.AboutDollars(r.HighMicroUSD) + ") on " + w.GPU() + ", " + quantity.Bytes(t.CardBytes) + " on the card; no run yet",
	}
	if s.Status == Blocked {
		s.Headline = "cannot be split that way: " + found[0].Detail
	}
	return s
}
