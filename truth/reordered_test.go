package truth

import (
	"cmp"
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/importer/hf"
	"github.com/modelverifier/verifier/internal/infer"
	_ "github.com/modelverifier/verifier/internal/seed"
	"github.com/modelverifier/verifier/models"
	"github.com/modelverifier/verifier/models/drawn"
)

// reordered is the same model with its components in another order, and its connections in one that keeps the order
// into each component. Inputs and outputs keep theirs among each other: the first of each is what an answer shows.
func reordered(g *graph.Graph, seed uint64) *graph.Graph {
	chance, out := rand.New(rand.NewPCG(seed, 0)), g.Clone()
	chance.Shuffle(len(out.Components), reflect.Swapper(out.Components))
	for _, end := range []string{"input", "output"} {
		next := 0
		for i := range out.Components {
			if out.Components[i].Type != end {
				continue
			}
			for g.Components[next].Type != end {
				next++
			}
			out.Components[i] = g.Components[next]
			next++
		}
	}
	into := map[string][]graph.Connection{}
	for _, c := range out.Connections {
		into[c.To] = append(into[c.To], c)
	}
	chance.Shuffle(len(out.Connections), reflect.Swapper(out.Connections))
	for i, c := range out.Connections {
		out.Connections[i], into[c.To] = into[c.To][0], into[c.To][1:]
	}
	return out
}

// unordered is an answer without what the contract takes from the list: the order of findings and of names, which
// blocker is named first, and which component of a cycle is.
func unordered(t rapid.TB, text string) string {
	t.Helper()
	var v any
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatal(err)
	}
	out, err := json.Marshal(withoutOrder(v))
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func withoutOrder(v any) any {
	switch v := v.(type) {
	case string:
		if at := strings.Index(v, "lies on a cycle"); at >= 0 {
			return v[at:]
		}
	case map[string]any:
		delete(v, "summary")
		delete(v, "headline")
		if v["rule"] == "cycle" || v["ruleId"] == "cycle" {
			for _, name := range []string{"component", "componentName", "componentType", "detail"} {
				delete(v, name)
			}
		}
		for k := range v {
			v[k] = withoutOrder(v[k])
		}
	case []any:
		numbers := false
		for i := range v {
			v[i] = withoutOrder(v[i])
			_, number := v[i].(json.Number)
			numbers = numbers || number
		}
		if !numbers { // those are shapes
			slices.SortFunc(v, func(a, b any) int {
				x, _ := json.Marshal(a)
				y, _ := json.Marshal(b)
				return cmp.Compare(string(x), string(y))
			})
		}
	}
	return v
}

// sameInAnyOrder holds that the order of a model's components decides nothing. Where two have one id the list says
// which of them it means.
func sameInAnyOrder(t rapid.TB, title string, g *graph.Graph, seeds ...uint64) {
	t.Helper()
	g = renamed(g, plainID)
	ids := map[string]bool{}
	for i := range g.Components {
		ids[g.Components[i].ID] = true
	}
	if len(ids) < len(g.Components) {
		return
	}
	want := said(t, g)
	for name := range want {
		want[name] = unordered(t, want[name])
	}
	for _, seed := range seeds {
		got := said(t, reordered(g, seed))
		for name := range got {
			got[name] = unordered(t, got[name])
		}
		sameAnswers(t, title, want, got, strings.NewReplacer())
	}
}

// TestTheOrderOfComponentsDecidesNothing holds for bundled models, also broken ones, that every figure follows from
// the structure.
func TestTheOrderOfComponentsDecidesNothing(t *testing.T) {
	for _, name := range models.List() {
		g, err := models.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		sameInAnyOrder(t, name, g, 1)
	}
	rapid.Check(t, func(t *rapid.T) {
		g := drawn.Model(t)
		drawn.Broken(t, g)
		sameInAnyOrder(t, g.Name, g, rapid.Uint64().Draw(t, "order"))
	})
}

// TestTheOrderOfWhatIsBrokenDecidesNothing has two faults that few drawn models have: several ends where no output is
// left that runs, and components on a cycle that read alike ones.
func TestTheOrderOfWhatIsBrokenDecidesNothing(t *testing.T) {
	for name, breaks := range map[string]func(g *graph.Graph){
		"dinov2-small": func(g *graph.Graph) { g.Connections = slices.Delete(g.Connections, 5, 6) },
		"stable-diffusion-1.5": func(g *graph.Graph) {
			for _, ends := range [][2]int{{4, 72}, {657, 1}} {
				g.Connections = append(g.Connections, graph.Connection{From: g.Components[ends[0]].ID, To: g.Components[ends[1]].ID})
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			g, err := models.Open(name)
			if err != nil {
				t.Fatal(err)
			}
			breaks(g)
			sameInAnyOrder(t, name, g, 2, 0x339)
		})
	}
}

