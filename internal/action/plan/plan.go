// Package plan says in one record what a model is, whether it runs, what training it takes and what changed since the version
// before, and renders that record as text and as Markdown. Request and Result are the bodies on the wire.
//
// It must not decide what a model means or costs: the packages above do. The renderings see nothing but the record.
package plan

import (
	"fmt"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/quantity"
)

// Result is the answer.
type Result struct {
	Plan     *Record `json:"plan"`
	Text     string  `json:"text"`
	Markdown string  `json:"markdown"`
	Share    *Share  `json:"share,omitempty"` // only the hosted service has any
}

// Share is where a plan was published.
type Share struct {
	ID      string `json:"id"`
	URL     string `json:"url"`
	Removal string `json:"removal,omitempty"` // the secret that removes it, given once to callers without a key
}

// Run plans a model. It brings the graphs into canonical form first, in place.
func Run(r *Request) *Result { return Render(New(r)) }

// Render writes a record as text and Markdown.
func Render(rec *Record) *Result { return &Result{Plan: rec, Text: Text(rec), Markdown: Markdown(rec)} }

// New makes the record.
func New(r *Request) *Record {
	s := examine(r.Model, r)
	r.Examined.Tell(s.Study)
	rec := s.record(r)
	if r.Base != nil {
		rec.Diff = diff(examine(r.Base, r), s)
	}
	rec.Summary = summary(rec)
	return rec
}

// record writes down what was found out.
func (s *studied) record(r *Request) *Record {
	t := s.Training
	rec := &Record{
		Version: Version,
		Model:   Model{s.Graph.Name, s.Layers(), s.Params(), s.InputShape(), s.OutputShape(), s.Walked.Fingerprint(), implementation(s.Study)},
		Run:     Legality{s.legal(), s.blockers, s.warnings, s.Withheld},
		Cost: Cost{EstCostUSD: quantity.USD(t.CostMicroUSD), EstTrainSec: quantity.Round(t.TotalSec, 3), FitsGPU: s.FitsGPU(), GPU: s.GPU(),
			GPUFits: GPUFits{T4: s.on("T4"), A10040: s.on("A100_40"), H10080: s.on("H100_80")}, Assumptions: s.Assumptions(),
			Range: action.RangeOf(t), Asked: s.asked()},
		Policy: Policy{!r.Policy.Empty(), s.violations},
		Memory: Memory{t.WeightBytes, t.GradientBytes, t.OptimizerBytes, t.ActivationBytes, t.LogitBytes, t.PeakBytes, t.UpperBytes, t.CardBytes, t.Binding,
			t.EagerExtraBytes, t.PeakError()},
		FLOPs: s.Sized.FLOPs, MACs: s.Sized.FLOPs / 2,
		Training: trainingOf(t), Source: r.Source, Inference: s.inference(r.Using), Fixes: s.fixes(),
	}
	if !rec.Run.Legal {
		rec.Cost.RefusedRunUSD = &rec.Cost.EstCostUSD
	}
	if l := s.Length; l.Own > 0 {
		rec.SeqLen = seqLen(l)
	}
	return rec
}

func seqLen(l action.Length) *SeqLen {
	if l.Runs {
		return &SeqLen{Own: l.Own, Used: l.Used, NotPriced: l.Kept}
	}
	return &SeqLen{Own: l.Own, Used: l.Used, NotRun: l.Kept}
}

func (l *SeqLen) sentence() string {
	return action.Length{Own: l.Own, Used: l.Used, Kept: l.NotRun + l.NotPriced, Runs: l.NotPriced > 0}.Sentence()
}

// summary is one sentence. Of a diff it says the most important at its end.
func summary(rec *Record) string {
	name := clip(rec.Model.Name)
	if name == "" {
		name = "The model"
	}
	if s := rec.Source; s != nil {
		name += " (" + clip(s.words()) + ")"
	}
	text := name
	blocks := len(rec.Run.Blockers)
	cost := dollars(rec.Cost.EstCostUSD)
	switch {
	case !rec.Run.Legal && rec.Run.Blockers[0].Stage == action.Policy:
		text += fmt.Sprintf(" is refused by %s; the run is priced at %s", count(blocks, "policy line"), cost)
	case !rec.Run.Legal:
		text += fmt.Sprintf(" does not run: %s; the refused run is priced at %s", count(blocks, "blocker"), cost)
	case len(rec.Run.Withheld) > 0:
		text += fmt.Sprintf(" runs as far as it is known, without a verdict on %s, and training is priced at %s so far", count(len(rec.Run.Withheld), "component"), cost)
	default:
		text += fmt.Sprintf(" runs: %s parameters, %s on the card, about %s on %s", quantity.Short(rec.Model.Params), quantity.Bytes(rec.Memory.CardBytes), cost,
			rec.Cost.GPU)
	}
	if n := len(rec.Run.Warnings); n > 0 {
		text += ", " + count(n, "warning")
	}
	if rec.Diff != nil {
		text += "; " + rec.Diff.sentence()
	}
	return text + "."
}
