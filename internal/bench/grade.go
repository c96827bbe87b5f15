package bench

import (
	"fmt"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/infer"
)

// Grade is what an answer is worth. A reward is 1 where it passed and 0 where it did not; quality is reported apart
// from it.
type Grade struct {
	Passed      bool     `json:"passed"`
	Reason      string   `json:"reason"` // the first that failed, in words; "" where it passed
	Checks      []Check  `json:"checks"` // one for each constraint, in their order; none where the answer could not be read
	Quality     *Quality `json:"quality"`
	Fingerprint string   `json:"fingerprint"` // of the model that was graded; "" where there is none
}

// Check says whether one constraint holds.
type Check struct {
	Kind string `json:"kind"`
	Held bool   `json:"held"`
	Want string `json:"want"`
	Got  string `json:"got"`
}

// Limits are those of an answer. They are narrower than those of a request over the network: no task needs a model of
// more than a few hundred components, and an agent in training sends millions of answers.
var Limits = graph.Limits{Bytes: 1 << 20, Components: 1_000, Connections: 5_000, Values: 20_000}

// Score grades an answer to a task. It never panics, and what it takes is bounded by Limits and the number of edits
// that an answer may have.
func Score(t *Task, answer []byte) *Grade {
	s, err := read(t, answer)
	if err != nil {
		return &Grade{Reason: err.Error(), Checks: []Check{}}
	}
	g := &Grade{Passed: true, Checks: make([]Check, 0, len(t.Constraints)), Fingerprint: s.walked.Fingerprint()}
	for i := range t.Constraints {
		c := s.check(&t.Constraints[i])
		g.Checks = append(g.Checks, c)
		if !c.Held && g.Passed {
			g.Passed, g.Reason = false, c.Kind+": "+c.Want+"; "+c.Got
		}
	}
	if len(t.Constraints) == 0 {
		g.Passed, g.Reason = false, "the task has no constraints"
	}
	if g.Passed {
		g.Quality = s.quality()
	}
	return g
}

// subject is the model of an answer, examined.
type subject struct {
	task   *Task
	start  *graph.Graph // in canonical form; nil where the task has none
	study  *action.Study
	walked *infer.Result
	index  map[string]int // components by id
	olds   map[string]int // those of the start

	before *infer.Result // the start, walked, once something asks for it
}

// examine looks at a model.
func examine(t *Task, start, model *graph.Graph) *subject {
	study := action.Examine(model)
	s := &subject{task: t, start: start, study: study, walked: study.Walked}
	s.index = indexOf(model)
	if start != nil {
		s.olds = indexOf(start)
	}
	return s
}

// indexOf finds components by their ids, the first of those that share one.
func indexOf(g *graph.Graph) map[string]int {
	out := make(map[string]int, len(g.Components))
	for i := range g.Components {
		if _, twice := out[g.Components[i].ID]; !twice {
			out[g.Components[i].ID] = i
		}
	}
	return out
}

// old is a component of the start, nil where it has none with that id.
func (s *subject) old(id string) *graph.Component {
	if i, ok := s.olds[id]; ok {
		return &s.start.Components[i]
	}
	return nil
}

// started is the walk of the start.
func (s *subject) started() *infer.Result {
	if s.before == nil && s.start != nil {
		s.before = infer.Walk(s.start)
	}
	return s.before
}

// check judges one constraint.
func (s *subject) check(c *Constraint) Check {
	k := kinds[c.Kind]
	if k == nil {
		return Check{Kind: clip(c.Kind), Want: "a kind of constraint that there is", Got: "one of " + kindNames()}
	}
	out := Check{Kind: k.Name, Want: k.Want(c)}
	out.Held, out.Got = k.Holds(c, s)
	return out
}

// sentence says a constraint in words, as a line of a prompt.
func (c *Constraint) sentence() string {
	if k := kinds[c.Kind]; k != nil {
		return k.Want(c)
	}
	return fmt.Sprintf("an unknown constraint %q", c.Kind)
}
