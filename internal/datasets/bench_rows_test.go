package datasets

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/bench"
	"github.com/modelverifier/verifier/internal/edit"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/rules"
)

func init() {
	verified["bench-tasks"] = taskHolds
	verified["arch-design-sft"] = exampleHolds
	verified["reasoning-traces-verifier"] = traceHolds
	verified["repair-traces-verifier"] = repairHolds
}

// sameTask draws a task again from its id.
func sameTask(t *testing.T, task *bench.Task) {
	t.Helper()
	p := find(t, task.ID)
	now, err := json.Marshal(&p.Task)
	if err != nil {
		t.Fatal(err)
	}
	then, err := json.Marshal(task)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(now, then) {
		t.Errorf("%s is another task now", task.ID)
	}
}

// taskHolds draws the task again, and grades every fixture.
func taskHolds(t *testing.T, line []byte) {
	var r taskRow
	decode(t, line, &r)
	task := &bench.Task{ID: r.ID, Family: r.Family, Split: r.Split, Prompt: r.Prompt, Start: r.Start,
		Constraints: r.Constraints}
	sameTask(t, task)
	if len(r.Fixtures) != 8 {
		t.Errorf("%s has %d fixtures", r.ID, len(r.Fixtures))
	}
	for i, f := range r.Fixtures {
		g := bench.Score(task, []byte(f.Answer))
		if g.Passed != f.Passed || g.Reason != f.Reason || g.Passed != (f.Name == "reference") || i == 0 != g.Passed ||
			!g.Passed && g.Reason == "" {
			t.Errorf("%s: %s: passed %v (%s), the row says %v (%s)", r.ID, f.Name, g.Passed, g.Reason, f.Passed, f.Reason)
		}
	}
}

// sampled is which examples are drawn again from their ids: drawing looks for a task that can be solved, and takes
// longer than grading.
const sampled = 20

// exampleHolds grades the answer.
func exampleHolds(t *testing.T, line []byte) {
	var r exampleRow
	decode(t, line, &r)
	task := &bench.Task{ID: r.ID, Family: r.Family, Split: r.Split, Prompt: r.Prompt, Start: r.Start,
		Constraints: r.Constraints}
	if seen++; seen%sampled == 0 {
		sameTask(t, task)
	}
	g := bench.Score(task, r.Answer)
	if !g.Passed || !r.Grade.Passed || g.Fingerprint != r.Grade.Fingerprint ||
		fmt.Sprint(*g.Quality) != fmt.Sprint(*r.Grade.Quality) || r.Split != bench.Train {
		t.Errorf("%s: passed %v (%s), %s, %+v", r.ID, g.Passed, g.Reason, g.Fingerprint, g.Quality)
	}
}

var seen int

// traceHolds makes the steps on the start, and has the model graded after each.
func traceHolds(t *testing.T, line []byte) {
	var r traceRow
	decode(t, line, &r)
	task := &bench.Task{ID: r.ID, Family: r.Family, Split: r.Split, Prompt: r.Prompt, Start: r.Start,
		Constraints: r.Constraints}
	if seen++; seen%sampled == 0 {
		sameTask(t, task)
	}
	g := &graph.Graph{}
	if string(r.Start) != "null" {
		var err error
		if g, err = graph.Decode(r.Start, "start", bench.Limits); err != nil {
			t.Fatal(err)
		}
	}
	var grade *bench.Grade
	for i, s := range r.Steps {
		ops, err := edit.Decode(string(s.Edits), "edits")
		if err != nil {
			t.Fatalf("%s: step %d: %v", r.ID, i, err)
		}
		if g, err = edit.Apply(g, ops, bench.Limits); err != nil {
			t.Fatalf("%s: step %d: %v", r.ID, i, err)
		}
		grade = bench.Score(task, append(g.AppendJSON([]byte(`{"model":`)), '}'))
		if grade.Passed != s.Passed || grade.Reason != s.Reason || s.Because == "" || s.Passed != (i == len(r.Steps)-1) {
			t.Errorf("%s: step %d: passed %v (%s), the row says %v (%s)", r.ID, i, grade.Passed, grade.Reason, s.Passed,
				s.Reason)
		}
	}
	if grade == nil || !grade.Passed || grade.Fingerprint != r.Fingerprint {
		t.Errorf("%s does not pass: %+v", r.ID, grade)
	}
}

// repairHolds follows the findings again.
func repairHolds(t *testing.T, line []byte) {
	var r repairRow
	decode(t, line, &r)
	g, err := graph.Decode(r.Model, "model", graph.ServiceLimits)
	if err != nil {
		t.Fatal(err)
	}
	f, err := edit.Follow(g, graph.ServiceLimits, action.TextCall{}, nil)
	if err != nil || !f.Passes || f.Before != r.Before || f.After != r.After || len(f.Steps) == 0 {
		t.Fatalf("%s: %v, %+v", r.ID, err, f)
	}
	res := walked(t, r.ID, r.Repaired)
	if !bytes.Equal(steps(f), r.Steps) || rules.Blocked(rules.Run(res)) || res.Fingerprint() != r.After {
		t.Errorf("%s: the steps are %s now, and lead to %s", r.ID, steps(f), f.After)
	}
}

// TestTasksOfEveryFamilyAndSplit holds that none is left out.
func TestTasksOfEveryFamilyAndSplit(t *testing.T) {
	n := map[string]int{}
	for line := range bytes.Lines(Lookup("bench-tasks").Lines()) {
		var r taskRow
		decode(t, line, &r)
		n[r.Family+"/"+r.Split]++
	}
	for _, f := range bench.Families() {
		for _, split := range bench.Splits {
			if n[f.Name+"/"+split] != tasksOfEach {
				t.Errorf("%s/%s: %d tasks", f.Name, split, n[f.Name+"/"+split])
			}
		}
	}
	traced := map[string]bool{}
	for line := range bytes.Lines(Lookup("reasoning-traces-verifier").Lines()) {
		var r traceRow
		decode(t, line, &r)
		traced[r.Family] = true
	}
	if slices.ContainsFunc(bench.Families(), func(f bench.Family) bool { return !traced[f.Name] }) {
		t.Errorf("traces of %v alone", traced)
	}
}
