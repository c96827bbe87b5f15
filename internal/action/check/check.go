// Package check walks a model through five stages, from the graph to where it could be deployed, and stops at the first that
// refuses it: what comes behind a graph that cannot run would mean nothing. Request and Result are the bodies on the wire.
//
// One file is one stage. No stage decides what a model means or costs: the packages above do.
package check

import (
	"fmt"
	"slices"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/estimate"
	fitdata "github.com/modelverifier/verifier/internal/fit/data"
	"github.com/modelverifier/verifier/internal/fit/layout"
	"github.com/modelverifier/verifier/internal/fit/serve"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/policy"
	"github.com/modelverifier/verifier/internal/quantity"
	"github.com/modelverifier/verifier/internal/rules"
)

// Request is what can be asked.
type Request struct {
	Model    *graph.Graph
	Policy   *policy.Policy
	Notes    []string // what was translated in a file of another tool
	Data     *fitdata.Request
	Layout   *layout.Request
	Serve    *serve.Request
	Training estimate.Options // the run that is priced; over the wire always the default one
	SeqLen   int64            // tokens of a sample; 0 for the default

	Stored   *string         // how the weights beside the model differ from its description, "" for not at all; nil where they were not compared
	Text     action.TextCall // the model called with text alone, for what a finding offers
	Examined action.Observer // is told about the model; may be nil
	LastRun  *LastRun        // of this structure, where its owner's jobs are known; over the wire nobody says one

	room *action.Room // nil where the model was not read by DecodeIn
}

// Result is the answer.
type Result struct {
	Verdict   string           `json:"verdict"` // the worst that was found: block, warn, ask or ok
	Outcome   string           `json:"outcome"` // what the caller has to do next: blocked, needs_input, attention or ok
	Summary   string           `json:"summary"`
	StoppedAt *string          `json:"stoppedAt"`
	Findings  []action.Finding `json:"findings"`
	Stages    []Stage          `json:"stages"`
	Decision  *Decision        `json:"decision,omitempty"`
	DataFit   *fitdata.Result  `json:"dataFit,omitempty"`
	Layout    *layout.Result   `json:"layout,omitempty"`
	Serve     *serve.Result    `json:"serve,omitempty"`
	Notes     []string         `json:"notes,omitempty"` // what was translated in a file of another tool

	Compared bool          `json:"-"` // whether the weights beside the model were held against its description
	Study    *action.Study `json:"-"` // what the answer was made from, for a caller in this program
}

// Stage is what one stage found out.
type Stage struct {
	Stage    string `json:"stage"`
	Status   Status `json:"status"`
	Headline string `json:"headline"`
	Data     any    `json:"data"`
}

// Status is how a stage ended.
type Status string

// The statuses, in the order in which a caller has to look at them: the first of all stages is the outcome.
const (
	Blocked    Status = "blocked"
	NeedsInput Status = "needs_input"
	Attention  Status = "attention"
	OK         Status = "ok"
)

// urgency orders statuses.
var urgency = map[Status]int{OK: 0, Attention: 1, NeedsInput: 2, Blocked: 3}

func first(a, b Status) Status {
	if urgency[b] > urgency[a] {
		return b
	}
	return a
}

// verdict is the worst that was found. A warning is something that was found, and a question only something that was not.
func verdict(findings []action.Finding, outcome Status) string {
	switch {
	case outcome == Blocked:
		return "block"
	case slices.ContainsFunc(findings, func(f action.Finding) bool { return f.Severity == rules.Warn }):
		return "warn"
	case outcome == NeedsInput:
		return "ask"
	}
	return "ok"
}

// walk is one model on its way through the stages.
type walk struct {
	*action.Study
	request  *Request
	findings []action.Finding
	classes  *int64          // that the model tells apart, or values that it gives, once the data stage has run; nil where not known
	dataFit  *fitdata.Result // nil where no dataset was given
	layout   *layout.Result  // nil where none was asked for
	serve    *serve.Result   // nil where no launch command was sent
}

// stages are in the order in which they run.
var stages = []func(*walk) Stage{preflight, data, train, evaluateStage, deploy}

// Run checks a model. It brings the graph into canonical form first, in place.
func Run(r *Request) *Result { return Examine(r).Result() }

// Examined is a model that was walked and priced, and has not gone through the stages yet. Its fingerprint is known by then, so that
// who keeps jobs can look for the last run of the structure and put it into the request.
type Examined struct{ walk *walk }

// Fingerprint is that of the model.
func (e *Examined) Fingerprint() string { return e.walk.Walked.Fingerprint() }

// Examine looks at the model. It brings the graph into canonical form first, in place.
func Examine(r *Request) *Examined {
	w := &walk{Study: r.room.Examine(r.Model), request: r, findings: []action.Finding{}}
	w.Offer(r.Text)
	r.Examined.Tell(w.Study)
	w.Price(r.Options(), r.Length())
	if r.Stored != nil && *r.Stored != "" {
		w.Warnings = append(w.Warnings, action.OfStored(*r.Stored))
	}
	return &Examined{w}
}

