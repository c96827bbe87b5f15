package lint

import (
	"encoding/json"
	"fmt"
	"runtime"
	"slices"
	"sort"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/infer"
)

// example is a use of a type that its own file shows: arguments that make sense together.
type example struct {
	typ    string
	params []graph.Param
	ins    int
}

var pool = func() []example {
	var out []example
	for _, t := range catalog.Types() {
		if t.Has(catalog.IsVirtual) {
			continue
		}
		for _, e := range t.Examples {
			params, err := graph.ParseParams(e.Args)
			if err != nil {
				panic(err)
			}
			out = append(out, example{t.ID, params, max(1, len(strings.Fields(e.In)))})
		}
	}
	return out
}()

var inputShapes = [][]int64{{8}, {16}, {12, 16}, {3, 32, 32}, {4, 8, 8}, {16, 4, 4}, {8, 20}, {2, 4, 6, 6}, {}}

// randomGraph draws a graph of components as their examples show them, wired at random: some legal, some refused, some
// behind a refused one, and at times a cycle, a duplicate id or a connection to nowhere.
func randomGraph(t *rapid.T) *graph.Graph {
	g := &graph.Graph{}
	inputs := rapid.IntRange(1, 3).Draw(t, "inputs")
	for i := range inputs {
		shape := rapid.SampledFrom(inputShapes).Draw(t, "shape")
		g.Components = append(g.Components, graph.Component{ID: fmt.Sprint("c", i), Type: "input", Params: []graph.Param{{Name: "shape", Value: graph.IntsValue(shape...)}}})
	}
	layers := rapid.IntRange(1, 14).Draw(t, "layers")
	for i := inputs; i < inputs+layers; i++ {
		e := rapid.SampledFrom(pool).Draw(t, "example")
		id := fmt.Sprint("c", i)
		g.Components = append(g.Components, graph.Component{ID: id, Type: e.typ, Params: slices.Clone(e.params)})
		for range e.ins {
			from := rapid.IntRange(max(0, i-4), i-1).Draw(t, "from")
			g.Connections = append(g.Connections, graph.Connection{From: fmt.Sprint("c", from), To: id})
		}
	}
	g.Components = append(g.Components, graph.Component{ID: "out", Type: "output"})
	g.Connections = append(g.Connections, graph.Connection{From: fmt.Sprint("c", inputs+layers-1), To: "out"})
	switch rapid.IntRange(0, 11).Draw(t, "fault") {
	case 0:
		a, b := rapid.IntRange(0, inputs+layers-1).Draw(t, "a"), rapid.IntRange(0, inputs+layers-1).Draw(t, "b")
		g.Connections = append(g.Connections, graph.Connection{From: fmt.Sprint("c", a), To: fmt.Sprint("c", b)})
	case 1:
		g.Connections[rapid.IntRange(0, len(g.Connections)-1).Draw(t, "edge")].From = "nowhere"
	}
	return g
}

// answer is what is known of a graph, by component, without ids, names and positions.
func answer(g *graph.Graph) map[string]string {
	out := map[string]string{}
	g = g.Clone()
	res := Run(&Request{Model: g})
	walked := infer.Walk(g)
	for i := range walked.Nodes {
		n := &walked.Nodes[i]
		out[n.Component.ID] = fmt.Sprint(n.State, n.Out, n.OutIsInt, n.Params, n.FLOPs, n.SavedBytes)
	}
	for _, f := range res.Findings {
		if f.Severity == "block" && f.Rule != "cycle" { // of a cycle only the first component is named, and that is a matter of order
			out[f.Component] += " " + f.Rule
		}
	}
	return out
}

func same(t *rapid.T, what string, got, want map[string]string) {
	for id, w := range want {
		if got[id] != w {
			t.Fatalf("%s: %s was %s and became %s", what, id, w, got[id])
		}
	}
}

func TestRenamingChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := randomGraph(t)
		renamed := g.Clone()
		for i := range renamed.Components {
			renamed.Components[i].ID = "x" + renamed.Components[i].ID
			renamed.Components[i].Name = fmt.Sprint("name ", i)
		}
		for i := range renamed.Connections {
			renamed.Connections[i].From, renamed.Connections[i].To = "x"+renamed.Connections[i].From, "x"+renamed.Connections[i].To
		}
		want := map[string]string{}
		for id, a := range answer(g) {
			want["x"+id] = a
		}
		delete(want, "x")
		same(t, "renamed", answer(renamed), want)
	})
}

func TestReorderingChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := randomGraph(t)
		shuffled := g.Clone()
		shuffled.Components = rapid.Permutation(shuffled.Components).Draw(t, "components")
		// Any order of connections that keeps the order of those into each component: sort by a random rank of the target.
		rank := map[string]int{}
		for i, c := range rapid.Permutation(g.Components).Draw(t, "targets") {
			rank[c.ID] = i
		}
		sort.SliceStable(shuffled.Connections, func(i, j int) bool {
			return rank[shuffled.Connections[i].To] < rank[shuffled.Connections[j].To]
		})
		same(t, "reordered", answer(shuffled), answer(g))
	})
}

func TestAnUnreadComponentChangesNoOther(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := randomGraph(t)
		more := g.Clone()
		from := rapid.SampledFrom(g.Components).Draw(t, "from").ID
		more.Components = append(more.Components, graph.Component{ID: "added", Type: "identity"})
		more.Connections = append(more.Connections, graph.Connection{From: from, To: "added"})
		same(t, "with a reader more", answer(more), answer(g))
	})
}

func TestAnEditRemovesItsFinding(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := randomGraph(t)
		before := Run(&Request{Model: g})
		for _, f := range before.Findings {
			if len(f.Edit) == 0 {
				continue
			}
			repaired := g.Clone()
			for _, e := range f.Edit {
				for i := range repaired.Components {
					if repaired.Components[i].ID == e.Component {
						repaired.Components[i].SetParam(e.Param, e.Value)
						break
					}
				}
			}
			for _, after := range Run(&Request{Model: repaired}).Findings {
				if after.Rule == f.Rule && after.Component == f.Component {
					t.Fatalf("%s on %s is still there after %q: %s", f.Rule, f.Component, f.Fix, after.Message)
				}
			}
		}
	})
}

func TestEveryProcessorCountGivesTheSameBytes(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	rapid.Check(t, func(t *rapid.T) {
		g := randomGraph(t)
		var first []byte
		for _, procs := range []int{1, 2, 7} {
			runtime.GOMAXPROCS(procs)
			got, err := json.Marshal(Run(&Request{Model: g.Clone()}))
			if err != nil {
				t.Fatal(err)
			}
			if first == nil {
				first = got
			}
			if string(got) != string(first) {
				t.Fatalf("with %d processors: %s, not %s", procs, got, first)
			}
		}
	})
}

func TestAPolicyOnlyAddsFindings(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := randomGraph(t)
		params := rapid.Int64Range(0, 10_000).Draw(t, "max_params")
		body := fmt.Sprintf(`{"model":%s,"policy":{"max_params":%d,"forbid_types":["relu","linear"],"max_layers":3,"max_cost_usd":0.01}}`, g.AppendJSON(nil), params)
		r, err := Decode([]byte(body), graph.ServiceLimits)
		if err != nil {
			t.Fatal(err)
		}
		plain, held := Run(&Request{Model: g}), Run(r)
		if held.Counts.Block < plain.Counts.Block || held.Counts.Warn < plain.Counts.Warn || plain.Verdict == "fail" && held.Verdict != "fail" {
			t.Fatalf("%+v became %+v under a policy", plain.Counts, held.Counts)
		}
		before, _ := json.Marshal(plain.Findings)
		if after, _ := json.Marshal(held.Findings[:len(plain.Findings)]); string(after) != string(before) {
			t.Fatalf("%s became %s", before, after)
		}
	})
}

func TestAPolicyLineThatFailsIsAFinding(t *testing.T) {
	body := `{"model":{"components":[{"id":"x","type":"input","params":{"shape":[4]}},{"id":"l","type":"linear","params":{"inFeatures":4,"outFeatures":4}},{"id":"o","type":"output"}],` +
		`"connections":[{"from":"x","to":"l"},{"from":"l","to":"o"}]},"policy":{"max_params":"19"}}`
	r, err := Decode([]byte(body), graph.ServiceLimits)
	if err != nil {
		t.Fatal(err)
	}
	res := Run(r)
	last := res.Findings[len(res.Findings)-1]
	if res.Verdict != "fail" || last.Rule != "policy" || last.Severity != "block" || !strings.Contains(last.Message, "max_params: 19") || !strings.Contains(last.Message, "20 parameters") {
		t.Errorf("%s: %+v", res.Verdict, last)
	}
}
