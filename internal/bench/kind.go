package bench

import (
	"slices"
	"strings"
)

// Constraint is one condition of a task. Kind says which; the other members are those that the kind reads.
type Constraint struct {
	Kind string `json:"kind"`

	Shape      []int64  `json:"shape,omitempty"`      // without the batch
	Vocabulary int64    `json:"vocabulary,omitempty"` // token ids that an input can hold; 0 where it holds numbers
	Min        int64    `json:"min,omitempty"`
	Max        int64    `json:"max,omitempty"`
	Run        *Run     `json:"run,omitempty"`        // the training run that a figure is for
	GPU        string   `json:"gpu,omitempty"`        // a card
	GPUs       int64    `json:"gpus,omitempty"`       // how many of them a launch command may use
	Target     string   `json:"target,omitempty"`     // where the model is deployed
	Tokens     int64    `json:"tokens,omitempty"`     // of one sequence
	Command    string   `json:"command,omitempty"`    // a launch command
	Components []string `json:"components,omitempty"` // ids of the start
	Except     []string `json:"except,omitempty"`     // parameters that may differ
	Types      []string `json:"types,omitempty"`      // component types
}

// Run is a training run.
type Run struct {
	Batch     int64  `json:"batch"`
	Precision string `json:"precision"`
	Optimizer string `json:"optimizer"`
	Epochs    int64  `json:"epochs,omitempty"`
	Samples   int64  `json:"samples,omitempty"`
	Tokens    int64  `json:"tokens,omitempty"` // of a sample of text
}

// Kind is a kind of constraint.
type Kind struct {
	Name  string
	Doc   string                                                  // for the documentation
	Want  func(c *Constraint) string                              // the condition in words, for prompts and grades
	Holds func(c *Constraint, s *subject) (held bool, got string) // got says what was found
}

var kinds = map[string]*Kind{}

func defineKind(k Kind) bool {
	kinds[k.Name] = &k
	return true
}

// Kinds returns every kind of constraint, sorted by name.
func Kinds() []Kind {
	var out []Kind
	for _, k := range kinds {
		out = append(out, *k)
	}
	slices.SortFunc(out, func(a, b Kind) int { return strings.Compare(a.Name, b.Name) })
	return out
}

func kindNames() string {
	var names []string
	for _, k := range Kinds() {
		names = append(names, k.Name)
	}
	return strings.Join(names, ", ")
}

// always are the constraints of every task.
var always = []Constraint{{Kind: "live"}, {Kind: "real"}}