// Result takes the model through the stages.
func (e *Examined) Result() *Result {
	w, r := e.walk, e.walk.request
	if r.Serve != nil {
		w.serve = serve.Check(w.Walked, r.Serve)
	}
	out, outcome := &Result{Stages: make([]Stage, 0, len(stages)), DataFit: w.fitData(), Layout: w.fitLayout(), Serve: w.serve, Notes: r.Notes, Study: w.Study, Compared: r.Stored != nil}, OK
	for _, stage := range stages {
		s := stage(w)
		out.Stages = append(out.Stages, s)
		outcome = first(outcome, s.Status)
		if s.Status == Blocked {
			at := s.Stage
			out.StoppedAt = &at
			break
		}
	}
	blocks, warns := w.Violations(r.Policy)
	w.findings = append(append(w.findings, blocks...), warns...)
	outcome = first(outcome, statusOf(len(blocks), len(warns), false))
	out.Findings, out.Outcome, out.Verdict = w.findings, string(outcome), verdict(w.findings, outcome)
	if out.StoppedAt == nil {
		out.Decision = w.decision()
	}
	out.Summary = w.Followed() + w.summary(outcome, len(blocks), out.StoppedAt)
	return out
}

// Options is the run that is priced, over as many samples as the dataset has where it says so.
func (r *Request) Options() estimate.Options {
	o := r.Training
	if r.Data != nil && r.Data.Samples != nil && *r.Data.Samples > 0 && !o.SamplesGiven {
		o.Samples, o.SamplesGiven = *r.Data.Samples, true
	}
	return o
}

// Length is the number of tokens of a sample that is priced: what is asked for, else that of the dataset; 0 for the default.
func (r *Request) Length() int64 {
	if r.SeqLen == 0 && r.Data != nil {
		return r.Data.SeqLen
	}
	return r.SeqLen
}

// statusOf is the status of a stage with so many findings. What is pending outweighs what is doubtful.
func statusOf(blocks, warns int, pending bool) Status {
	switch {
	case blocks > 0:
		return Blocked
	case pending:
		return NeedsInput
	case warns > 0:
		return Attention
	}
	return OK
}

// aboutRun says what a stage that blocks refuses and is priced. A split or a launch command that is refused leaves the model as it
// is: it is not the priced run that would have failed.
var aboutRun = map[string]string{
	action.Preflight: "the run that would have failed",
	action.Data:      "the run that would have failed on this dataset",
	action.Train:     "the split is refused and not the model, whose training",
	action.Deploy:    "the launch command is refused and not the model, whose training",
}

// summary is one sentence; a refusal has the price of the run that it is about, or why it has none.
func (w *walk) summary(outcome Status, policyBlocks int, stopped *string) string {
	switch {
	case stopped != nil:
		title, n := w.blockers(*stopped)
		which := ""
		if n > 1 {
			which = "the first of them "
		}
		return fmt.Sprintf("Blocked at %s by %s, %s%q; %s.", *stopped, count(n, "finding"), which, title, w.priced(aboutRun[*stopped]))
	case policyBlocks > 0:
		return fmt.Sprintf("Blocked by %s, though the model runs; %s.", count(policyBlocks, "policy line"), w.priced("the run that the policy refuses"))
	}
	text := "The model runs"
	if len(w.Withheld) > 0 {
		text = "The model runs as far as it is known"
	}
	text += ": " + w.ParamsText()
	if why := w.Unpriced(); why != "" {
		text += " and no price, for " + why
	} else {
		text += ", " + w.PriceText() + " to train on " + w.GPU()
		text += behind(", for ", w.Bounded())
	}
	warns := 0
	for _, f := range w.findings {
		if f.Severity == "warn" {
			warns++
		}
	}
	if warns > 0 {
		text += ", with " + count(warns, "warning") + " to look at"
	}
	if outcome == NeedsInput {
		text += "; " + w.pending()
	}
	return text + "."
}

// obstacles adds what is found past the graph itself, and counts it.
func (w *walk) obstacles(stage string) (blocks, warns int) {
	for _, f := range w.Obstacles(stage) {
		w.findings = append(w.findings, f)
		if f.Severity == rules.Block {
			blocks++
		} else {
			warns++
		}
	}
	return blocks, warns
}

// blockers are how many findings of a stage block, and the title of the first.
func (w *walk) blockers(stage string) (first string, n int) {
	for _, f := range w.findings {
		if f.Stage == stage && f.Severity == rules.Block {
			if n++; n == 1 {
				first = f.Title
			}
		}
	}
	return first, n
}

// pending says what is asked of the caller.
func (w *walk) pending() string {
	switch {
	case len(w.Withheld) > 0 && w.request.Data == nil:
		return "the shapes of " + count(len(w.Withheld), "component") + " and a dataset are still needed"
	case len(w.Withheld) > 0:
		return "the shapes of " + count(len(w.Withheld), "component") + " are still needed"
	}
	return "a dataset is still needed"
}

// behind puts a text behind a separator, where there is one.
func behind(separator, text string) string {
	if text == "" {
		return ""
	}
	return separator + text
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return quantity.Grouped(int64(n)) + " " + noun + "s"
}
