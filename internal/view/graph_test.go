package view

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/exporter/scene"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/models"
)

func modelOf(t testing.TB, id string) json.RawMessage {
	return ask[opened](t, "view/model", `{"id":"`+id+`"}`).Model
}

func drawn(t testing.TB, model json.RawMessage, open ...string) drawnGraph {
	t.Helper()
	list, err := json.Marshal(open)
	if err != nil || open == nil {
		list = []byte("[]")
	}
	return ask[drawnGraph](t, "view/graph", `{"model":`+string(model)+`,"open":`+string(list)+`}`)
}

// TestEveryModelIsDrawn holds what the app relies on, of every bundled model, folded and with every block open.
func TestEveryModelIsDrawn(t *testing.T) {
	for _, id := range models.List() {
		model := modelOf(t, id)
		folded := drawn(t, model)
		checkDrawn(t, id, folded)
		var open []string
		for _, n := range folded.Nodes {
			if n.Kind == foldedKind {
				open = append(open, n.ID)
			}
		}
		full := drawn(t, model, open...)
		checkDrawn(t, id+" opened", full)
		for _, name := range open {
			at := slices.IndexFunc(full.Nodes, func(n drawnNode) bool { return n.ID == name })
			if at < 0 {
				t.Errorf("%s: %s is gone after it was opened", id, name)
			} else if n := full.Nodes[at]; n.Kind != groupKind || len(n.Hides) > 0 {
				t.Errorf("%s: %s is %s after it was opened, and hides %q", id, name, n.Kind, n.Hides)
			}
		}
	}
}

func checkDrawn(t *testing.T, id string, d drawnGraph) {
	t.Helper()
	nodes := map[string]drawnNode{"": {W: d.Width, H: d.Height}}
	shown := map[string]string{}
	for _, n := range d.Nodes {
		if _, twice := nodes[n.ID]; twice {
			t.Errorf("%s: two nodes are called %s", id, n.ID)
		}
		p, ok := nodes[n.Parent]
		if !ok {
			t.Errorf("%s: %s stands before its parent %q", id, n.ID, n.Parent)
		}
		if n.X < p.X || n.Y < p.Y || n.X+n.W > p.X+p.W || n.Y+n.H > p.Y+p.H {
			t.Errorf("%s: %s leaves its parent", id, n.ID)
		}
		nodes[n.ID] = n
		for _, r := range n.Rows {
			shown[r.Component] = n.ID
		}
		for _, c := range n.Hides {
			shown[c] = n.ID
		}
	}
	for _, c := range d.Components {
		if c.Node != shown[c.ID] || c.Node == "" && c.Type != "stickyNote" {
			t.Errorf("%s: %s is said to be in %q and is in %q", id, c.ID, c.Node, shown[c.ID])
		}
	}
	for i, n := range d.Nodes {
		for _, m := range d.Nodes[:i] {
			if n.Parent == m.Parent && n.X < m.X+m.W && m.X < n.X+n.W && n.Y < m.Y+m.H && m.Y < n.Y+n.H {
				t.Errorf("%s: %s and %s overlap", id, n.ID, m.ID)
			}
		}
	}
	for _, e := range d.Edges {
		from, to := nodes[e.From], nodes[e.To]
		first, last := e.Points[0], e.Points[len(e.Points)-1]
		if first[1] != from.Y+from.H || first[0] < from.X || first[0] > from.X+from.W || last[1] != to.Y || last[0] < to.X || last[0] > to.X+to.W {
			t.Errorf("%s: the edge from %s to %s does not begin and end at them", id, e.From, e.To)
		}
	}
}

