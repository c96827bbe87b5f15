package agent

import (
	"container/heap"
	"context"
	"encoding/json"
	"fmt"

	"github.com/modelverifier/verifier/internal/bench"
	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/infer"
	"github.com/modelverifier/verifier/internal/rules"
)

var _ = define(search{}, "best-first search over changes with the verifier as judge; each step says its reason "+
	"in a sentence")

// search tries the changes that its moves propose for what failed, has each graded, and goes on from the draft that
// is nearest to passing. It reads the constraints, what the verifier finds and how it grades, and of the prompt its
// numbers alone.
type search struct{}

// What a search may take: tries that are graded, changes behind each other, and tries from one draft.
const (
	searchGradings = 240
	searchDepth    = 12
	searchWidth    = 60
)

// Name is what results call it.
func (search) Name() string { return "search" }

// Solve returns the first draft that passes, or the one that came nearest.
func (search) Solve(ctx context.Context, t *bench.Task, seed uint64, step func(Step)) ([]byte, error) {
	d, err := begin(t)
	if err != nil {
		return nil, err
	}
	s := &searcher{task: t, dice: source(t, seed), met: map[string]bool{}, guarded: guardedBy(t)}
	for _, c := range t.Constraints {
		if c.Kind == "edits" {
			s.most = int(c.Max)
		}
	}
	s.best = s.judged(&try{draft: d})
	s.queue = tries{s.best}
	if err := s.run(ctx); err != nil {
		return nil, err
	}
	var path []*try
	for at := s.best; at.parent != nil; at = at.parent {
		path = append(path, at)
	}
	for i := len(path) - 1; i >= 0; i-- {
		at := path[i]
		step(Step{Edits: at.edits, Because: at.because, Grade: at.grade, Gradings: at.serial - at.parent.serial})
	}
	return s.best.draft.answer(), nil
}

// move is a change that is proposed, and why. One that takes work to find out is made when it is its turn.
type move struct {
	ops     []op
	because string
	later   func() move
}

// try is a draft that was graded.
type try struct {
	draft   *draft
	grade   *bench.Grade
	cost    int64 // 0 where it passes
	seen    *infer.Result
	found   []rules.Finding // those that block
	parent  *try
	edits   json.RawMessage
	because string
	serial  int // the number of this grading
	depth   int
	touched map[string]bool // components that changes name
}

type searcher struct {
	task    *bench.Task
	dice    *dice
	queue   tries
	best    *try
	met     map[string]bool // answers that were graded
	guarded map[string]bool // components that must stay as they are
	most    int             // components that may differ from the start; 0 where nothing is said
	graded  int
}

// guardedBy are the components that a task keeps.
func guardedBy(t *bench.Task) map[string]bool {
	out := map[string]bool{}
	for _, c := range t.Constraints {
		if c.Kind == "keeps" && len(c.Except) == 0 {
			for _, id := range c.Components {
				out[id] = true
			}
		}
	}
	return out
}

func (s *searcher) run(ctx context.Context) error {
	for len(s.queue) > 0 && !s.best.grade.Passed && s.graded < searchGradings {
		if err := ctx.Err(); err != nil {
			return err
		}
		at := heap.Pop(&s.queue).(*try)
		if at.depth == searchDepth {
			continue
		}
		for i, m := range s.moves(at) {
			if i == searchWidth || s.graded == searchGradings {
				break
			}
			if m.later != nil {
				m = m.later()
			}
			if next := s.consider(at, &m); next != nil && next.grade.Passed {
				return nil
			}
		}
	}
	return nil
}

// consider makes a move and has it graded; nil where the editor does not take it, or it leads to what was graded
// before.
func (s *searcher) consider(from *try, m *move) *try {
	touched := map[string]bool{}
	for id := range from.touched {
		touched[id] = true
	}
	for _, o := range m.ops {
		touched[first(o.Component, o.To)] = true
	}
	edits, err := json.Marshal(m.ops)
	if err != nil || len(m.ops) == 0 || s.most > 0 && len(touched) > s.most {
		return nil
	}
	d, err := from.draft.with(edits)
	if err != nil {
		return nil
	}
	answer := string(d.answer())
	if s.met[answer] {
		return nil
	}
	s.met[answer] = true
	next := s.judged(&try{draft: d, parent: from, edits: edits, because: m.because, depth: from.depth + 1,
		touched: touched})
	heap.Push(&s.queue, next)
	if next.cost < s.best.cost {
		s.best = next
	}
	return next
}

// judged grades a try.
func (s *searcher) judged(t *try) *try {
	s.graded++
	t.serial, t.grade = s.graded, t.draft.grade()
	g := t.draft.graph.Clone()
	g.Normalize(catalog.Vocabulary)
	t.seen = infer.Walk(g)
	for _, f := range rules.Run(t.seen) {
		if f.Rule.Severity == rules.Block {
			t.found = append(t.found, f)
		}
	}
	t.cost = s.cost(t)
	return t
}

// moves proposes changes for what failed, the most promising first. Those of one kind come in the order of the seed.
func (s *searcher) moves(t *try) (out []move) {
	failed := map[string]bool{}
	for _, c := range t.grade.Checks {
		failed[c.Kind] = failed[c.Kind] || !c.Held
	}
	if len(t.draft.graph.Components) == 0 {
		return s.builds()
	}
	if failed["runs"] {
		out = append(out, s.fixes(t)...)
		out = append(out, s.wires(t)...)
		out = append(out, s.numbers(t)...)
	}
	if failed["uses"] || failed["without"] {
		out = append(out, s.types(t, failed)...)
	}
	if failed["live"] {
		out = append(out, s.revived(t)...)
	}
	if failed["input"] || failed["output"] {
		out = append(out, s.shapes(t)...)
	}
	for _, kind := range []string{"cache-bytes", "serves", "params"} {
		if failed[kind] {
			out = append(out, s.heads(t, kind)...)
			break
		}
	}
	for _, kind := range budgets {
		if failed[kind] {
			out = append(out, s.sizes(t, kind)...)
			break
		}
	}
	return out
}

// tries is a heap: the nearest to passing first, of those the one with fewer changes, of those the earlier.
type tries []*try

func (q tries) Len() int      { return len(q) }
func (q tries) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *tries) Push(x any)   { *q = append(*q, x.(*try)) }

// Less orders two of them.
func (q tries) Less(i, j int) bool {
	a, b := q[i], q[j]
	if a.cost != b.cost {
		return a.cost < b.cost
	}
	return a.depth < b.depth || a.depth == b.depth && a.serial < b.serial
}

// Pop takes the last.
func (q *tries) Pop() any {
	last := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return last
}

// why is the sentence of a grade about a kind of constraint.
func (t *try) why(kind string) string {
	for _, c := range t.grade.Checks {
		if c.Kind == kind && !c.Held {
			return fmt.Sprintf("%s, and the task wants this: %s", c.Got, c.Want)
		}
	}
	return ""
}
