package torch

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/infer"
)

// raiser is a module of testdata/raises.txt: "block" where PyTorch raises and the reader must say so with the line, "runs" where
// it does not, and "unsure" where it raises on this machine or with this batch alone.
type raiser struct {
	name, source, want string
	opt                Options
}

func raisers(t *testing.T) []raiser {
	t.Helper()
	data, err := os.ReadFile("testdata/raises.txt")
	if err != nil {
		t.Fatal(err)
	}
	var out []raiser
	for _, part := range strings.Split(string(data), "### ")[1:] {
		head, source, _ := strings.Cut(part, "\n")
		f := strings.Fields(head)
		r := raiser{name: f[0], want: f[2], source: "import torch\nimport torch.nn as nn\n" + source}
		for _, s := range strings.Split(f[1], ";") {
			r.opt.Inputs = append(r.opt.Inputs, input(t, s))
		}
		out = append(out, r)
	}
	return out
}

// did is what PyTorch did with a module.
type did struct {
	Name, Raises string
	Line         int
}

func truths(t *testing.T, data []byte) map[string]did {
	t.Helper()
	out := map[string]did{}
	lines := bufio.NewScanner(bytes.NewReader(data))
	for lines.Scan() {
		var d did
		if err := json.Unmarshal(lines.Bytes(), &d); err != nil {
			t.Fatal(err)
		}
		out[d.Name] = d
	}
	return out
}

func readRaiser(t *testing.T, r raiser) *Model {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "net.py"), []byte(r.source), 0o644); err != nil {
		t.Fatal(err)
	}
	m, err := importAt(context.Background(), dir, "net.py", "Net", r.opt)
	if err != nil {
		t.Logf("refused: %v", err)
		return nil
	}
	return m
}

// blocked is whether the engine blocks the graph, after it went through JSON.
func blocked(t *testing.T, m *Model) (rule, message string) {
	t.Helper()
	g, err := graph.Decode(m.Graph.AppendJSON(nil), "model", graph.LocalLimits)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range infer.Walk(g).Refusals {
		return f.Rule, f.Message
	}
	return "", ""
}

// TestRaisesAsPyTorchDoes holds that the reader blocks what PyTorch 1.13 and 2.15 raise on, at their line, and nothing that they run.
func TestRaisesAsPyTorchDoes(t *testing.T) {
	for _, version := range []string{"1.13", "2.15"} {
		data, err := os.ReadFile("testdata/raises-" + version + ".jsonl")
		if err != nil {
			t.Fatal(err)
		}
		real := truths(t, data)
		for _, r := range raisers(t) {
			t.Run(version+"/"+r.name, func(t *testing.T) {
				compareRaise(t, r, real[r.name])
			})
		}
	}
}

func compareRaise(t *testing.T, r raiser, real did) {
	t.Helper()
	if real.Name == "" || (r.want == "runs") != (real.Raises == "") {
		t.Fatalf("said to be %q, but PyTorch: %+v", r.want, real)
	}
	m := readRaiser(t, r)
	rule, message := "", ""
	if m != nil {
		rule, message = blocked(t, m)
	}
	t.Logf("%s: %s", rule, message)
	if (rule != "") != (r.want == "block") {
		t.Fatalf("blocks by %q (%s), want %s", rule, message, r.want)
	}
	if rule == "" {
		if m != nil && r.want == "unsure" && m.Status == Full {
			t.Error("read fully, though PyTorch raises")
		}
		return
	}
	line := real.Line
	if line == 0 { // PyTorch raises before the forward begins: we name the line that defines it, or the class
		return
	}
	if !m.Raises { // a component of the graph that does not run, with its line beside it
		if p := m.Problems[0]; p.Line != line {
			t.Errorf("at line %d, PyTorch at %d: %s", p.Line, line, p.Message)
		}
		return
	}
	if rule != "source-raises" || !strings.HasPrefix(message, "net.py:"+strconv.Itoa(line)+": ") {
		t.Errorf("%s: %s, want net.py:%d", rule, message, line)
	}
}

// TestRecordedRaisesAreThoseOfTheInstalledPyTorch runs the modules again.
func TestRecordedRaisesAreThoseOfTheInstalledPyTorch(t *testing.T) {
	needTorch(t)
	t.Setenv("TMPDIR", t.TempDir()) // as with the recorded calls: what is killed leaves PyTorch's folder
	out, err := exec.Command(debianPython, "testdata/raises.py", "testdata/raises.txt").Output()
	if err != nil {
		t.Fatal(err)
	}
	var recorded []map[string]did
	for _, version := range recordings(t) {
		data, err := os.ReadFile("testdata/raises-" + version + ".jsonl")
		if err != nil {
			t.Fatal(err)
		}
		recorded = append(recorded, truths(t, data))
	}
	for name, d := range truths(t, out) {
		if !slices.ContainsFunc(recorded, func(was map[string]did) bool { return was[name] == d }) {
			t.Errorf("%s: is %+v, recorded %+v", name, d, recorded)
		}
	}
}
