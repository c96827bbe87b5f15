package env

import (
	"slices"
	"strings"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/bench"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/quantity"
	"github.com/modelverifier/verifier/internal/spelling"
)

// MaxTasks is how many tasks one list has at the most.
const MaxTasks = 200

// Query asks for a list of tasks: N of every family in every split that is meant, beginning with From. An empty name means all.
type Query struct {
	Family, Split string
	From, N       int
}

// List is what is listed, and where the next list begins.
type List struct {
	Families []bench.Family `json:"families"` // all there are
	Splits   []string       `json:"splits"`
	Tasks    []bench.Task   `json:"tasks"`
	Next     int            `json:"next"` // From of the next list
}

// List makes the tasks of a query.
func (q Query) List() (*List, error) {
	families, splits, err := q.Names()
	if err != nil {
		return nil, err
	}
	out := &List{Families: bench.Families(), Splits: bench.Splits, Tasks: []bench.Task{}, Next: q.From + q.N}
	each := len(families) * len(splits)
	if err := within("n", q.N, 1, MaxTasks/each); err != nil {
		return nil, err
	}
	if err := within("from", q.From, 0, bench.MaxNumber-q.N+1); err != nil {
		return nil, err
	}
	for _, family := range families {
		for _, split := range splits {
			for i := range q.N {
				p, err := bench.Find(bench.ID(family, split, q.From+i))
				if err != nil {
					return nil, err
				}
				out.Tasks = append(out.Tasks, p.Task)
			}
		}
	}
	return out, nil
}

// Names are the families and splits that are meant.
func (q Query) Names() (families, splits []string, err error) {
	if families, err = names("family", q.Family, FamilyNames()); err != nil {
		return nil, nil, err
	}
	splits, err = names("split", q.Split, bench.Splits)
	return families, splits, err
}

// FamilyNames are the names of all families.
func FamilyNames() []string {
	var out []string
	for _, f := range bench.Families() {
		out = append(out, f.Name)
	}
	return out
}

// names are those that a comma separates in a word, or all where it is empty.
func names(path, word string, all []string) ([]string, error) {
	if word == "" {
		return all, nil
	}
	var out []string
	for one := range strings.SplitSeq(word, ",") {
		if one = strings.TrimSpace(one); !slices.Contains(all, one) {
			err := action.Errorf(action.CodeValue, path, "is %q but must be one of %s%s", clip(one), quantity.Own(strings.Join(all, ", ")),
				quantity.Own(spelling.DidYouMean(one, all)))
			err.Allowed = all
			return nil, err
		}
		if !slices.Contains(out, one) {
			out = append(out, one)
		}
	}
	return out, nil
}

func within(path string, n, low, high int) error {
	if n >= low && n <= high {
		return nil
	}
	err := action.Errorf(action.CodeRange, path, "is %d but must be from %d to %d", n, low, high)
	err.Limit = int64(high)
	return err
}

// Graded is a request for a grade: a task, and an answer to it.
type Graded struct {
	Task   string
	Answer []byte
}

// DecodeGraded reads {"task": ID, "answer": …}. An answer that is a string is its text, so that what a model wrote can be sent as it is.
func DecodeGraded(data []byte) (*Graded, error) {
	body, err := graph.DecodeBody(data, bench.Limits, func(string) bool { return false })
	if err != nil {
		return nil, err
	}
	id, err := taskOf(body, "task", "answer")
	if err != nil {
		return nil, err
	}
	m := body.Member("answer")
	if m == nil {
		return nil, action.Errorf(graph.CodeMissing, "answer", `is missing: {"model": GRAPH}, {"edits": [CHANGES]}, a graph, or any of them as text`)
	}
	g := &Graded{Task: id, Answer: []byte(m.Raw)}
	if strings.HasPrefix(m.Raw, `"`) {
		v, err := m.Value("answer")
		if err != nil {
			return nil, err
		}
		g.Answer = []byte(v.Str())
	}
	return g, nil
}

// DecodeTask reads {"task": ID}.
func DecodeTask(data []byte) (string, error) {
	body, err := graph.DecodeBody(data, bench.Limits, func(string) bool { return false })
	if err != nil {
		return "", err
	}
	return taskOf(body, "task")
}

// taskOf is the member task of a body that may have these members alone.
func taskOf(body *graph.Body, allowed ...string) (string, error) {
	for _, m := range body.Members {
		if !slices.Contains(allowed, m.Name) {
			return "", noMember(m.Name, allowed)
		}
	}
	m := body.Member("task")
	if m == nil {
		return "", action.Errorf(graph.CodeMissing, "task", "is missing: the id of a task, such as %s", quantity.Own(bench.ID("repair", bench.Test, 0)))
	}
	v, err := m.Value("task")
	if err != nil {
		return "", err
	}
	if v.Kind() != graph.String {
		return "", action.Errorf(graph.CodeType, "task", "must be a string, the id of a task, not %s", v.Kind())
	}
	return v.Str(), nil
}

// noMember refuses a member that would be left unread.
func noMember(name string, allowed []string) error {
	e := action.Errorf(action.CodeValue, clip(name), "is no member of this request, which are %s%s", quantity.Own(strings.Join(allowed, ", ")),
		quantity.Own(spelling.DidYouMean(name, allowed)))
	e.Allowed = allowed
	return e
}

// Score grades an answer to a task.
func (g *Graded) Score() (*bench.Grade, error) {
	p, err := bench.Find(g.Task)
	if err != nil {
		return nil, err
	}
	return bench.Score(&p.Task, g.Answer), nil
}
