package datasets

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"flag"
	"os"
	"slices"
	"testing"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/bench"
	"github.com/modelverifier/verifier/internal/bench/agent"
	"github.com/modelverifier/verifier/internal/edit"
	"github.com/modelverifier/verifier/internal/graph"
)

var update = flag.Bool("update", false, "make the files of data/ again")

// TestMake makes the files of data/ again. TestEveryRowIsVerifiedAgain holds what they have to what the program says.
func TestMake(t *testing.T) {
	if !*update {
		t.Skip("it writes the files of data/ when it is run with -update; their rows are verified by " +
			"TestEveryRowIsVerifiedAgain")
	}
	for key, make := range map[string]func(t *testing.T) []byte{
		"bench-tasks": makeTasks, "arch-design-sft": makeExamples, "reasoning-traces-verifier": makeTraces,
		"repair-traces-verifier": makeRepairs,
	} {
		t.Run(key, func(t *testing.T) {
			var b bytes.Buffer
			z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
			if err != nil {
				t.Fatal(err)
			}
			lines := make(t)
			if _, err := z.Write(lines); err != nil || z.Close() != nil {
				t.Fatal(err)
			}
			t.Logf("%d rows, %d bytes, %d compressed", bytes.Count(lines, []byte("\n")), len(lines), b.Len())
			if err := os.WriteFile("data/"+key+".jsonl.gz", b.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		})
	}
}

func find(t *testing.T, id string) *bench.Problem {
	t.Helper()
	p, err := bench.Find(id)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// tasksOfEach is how many tasks of every family and split bench-tasks has.
const tasksOfEach = 12

func makeTasks(t *testing.T) []byte {
	var rows []taskRow
	for _, f := range bench.Families() {
		for _, split := range bench.Splits {
			for n := range tasksOfEach {
				p := find(t, bench.ID(f.Name, split, n))
				row := taskRow{ID: p.Task.ID, Family: p.Task.Family, Split: p.Task.Split, Prompt: p.Task.Prompt,
					Start: p.Task.Start, Constraints: p.Task.Constraints}
				for _, x := range fixturesOf(t, p) {
					g := bench.Score(&p.Task, []byte(x.Answer))
					x.Passed, x.Reason = g.Passed, g.Reason
					row.Fixtures = append(row.Fixtures, x)
				}
				rows = append(rows, row)
			}
		}
	}
	return jsonLines(rows)
}

// fixturesOf are answers to a task: the reference, and some that must fail.
func fixturesOf(t *testing.T, p *bench.Problem) []fixture {
	t.Helper()
	start := string(p.Task.Start)
	if p.Task.Start == nil {
		start = `{"components":[{"id":"x","type":"input","params":{"shape":[1]}},{"id":"y","type":"output"}],"connections":[{"from":"x","to":"y"}]}`
	}
	g, err := bench.Apply(&p.Task, p.Reference)
	if err != nil {
		t.Fatal(err)
	}
	last := slices.IndexFunc(g.Connections, func(c graph.Connection) bool { return c.To == "y" })
	dead := g.Clone()
	dead.Components = append(dead.Components, graph.Component{ID: "unused", Type: "linear",
		Params: []graph.Param{{Name: "outFeatures", Value: graph.IntValue(8)}}})
	dead.Connections = append(dead.Connections, graph.Connection{From: g.Connections[last].From, To: "unused"})
	custom := g.Clone()
	custom.Components = append(custom.Components, graph.Component{ID: "mine", Type: "customModule"})
	custom.Connections[last].From = "mine"
	custom.Connections = append(custom.Connections, graph.Connection{From: g.Connections[last].From, To: "mine"})
	answer := func(g *graph.Graph) string { return `{"model":` + string(g.AppendJSON(nil)) + `}` }
	return []fixture{
		{Name: "reference", Answer: string(p.Reference)},
		{Name: "start", Answer: start},
		{Name: "empty", Answer: `{}`},
		{Name: "no components", Answer: `{"model":{"components":[],"connections":[]}}`},
		{Name: "no JSON", Answer: `Here is the model: linear, relu, linear.`},
		{Name: "model and edits", Answer: `{"model":` + start + `,"edits":[]}`},
		{Name: "weights in an unused branch", Answer: answer(dead)},
		{Name: "a custom module", Answer: answer(custom)},
	}
}

// examplesOf is how many examples of each family arch-design-sft has. Models that are served are large, so that there
// are few of them.
var examplesOf = map[string]int{"budget": 700, "edit": 500, "fit": 450, "migrate": 450, "repair": 500, "serve": 40,
	"shrink": 450}

func makeExamples(t *testing.T) []byte {
	var rows []exampleRow
	for _, f := range bench.Families() {
		for n := range examplesOf[f.Name] {
			p := find(t, bench.ID(f.Name, bench.Train, 1000+n))
			answer := short(t, p)
			g := bench.Score(&p.Task, answer)
			rows = append(rows, exampleRow{p.Task.ID, p.Task.Family, p.Task.Split, p.Task.Prompt, p.Task.Start,
				p.Task.Constraints, answer,
				exampleGrade{g.Passed, g.Fingerprint, g.Quality}})
		}
	}
	return jsonLines(rows)
}

// short is the reference as changes of the start, where those give the same model and are shorter.
func short(t *testing.T, p *bench.Problem) []byte {
	t.Helper()
	if p.Task.Start == nil {
		return p.Reference
	}
	to, err := bench.Apply(&p.Task, p.Reference)
	if err != nil {
		t.Fatal(err)
	}
	from, err := graph.Decode(p.Task.Start, "start", bench.Limits)
	if err != nil {
		t.Fatal(err)
	}
	ops := changes(from, to)
	data, err := json.Marshal(map[string]any{"edits": ops})
	if err != nil {
		t.Fatal(err)
	}
	a, b := bench.Score(&p.Task, data), bench.Score(&p.Task, p.Reference)
	if !a.Passed || a.Fingerprint != b.Fingerprint || len(data) >= len(p.Reference) {
		return p.Reference
	}
	return data
}

// changes are those that make one graph of another: components that go, that come, that are others, and the
// connections.
func changes(from, to *graph.Graph) (out []map[string]any) {
	old, now := map[string]*graph.Component{}, map[string]*graph.Component{}
	for i := range from.Components {
		old[from.Components[i].ID] = &from.Components[i]
	}
	for i := range to.Components {
		now[to.Components[i].ID] = &to.Components[i]
	}
	for i := range from.Components {
		if id := from.Components[i].ID; now[id] == nil {
			out = append(out, map[string]any{"op": edit.Remove, "component": id})
		}
	}
	for i := range to.Components {
		c := &to.Components[i]
		switch before := old[c.ID]; {
		case before == nil:
			out = append(out, map[string]any{"op": edit.Add, "component": c.ID, "type": c.Type, "params": params(nil, c)})
		case before.Type != c.Type:
			out = append(out, map[string]any{"op": edit.Change, "component": c.ID, "params": params(before, &graph.Component{})},
				map[string]any{"op": edit.Change, "component": c.ID, "type": c.Type, "params": params(nil, c)})
		default:
			if p := params(before, c); len(p) > 0 {
				out = append(out, map[string]any{"op": edit.Change, "component": c.ID, "params": p})
			}
		}
	}
	for _, c := range from.Connections {
		if now[c.From] != nil && now[c.To] != nil && !slices.ContainsFunc(to.Connections,
			func(d graph.Connection) bool { return c.From == d.From && c.To == d.To }) {
			out = append(out, map[string]any{"op": edit.Disconnect, "from": c.From, "to": c.To})
		}
	}
	for _, c := range to.Connections {
		if !slices.ContainsFunc(from.Connections, func(d graph.Connection) bool { return c.From == d.From && c.To == d.To }) {
			out = append(out, map[string]any{"op": edit.Connect, "from": c.From, "to": c.To})
		}
	}
	return out
}

// params are the parameters in which a component differs from the one before; null takes one away.
func params(before, c *graph.Component) map[string]any {
	out := map[string]any{}
	for _, p := range c.Params {
		if before != nil {
			if v, has := before.Param(p.Name); has && v.Equal(p.Value) {
				continue
			}
		}
		out[p.Name] = json.RawMessage(p.Value.AppendJSON(nil))
	}
	if before != nil {
		for _, p := range before.Params {
			if _, has := c.Param(p.Name); !has {
				out[p.Name] = nil
			}
		}
	}
	return out
}

// tracesOf is how many traces of each family there are, and triedFor how many tasks are tried for them.
var tracesOf = map[string]int{"budget": 40, "edit": 40, "fit": 72, "migrate": 72, "repair": 72, "serve": 24,
	"shrink": 72}

const traceSeed = 1

func makeTraces(t *testing.T) []byte {
	var rows []traceRow
	for _, f := range bench.Families() {
		found, tried := 0, 0
		for ; found < tracesOf[f.Name]; tried++ {
			if tried == 10*tracesOf[f.Name] {
				t.Fatalf("%s: %d of %d tasks pass", f.Name, found, tried)
			}
			if row := traceOf(t, bench.ID(f.Name, bench.Train, 10_000+tried)); row != nil {
				rows = append(rows, *row)
				found++
			}
		}
		t.Logf("%s: %d of %d tasks pass", f.Name, found, tried)
	}
	return jsonLines(rows)
}

// traceOf has a task solved by a search, nil where it does not pass.
func traceOf(t *testing.T, id string) *traceRow {
	t.Helper()
	p := find(t, id)
	entry, err := agent.Lookup("search")
	if err != nil {
		t.Fatal(err)
	}
	row := &traceRow{ID: id, Family: p.Task.Family, Split: p.Task.Split, Prompt: p.Task.Prompt, Start: p.Task.Start,
		Constraints: p.Task.Constraints,
		Agent:       "search", Seed: traceSeed}
	answer, err := entry.Agent.Solve(t.Context(), &p.Task, traceSeed, func(s agent.Step) {
		row.Steps = append(row.Steps, traceStep{s.Edits, s.Because, s.Grade.Passed, s.Grade.Reason, s.Gradings})
	})
	if err != nil {
		t.Fatal(err)
	}
	g := bench.Score(&p.Task, answer)
	if !g.Passed || len(row.Steps) == 0 {
		return nil
	}
	row.Fingerprint = g.Fingerprint
	return row
}

// mostRepairs is how many traces of repairs there are at most.
const mostRepairs = 400

func makeRepairs(t *testing.T) []byte {
	var rows []repairRow
	for _, r := range groundingRows() {
		if r.Ran || len(rows) == mostRepairs {
			continue
		}
		if row := repairOf(t, &r); row != nil {
			rows = append(rows, *row)
		}
	}
	return jsonLines(rows)
}

// repairOf follows the findings of a graph, nil where that does not lead to one that runs.
func repairOf(t *testing.T, r *groundingRow) *repairRow {
	t.Helper()
	g, err := graph.Decode(r.Model, "model", graph.ServiceLimits)
	if err != nil {
		t.Fatal(err)
	}
	f, err := edit.Follow(g, graph.ServiceLimits, action.TextCall{}, nil)
	if err != nil || !f.Passes || len(f.Steps) == 0 {
		return nil
	}
	return &repairRow{r.ID, r.Family, r.Variant, r.Error, r.Model, steps(f), f.Before, f.After,
		bytes.TrimSpace(compact(f.Graph))}
}

// steps writes those of a repair.
func steps(f *edit.Repair) []byte {
	var b bytes.Buffer
	encode(&b, f.Steps, "")
	return bytes.TrimSpace(b.Bytes())
}