func TestTheDrawingHasEveryConnectionOfAnUnfoldedModel(t *testing.T) {
	model := modelOf(t, "unet")
	var g struct{ Connections []struct{ From, To string } }
	if err := json.Unmarshal(model, &g); err != nil {
		t.Fatal(err)
	}
	var open []string
	for _, n := range drawn(t, model).Nodes {
		open = append(open, n.ID)
	}
	d := drawn(t, model, open...)
	drawnEdges, inside := map[[2]string]bool{}, 0
	for _, e := range d.Edges {
		drawnEdges[[2]string{e.FromComponent, e.ToComponent}] = true
	}
	for _, n := range d.Nodes {
		inside += max(len(n.Rows)-1, 0)
	}
	if got := len(drawnEdges) + inside; got != len(g.Connections) {
		t.Errorf("%d connections are drawn, %d of them inside boxes; the model has %d", got, inside, len(g.Connections))
	}
}

func TestFindingsStandAtTheirComponent(t *testing.T) {
	model := ask[opened](t, "view/example", "{}").Model
	d := drawn(t, model)
	at := slices.IndexFunc(d.Components, func(c drawnComponent) bool { return c.ID == "hidden" })
	if c := d.Components[at]; !slices.Equal(c.Findings, []int{0}) || c.Severity != "block" {
		t.Errorf("hidden has %+v", c)
	}
	for _, n := range d.Nodes {
		for _, r := range n.Rows {
			if (r.Severity == "block") != (r.Component == "hidden") {
				t.Errorf("%s has the severity %q", r.Component, r.Severity)
			}
		}
	}
}

func TestGroupsOfTheEditorAreDrawn(t *testing.T) {
	model := ask[opened](t, "view/example", "{}").Model
	after := ask[edited](t, "view/edit", `{"model":`+string(model)+`,"edits":[{"op":"group","components":["conv2","relu2","pool2"],"name":"second stage"}]}`)
	d := drawn(t, after.Model)
	at := slices.IndexFunc(d.Nodes, func(n drawnNode) bool { return n.Kind == groupKind })
	if at < 0 || d.Nodes[at].Title != "second stage" || d.Nodes[at].ID != "block:conv2" {
		t.Fatalf("the nodes are %+v", d.Nodes)
	}
	if box := d.Nodes[at+1]; box.Parent != "block:conv2" || len(box.Rows) != 3 {
		t.Errorf("in it is %+v", box)
	}
}

func TestDrawsHostileGraphs(t *testing.T) {
	deep := strings.Repeat("[", 100000)
	for name, body := range map[string]string{
		"nesting":                 `{"model":` + deep,
		"no graph":                `{"model":7}`,
		"100,000 components":      `{"model":{"components":[` + strings.Repeat(`{"type":"relu"},`, 99999) + `{"type":"relu"}]}}`,
		"an open that is no list": `{"model":{"components":[]},"open":7}`,
	} {
		if status, answer := Action("view/graph", body); status < 400 || status >= 500 || !strings.Contains(answer, `"code":`) {
			t.Errorf("%s: %d %.200s", name, status, answer)
		}
	}
	for name, model := range map[string]string{
		"empty":       `{"components":[]}`,
		"a cycle":     `{"components":[{"id":"a","type":"relu"},{"id":"b","type":"relu"}],"connections":[{"from":"a","to":"b"},{"from":"b","to":"a"}]}`,
		"one id":      `{"components":[{"id":"a","type":"relu"},{"id":"a","type":"relu"}],"connections":[{"from":"a","to":"a"}]}`,
		"no such end": `{"components":[{"id":"a","type":"relu"}],"connections":[{"from":"a","to":"zz"},{"from":"zz","to":"a"}]}`,
		"long names":  `{"components":[{"id":"` + strings.Repeat("x", 100000) + `","type":"` + strings.Repeat("y", 100000) + `"}]}`,
	} {
		if status, answer := Action("view/graph", `{"model":`+model+`}`); status != 200 {
			t.Errorf("%s: %d %.200s", name, status, answer)
		}
	}
}

