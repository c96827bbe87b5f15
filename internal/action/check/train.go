package check

import (
	"strings"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/quantity"
)

// TrainData is what a training run would take.
type TrainData struct {
	LastRun    *LastRun          `json:"lastRun"`    // null: no run is known here
	EstCostUSD *quantity.Decimal `json:"estCostUsd"` // null where the model has no price
	GPU        string            `json:"gpu"`
	Range      *action.Range     `json:"range"`
}

// priced says what a run costs and what that lacks, or why it has no price.
func (w *walk) priced(run string) string {
	if why := w.Unpriced(); why != "" {
		return "no price is given: " + why
	}
	if bound := w.Bounded(); bound != "" {
		return run + " is priced at " + strings.TrimPrefix(w.PriceText(), "at least ") + " at the least: " + bound
	}
	return run + " is priced at " + strings.TrimPrefix(w.PriceText(), "about ")
}

// train is the run: where it fits and what it costs.
func train(w *walk) Stage {
	found, blocks, warns := w.layoutFindings()
	w.findings = append(w.findings, found...)
	b, n := w.obstacles(action.Train)
	blocks, warns = blocks+b, warns+n
	t := w.Training
	s := Stage{
		Stage: action.Train, Status: statusOf(blocks, warns, false), Data: TrainData{LastRun: w.request.LastRun, EstCostUSD: w.CostUSD(), GPU: w.GPU(), Range: w.Range()},
		Headline: w.PriceText() + " on " + w.GPU() + ", " + w.AtLeast() + quantity.Bytes(t.CardBytes) + " on the card; " + w.request.LastRun.words(),
	}
	switch why, bound := w.Unpriced(), w.Bounded(); {
	case why != "":
		s.Headline = "no price is given: " + why
	case bound != "":
		s.Headline += "; " + bound
	}
	if s.Status == Blocked {
		s.Headline = "cannot be split that way: " + found[0].Detail
	}
	return s
}
