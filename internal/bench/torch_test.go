package bench

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/exporter/torch"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/infer"
	"github.com/modelverifier/verifier/internal/pythontest"
)

var inTorch = flag.Int("intorch", 1, "how many references of each family and split are run in PyTorch; 34 are 714")

// torchCase is a model that testdata/run.py is to run.
type torchCase struct {
	ID         string  `json:"id"`
	Source     string  `json:"source"`
	Class      string  `json:"class"`
	Input      []int64 `json:"input"`
	Vocabulary int64   `json:"vocabulary"`
	Params     int64   `json:"params"`

	output catalog.Shape
}

// torchRun is what became of it.
type torchRun struct {
	ID, Error string
	Params    int64
	Output    []int64
	Meta      bool
	Finite    bool
	Missing   []string           // parameters without a gradient
	Dead      map[string]float64 // the share of a parameter whose gradient is zero
}

// caseOf exports a model.
func caseOf(t *testing.T, id string, g *graph.Graph) torchCase {
	t.Helper()
	g.Normalize(catalog.Vocabulary)
	res := infer.Walk(g)
	source, class, err := torch.Module(res)
	if err != nil {
		t.Fatalf("%s: %v", id, err)
	}
	c := torchCase{ID: id, Source: source, Class: class, Params: res.Params}
	for i := range res.Nodes {
		switch n := &res.Nodes[i]; n.Component.Type {
		case "input":
			c.Input = n.Out
			if n.OutIsInt {
				c.Vocabulary = vocabularyOf(res, i)
			}
		case "output":
			c.output = n.Out
		}
	}
	return c
}

// runTorch runs models in one process.
func runTorch(t *testing.T, cases []torchCase) map[string]torchRun {
	t.Helper()
	var in bytes.Buffer
	for i := range cases {
		if err := json.NewEncoder(&in).Encode(&cases[i]); err != nil {
			t.Fatal(err)
		}
	}
	command := exec.CommandContext(t.Context(), pythontest.WithTorch(t), "testdata/run.py")
	command.Stdin, command.Stderr = &in, os.Stderr
	out, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	runs := map[string]torchRun{}
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var r torchRun
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		runs[r.ID] = r
	}
	return runs
}

// TestReferencesRunInPyTorch runs references forward and backward: they have the parameters and the output that the
// verifier says, and every parameter gets a gradient.
func TestReferencesRunInPyTorch(t *testing.T) {
	pythontest.WithTorch(t)
	var cases []torchCase
	for _, f := range Families() {
		for _, split := range Splits {
			for n := range *inTorch {
				p, err := Find(ID(f.Name, split, n))
				if err != nil {
					t.Fatal(err)
				}
				g, err := Apply(&p.Task, p.Reference)
				if err != nil {
					t.Fatal(err)
				}
				cases = append(cases, caseOf(t, p.Task.ID, g))
			}
		}
	}
	runs, meta, old := runTorch(t, cases), 0, 0
	for _, c := range cases {
		r, ok := runs[c.ID]
		switch {
		case !ok:
			t.Errorf("%s: was not run", c.ID)
		case strings.Contains(r.Error, "cannot repeat_interleave a meta tensor"):
			old++ // PyTorch 1.13 computes this on no meta device
		case r.Error != "":
			t.Errorf("%s: %s", c.ID, r.Error)
		case r.Params != c.Params || !slices.Equal(r.Output, c.output):
			t.Errorf("%s: %d parameters and %v in PyTorch, the verifier has %d and %v", c.ID, r.Params, r.Output, c.Params,
				c.output)
		case len(r.Missing) > 0:
			t.Errorf("%s: no gradient at %v", c.ID, r.Missing)
		case !r.Meta && !r.Finite:
			t.Errorf("%s: not finite", c.ID)
		}
		for name, share := range r.Dead {
			if share == 1 {
				t.Errorf("%s: every gradient of %s is zero", c.ID, name)
			}
		}
		if r.Meta {
			meta++
		}
	}
	t.Logf("%d references ran forward and backward, %d of them on the meta device; %d are too large for this version "+
		"of PyTorch", len(runs)-old, meta, old)
}
