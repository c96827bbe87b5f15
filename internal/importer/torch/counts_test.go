package torch

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/infer"
)

// countRow is what PyTorch said of a module of testdata/counts.txt.
type countRow struct {
	Name   string
	Params int64
	Output []int64
	FLOPs  int64
	Raises string
}

const countsPreamble = "import copy\nimport math\nimport torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n"

func countRows(t *testing.T, version string) map[string]countRow {
	t.Helper()
	data, err := os.ReadFile("testdata/counts-" + version + ".jsonl")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]countRow{}
	lines := bufio.NewScanner(bytes.NewReader(data))
	for lines.Scan() {
		var r countRow
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		out[r.Name] = r
	}
	return out
}

// TestCountsAreThoseOfPyTorchOrWithheld holds that no weight is left out or counted twice in silence, however a module comes by it: a
// count is PyTorch's or it says that it is withheld. What is marked "full" is read to its end, with PyTorch's shape and FLOPs.
func TestCountsAreThoseOfPyTorchOrWithheld(t *testing.T) {
	text, err := os.ReadFile("testdata/counts.txt")
	if err != nil {
		t.Fatal(err)
	}
	old, real := countRows(t, "1.13"), countRows(t, "2.15")
	for _, part := range strings.Split(string(text), "### ")[1:] {
		head, source, _ := strings.Cut(part, "\n")
		f := strings.Fields(head)
		t.Run(f[0], func(t *testing.T) {
			row, ok := real[f[0]]
			if was := old[f[0]]; was.Raises == "" && row.Raises == "" && (was.Params != row.Params || !slices.Equal(was.Output, row.Output)) {
				t.Fatalf("PyTorch 1.13 says %+v, 2.15 %+v", was, row)
			}
			if !ok || row.Raises != "" && f[2] == "full" {
				t.Fatalf("PyTorch: %+v", row)
			}
			compareCount(t, f[1], f[2], countsPreamble+source, row)
		})
	}
}

func compareCount(t *testing.T, inputs, want, source string, real countRow) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "net.py"), []byte(source), 0o644); err != nil {
		t.Fatal(err)
	}
	var opt Options
	for _, s := range strings.Split(inputs, ";") {
		opt.Inputs = append(opt.Inputs, input(t, s))
	}
	m, err := importAt(context.Background(), dir, "net.py", "Net", opt)
	if err != nil {
		t.Logf("refused: %v", err)
		if want == "full" {
			t.Errorf("refused: %v", err)
		}
		return
	}
	walked := infer.Walk(m.Graph)
	if m.Raises && real.Raises == "" {
		t.Errorf("said to raise: %v", m.Problems)
	}
	if m.Params >= 0 && len(m.Withheld) == 0 && real.Params >= 0 && m.Params != real.Params {
		t.Errorf("%d parameters, PyTorch has %d", m.Params, real.Params)
	}
	if lacks := walked.ParamsWithheld(); len(lacks) == 0 && real.Params >= 0 && walked.Params != real.Params {
		t.Errorf("the graph has %d parameters, PyTorch %d", walked.Params, real.Params)
	}
	if m.Status != Full {
		t.Logf("partly: %v", m.Problems)
		if want == "full" {
			t.Errorf("read in part: %v", m.Problems)
		}
		return
	}
	if output, _ := outcome(m); real.Raises == "" && !withBatch(output, real.Output) {
		t.Errorf("gives %v, PyTorch %v", output, real.Output)
	}
	if n := walked.KnownFLOPs(); n != nil && real.FLOPs >= 0 && *n != real.FLOPs {
		t.Errorf("%d FLOPs, PyTorch counts %d", *n, real.FLOPs)
	}
}
