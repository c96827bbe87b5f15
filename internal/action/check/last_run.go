package check

import (
	"strings"

	"github.com/modelverifier/verifier/internal/quantity"
)

// LastRun is the newest completed training run of a structure that its owner has, and that was really computed. Only a service that
// runs jobs knows of any. What was not measured is absent.
type LastRun struct {
	JobID      string            `json:"job_id"`
	At         string            `json:"at"` // ISO 8601
	Dataset    string            `json:"dataset"`
	Mode       string            `json:"mode"`          // gpu or cpu
	GPU        string            `json:"gpu,omitempty"` // absent in mode cpu
	Epochs     int64             `json:"epochs"`
	Metric     string            `json:"metric"` // that value is of
	Value      float64           `json:"value"`
	WallSec    *float64          `json:"wallSec,omitempty"`
	EstCostUSD *quantity.Decimal `json:"estCostUsd,omitempty"`
	Source     string            `json:"source,omitempty"`
}

// words says in the train stage whether there was a run.
func (r *LastRun) words() string {
	if r == nil {
		return "no run yet"
	}
	return "last run " + r.measured()
}

// measured is what came of a run, and when.
func (r *LastRun) measured() string {
	day, _, _ := strings.Cut(r.At, "T")
	return r.Metric + " " + quantity.Round(r.Value, 4).String() + " on " + r.Dataset + ", " + day
}

// trained is what a run took, for who reads how it did.
func (r *LastRun) trained() string {
	text := ", after " + quantity.Sprintf("%s epochs", quantity.Grouped(r.Epochs))
	if r.EstCostUSD != nil {
		text += " for " + quantity.Dollars(r.EstCostUSD.Unscaled)
	}
	return text
}
