package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/bench"
	"github.com/modelverifier/verifier/internal/graph"
)

// few are tasks of every family and split.
func few(n int) *Plan {
	p := &Plan{Splits: bench.Splits, From: 3, N: n, Seed: 7}
	for _, f := range bench.Families() {
		p.Families = append(p.Families, f.Name)
	}
	return p
}

func ignore(*Outcome) error { return nil }

func TestTheSameSeedGivesTheSameResult(t *testing.T) {
	for _, name := range Names() {
		e, err := Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		var seen [][]byte
		for _, workers := range []int{1, 4} {
			var lines bytes.Buffer
			r, err := Run(t.Context(), e.Agent, few(1), workers, func(o *Outcome) error { return json.NewEncoder(&lines).Encode(o) })
			if err != nil {
				t.Fatal(err)
			}
			if err := json.NewEncoder(&lines).Encode(r); err != nil {
				t.Fatal(err)
			}
			seen = append(seen, lines.Bytes())
		}
		if !bytes.Equal(seen[0], seen[1]) {
			t.Errorf("%s: %s\nand\n%s", name, seen[0], seen[1])
		}
	}
}

func TestAnotherSeedGivesAnotherAnswer(t *testing.T) {
	p, err := bench.Find(few(1).IDs()[0])
	if err != nil {
		t.Fatal(err)
	}
	answers := map[string]bool{}
	for seed := range uint64(4) {
		a, err := random{}.Solve(t.Context(), &p.Task, seed, func(Step) {})
		if err != nil {
			t.Fatal(err)
		}
		answers[string(a)] = true
	}
	if len(answers) < 3 {
		t.Errorf("%d answers of four seeds", len(answers))
	}
}

// TestStepsComeToTheAnswer makes every step of a trace again: its edits, one after the other, give the graph of the answer, and the grade
// of the last is that of the answer.
func TestStepsComeToTheAnswer(t *testing.T) {
	steps := 0
	for _, name := range Names() {
		e, _ := Lookup(name)
		_, err := Run(t.Context(), e.Agent, few(2), 2, func(o *Outcome) error {
			p, err := bench.Find(o.Task)
			if err != nil {
				return err
			}
			d, err := begin(&p.Task)
			if err != nil {
				return err
			}
			for _, s := range o.Steps {
				if d, err = d.with(s.Edits); err != nil {
					return err
				}
				if g := d.grade(); !reflect.DeepEqual(g, s.Grade) || s.Because == "" || s.Gradings < 1 {
					t.Errorf("%s %s: %+v instead of %+v, because %q", name, o.Task, g, s.Grade, s.Because)
				}
				steps++
			}
			got, err := bench.Apply(&p.Task, []byte(o.Answer))
			if err != nil && len(d.graph.Components) > 0 {
				return err
			}
			if err == nil && !bytes.Equal(got.AppendJSON(nil), d.graph.AppendJSON(nil)) {
				t.Errorf("%s %s: the steps give another graph than the answer", name, o.Task)
			}
			return nil
		})
		if err != nil {
			t.Error(name, err)
		}
	}
	if steps < 50 {
		t.Errorf("%d steps", steps)
	}
}

func TestNothingPassesNothing(t *testing.T) {
	r, err := Run(t.Context(), nothing{}, few(10), 2, ignore)
	if err != nil {
		t.Fatal(err)
	}
	if total := bench.Total(r.Rows); total.Passed != 0 || total.Steps != 0 || total.Gradings != total.Tasks || total.Quality != nil {
		t.Errorf("%+v", total)
	}
}

// TestTheLoopRepairsWhatHasEdits gives it a model whose one wrong number has an edit, and a budget that the repaired model meets or not.
func TestTheLoopRepairsWhatHasEdits(t *testing.T) {
	for most, passes := range map[int64]bool{1000: true, 100: false} {
		task := narrow()
		task.Constraints[1].Max = most
		var steps []Step
		answer, err := loop{}.Solve(t.Context(), task, 0, func(s Step) { steps = append(steps, s) })
		if err != nil || len(steps) != 1 || steps[0].Grade.Passed != passes || bench.Score(task, answer).Passed != passes {
			t.Errorf("at most %d weights: %v %+v %s", most, err, steps, answer)
		}
	}
}

func TestAnUnknownAgentIsNamedWithThoseThereAre(t *testing.T) {
	_, err := Lookup("lop")
	var e *graph.Error
	if !errors.As(err, &e) || !strings.Contains(err.Error(), "did you mean loop?") || !reflect.DeepEqual(e.Allowed, Names()) {
		t.Error(err)
	}
}

// broken answers nothing.
type broken struct{ nothing }

func (broken) Solve(context.Context, *bench.Task, uint64, func(Step)) ([]byte, error) {
	return nil, errors.New("is away")
}

func TestAnAgentThatGivesNoAnswerEndsTheRun(t *testing.T) {
	p := few(2)
	if r, err := Run(t.Context(), broken{}, p, 3, ignore); err == nil || !strings.Contains(err.Error(), p.IDs()[0]+": is away") {
		t.Error(r, err)
	}
	stop := errors.New("enough")
	n := 0
	if _, err := Run(t.Context(), nothing{}, p, 3, func(*Outcome) error { n++; return stop }); !errors.Is(err, stop) || n != 1 {
		t.Error(err, n)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Run(ctx, random{}, p, 3, ignore); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if err := Each(t.Context(), nothing{}, []string{"repair/test/x"}, 1, 1, ignore); err == nil {
		t.Error("there is no such task")
	}
}

func TestATaskWithoutAStart(t *testing.T) {
	task := &bench.Task{ID: "x/test/0", Start: json.RawMessage("null"), Constraints: []bench.Constraint{{Kind: "runs"}}}
	for _, name := range Names() {
		e, _ := Lookup(name)
		answer, err := e.Agent.Solve(t.Context(), task, 1, func(Step) {})
		if err != nil || !json.Valid(answer) {
			t.Errorf("%s: %s %v", name, answer, err)
		}
	}
}
