package load

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/infer"
	"github.com/modelverifier/verifier/internal/rules"
	"github.com/modelverifier/verifier/models"
)

func TestComponentsOfAGraphHaveTheLineTheyAreWrittenOn(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []int
	}{
		"notation":                              {"graph \"n\"\n# x: input\n\nx: input shape=[8]\r\nx -> y // y: output\n y \"a: b\": output\ngraph: output\n", []int{4, 6, 7}},
		"json":                                  {"{\"name\": \"n\",\n \"components\": [\n  {\"id\": \"x\",\n \"type\": \"input\"}, {\"id\": \"a\"}\n\n,\n {\n\"id\": \"[{\\n\"}], \"connections\": [\n{\"from\":\"x\",\"to\":\"a\"}]}", []int{3, 4, 7}},
		"a member that is named as a request's": {"{\"model\": {\"components\": [\n1,2,\n3]},\n\"components\": [{}]}", []int{4}},
		"request":                               {"{\"policy\": {\"components\": []},\n\"model\": {\"x\": [\n],\n\"components\":\n[{\"id\": \"x\"}\n]}}", []int{5}},
		"none":                                  {`{"components": []}`, nil},
	} {
		var got []int
		for _, p := range graphPlaces("f", []byte(c.text)) {
			got = append(got, p.Line)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: lines %v, want %v", name, got, c.want)
		}
	}
}

// TestEveryBundledModelHasALineForEachComponent compares with what stands on the line, in both forms.
func TestEveryBundledModelHasALineForEachComponent(t *testing.T) {
	for _, id := range models.List() {
		g, err := models.Open(id)
		if err != nil {
			t.Fatal(err)
		}
		notation := g.Text()
		encoded := g.AppendJSON(nil)
		// One component to a line, wherever the encoder writes the next.
		indented := strings.ReplaceAll(string(encoded), `},{"id":`, "},\n{\"id\":")
		for _, text := range []string{notation, indented} {
			lines := strings.Split(text, "\n")
			places := graphPlaces(id, []byte(text))
			if len(places) != len(g.Components) {
				t.Fatalf("%s: %d lines of %d components", id, len(places), len(g.Components))
			}
			for i, p := range places {
				if want := g.Components[i].ID; !strings.Contains(lines[p.Line-1], want) {
					t.Errorf("%s: line %d is %q, not of %s", id, p.Line, lines[p.Line-1], want)
				}
			}
		}
	}
}

const sourceText = `import torch
import torch.nn as nn
import torch.nn.functional as F
from blocks import Block


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(3, 8, 3),
            nn.ReLU(),
        )
        self.layers = nn.ModuleList(
            [nn.Conv2d(8, 8, 1) for _ in range(2)])
        self.block = Block(8)
        self.fc = nn.Linear(
            8,
            int(10))

    def forward(self, x):
        x = self.body(x)
        for layer in self.layers:
            x = layer(x)
        x = self.block(x)
        x = x.mean(
            (2, 3))
        return F.relu(self.fc(x)) + torch.sigmoid(
            x).sum(1, keepdim=True)
`

const blocksText = `import torch.nn as nn
class Block(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.norm = nn.BatchNorm2d(n)
    def forward(self, x):
        return self.norm(x) * 2 + x
`

func TestComponentsOfASourceHaveTheLineThatMadeThem(t *testing.T) {
	dir := write(t, map[string][]byte{"net.py": []byte(sourceText), "blocks.py": []byte(blocksText)})
	m, err := Open(t.Context(), filepath.Join(dir, "net.py:Net"), Options{Limits: graph.LocalLimits, Inputs: []string{"3x8x8"}})
	if err != nil {
		t.Fatal(err)
	}
	if m.File != filepath.Join(dir, "net.py") {
		t.Errorf("the file is %s", m.File)
	}
	places := m.Places()
	if len(places) != len(m.Graph.Components) {
		t.Fatalf("%d places of %d components", len(places), len(m.Graph.Components))
	}
	wd, _ := os.Getwd()
	rel, err := filepath.Rel(wd, filepath.Join(dir, "blocks.py"))
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]string{m.File: "net", rel: "blocks", "": ""}
	got := map[string]string{}
	for i, p := range places {
		got[m.Graph.Components[i].ID] = fmt.Sprintf("%s:%d", names[p.File], p.Line)
	}
	for id, want := range map[string]string{
		"input": ":0", "body.0": "net:11", "body.1": "net:12", "layers.0": "net:15", "layers.1": "net:15", "block.norm": "blocks:5", "block.add": "blocks:7",
		"fc": "net:17", "relu": "net:28", "mean": "net:26", "sigmoid": "net:28", "output": ":0",
	} {
		if got[id] != want {
			t.Errorf("%s is at %q, want %q; all: %v", id, got[id], want, got)
		}
	}
}

func TestAFileOfTheUsersMayHaveTheNameOfOurs(t *testing.T) {
	dir := write(t, map[string][]byte{"prelude.py": []byte("import torch.nn as nn\ndef net():\n    return nn.Sequential(nn.Linear(4, 2))\n")})
	m, err := Open(t.Context(), filepath.Join(dir, "prelude.py:net"), Options{Limits: graph.LocalLimits, Inputs: []string{"4"}})
	if err != nil {
		t.Fatal(err)
	}
	if p := m.Places()[1]; p.Line != 3 {
		t.Errorf("the layer is on line %d", p.Line)
	}
}

// TestASourceThatStopsIsRefusedForItsReason wants the engine to refuse the one component that PyTorch refuses, and nothing else.
func TestASourceThatStopsIsRefusedForItsReason(t *testing.T) {
	const text = `import torch.nn as nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(8, 16)
        self.b = nn.Linear(8, 2)
    def forward(self, x):
        return self.b(self.a(x))
`
	dir := write(t, map[string][]byte{"net.py": []byte(text)})
	m, err := Open(t.Context(), filepath.Join(dir, "net.py"), Options{Limits: graph.LocalLimits, Inputs: []string{"8"}})
	if err != nil {
		t.Fatal(err)
	}
	found := rules.Run(infer.Walk(m.Graph))
	if len(found) == 0 || found[0].Rule.ID != "linear-in-mismatch" || len(found) > 1 && found[1].Rule.Severity == rules.Block {
		t.Errorf("found %v", found)
	}
	if p := m.Places()[found[0].Node]; p.Line != 6 {
		t.Errorf("it lies on line %d", p.Line)
	}
}

// FuzzPlaces wants a line for each component of whatever is read, within the document and in order.
func FuzzPlaces(f *testing.F) {
	f.Add([]byte("x: input shape=[8]\n\ny: output\nx -> y"))
	f.Add([]byte("{\"model\": 1, \"components\": [{},\n{\"id\": \"x\"}]}"))
	f.Add([]byte("\r\n{\"components\":[\n{\"params\":{\"components\":[1]}}]\n}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		places := graphPlaces("f", data)
		g, err := decode(data, false, graph.ServiceLimits)
		if err != nil || isRequest(data) {
			return
		}
		if len(places) != len(g.Components) {
			t.Fatalf("%d lines of %d components", len(places), len(g.Components))
		}
		for i, p := range places {
			if p.Line < 1 || p.Line > 1+strings.Count(string(data), "\n") || i > 0 && p.Line < places[i-1].Line {
				t.Fatalf("lines %v", places)
			}
		}
	})
}
