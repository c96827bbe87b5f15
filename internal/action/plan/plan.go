// Package plan says in one record what a model is, whether it runs, what training it takes and what changed since the version
// before, and renders that record as text and as Markdown. Request and Result are the bodies on the wire.
//
// It must not decide what a model means or costs: the packages above do. The renderings see nothing but the record.
package plan

import (
	"fmt"
	"slices"

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
	s := look(r.room, r.Model, r.Text)
	r, solved := s.solve(r)
	s.price(r)
	r.Examined.Tell(s.Study)
	if r.Against != nil {
		s.against(r.Against(s.Study))
	}
	rec := s.record(r)
	rec.solved(solved)
	if r.Base != nil {
		base := examine(r.Base, r, action.TextCall{})
		rec.Diff = diff(base, s, difference(base, s))
	}
	rec.Summary = s.Followed() + summary(rec)
	return rec
}

// record writes down what was found out.
func (s *studied) record(r *Request) *Record {
	t := s.Training
	rec := &Record{
		Version: Version,
		Model:   Model{s.Graph.Name, s.Layers(), s.Params(), s.InputShape(), s.OutputShape(), s.structure.Fingerprint(), implementation(s.Study), s.ParamsWithheld},
		Run:     Legality{s.legal(), s.blockers, s.warnings, s.Withheld},
		Cost: Cost{EstCostUSD: s.CostUSD(), EstTrainSec: s.TrainSec(), FitsGPU: s.FitsGPU(), GPU: s.GPU(),
			GPUFits: GPUFits{T4: s.Fits("T4"), A10040: s.Fits("A100_40"), H10080: s.Fits("H100_80")}, Assumptions: s.Assumptions(),
			Range: s.Range(), Asked: s.asked(), Withheld: s.CostWithheld},
		Policy: Policy{!r.Policy.Empty(), s.violations}, Memory: s.memory(), FLOPs: s.FLOPs(), MACs: s.MACs(),
		Training: trainingOf(t), Source: r.Source, Notes: r.Notes, Inference: s.inference(r.Using), Fixes: s.fixes(),
		Sharded: s.sharded(),
	}
	if !rec.Run.Legal {
		rec.Cost.RefusedRunUSD = rec.Cost.EstCostUSD
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

// crashes reports whether the rules refuse the model, and not a dataset or a policy alone.
func (r *Record) crashes() bool {
	return slices.ContainsFunc(r.Run.Blockers, func(f action.Finding) bool { return f.Stage == action.Preflight })
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
	switch {
	case !rec.Run.Legal && rec.Run.Blockers[0].Stage == action.Policy:
		text += fmt.Sprintf(" is refused by %s; %s", count(blocks, "policy line"), rec.priced("the run"))
	case !rec.Run.Legal:
		text += fmt.Sprintf(" %s: %s; %s", rec.verdict(), count(blocks, "blocker"), rec.priced("the refused run"))
	case len(rec.Run.Withheld) > 0:
		text += fmt.Sprintf(" runs as far as it is known, without a verdict on %s; %s", count(len(rec.Run.Withheld), "component"), rec.priced("training"))
	case rec.Cost.EstCostUSD == nil || len(rec.Cost.Withheld) > 0:
		text += fmt.Sprintf(" runs: %s; %s", rec.params(), rec.priced("training"))
	default:
		text += fmt.Sprintf(" runs: %s, %s on the card, about %s on %s", rec.params(), quantity.Bytes(rec.Memory.CardBytes), dollars(*rec.Cost.EstCostUSD),
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
