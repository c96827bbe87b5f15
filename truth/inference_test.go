package truth

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/modelverifier/verifier/docs"
	"github.com/modelverifier/verifier/internal/estimate"
	"github.com/modelverifier/verifier/internal/infer"
)

// used is a model that was used and not trained: with a prompt, transformers' generate; without, one forward pass of a graph.
type used struct {
	run
	Prompt, Generated int64
}

// asRun has the components of a graph run in the order of reference.Graph, first come, first served, and not in ours. It matters in use, where what is not
// read any more is free.
func asRun(res *infer.Result) {
	open := make([]int, len(res.Nodes))
	order := res.Wiring.Order[:0]
	for i := range open {
		if open[i] = len(res.Wiring.Inputs(i)); open[i] == 0 {
			order = append(order, i)
		}
	}
	for k := 0; k < len(order); k++ {
		for _, j := range res.Wiring.Outputs(order[k]) {
			if open[j]--; open[j] == 0 {
				order = append(order, int(j))
			}
		}
	}
}

// uses reads runs by kind: transformers' generate, a pass of PyTorch's modules, and one of transformers' models. A graph that could write tokens is left out:
// what was measured of it is one pass that gives the logits of all positions, and what is estimated is generation.
func uses(t *testing.T, file string) (generated, passed, foreign []run) {
	t.Helper()
	lines(t, file, func(line []byte) {
		var r used
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatal(err)
		}
		r.SeqLen, r.used = max(r.SeqLen, r.Prompt+r.Generated), true
		res, err := r.infer()
		if err != nil {
			t.Fatal(err)
		}
		got := estimate.Infer(res, estimate.InferOptions{Batch: r.Batch, Precision: r.Precision, Prompt: r.Prompt, Generated: r.Generated, Attention: r.Attention})
		r.peak = float64(got.PeakBytes) / float64(r.PeakBytes)
		switch writes := got.Options.Prompt > 0; {
		case r.Prompt == 0 && writes:
			t.Logf("%s is not estimated: a plan takes it for a model that writes tokens", r.ID)
			return
		case r.Prompt > 0:
			generated = append(generated, r.run)
		case r.Graph == nil:
			foreign = append(foreign, r.run)
		default:
			passed = append(passed, r.run)
		}
		if stated := got.PeakError(); stated == nil || math.Abs(r.peak-1) > float64(*stated)/100 {
			t.Errorf("%s is off by %.1f %%, more than is stated", r.ID, 100*(r.peak-1))
		}
	})
	return generated, passed, foreign
}

// replayedUses has runs that replay.py counted without a card: of transformers' models that write tokens, and of others, with drawn configurations, and of graphs of
// PyTorch's modules. Models of many convolutions are left out, since it does not know what cuDNN takes for them; numbers that JSON has not are large ones.
const replayedUses = "inference-replayed.jsonl.gz"

// inferenceSection compares the peak of inference with what was measured and replayed.
func inferenceSection(t *testing.T, doc *accuracy) {
	t.Helper()
	generated, passed, _ := uses(t, "inference.jsonl.gz")
	doc.addRuns(rows("Inference", "inference.jsonl.gz"), "Allocated peak of transformers' generate", generated, peakRatio)
	doc.addRuns(rows("Inference", "inference.jsonl.gz"), "Allocated peak of a forward pass without gradients", passed, peakRatio)
	var errors []docs.Errors
	again, graphs, foreign := uses(t, replayedUses)
	for _, k := range []struct {
		what     string
		measured []run
		replayed []run
	}{
		{"generation, transformers", generated, again},
		{"forward pass, PyTorch's modules", passed, graphs},
		{"forward pass, transformers", nil, foreign},
	} {
		errors = append(errors, line(k.what, ratios(k.replayed, peakRatio)))
		for _, runs := range [][]run{k.measured, k.replayed} {
			if len(runs) == 0 {
				continue
			}
			if e := errorsIn(ratios(runs, peakRatio)); e.median > 0.03 {
				t.Errorf("%s is off by %s", k.what, e)
			}
		}
	}
	doc.add(rows("Inference", replayedUses), "Allocated peak, replayed without a GPU", errors)
}