// distinct is a model of n components none of which repeats: each reads one before it, and some a second one far away.
func distinct(n int) json.RawMessage {
	r := rand.New(rand.NewPCG(7, 11))
	g := &graph.Graph{Components: []graph.Component{{ID: "x", Type: "input", Params: []graph.Param{{Name: "shape", Value: graph.IntsValue(64)}}}}}
	for i := 1; i < n; i++ {
		id := fmt.Sprintf("n%d", i)
		c := graph.Component{ID: id, Type: "linear", Params: []graph.Param{{Name: "outFeatures", Value: graph.IntValue(64)}, {Name: "bias", Value: graph.BoolValue(r.IntN(2) == 0)}}}
		back := 1 + r.IntN(min(i, 5))
		g.Connections = append(g.Connections, graph.Connection{From: g.Components[i-back].ID, To: id})
		if r.IntN(3) == 0 {
			c = graph.Component{ID: id, Type: "add"}
			g.Connections = append(g.Connections, graph.Connection{From: g.Components[r.IntN(i)].ID, To: id})
		}
		g.Components = append(g.Components, c)
	}
	return written(g)
}

// chainOf is a model of n components, one behind the other, none like its neighbours.
func chainOf(n int) json.RawMessage {
	g := &graph.Graph{Components: []graph.Component{{ID: "x", Type: "input", Params: []graph.Param{{Name: "shape", Value: graph.IntsValue(64)}}}}}
	for i := 1; i < n; i++ {
		id := fmt.Sprintf("n%d", i)
		g.Components = append(g.Components, graph.Component{ID: id, Type: "linear", Params: []graph.Param{{Name: "outFeatures", Value: graph.IntValue(int64(i*i%977 + 1))}}})
		g.Connections = append(g.Connections, graph.Connection{From: g.Components[i-1].ID, To: id})
	}
	return written(g)
}

func TestLargeGraphsAreDrawn(t *testing.T) {
	for name, model := range map[string]json.RawMessage{"distinct": distinct(2000), "chain": chainOf(2000)} {
		d := drawn(t, model)
		if len(d.Components) != 2000 {
			t.Errorf("%s has %d components", name, len(d.Components))
		}
		checkDrawn(t, name, d)
	}
}

// byProcessor runs something and reports how long it takes of the processors, which others at work on the machine do not blur.
func byProcessor(b *testing.B, f func()) {
	b.Helper()
	used := func() time.Duration {
		var u syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
			b.Fatal(err)
		}
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	from := used()
	for b.Loop() {
		f()
	}
	b.ReportMetric(float64((used()-from).Microseconds())/1000/float64(b.N), "cpu-ms/op")
}

// BenchmarkGraph is a drawing from the request to the answer: read, walked, judged, folded, placed and written. BenchmarkLayout is the placing
// alone. The bar for both is 100 ms of 2,000 components.
func BenchmarkGraph(b *testing.B) {
	for name, model := range measured(b) {
		body := `{"model":` + string(model) + `}`
		b.Run(name, func(b *testing.B) {
			byProcessor(b, func() {
				if status, answer := Action("view/graph", body); status != 200 {
					b.Fatal(answer)
				}
			})
		})
	}
}

func BenchmarkLayout(b *testing.B) {
	for name, model := range measured(b) {
		g, err := graph.Decode(model, "model", graph.ServiceLimits)
		if err != nil {
			b.Fatal(err)
		}
		s, err := scene.With(action.Examine(g).Walked, scene.Options{MaxBoxes: 2000, MaxRows: 2000, RowsOfBox: rowsOfBox})
		if err != nil {
			b.Fatal(err)
		}
		b.Run(name, func(b *testing.B) { byProcessor(b, func() { sizes.Layout(s.Root).Paths() }) })
	}
}

// measured are the models of the benchmarks.
func measured(b *testing.B) map[string]json.RawMessage {
	return map[string]json.RawMessage{"llama-3.2-1b": modelOf(b, "llama-3.2-1b"), "deepseek-v3": modelOf(b, "deepseek-v3"), "chain2000": chainOf(2000), "distinct2000": distinct(2000)}
}
