// Package data says whether a dataset fits a model: the length of its sequences, the size of its tokenizer, its classes, its images or
// columns, how evenly the classes are filled and how many samples there are.
//
// What PyTorch would refuse blocks: the model is walked again with a sample of the dataset's shape. What runs and is doubtful warns.
// One file is one kind of check. The package must not read files; whoever calls it has.
package data

import (
	"slices"
	"strings"

	"github.com/modelverifier/verifier/internal/fit/facts"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/infer"
	"github.com/modelverifier/verifier/internal/quantity"
	"github.com/modelverifier/verifier/internal/rules"
)

// Request is what is known of a dataset. A zero, or nil, stands for what is not.
type Request struct {
	SeqLen        int64
	TokenizerSize int64
	NumLabels     int64
	ImageHeight   int64
	ImageWidth    int64
	Channels      int64
	Features      int64   // columns of a row that the model reads
	Samples       *int64  // rows of the training split
	ClassCounts   []int64 // samples of each class
}

// Over returns the request with what another says in place of its own.
func (r Request) Over(q *Request) Request {
	for _, n := range []struct{ into, from *int64 }{{&r.SeqLen, &q.SeqLen}, {&r.TokenizerSize, &q.TokenizerSize}, {&r.NumLabels, &q.NumLabels}, {&r.ImageHeight, &q.ImageHeight},
		{&r.ImageWidth, &q.ImageWidth}, {&r.Channels, &q.Channels}, {&r.Features, &q.Features}} {
		if *n.from != 0 {
			*n.into = *n.from
		}
	}
	if q.Samples != nil {
		r.Samples = q.Samples
	}
	if q.ClassCounts != nil {
		r.ClassCounts = q.ClassCounts
	}
	return r
}

// Result is the section of the answer.
type Result struct {
	Verdict  string    `json:"verdict"` // pass, warn or block
	Checks   []Check   `json:"checks"`
	Findings []Finding `json:"findings"`

	Judged []string     `json:"-"` // ids of the rules that compared something
	Open   []rules.Open `json:"-"` // what the dataset says and could not be compared with the model
}

// Check is one comparison.
type Check struct {
	Name     string `json:"name"`
	Status   string `json:"status"` // pass, warn, block, or unknown where the model does not say
	Expected string `json:"expected"`
	Actual   string `json:"actual"`
	Detail   string `json:"detail"`
	Fix      string `json:"fix,omitempty"`

	title     string
	component string
	edit      []Edit
}

// Finding is a check that did not pass.
type Finding struct {
	Rule      string         `json:"rule"`
	Severity  rules.Severity `json:"severity"` // block or warn
	Title     string         `json:"title"`
	Detail    string         `json:"detail"`
	Fix       string         `json:"fix,omitempty"`
	Component string         `json:"component,omitempty"`
	Edit      []Edit         `json:"edit,omitempty"`
}

// Edit is the change of one parameter of the model.
type Edit struct {
	Component string      `json:"component"`
	Param     string      `json:"param"`
	Value     graph.Value `json:"value"`
}

// The statuses of a check.
const (
	pass    = "pass"
	warn    = "warn"
	block   = "block"
	unknown = "unknown"
)

// subject is a model that a dataset is compared with.
type subject struct {
	res   *infer.Result
	facts facts.Facts
	Request
}

// kinds are the checks in the order of the answer. Each returns nothing where the dataset does not say what it compares.
var kinds = []func(*subject) []Check{sequence, tokenizer, labels, image, columns, imbalance, samples}

// Judge checks a dataset against a model that was walked.
func Judge(res *infer.Result, r Request) *Result {
	s := &subject{res: res, facts: facts.Of(res), Request: r}
	out := &Result{Verdict: pass, Checks: []Check{}, Findings: []Finding{}}
	for _, kind := range kinds {
		out.Checks = append(out.Checks, kind(s)...)
	}
	for _, c := range out.Checks {
		if c.Status == warn || c.Status == block {
			out.Findings = append(out.Findings, Finding{"data-" + c.Name, rules.Severity(c.Status), c.title, c.Detail, c.Fix, c.component, c.edit})
		}
		out.note(&c)
	}
	slices.SortStableFunc(out.Findings, func(a, b Finding) int { return strings.Compare(string(a.Severity), string(b.Severity)) })
	if len(out.Findings) > 0 {
		out.Verdict = string(out.Findings[0].Severity)
	}
	return out
}

// note keeps whether a check compared anything. Images that no input reads stand for each thing that would have been asked of them.
func (r *Result) note(c *Check) {
	switch {
	case c.Status != unknown:
		r.Judged = append(r.Judged, "data-"+c.Name)
	case c.Name == "image":
		r.Open = append(r.Open, rules.Open{Tests: []string{"data-channels", "data-image-size"}, Why: c.Detail})
	default:
		r.Open = append(r.Open, rules.Open{Tests: []string{"data-" + c.Name}, Why: c.Detail})
	}
}

// counted writes a number of things, as 1 class or 2 classes.
func counted(n int64, thing string) string {
	switch {
	case n == 1:
		return "1 " + thing
	case strings.HasSuffix(thing, "s"):
		thing += "e"
	}
	return quantity.Grouped(n) + " " + thing + "s"
}

// one is a list of one check.
func one(c Check) []Check { return []Check{c} }

// with walks the model with other input shapes, by component. It returns the refusal of the component that runs first.
func (s *subject) with(shapes map[int][]int64) (*infer.Refusal, bool) {
	if len(s.res.Refusals) > 0 {
		return nil, false // it does not run as it is: nothing more is known
	}
	g := s.res.Graph.Clone()
	for i, shape := range shapes {
		g.Components[i].SetParam("shape", graph.IntsValue(shape...))
	}
	res := infer.Walk(g)
	if first := res.First(); first != nil {
		return first, true
	}
	return nil, shaped(res)
}

// shaped reports whether every shape of a walked model is known: where one is not, what lies behind it may refuse.
func shaped(res *infer.Result) bool {
	return !slices.ContainsFunc(res.Nodes, func(n infer.Node) bool { return n.State == infer.Withheld || n.State == infer.Unknown })
}

// unasked says why nothing is known about another shape.
func (s *subject) unasked() string {
	if len(s.res.Refusals) > 0 {
		return "the model does not run as it is"
	}
	return "a component declares no shape, so whether what follows it runs is not known"
}

// readers are what reads a component, in the order in which it runs: that follows from the structure, and not from the list.
func (s *subject) readers(i int) (out []int) {
	of := s.res.Wiring.Outputs(i)
	for _, j := range s.res.Wiring.Order {
		if slices.Contains(of, int32(j)) {
			out = append(out, j)
		}
	}
	return out
}

// label names the component of a refusal.
func (s *subject) label(r *infer.Refusal) string { return s.res.Graph.Components[r.Node].Label() }