// TestTheOrderOfMeasuredGraphsDecidesNothing holds the same for random graphs, most of them with a fault, and for
// imports, which say whose modules their components are.
func TestTheOrderOfMeasuredGraphsDecidesNothing(t *testing.T) {
	n := 0
	lines(t, "graphs.jsonl.gz", func(line []byte) {
		var r struct{ Graph json.RawMessage }
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatal(err)
		}
		if g, err := graph.Decode(r.Graph, "model", graph.LocalLimits); err == nil {
			sameInAnyOrder(t, g.Name, g, 1, 2)
		}
	})
	lines(t, "hf.jsonl.gz", func(line []byte) {
		if n++; n%19 != 0 {
			return
		}
		var r configRow
		if err := json.Unmarshal(hf.Strict(line), &r); err != nil {
			t.Fatal(err)
		}
		if m, err := hf.Import(r.Config, hf.Options{SeqLen: 64}); err == nil {
			sameInAnyOrder(t, m.ModelType, m.Graph, 1)
		}
	})
}

// inOtherWords is a model under other spellings of types and parameters, with defaults written out or left out, sizes
// that the input tells left out, and one number for all axes written as a list.
//
// Lazy reports whether a size was left out: as with PyTorch's lazy modules, such a model runs on data of another width.
func inOtherWords(t *rapid.T, g *graph.Graph) (_ *graph.Graph, lazy bool) {
	out := g.Clone()
	out.Normalize(catalog.Vocabulary)
	res := infer.Walk(out)
	out = out.Clone()
	for i := range out.Components {
		n, c := &res.Nodes[i], &out.Components[i]
		if n.Type == nil || n.Args == nil {
			continue
		}
		c.Params = slices.Clone(c.Params)
		for k := range n.Type.Params {
			lazy = reworded(t, c, &n.Type.Params[k], n.Args[k], n.State == infer.Legal) || lazy
		}
		c.Type = spelled(t, c.Type, n.Type.Aliases)
	}
	return out, lazy
}

// reworded spells one parameter otherwise, and reports whether it left out a size that follows from the input.
func reworded(t *rapid.T, c *graph.Component, p *catalog.Param, is graph.Value, runs bool) (lazy bool) {
	at := slices.IndexFunc(c.Params, func(given graph.Param) bool { return given.Name == p.Name })
	if !rapid.Bool().Draw(t, "reword") {
		return false
	}
	switch {
	case at < 0 && p.Default != nil && p.Breaks == "" && is.Kind() != graph.Null:
		c.Params = append(c.Params, graph.Param{Name: p.Name, Value: is})
		at = len(c.Params) - 1
	case at >= 0 && p.Default != nil && is.Equal(p.DefaultValue()):
		c.Params = slices.Delete(c.Params, at, at+1)
		return false
	case at >= 0 && p.Lazy && runs:
		c.Params = slices.Delete(c.Params, at, at+1)
		return true
	case at >= 0 && p.Kind == catalog.Dims && runs && c.Params[at].Value.Kind() == graph.Int:
		c.Params[at].Value = graph.IntsValue(slices.Repeat([]int64{c.Params[at].Value.Int()}, p.N)...)
	}
	if at >= 0 {
		c.Params[at].Name = spelled(t, p.Name, p.Aliases)
	}
	return false
}

// spelled is a name as others write it: an alias, or with underscores as in Python.
func spelled(t *rapid.T, name string, aliases []string) string {
	switch k := rapid.IntRange(-2, len(aliases)-1).Draw(t, "spelling"); k {
	case -2:
		return name
	case -1:
		var b strings.Builder
		for _, r := range name {
			if r >= 'A' && r <= 'Z' {
				b.WriteByte('_')
			}
			b.WriteString(strings.ToLower(string(r)))
		}
		return b.String()
	default:
		return aliases[k]
	}
}

// TestOtherWordsAreTheSameModel holds that no answer depends on which of its spellings a type or parameter has, nor
// on whether a default or a size that follows is written.
func TestOtherWordsAreTheSameModel(t *testing.T) {
	var measured []*graph.Graph // which have more types than bundled models, and most of them a fault
	lines(t, "graphs.jsonl.gz", func(line []byte) {
		var r struct{ Graph json.RawMessage }
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatal(err)
		}
		if g, err := graph.Decode(r.Graph, "model", graph.LocalLimits); err == nil {
			measured = append(measured, g)
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		var g *graph.Graph
		if rapid.Bool().Draw(t, "bundled") {
			g = drawn.Model(t)
		} else {
			g = rapid.SampledFrom(measured).Draw(t, "graph")
		}
		g = renamed(g, plainID)
		h, lazy := inOtherWords(t, g)
		a, b := said(t, g), said(t, h)
		if lazy {
			delete(a, "dataFit")
			delete(b, "dataFit")
		}
		for name := range a {
			a[name], b[name] = unordered(t, a[name]), unordered(t, b[name])
		}
		sameAnswers(t, g.Name, a, b, strings.NewReplacer())
	})
}
