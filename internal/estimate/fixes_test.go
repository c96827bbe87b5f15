package estimate

import (
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/hardware"
	"github.com/modelverifier/verifier/internal/infer"
	"github.com/modelverifier/verifier/models"
)

func model(t *testing.T, name string) *infer.Result {
	t.Helper()
	g, err := models.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	g.Normalize(catalog.Vocabulary)
	return infer.Walk(g)
}

func TestFixesHaveTheirEffectSimulated(t *testing.T) {
	res, t4 := model(t, "gpt2-small"), hardware.Lookup("T4")
	now := Train(res, Options{GPU: "T4", Batch: 12})
	if now.Fitting() {
		t.Fatalf("%d bytes fit", now.CardBytes)
	}
	fixes := Fixes(res, Options{Batch: 12}, t4)
	if len(fixes) < 4 || !fixes[0].Fits {
		t.Fatalf("%d fixes", len(fixes))
	}
	words := ""
	for i, f := range fixes {
		words += f.Change + "\n"
		if again := Train(res, f.Training.Options); again.PeakBytes != f.Training.PeakBytes || again.CostMicroUSD != f.Training.CostMicroUSD {
			t.Errorf("%s: its options give %d bytes, it says %d", f.Change, again.PeakBytes, f.Training.PeakBytes)
		}
		if f.Fits != (f.Training.CardBytes <= f.GPU.MemoryBytes) || f.Training.PricedOn != f.GPU {
			t.Errorf("%s on %s: fits %v with %d bytes", f.Change, f.GPU.Name, f.Fits, f.Training.CardBytes)
		}
		if f.GPU == t4 && !helps(f.Training, now) {
			t.Errorf("%s does not lower what must fit: %d bytes of %d", f.Change, f.Training.CardBytes, now.CardBytes)
		}
		if i > 0 && (f.Fits && !fixes[i-1].Fits || f.Fits && f.Training.CostMicroUSD < fixes[i-1].Training.CostMicroUSD) {
			t.Errorf("%s comes behind %s", f.Change, fixes[i-1].Change)
		}
	}
	for _, want := range []string{"fused loss", "micro-batches of ", "fp16 autocast", "another card, L4"} {
		if !strings.Contains(words, want) {
			t.Errorf("no fix is %q:\n%s", want, words)
		}
	}
	if strings.Contains(words, "everything in bf16") {
		t.Error("bf16 is offered on a card that does not have it")
	}
}

func TestWhatFitsNeedsNoFix(t *testing.T) {
	if got := Fixes(parse(t, classifier), Options{}, hardware.Lookup("T4")); got != nil {
		t.Errorf("%d fixes", len(got))
	}
	if got := Fixes(parse(t, classifier), Options{}, nil); got != nil {
		t.Errorf("%d fixes", len(got))
	}
}

func TestSeveralChangesWhereNoneAloneDoes(t *testing.T) {
	text := "x: input shape=[2048]\ne: embedding vocabSize=50000 embedDim=4096\n"
	chain := "x -> e"
	for _, name := range strings.Split("abcdfgijklmnpqrstuvwyz", "") {
		text += name + ": transformerBlock embedDim=4096 numHeads=32\n"
		chain += " -> " + name
	}
	res := parse(t, text+"h: lmHead embedDim=4096 vocabSize=50000\no: output\n"+chain+" -> h -> o")
	fixes := Fixes(res, Options{Batch: 16}, hardware.Lookup("A100-80GB"))
	if len(fixes) == 0 || !fixes[0].Fits {
		t.Fatalf("%d fixes, none of which does", len(fixes))
	}
	joined := false
	for _, f := range fixes {
		joined = joined || f.Fits && strings.Contains(f.Change, ", and ")
	}
	if !joined {
		t.Errorf("no fix takes several changes together: %+v", fixes)
	}
}

func TestAMicroBatchTakesLessAndLongerThanTheBatch(t *testing.T) {
	res := model(t, "gpt2-small")
	whole, parts := Train(res, Options{Batch: 16, GPU: "H200"}), Train(res, Options{Batch: 16, MicroBatch: 4, GPU: "H200"})
	quarter := Train(res, Options{Batch: 4, GPU: "H200"})
	if parts.PeakBytes >= whole.PeakBytes || parts.PeakBytes < quarter.PeakBytes || parts.StepMicros <= whole.StepMicros || parts.Steps != whole.Steps {
		t.Errorf("whole %d bytes and %d µs, parts %d and %d, a quarter alone %d", whole.PeakBytes, whole.StepMicros, parts.PeakBytes, parts.StepMicros, quarter.PeakBytes)
	}
	same := max(parts.ActivationBytes, quarter.ActivationBytes) - min(parts.ActivationBytes, quarter.ActivationBytes) // they lie otherwise beside gradients
	if same > quarter.ActivationBytes/500 || parts.PeakBytes-quarter.PeakBytes > parts.GradientBytes {
		t.Errorf("parts keep %d bytes, a quarter %d; gradients of %d bytes add %d to the peak", parts.ActivationBytes, quarter.ActivationBytes, parts.GradientBytes, parts.PeakBytes-quarter.PeakBytes)
	}
	if same := Train(res, Options{Batch: 16, MicroBatch: 16, GPU: "H200"}); same.PeakBytes != whole.PeakBytes || same.Options.MicroBatch != 0 {
		t.Errorf("a micro-batch as large as the batch: %+v", same.Options)
	}
}

func TestAFusedLossHoldsFewLogits(t *testing.T) {
	res := model(t, "gpt2-small")
	plain, fused := Train(res, Options{}), Train(res, Options{FusedLoss: true})
	if fused.LogitBytes*20 > plain.LogitBytes || fused.PeakBytes >= plain.PeakBytes || fused.Binding == "logits" {
		t.Errorf("logits %d and %d, peak %d and %d by %s", plain.LogitBytes, fused.LogitBytes, plain.PeakBytes, fused.PeakBytes, fused.Binding)
	}
	if !strings.Contains(fused.Assumptions(), "not measured") {
		t.Errorf("%s", fused.Assumptions())
	}
}
