package torch

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/infer"
)

// besideRow is what PyTorch gave for a module of testdata/beside.txt: outputs are without the batch.
type besideRow struct {
	Name, Raises string
	Line         int
	Params       int64
	Outputs      [][]int64
}

// besideCase is a module of testdata/beside.txt, which shows one thing that models use beside torch.nn. Its first line has the name, the inputs,
// what is expected ("full", "block", "unsure" where PyTorch raises and the reader withholds its verdict, "partly" where PyTorch runs and the
// forward cannot be followed) and the packages that it needs.
type besideCase struct {
	name, inputs, want string
	files              map[string]string
}

func besideCases(t *testing.T, file string) []besideCase {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out []besideCase
	for _, part := range strings.Split(string(data), "\n### ")[1:] {
		head, source, _ := strings.Cut(part, "\n")
		f := strings.Fields(head)
		parts := strings.Split(source, "#### ")
		c := besideCase{name: f[0], inputs: f[1], want: f[2], files: map[string]string{"net.py": "import torch\nimport torch.nn as nn\n" + parts[0] + "\n"}}
		for _, p := range parts[1:] {
			file, text, _ := strings.Cut(p, "\n")
			c.files[file] = text
		}
		out = append(out, c)
	}
	return out
}

func besideRows(t *testing.T, data []byte) map[string]besideRow {
	t.Helper()
	out := map[string]besideRow{}
	lines := bufio.NewScanner(bytes.NewReader(data))
	for lines.Scan() {
		var row besideRow
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			t.Fatal(err)
		}
		out[row.Name] = row
	}
	return out
}

// TestReadsWhatModelsUseBesideTorch compares each module with what PyTorch 2.15 gave.
func TestReadsWhatModelsUseBesideTorch(t *testing.T) {
	data, err := os.ReadFile("testdata/beside.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	real := besideRows(t, data)
	for _, c := range besideCases(t, "testdata/beside.txt") {
		t.Run(c.name, func(t *testing.T) { compareBeside(t, c, real[c.name]) })
	}
}

func compareBeside(t *testing.T, c besideCase, real besideRow) {
	t.Helper()
	runs := c.want == "full" || c.want == "partly"
	if real.Name == "" || runs != (real.Raises == "") {
		t.Fatalf("said to be %q, but PyTorch: %+v", c.want, real)
	}
	dir, opt := t.TempDir(), Options{}
	for name, text := range c.files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, s := range strings.Split(c.inputs, ";") {
		opt.Inputs = append(opt.Inputs, input(t, s))
	}
	m, err := importAt(context.Background(), dir, "net.py", "Net", opt)
	if err != nil {
		if c.want != "unsure" {
			t.Fatal(err)
		}
		return
	}
	if !runs {
		_, message := blocked(t, m)
		if (message != "") != (c.want == "block") || m.Status == Full {
			t.Fatalf("read %s, blocks with %q, want %s: %v", m.Status, message, c.want, m.Problems)
		}
		if at := "net.py:" + strconv.Itoa(real.Line) + ": "; m.Raises && real.Line > 0 && !strings.HasPrefix(message, at) {
			t.Errorf("%s, want %s", message, at)
		}
		return
	}
	if (m.Status == Full) != (c.want == "full") {
		t.Fatalf("read %s: %v", m.Status, m.Problems)
	}
	if m.Params != real.Params {
		t.Errorf("%d parameters, PyTorch has %d", m.Params, real.Params)
	}
	if c.want == "full" {
		if got := outputsOf(m); !slices.EqualFunc(got, real.Outputs, slices.Equal[[]int64]) {
			t.Errorf("gives %v, PyTorch %v", got, real.Outputs)
		}
	}
}

// outputsOf are the shapes of all results.
func outputsOf(m *Model) [][]int64 {
	var out [][]int64
	res := infer.Walk(m.Graph)
	for i := range res.Nodes {
		if res.Nodes[i].Component.Type == "output" {
			out = append(out, append([]int64{}, res.Nodes[i].Out...))
		}
	}
	return out
}

// TestBesideRowsAreThoseOfTheInstalledPyTorch runs the modules again whose packages are installed beside PyTorch.
func TestBesideRowsAreThoseOfTheInstalledPyTorch(t *testing.T) {
	needTorch(t)
	out, err := exec.Command(cmp.Or(os.Getenv("VERIFIER_PYTHON"), debianPython), "testdata/beside.py", "testdata/beside.txt").Output()
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile("testdata/beside.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	was := besideRows(t, data)
	for name, is := range besideRows(t, out) {
		if w := was[name]; w.Raises != is.Raises || w.Line != is.Line || w.Params != is.Params || !slices.EqualFunc(w.Outputs, is.Outputs, slices.Equal[[]int64]) {
			t.Errorf("%s: recorded %+v, is %+v", name, w, is)
		}
	}
}
