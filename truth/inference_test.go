package truth

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/estimate"
)

// used is a model that was used and not trained: with a prompt, transformers' generate; without, one forward pass of a graph.
type used struct {
	run
	Prompt, Generated int64
}

// inferenceSection holds the peak of using a model to what was measured. A graph that could write tokens is left out: what was measured
// of it is one pass that gives the logits of all positions, and what is estimated is generation.
func inferenceSection(t *testing.T, doc *strings.Builder) {
	t.Helper()
	var generated, passed []run
	lines(t, "inference.jsonl.gz", func(line []byte) {
		var r used
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatal(err)
		}
		r.SeqLen = r.Prompt + r.Generated
		res, err := r.infer()
		if err != nil {
			t.Fatal(err)
		}
		got := estimate.Infer(res, estimate.InferOptions{Batch: r.Batch, Precision: r.Precision, Prompt: r.Prompt, Generated: r.Generated, Attention: r.Attention})
		r.peak = float64(got.PeakBytes) / float64(r.PeakBytes)
		switch {
		case r.Prompt > 0:
			generated = append(generated, r.run)
		case got.Options.Prompt > 0:
			t.Logf("%s is not estimated: a plan takes it for a model that writes tokens", r.ID)
		default:
			passed = append(passed, r.run)
		}
	})
	doc.WriteString("\n## Using a model (`truth/inference.jsonl.gz`)\n\nAllocated peak of transformers' `generate`, with a prompt and tokens written behind it:\n\n" + accuracyTable(generated, peakRatio))
	doc.WriteString("\nAllocated peak of one forward pass without gradients:\n\n" + accuracyTable(passed, peakRatio))
	if e := errorsIn(ratios(generated, peakRatio)); e.median > 0.03 || e.worst > estimate.GenerateErrorPercent/100.0 {
		t.Errorf("generation is off by %s", e)
	}
	if e := errorsIn(ratios(passed, peakRatio)); e.median > 0.03 || e.worst > estimate.PassErrorPercent/100.0 {
		t.Errorf("a pass is off by %s", e)
	}
}
