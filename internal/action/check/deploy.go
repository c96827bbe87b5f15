package check

import (
	"cmp"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/quantity"
)

// DeployData is where the trained model would do best, and how it would do elsewhere.
type DeployData struct {
	Target          string            `json:"target"`
	Score           int               `json:"score"`
	LatencyMs       *quantity.Decimal `json:"latencyMs"` // null, as the two sizes, where it would be that of a part of the model
	SizeMB          *quantity.Decimal `json:"sizeMB"`
	SizeMBQuantized *quantity.Decimal `json:"sizeMBQuantized"`
	Alternatives    []Alternative     `json:"alternatives"`
}

// Alternative is one target, scored.
type Alternative struct {
	ID        string            `json:"id"`
	Label     string            `json:"label"`
	Score     int               `json:"score"`
	LatencyMs *quantity.Decimal `json:"latencyMs"`
	SizeMB    *quantity.Decimal `json:"sizeMB"`
	Fits      bool              `json:"fits"`
	Reasons   []string          `json:"reasons"`
}

// deploy is where the trained model could run.
func deploy(w *walk) Stage {
	targets := w.Deploy()
	best, numbers := &targets[0], make(decimals, 0, 3+2*len(targets))
	d := DeployData{Target: best.Target.ID, Score: best.Score, LatencyMs: numbers.of(best.LatencyMs), SizeMB: numbers.of(best.SizeMB),
		SizeMBQuantized: numbers.of(best.SizeMBQuantized)}
	d.Alternatives = make([]Alternative, 0, len(targets))
	for i := range targets {
		t := &targets[i]
		a := Alternative{ID: t.Target.ID, Label: t.Target.Label, Score: t.Score, LatencyMs: numbers.of(t.LatencyMs), SizeMB: numbers.of(t.SizeMB), Fits: t.Fits, Reasons: t.Reasons}
		if a.Reasons == nil {
			a.Reasons = []string{}
		}
		d.Alternatives = append(d.Alternatives, a)
	}
	blocks, warns := w.obstacles(action.Deploy)
	s := Stage{Stage: action.Deploy, Status: statusOf(blocks, warns, false)}
	s.Headline = best.Target.Label + ": about " + d.LatencyMs.String() + " ms a sample, " + quantity.Bytes(best.WeightBytes) + " (" + quantity.Bytes(best.QuantizedBytes) + " in 8 bits)"
	if !w.Whole() {
		d.withhold(w)
		s.Headline = "where it could run is not known: " + cmp.Or(w.Unpriced(), w.Bounded())
	}
	s.Data = d
	if s.Status != OK {
		s.Headline = "fits none of the targets as it is"
	}
	serveStage(w, &s)
	return s
}

// withhold takes back the figures of a part of the model. A target that does not hold the part does not hold the whole; of the others
// it is not known.
func (d *DeployData) withhold(w *walk) {
	d.Target, d.Score, d.LatencyMs = action.NotKnown, 0, nil
	sized := w.Priced()
	if !sized {
		d.SizeMB, d.SizeMBQuantized = nil, nil
	}
	for i := range d.Alternatives {
		a := &d.Alternatives[i]
		if a.Fits {
			a.Reasons = []string{"not known: " + cmp.Or(w.Unpriced(), w.Bounded())}
		}
		a.Score, a.LatencyMs, a.Fits = 0, nil, false
		if !sized {
			a.SizeMB = nil
		}
	}
}

// decimals are the numbers of an answer, in one piece of memory that was made for all of them.
type decimals []quantity.Decimal

// of adds a number, to three places.
func (d *decimals) of(n float64) *quantity.Decimal {
	*d = append(*d, quantity.Round(n, 3))
	return &(*d)[len(*d)-1]
}
