//go:build unix

package bench

import (
	"fmt"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/adversary"
	"github.com/modelverifier/verifier/internal/hostile"
)

// hostileEdits are lists of changes that are meant to cost much more than their size.
func hostileEdits(id string) map[string]string {
	many := func(n int, format string) string {
		items := make([]string, n)
		for i := range items {
			items[i] = strings.ReplaceAll(format, "#", fmt.Sprint(i))
		}
		return strings.Join(items, ",")
	}
	ids := func(n int) string { return "[" + strings.TrimSuffix(strings.Repeat(`"`+id+`",`, n), ",") + "]" }
	return map[string]string{
		"ten thousand":          many(10_000, `{"op":"change","component":"`+id+`","params":{"a":#}}`),
		"components":            many(1000, `{"op":"add","component":"n#","type":"relu","from":"`+id+`"}`),
		"names":                 many(1000, `{"op":"rename","component":"`+id+`","name":"m#"}`),
		"there and back":        many(500, `{"op":"add","component":"n","type":"relu"},{"op":"remove","component":"n"}`),
		"copies of copies":      many(1000, `{"op":"duplicate","components":["`+id+`"]}`),
		"every to every":        `{"op":"connect","from":` + ids(1000) + `,"to":` + ids(1000) + `}`,
		"every to one":          many(20, `{"op":"connect","from":`+ids(1000)+`,"to":"`+id+`"}`),
		"the same many times":   `{"op":"duplicate","components":` + ids(100_000) + `}`,
		"parameters":            `{"op":"change","component":"` + id + `","params":{` + many(1000, `"p#":[1,2,3]`) + `}}`,
		"lists in lists":        many(200, `[{"op":"change","component":"`+id+`","params":{"a":#}},{"op":"rename","component":"`+id+`","name":"m#"}]`),
		"deep":                  `{"op":"change","component":"` + id + `","params":{"a":` + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) + `}}`,
		"one long word":         `{"op":"change","component":"` + strings.Repeat("w", 900_000) + `","params":{"a":1}}`,
		"words that are near":   many(1000, `{"op":"remove","component":"`+id+`q#"}`),
		"components with names": many(1000, `{"op":"add","component":"n#","type":"relu","name":"m#","from":"`+id+`"}`),
	}
}

// TestHostileAnswersCostLittle holds that no answer takes more than 0.2 s of processor time and 100 MB of memory.
func TestHostileAnswersCostLittle(t *testing.T) {
	hostile.SkipUnderRace(t)
	random := 30
	if testing.Short() {
		random = 3
	}
	var tasks []*Task
	for _, f := range Families() {
		p, err := Find(ID(f.Name, Test, 0))
		if err != nil {
			t.Fatal(err)
		}
		tasks = append(tasks, &p.Task)
		if p.Task.Start == nil {
			continue
		}
		for name, edits := range hostileEdits("head") {
			try(t, f.Name+": "+name, &p.Task, `{"edits":[`+edits+`]}`)
		}
	}
	var requests []adversary.Request
	for _, r := range adversary.Fixed() {
		if r.Action != "rank" {
			requests = append(requests, r)
		}
	}
	for seed := range uint64(random) {
		if r := adversary.Random(seed); r.Action != "rank" {
			requests = append(requests, r)
		}
	}
	for i, r := range requests {
		try(t, r.Name, tasks[i%len(tasks)], r.Body)
	}
}

// TestLargeModelsCostLittle holds the same of models that run and are as large as an answer may be, under every
// budget at once.
func TestLargeModelsCostLittle(t *testing.T) {
	hostile.SkipUnderRace(t)
	run := &Run{Batch: 32, Precision: "amp", Optimizer: "adamw", Epochs: 10, Samples: 50_000}
	all := []Constraint{{Kind: "runs"}, {Kind: "params", Max: 1}, {Kind: "flops", Max: 1}, {Kind: "peak-memory", Run: run,
		Max: 1}, {Kind: "cost", Run: run, Max: 1},
		{Kind: "latency", Target: "edge-cpu", Max: 1}, {Kind: "fits", Run: run, GPU: "T4"}, {Kind: "cache-bytes",
			Tokens: 1024, Max: 1},
		{Kind: "serves", GPU: "H100", GPUs: 8, Command: launches[0]("8", "4096")}, {Kind: "depth", Min: 1}, {Kind: "share",
			Max: 1}, {Kind: "edits", Max: 1}, {Kind: "live"}, {Kind: "real"}}
	wide := convnet{channels: 3, side: 32, widths: []int{16}, kernel: 3, blocks: 240, residual: true, act: "relu",
		pool: "maxpool2d", classes: 10}
	tower := decoder{vocabulary: 1000, tokens: 64, heads: 4, kv: 2, headDim: 16, dim: 64, ffn: 128, layers: 160,
		rotary: true, mixer: "swiglu"}
	vision := patches{channels: 3, side: 32, patch: 4, dim: 32, heads: 2, ffn: 64, layers: 900, classes: 10}
	for name, a := range map[string]architecture{"residual": wide, "decoder": tower, "vision": vision} {
		d := a.build()
		if n := len(d.Components); n > Limits.Components || n < 900 {
			t.Fatalf("%s has %d components", name, n)
		}
		if held, why := measured(d).runs(); !held {
			t.Fatalf("%s: %s", name, why)
		}
		try(t, name, &Task{ID: "large", Start: d.json(), Constraints: all}, string(d.json()))
	}
}

func try(t *testing.T, name string, task *Task, answer string) {
	t.Helper()

	var g *Grade
	c := adversary.Measure(t, func() { g = Score(task, []byte(answer)) })
	size := len(g.Reason)
	for _, k := range g.Checks {
		size += len(k.Want) + len(k.Got)
	}
	if !c.Within(adversary.Bar) || g.Passed || g.Reason == "" || size > 1<<16 {
		t.Errorf("%s, %s of %d bytes: %.3f s, %d MB, passed %v, an answer of %d bytes", task.ID, name, len(answer),
			c.Seconds, c.Bytes>>20, g.Passed, size)
	}
}
