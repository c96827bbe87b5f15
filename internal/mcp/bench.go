package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/modelverifier/verifier/internal/bench"
	"github.com/modelverifier/verifier/internal/bench/env"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/report/annotate"
)

// benchTask is the member that names a task.
const benchTask = `"task":{"type":"string","description":"id of a task: family/split/number, such as repair/test/17"}`

var _ = define(tool{
	name: "bench_tasks", title: "Tasks of the benchmark",
	doc: `Lists tasks of designing and changing models, or returns the one whose id is given: its specification, start graph and constraints. n of every family and split that is meant, beginning with from.`,
	input: benchTask + `,"family":{"type":"string"},"split":{"enum":["` + strings.Join(bench.Splits, `","`) + `"]},"from":{"type":"integer","minimum":0},` +
		`"n":{"type":"integer","minimum":1}`,
	output: []string{"families", "splits", "tasks", "next"},
	bench:  true,
	run:    benchTasks,
})

func benchTasks(_ *Server, _ context.Context, a *arguments) (*answer, error) {
	f, err := a.fields()
	if err != nil {
		return nil, err
	}
	q := env.Query{Family: f.Str("family"), Split: f.Str("split"), N: 1}
	id := f.Str("task")
	if n, given := f.Int("from", 0); given {
		q.From = int(min(n, bench.MaxNumber+1))
	}
	if n, given := f.Int("n", 1); given {
		q.N = int(min(n, env.MaxTasks+1))
	}
	if err := f.Err(); err != nil {
		return nil, err
	}
	if id == "" {
		list, err := q.List()
		if err != nil {
			return nil, err
		}
		return &answer{body: list, text: annotate.Harmless(tasksText(list.Tasks))}, nil
	}
	p, err := bench.Find(id)
	if err != nil {
		return nil, err
	}
	list := &env.List{Families: bench.Families(), Splits: bench.Splits, Tasks: []bench.Task{p.Task}}
	return &answer{body: list, text: annotate.Harmless(p.Task.Prompt)}, nil
}

func tasksText(tasks []bench.Task) string {
	var b strings.Builder
	for i := range tasks {
		first, _, _ := strings.Cut(tasks[i].Prompt, "\n")
		bullet(&b, tasks[i].ID+": "+first)
	}
	return b.String()
}

var _ = define(tool{
	name: "bench_grade", title: "Grade an answer to a task",
	doc:      `Says whether an answer to a task passes, which constraints hold, and its quality. The answer is {model: GRAPH}, {edits: [changes]} of the start, or a graph.`,
	input:    benchTask + `,"answer":{"type":["object","string"]}`,
	required: []string{"task", "answer"},
	output:   gradeFields,
	bench:    true,
	run: func(_ *Server, _ context.Context, a *arguments) (*answer, error) {
		q, err := env.DecodeGraded(a.raw)
		if err != nil {
			return nil, err
		}
		g, err := q.Score()
		if err != nil {
			return nil, err
		}
		return &answer{body: g, text: annotate.Harmless(gradeText(g))}, nil
	},
})

// gradeFields are the members of a grade.
var gradeFields = []string{"passed", "reason", "checks", "quality", "fingerprint"}

func gradeText(g *bench.Grade) string {
	if g.Passed {
		return "passes"
	}
	var b strings.Builder
	b.WriteString("does not pass: " + g.Reason + "\n")
	for _, c := range g.Checks {
		if !c.Held {
			bullet(&b, c.Kind+": "+c.Want+"; "+c.Got)
		}
	}
	return b.String()
}

var _ = define(tool{
	name: "bench_episode", title: "Begin an episode with a task",
	doc:      `Begins an episode: the start of a task, which bench_step changes. Returns its name, and what there is to see: the model, its findings, and its grade as if it were submitted now.`,
	input:    benchTask,
	required: []string{"task"},
	output:   []string{"episode", "observation"},
	bench:    true, state: true,
	run: func(s *Server, _ context.Context, a *arguments) (*answer, error) {
		id, err := env.DecodeTask(a.raw)
		if err != nil {
			return nil, err
		}
		opened, err := s.pool.Open(id)
		if err != nil {
			return nil, err
		}
		o := opened.Observation
		return &answer{body: opened, text: annotate.Harmless("episode " + opened.Episode + "\n" + o.Task.Prompt + "\n" + observedText(o))}, nil
	},
})

func observedText(o *env.Observation) string {
	text := fmt.Sprintf("step %d of %d, verdict %s, ", o.Steps, o.MaxSteps, o.Verdict) + gradeText(o.Grade)
	if o.Error != "" {
		text = "nothing was changed: " + o.Error + "\n" + text
	}
	return text + "\n" + findings(o.Findings)
}

var _ = define(tool{
	name: "bench_step", title: "Take a step of an episode",
	doc:      `Changes the model of an episode by edits, as the tool edit takes them, or puts model in its place; submit ends the episode with the model as it is then. Returns what there is to see, the reward (the change of progress: 1 where it passes, else half of the share of constraints that hold), and whether the episode is done.`,
	input:    `"episode":{"type":"string"},"edits":{"type":"array","maxItems":1000},"model":{"type":"object"},"submit":{"type":"boolean"}`,
	required: []string{"episode"},
	output:   []string{"observation", "reward", "done", "truncated", "grade"},
	bench:    true, state: true,
	run: func(s *Server, _ context.Context, a *arguments) (*answer, error) {
		id, ok := isString(a.member("episode"))
		if !ok {
			return nil, refuse(graph.CodeMissing, "episode", "episode: is missing", "Begin one with bench_episode, and send its name.")
		}
		rest := map[string]json.RawMessage{}
		for name, raw := range a.members {
			if name != "episode" {
				rest[name] = raw
			}
		}
		stepped, err := s.pool.Step(id, object(rest))
		if err != nil {
			return nil, err
		}
		text := fmt.Sprintf("reward %g, done %t\n", stepped.Reward, stepped.Done) + observedText(stepped.Observation)
		return &answer{body: stepped, text: annotate.Harmless(text)}, nil
	},
})
