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
	warns := 0
	if f, found := w.NoCard(); found {
		w.findings = append(w.findings, f)
		warns++
	}
	t := w.Training
	r := t.Range()
	return Stage{
		Stage: "train", Status: statusOf(0, warns, false), Data: TrainData{EstCostUSD: quantity.USD(t.CostMicroUSD), GPU: w.GPU()},
		Headline: "about " + quantity.AboutDollars(t.CostMicroUSD) + " (" + quantity.AboutDollars(r.LowMicroUSD) + " to " + quantity.AboutDollars(r.HighMicroUSD) + ") on " + w.GPU() + ", " + quantity.Bytes(t.CardBytes) + " on the card; no run yet",
	}
}
