package load

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/importer/hf"
	"github.com/modelverifier/verifier/models"
)

var update = flag.Bool("update", false, "write the bodies of the models that have a configuration again")

// textLength is how long the text inputs of the bundled models are at the most: the longest that a model takes would make every
// plan of it one of a run that hardly anybody does.
const textLength = 2048

const modelsDir = "../../models/"

// TestBundledModelsAreWhatTheImportersMake imports every configuration in models/configs again and wants the committed graph.
func TestBundledModelsAreWhatTheImportersMake(t *testing.T) {
	seen := 0
	params := map[string]int64{}
	for _, e := range models.Entries() {
		params[e.ID] = e.Params
	}
	for _, id := range models.List() {
		config, ok := models.Config(id)
		if !ok {
			continue
		}
		seen++
		t.Run(id, func(t *testing.T) {
			m := importBundled(t, config)
			if m.Params != params[id] {
				t.Errorf("its tensors have %d weights, its head says %d", m.Params, params[id])
			}
			want := m.Graph
			if *update {
				rewrite(t, id, want)
				return
			}
			got, err := models.Open(id)
			if err != nil {
				t.Fatal(err)
			}
			compareGraphs(t, got, want)
		})
	}
	if seen < 30 && !*update {
		t.Errorf("only %d models have a configuration", seen)
	}
}

// TestEveryConfigurationHasAModel finds configurations that no graph is named after.
func TestEveryConfigurationHasAModel(t *testing.T) {
	entries, err := os.ReadDir(modelsDir + "configs")
	if err != nil {
		t.Fatal(err)
	}
	ids := models.List()
	for _, e := range entries {
		if id := strings.TrimSuffix(e.Name(), ".json"); !slices.Contains(ids, id) {
			t.Errorf("configs/%s: there is no %s.graph", e.Name(), id)
		}
	}
}

// importBundled imports a configuration with text inputs of the length that the bundled models have.
func importBundled(t *testing.T, config []byte) *hf.Model {
	t.Helper()
	m, err := hf.Import(config, hf.Options{})
	if err == nil && longest(m.Graph) > textLength {
		m, err = hf.Import(config, hf.Options{SeqLen: textLength})
	}
	if err != nil {
		t.Fatal(err)
	}
	for i := range m.Graph.Components {
		c := &m.Graph.Components[i]
		if c.Name == c.ID {
			c.Name = "" // says nothing that the id does not
		}
		c.Extra = nil // bundled models are PyTorch's own modules: what importers say of those of a library is not written down
	}
	return m
}

// longest is the length of the longest text input.
func longest(g *graph.Graph) (n int64) {
	for i := range g.Components {
		shape, _ := g.Components[i].Param("shape")
		if list := shape.List(); g.Components[i].Type == "input" && len(list) == 1 {
			n = max(n, list[0].Int())
		}
	}
	return n
}

// compareGraphs wants the same components in the same order, and the same connections into each of them.
func compareGraphs(t *testing.T, got, want *graph.Graph) {
	t.Helper()
	if len(got.Components) != len(want.Components) {
		t.Errorf("has %d components, its configuration makes %d", len(got.Components), len(want.Components))
	}
	into := sources(want)
	for id, from := range sources(got) {
		if !slices.Equal(from, into[id]) {
			t.Errorf("%s takes %v, its configuration makes it take %v", id, from, into[id])
		}
	}
	for i := range min(len(got.Components), len(want.Components)) {
		g, w := line(&got.Components[i]), line(&want.Components[i])
		if g != w {
			t.Fatalf("has     %s\nwants   %s\nwith -update its file is written again", g, w)
		}
	}
	if !slices.EqualFunc(got.Extra, want.Extra, sameMember) {
		t.Errorf("has the members %v, its configuration makes %v", got.Extra, want.Extra)
	}
}

// sources are the components that feed each component, in order.
func sources(g *graph.Graph) map[string][]string {
	out := map[string][]string{}
	for i := range g.Components {
		out[g.Components[i].ID] = nil
	}
	for _, c := range g.Connections {
		out[c.To] = append(out[c.To], c.From)
	}
	return out
}

// line is a component with everything that belongs to it.
func line(c *graph.Component) string {
	one := graph.Graph{Components: []graph.Component{*c}}
	return string(one.AppendJSON(nil))
}

func sameMember(a, b graph.Member) bool {
	var x, y bytes.Buffer
	return a.Name == b.Name && json.Compact(&x, []byte(a.Raw)) == nil && json.Compact(&y, []byte(b.Raw)) == nil && x.String() == y.String()
}

// rewrite replaces what follows the head of a model's file.
func rewrite(t *testing.T, id string, g *graph.Graph) {
	t.Helper()
	path := modelsDir + id + ".graph"
	old, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var head strings.Builder
	for l := range strings.Lines(string(old)) {
		if !strings.HasPrefix(l, "graph ") && !strings.HasPrefix(l, "//") {
			break
		}
		head.WriteString(l)
	}
	body := graph.Graph{Components: g.Components}
	if err := os.WriteFile(path, []byte(head.String()+"\n"+body.Text()+"\n"+chains(g)), 0o644); err != nil {
		t.Fatal(err)
	}
}

// chains writes the connections as people do: one after the other on a line as long as each is fed by the one before.
func chains(g *graph.Graph) string {
	const width = 140
	var b strings.Builder
	into := sources(g)
	column, last := 0, ""
	for i := range g.Components {
		to := g.Components[i].ID
		from := into[to]
		if len(from) == 0 {
			continue
		}
		step := " -> " + quoted(to)
		if len(from) > 1 || from[0] != last || column+len(step) > width {
			if column > 0 {
				b.WriteByte('\n')
			}
			names := make([]string, len(from))
			for i, f := range from {
				names[i] = quoted(f)
			}
			step, column = strings.Join(names, ", ")+step, 0
		}
		b.WriteString(step)
		column, last = column+len(step), to
	}
	b.WriteByte('\n')
	return b.String()
}

// quoted writes an id as the notation does.
func quoted(id string) string {
	one := graph.Graph{Components: []graph.Component{{ID: id, Type: "x"}}}
	return strings.TrimSuffix(one.Text(), ": x\n")
}
