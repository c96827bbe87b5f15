package torch

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/modelverifier/verifier/internal/infer"
)

// ran is what PyTorch gave for a module of testdata/batch.txt, for the batch that it was given.
type ran struct {
	Name    string
	Params  int64
	Results [][]int64
	FLOPs   int64
	Axes    []int // of the results, that are the batch; -1 for none, and nil where PyTorch takes no other batch
}

// written is a module of a text file, with its inputs.
type written struct {
	name, source string
	inputs       []Input
}

func writtenModules(t *testing.T, file string) []written {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out []written
	for _, part := range strings.Split(string(data), "### ")[1:] {
		head, source, _ := strings.Cut(part, "\n")
		f := strings.Fields(head)
		w := written{name: f[0], source: "import torch\nimport torch.nn as nn\n" + source}
		inputs, err := ParseInputs(f[1])
		if err != nil {
			t.Fatal(err)
		}
		w.inputs = inputs
		out = append(out, w)
	}
	return out
}

func ranModules(t *testing.T, file string) map[string]ran {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]ran{}
	for _, line := range bytes.Split(bytes.TrimSpace(data), []byte("\n")) {
		var r ran
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatal(err)
		}
		out[r.Name] = r
	}
	return out
}

// TestBatchArithmeticIsReadAsPyTorchRunsIt compares every module that computes with the batch, or across it: parameters, the shapes
// of its results and the FLOPs of a sample.
func TestBatchArithmeticIsReadAsPyTorchRunsIt(t *testing.T) {
	real := ranModules(t, "testdata/batch.jsonl")
	for _, w := range writtenModules(t, "testdata/batch.txt") {
		t.Run(w.name, func(t *testing.T) { compareRan(t, w, real[w.name]) })
	}
}

// TestArgumentsOfForwardAreReadAsPyTorchRunsThem compares modules that are given numbers, masks, lists, names and tensors without a batch.
func TestArgumentsOfForwardAreReadAsPyTorchRunsThem(t *testing.T) {
	real := ranModules(t, "testdata/arguments.jsonl")
	for _, w := range writtenModules(t, "testdata/arguments.txt") {
		t.Run(w.name, func(t *testing.T) { compareRan(t, w, real[w.name]) })
	}
}

func compareRan(t *testing.T, w written, real ran) {
	t.Helper()
	if real.Name == "" {
		t.Fatal("was not measured: see the head of testdata/batch.py")
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "net.py"), []byte(w.source), 0o644); err != nil {
		t.Fatal(err)
	}
	m, err := importAt(context.Background(), dir, "net.py", "Net", Options{Inputs: w.inputs})
	if err != nil {
		t.Fatal(err)
	}
	if m.Status != Full || m.Params != real.Params {
		t.Fatalf("read %s with %d parameters, PyTorch has %d: %v", m.Status, m.Params, real.Params, m.Problems)
	}
	for _, n := range m.Notes {
		t.Log(n)
	}
	res := infer.Walk(m.Graph)
	var got [][]int64
	for i := range res.Nodes {
		if res.Nodes[i].Component.Type == "output" {
			got = append(got, res.Nodes[i].Out)
		}
	}
	batch := batchOf(w.inputs)
	if batch == 0 {
		batch = 2
	}
	if !slices.ContainsFunc(tensorsIn(w.inputs), func(in Input) bool { return !in.Unbatched }) {
		batch = 1
	}
	if len(got) != len(real.Results) {
		t.Fatalf("%d results, PyTorch has %d", len(got), len(real.Results))
	}
	for i, want := range real.Results {
		axis := 0
		if real.Axes != nil {
			axis = real.Axes[i]
		}
		if whole := real.Axes == nil && slices.Equal(got[i], want); !whole && !resultOf(got[i], want, axis, batch) {
			t.Errorf("result %d is %v, PyTorch's %v for a batch of %d at axis %d", i, got[i], want, batch, axis)
		}
	}
	if known := res.KnownFLOPs(); known == nil || *known*batch != real.FLOPs {
		t.Errorf("%d FLOPs a sample (withheld: %v), PyTorch counts %d for %d", res.FLOPs, known == nil, real.FLOPs, batch)
	}
}

const windowOfConstants = `import torch
import torch.nn as nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Conv2d(3, 3, 1)
    def forward(self, x):
        line = torch.ones(5).unsqueeze(1)
        window = line.mm(line.t()).unsqueeze(0).unsqueeze(0).expand(3, 1, 5, 5).contiguous()
        return nn.functional.conv2d(self.fc(x), window, padding=2, groups=3)
`

// TestAProductOfConstantsInTheForwardCounts holds what PyTorch 2.15 counts for one sample: 43,008 FLOPs of convolutions, and 50 of the
// window that is made anew with every call.
func TestAProductOfConstantsInTheForwardCounts(t *testing.T) {
	fsys := fstest.MapFS{"net.py": {Data: []byte(windowOfConstants)}}
	m, err := Import(context.Background(), fsys, "net.py", "Net", Options{Inputs: []Input{{Shape: []int64{3, 16, 16}}}})
	if err != nil || m.Status != Full {
		t.Fatalf("%+v, %v", m, err)
	}
	if n := infer.Walk(m.Graph).KnownFLOPs(); n == nil || *n != 43058 {
		t.Errorf("%v FLOPs", n)
	}
}

// resultOf reports whether a shape of the graph is that of a result without its batch, with what is folded into it as axes of its own.
func resultOf(got, want []int64, axis int, batch int64) bool {
	switch {
	case axis < 0 || axis >= len(want) || want[axis]%batch != 0: // of all samples, or of half of them
		return slices.Equal(got, want)
	case want[axis] == batch:
		return slices.Equal(got, slices.Delete(slices.Clone(want), axis, axis+1))
	}
	return product(got)*batch == product(want)
}
