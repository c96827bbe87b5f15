// Package bench is the benchmark: tasks of designing and changing models, and the grading of answers to them.
//
// A task says in words what is wanted, gives a graph to start from or none, and lists the constraints that an answer
// must meet. It follows from its id alone, so there are as many as anyone asks for, and they are the same everywhere.
// An answer is judged by the verifier and nothing else: what passes runs in PyTorch.
//
// One file is one family of tasks, and one file is one kind of constraint. The package reads no disk, network or
// clock, asks no provider and knows no surface.
package bench

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/quantity"
	"github.com/modelverifier/verifier/internal/spelling"
)

// Task is what an agent is given.
type Task struct {
	ID          string          `json:"id"` // family/split/number, such as repair/test/17
	Family      string          `json:"family"`
	Split       string          `json:"split"`
	Prompt      string          `json:"prompt"` // the specification in words; says every constraint
	Start       json.RawMessage `json:"start"`  // a graph, or null
	Constraints []Constraint    `json:"constraints"`
}

// Problem is a task with an answer that passes. An agent must not see the answer.
type Problem struct {
	Task      Task            `json:"task"`
	Reference json.RawMessage `json:"reference"`
}

// The splits have tasks of their own: a number stands for another task in each.
const (
	Train = "train"
	Dev   = "dev"
	Test  = "test"
)

// Splits are the names of the splits.
var Splits = []string{Train, Dev, Test}

// MaxNumber is the largest number of a task in its family and split.
const MaxNumber = 999_999_999

// Family is a kind of task.
type Family struct {
	Name  string `json:"name"`
	Title string `json:"title"`
	Doc   string `json:"doc"`

	draw func(r *rng) *draft
}

// draft is a task before it has an id: what a family draws.
type draft struct {
	prompt      []string // sentences
	start       *design  // nil where there is none
	reference   *design
	edits       json.RawMessage // the reference as changes of the start, where it was made so
	constraints []Constraint
}

var families []Family

// defineFamily adds a family to the list, which is sorted by name.
func defineFamily(f Family) bool {
	families = append(families, f)
	slices.SortFunc(families, func(a, b Family) int { return strings.Compare(a.Name, b.Name) })
	return true
}

// Families returns every family, sorted by name.
func Families() []Family { return slices.Clone(families) }

// ID is the id of a task.
func ID(family, split string, number int) string {
	return family + "/" + split + "/" + strconv.Itoa(number)
}

// parse takes an id apart.
func parse(id string) (*Family, string, error) {
	words := strings.Split(id, "/")
	if len(words) != 3 {
		return nil, "", action.Errorf(action.CodeForm, "task", "must be family/split/number, such as repair/test/17, not %q",
			clip(id))
	}
	names := familyNames()
	at := slices.Index(names, words[0])
	if at < 0 {
		return nil, "", unknown("family", words[0], names)
	}
	if !slices.Contains(Splits, words[1]) {
		return nil, "", unknown("split", words[1], Splits)
	}
	n, err := strconv.Atoi(words[2])
	if err != nil || n < 0 || n > MaxNumber || strconv.Itoa(n) != words[2] {
		return nil, "", action.Errorf(action.CodeRange, "task", "has the number %q, which must be a whole number from 0 "+
			"to %d", clip(words[2]), MaxNumber)
	}
	return &families[at], words[1], nil
}

// unknown is the error of a word of an id that is none of those allowed.
func unknown(what, word string, allowed []string) error {
	err := action.Errorf(action.CodeValue, "task", "has the %s %q, which must be one of %s%s", what, clip(word),
		quantity.Own(strings.Join(allowed, ", ")), quantity.Own(spelling.DidYouMean(word, allowed)))
	err.Allowed = allowed
	return err
}

// attempts bounds the draws for one task. One in three drafts or more is taken in every family, so that no task comes
// near it.
const attempts = 200

// Find returns the task with an id and its reference. A draft becomes a task only if its reference passes and its
// start does not.
func Find(id string) (*Problem, error) {
	family, split, err := parse(id)
	if err != nil {
		return nil, err
	}
	for r, n := newRng(id), 0; n < attempts; n++ {
		d := family.draw(r.fork())
		if d == nil {
			continue
		}
		p := d.problem(id, family.Name, split)
		if p.holds() {
			return p, nil
		}
	}
	return nil, fmt.Errorf("no task was found for %s in %d draws", id, attempts)
}

// problem writes a draft down under an id.
func (d *draft) problem(id, family, split string) *Problem {
	t := Task{ID: id, Family: family, Split: split, Constraints: append(slices.Clone(d.constraints), always...)}
	if d.start != nil {
		t.Start = d.start.json()
	}
	var b strings.Builder
	for _, s := range d.prompt {
		b.WriteString(s + "\n")
	}
	for i := range t.Constraints {
		if s := t.Constraints[i].sentence(); s != "" {
			b.WriteString("- " + s + "\n")
		}
	}
	t.Prompt = strings.TrimSuffix(b.String(), "\n")
	answer := d.edits
	if answer == nil {
		answer = append(append(json.RawMessage(`{"model":`), d.reference.json()...), '}')
	} else {
		answer = append(append(json.RawMessage(`{"edits":`), answer...), '}')
	}
	return &Problem{Task: t, Reference: answer}
}

// holds reports whether the task can be solved, is not solved by its start, and has a start that can be read.
func (p *Problem) holds() bool {
	if !Score(&p.Task, p.Reference).Passed {
		return false
	}
	return p.Task.Start == nil || !Score(&p.Task, p.Task.Start).Passed
}

// clip shortens a caller's word for a message.
func clip(s string) string {
	if len(s) > 80 {
		return strings.ToValidUTF8(s[:80], "") + "…"
	}
	return s
}
