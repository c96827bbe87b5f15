package datasets

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/edit"
	"github.com/modelverifier/verifier/internal/exporter/torch"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/infer"
	"github.com/modelverifier/verifier/internal/pythontest"
)

var every = flag.Int("intorch-every", 28, "which of the answers of traces are run in PyTorch: 1 are all")

// answerOf makes the steps of a trace.
func answerOf(t *testing.T, r *traceRow) *infer.Result {
	t.Helper()
	g := &graph.Graph{}
	var err error
	if string(r.Start) != "null" {
		if g, err = graph.Decode(r.Start, "start", graph.ServiceLimits); err != nil {
			t.Fatal(err)
		}
	}
	for _, s := range r.Steps {
		ops, err := edit.Decode(string(s.Edits), "edits")
		if err != nil {
			t.Fatal(err)
		}
		if g, err = edit.Apply(g, ops, graph.ServiceLimits); err != nil {
			t.Fatal(err)
		}
	}
	g.Normalize(catalog.Vocabulary)
	return infer.Walk(g)
}

// TestAnswersOfTracesRunInPyTorch exports answers that a search found and runs them forward and backward: they have
// the parameters that the verifier says, and every one of them gets a gradient.
func TestAnswersOfTracesRunInPyTorch(t *testing.T) {
	var in bytes.Buffer
	n, params := 0, map[string]int64{}
	for line := range bytes.Lines(Lookup("reasoning-traces-verifier").Lines()) {
		if n++; n%*every != 0 {
			continue
		}
		var r traceRow
		decode(t, line, &r)
		res := answerOf(t, &r)
		source, class, err := torch.Module(res)
		if err != nil {
			t.Fatalf("%s: %v", r.ID, err)
		}
		task := find(t, r.ID).Task
		for _, c := range task.Constraints {
			if c.Kind == "input" {
				encode(&in, map[string]any{"id": r.ID, "source": source, "class": class, "input": c.Shape,
					"vocabulary": c.Vocabulary, "params": res.Params}, "")
			}
		}
		params[r.ID] = res.Params
	}
	for id, run := range inPyTorch(t, &in) {
		if strings.Contains(run.Error, "cannot repeat_interleave a meta tensor") {
			t.Logf("%s is too large for this version of PyTorch, which does not compute it on the meta device", id)
			delete(params, id)
			continue
		}
		if run.Error != "" || run.Params != params[id] || len(run.Missing) > 0 {
			t.Errorf("%s: %s, %d parameters instead of %d, without a gradient: %v", id, run.Error, run.Params, params[id],
				run.Missing)
		}
		delete(params, id)
	}
	if len(params) > 0 {
		t.Errorf("not run: %v", params)
	}
}

// torchRun is what became of a model.
type torchRun struct {
	ID, Error string
	Params    int64
	Missing   []string // parameters without a gradient
}

// inPyTorch runs models in one process.
func inPyTorch(t *testing.T, in *bytes.Buffer) map[string]torchRun {
	t.Helper()
	command := exec.CommandContext(t.Context(), pythontest.WithTorch(t), "../bench/testdata/run.py")
	command.Stdin, command.Stderr = in, os.Stderr
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
	t.Logf("%d models", len(runs))
	return runs
}
