// Package report holds one pre-check of one model as everything that shows, gates or records it needs it: the findings of every
// checker in one form and one order, which of them make the command fail and why the others do not, the rules that could have
// fired, and the verdicts in numbers.
//
// It decides no verdict: the actions do, and what gates changes none of them. It must not know surfaces, files or the clock.
package report

import (
	"cmp"
	"slices"

	"github.com/modelverifier/verifier/internal/patch"
	"github.com/modelverifier/verifier/internal/policy"
	"github.com/modelverifier/verifier/internal/rules"
)

// The checkers.
const (
	CheckChecker  = "check" // the graph, and what a run of it takes
	DataChecker   = "data"
	LayoutChecker = "layout"
	PolicyChecker = policy.Checker
	ServeChecker  = "serve"
)

// Run is one pre-check of one model.
type Run struct {
	Command  string    // check, lint, plan, layout, serve-check, policy-apply
	Model    string    // the reference as given
	Source   string    // the text file that the model's components lie in, as given, or ""
	Verdict  string    // of the body: ok, ask, warn, block / pass, warn, block
	Summary  string    // one sentence
	Findings []Finding // sorted: checker, severity (worst first), rule, position of the component, title, detail
	Rules    []Rule    // those that ran, fired or were withheld, sorted by checker and id
	ExitCode int
	Verdicts Verdicts
	Filled   []string // flags that the policy file filled in, as --gpu=H100
	Files    []File   // beside the model and the tables of the program, what decided: the policy file, the baseline

	open []left // what could not be judged
}

// File is a file that was read, as it was named.
type File struct {
	Name string
	Data []byte
}

// Rule is what could have fired.
type Rule struct {
	Checker, ID      string
	Severity         rules.Severity // the worst that its findings have; "" where that goes by the case
	Title, Help, URL string
	Withheld         string // why it did not run, or not on everything; "" where it did. One that did not run has not passed
}

// Finding is one thing found.
type Finding struct {
	Checker, Rule      string         // the rule is the bare id; a policy line's is its key with hyphens, that of severity: its rule
	Severity           rules.Severity // the rule's own
	Effective          rules.Severity // after overrides: block, warn, info or policy.Off
	Gates              bool
	Waived             bool
	Reason             string // of the waiver, or the approval
	Baseline           string // "", New or Existing
	Title, Detail, Fix string
	Component, Name    string // id and label, "" for the graph itself
	Line               int    // 1-based line in Source, 0 where not known
	File               string // that Line lies in where it is not Source, as a source that other files belong to
	Change             *Patch // the change of files that mends it, nil where none is certain or nobody asked for it
	Related            []Spot // where the sizes were set that the component does not take, the nearest first

	at    int  // position of the component in the graph, -1 for the graph itself
	quiet bool // the body does not show it
	firm  bool // nothing but an approval softens it
	open  bool // it says what was not judged: nothing softens it, and it makes no command fail
}

// Patch is a change of files that was proved: with it the finding is gone and none is new.
type Patch struct {
	Why   string
	Lines []patch.Lines // with paths as Source has them
}

// Spot is a line of a file.
type Spot struct {
	File string
	Line int
}

// The words for a finding where there is a baseline.
const (
	New      = "new"
	Existing = "existing"
)

// Test is the name of the finding's rule among those of all checkers.
func (f *Finding) Test() string { return f.Checker + "/" + f.Rule }

// Matters reports whether the finding belongs in a baseline: it blocks or warns, nobody has waived it, and it is none that only an
// approval softens, or that says what was not judged.
func (f *Finding) Matters() bool {
	return !f.Waived && !f.firm && !f.open && (f.Effective == rules.Block || f.Effective == rules.Warn)
}

// String names the finding in a sentence.
func (f *Finding) String() string {
	if f.Component == "" {
		return f.Rule
	}
	return f.Rule + " on " + f.Name
}

var ranks = map[rules.Severity]int{rules.Block: 0, rules.Warn: 1, rules.Info: 2}

// sort brings findings and rules into their order.
func (r *Run) sort() {
	slices.SortStableFunc(r.Findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Checker, b.Checker), cmp.Compare(ranks[a.Severity], ranks[b.Severity]), cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.at, b.at),
			cmp.Compare(a.Title, b.Title), cmp.Compare(a.Detail, b.Detail))
	})
	slices.SortStableFunc(r.Rules, func(a, b Rule) int { return cmp.Or(cmp.Compare(a.Checker, b.Checker), cmp.Compare(a.ID, b.ID)) })
	r.Rules = slices.CompactFunc(r.Rules, func(a, b Rule) bool { return a.Checker == b.Checker && a.ID == b.ID })
	r.withhold()
}
