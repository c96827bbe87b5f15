package agent

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/bench"
	"github.com/modelverifier/verifier/internal/edit"
	"github.com/modelverifier/verifier/internal/graph"
)

// least is how many of the first three tasks of a family a search must pass.
var least = map[string]int{"repair": 2, "shrink": 3, "fit": 3, "migrate": 3, "serve": 3, "budget": 1, "edit": 1}

// TestSearchSolvesTasks holds that a search passes tasks of every family, and that each step has a reason and leads
// to the answer.
func TestSearchSolvesTasks(t *testing.T) {
	for _, f := range bench.Families() {
		t.Run(f.Name, func(t *testing.T) { solvesTasks(t, f.Name) })
	}
}

func solvesTasks(t *testing.T, family string) {
	passed, gradings := 0, 0
	for n := range 3 {
		p, err := bench.Find(bench.ID(family, bench.Train, n))
		if err != nil {
			t.Fatal(err)
		}
		var steps []Step
		answer, err := search{}.Solve(t.Context(), &p.Task, 1, func(s Step) { steps = append(steps, s) })
		if err != nil {
			t.Fatal(err)
		}
		g := bench.Score(&p.Task, answer)
		for _, s := range steps {
			gradings += s.Gradings
		}
		if g.Passed {
			passed++
		} else {
			t.Logf("%s: %s", p.Task.ID, g.Reason)
		}
		leads(t, &p.Task, steps, answer)
	}
	t.Logf("%s: %d of 3, %d gradings", family, passed, gradings)
	if passed < least[family] {
		t.Errorf("%s: %d of 3 tasks pass", family, passed)
	}
}

// leads holds that the edits of the steps, made on the start, give the answer.
func leads(t *testing.T, task *bench.Task, steps []Step, answer []byte) {
	t.Helper()
	d, err := begin(task)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range steps {
		if s.Because == "" || !strings.HasSuffix(s.Because, ".") || strings.Contains(s.Because, "\n") || s.Grade == nil ||
			s.Gradings < 1 {
			t.Errorf("%s: a step without its reason in a sentence: %+v", task.ID, s)
		}
		ops, err := edit.Decode(string(s.Edits), "edits")
		if err != nil {
			t.Fatalf("%s: %v", task.ID, err)
		}
		if d.graph, err = edit.Apply(d.graph, ops, graph.ServiceLimits); err != nil {
			t.Fatalf("%s: %v", task.ID, err)
		}
	}
	if !bytes.Equal(d.answer(), answer) {
		t.Errorf("%s: the steps lead to another model than the answer", task.ID)
	}
}

// TestSearchIsTheSameForASeed solves a task twice, and bounds what a search takes.
func TestSearchIsTheSameForASeed(t *testing.T) {
	p, err := bench.Find("shrink/dev/3")
	if err != nil {
		t.Fatal(err)
	}
	var runs [2][]byte
	for i := range runs {
		total := 0
		answer, err := search{}.Solve(t.Context(), &p.Task, 7, func(s Step) {
			total += s.Gradings
			line, err := json.Marshal(s)
			if err != nil {
				t.Fatal(err)
			}
			runs[i] = append(runs[i], line...)
		})
		if err != nil || total > searchGradings {
			t.Fatalf("%v, %d gradings", err, total)
		}
		runs[i] = append(runs[i], answer...)
	}
	if !bytes.Equal(runs[0], runs[1]) {
		t.Error("the same seed gives another trace")
	}
}

// TestSearchTakesOddTasks gives it tasks that families do not draw: it answers, and does not panic.
func TestSearchTakesOddTasks(t *testing.T) {
	for _, task := range []bench.Task{
		{ID: "x"},
		{ID: "x", Constraints: []bench.Constraint{{Kind: "nothing"}, {Kind: "params", Min: 5, Max: 2}, {Kind: "share"},
			{Kind: "fits", GPU: "none", Run: &bench.Run{}}}},
		{ID: "x", Constraints: []bench.Constraint{{Kind: "input", Shape: []int64{3}}, {Kind: "output", Shape: []int64{2}},
			{Kind: "uses", Types: []string{"conv2d"}, Min: 1 << 40}}},
		{ID: "x", Start: json.RawMessage(`{"components":[]}`), Constraints: []bench.Constraint{{Kind: "runs"}}},
		{ID: "x", Start: json.RawMessage(`{"components":[{"type":"linear"},{"type":"linear"},{"type":"nothing"}]}`),
			Constraints: []bench.Constraint{{Kind: "runs"}, {Kind: "params", Min: 100, Max: 200}, {Kind: "uses",
				Types: []string{"moeLayer", "?"}, Min: 2}, {Kind: "without", Types: []string{"linear"}}}},
	} {
		if _, err := (search{}).Solve(t.Context(), &task, 1, func(Step) {}); err != nil {
			t.Errorf("%+v: %v", task.Constraints, err)
		}
	}
}
