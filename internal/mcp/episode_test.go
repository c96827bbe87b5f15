package mcp_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/bench"
)

// TestTheBenchmarkIsServedWhereItIsAskedFor plays an episode with the tools of --bench, which are not there without it.
func TestTheBenchmarkIsServedWhereItIsAskedFor(t *testing.T) {
	tools := func(args ...string) []string {
		r, err := connect(t, folder(t), nil, args...).ListTools(context.Background(), nil)
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		for _, tool := range r.Tools {
			if strings.HasPrefix(tool.Name, "bench_") {
				out = append(out, tool.Name)
			}
		}
		slices.Sort(out)
		return out
	}
	if without := tools(); len(without) > 0 {
		t.Errorf("%v without --bench", without)
	}
	if with := tools("--bench"); strings.Join(with, " ") != "bench_episode bench_grade bench_step bench_tasks" {
		t.Errorf("%v", with)
	}
	s := connect(t, folder(t), nil, "--bench")
	p, err := bench.Find("edit/dev/2")
	if err != nil {
		t.Fatal(err)
	}
	if r := call(t, s, "bench_tasks", `{"task":"edit/dev/2"}`); r.failed || r.text != p.Task.Prompt {
		t.Errorf("%+v", r)
	}
	if r := call(t, s, "bench_tasks", `{"family":"edit","split":"dev","from":2,"n":2}`); r.failed || !strings.Contains(r.text, "edit/dev/3") || r.body["next"] != 4.0 {
		t.Errorf("%+v", r)
	}
	if r := call(t, s, "bench_grade", `{"task":"edit/dev/2","answer":`+string(p.Reference)+`}`); r.failed || r.body["passed"] != true || r.text != "passes" {
		t.Errorf("%+v", r)
	}
	if r := call(t, s, "bench_grade", `{"task":"edit/dev/2","answer":"no JSON"}`); r.failed || r.body["passed"] != false || !strings.Contains(r.text, "does not pass") {
		t.Errorf("%+v", r)
	}
	opened := call(t, s, "bench_episode", `{"task":"edit/dev/2"}`)
	if opened.failed || opened.body["episode"] != "e1" || !strings.Contains(opened.text, p.Task.Prompt) {
		t.Fatalf("%+v", opened)
	}
	var step map[string]any
	if err := json.Unmarshal(p.Reference, &step); err != nil {
		t.Fatal(err)
	}
	step["episode"], step["submit"] = "e1", true
	args, _ := json.Marshal(step)
	r := call(t, s, "bench_step", string(args))
	if grade, _ := r.body["grade"].(map[string]any); r.failed || r.body["done"] != true || grade["passed"] != true || r.body["reward"].(float64) < 0.5 {
		t.Errorf("%+v", r)
	}
}

func TestTheBenchmarkRefusesWithWhatToDo(t *testing.T) {
	s := connect(t, folder(t), nil, "--bench")
	for _, c := range [][4]string{
		{"bench_tasks", `{"family":"repiar"}`, "unknown-value", "did you mean repair?"},
		{"bench_tasks", `{"task":"repair/test"}`, "malformed-value", "family/split/number"},
		{"bench_tasks", `{"n":100000}`, "out-of-range", "n"},
		{"bench_grade", `{"task":"repair/test/0","anwser":{}}`, "unknown-value", "did you mean answer?"},
		{"bench_grade", `{"task":"repair/test/0"}`, "missing-field", "answer"},
		{"bench_episode", `{"task":7}`, "wrong-type", "string"},
		{"bench_step", `{}`, "missing-field", "bench_episode"},
		{"bench_step", `{"episode":"e7","submit":true}`, "unknown-episode", "Begin an episode"},
	} {
		if r := call(t, s, c[0], c[1]); !r.failed || r.body["code"] != c[2] || !strings.Contains(r.text, c[3]) {
			t.Errorf("%s %s: %+v", c[0], c[1], r)
		}
	}
	call(t, s, "bench_episode", `{"task":"repair/test/0"}`)
	call(t, s, "bench_step", `{"episode":"e1","submit":true}`)
	if r := call(t, s, "bench_step", `{"episode":"e1","submit":true}`); !r.failed || r.body["code"] != "episode-ended" || !strings.Contains(r.text, "Begin another") {
		t.Errorf("%+v", r)
	}
}
