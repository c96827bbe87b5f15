package estimate

import (
	"reflect"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/hardware"
	"github.com/modelverifier/verifier/internal/infer"
	"pgregory.net/rapid"
)

// What is left out of training takes no more than training it, but for what the allocator leaves with tensors that lie otherwise, a part
// of a batch no more than the batch, and every answer is the same twice.
func TestVariationsOfARunTakeLess(t *testing.T) {
	all := bundled(t)
	rapid.Check(t, func(t *rapid.T) {
		res := rapid.SampledFrom(all).Draw(t, "model")
		o := Options{Batch: rapid.Int64Range(2, 512).Draw(t, "batch"), Precision: rapid.SampledFrom(Precisions).Draw(t, "precision"),
			Optimizer: rapid.SampledFrom(Optimizers).Draw(t, "optimizer"), GPU: rapid.SampledFrom(hardware.Names()).Draw(t, "gpu"),
			Checkpointing: rapid.Bool().Draw(t, "checkpointing")}
		whole := Train(res, o)
		if whole.PricedOn.Name != o.GPU || whole.Fitting() != (whole.CardBytes <= whole.PricedOn.MemoryBytes) {
			t.Fatalf("%d of %s for %d bytes", whole.Cards, whole.PricedOn.Name, whole.CardBytes)
		}
		if r := whole.Range(); r.LowMicros > whole.TotalMicros || r.HighMicros < whole.TotalMicros || r.LowMicroUSD > whole.CostMicroUSD || r.HighMicroUSD < whole.CostMicroUSD {
			t.Fatalf("%+v does not hold %d µs, %d µ$", r, whole.TotalMicros, whole.CostMicroUSD)
		}
		vary := o
		switch rapid.SampledFrom([]string{"frozen", "lora", "micro", "loss"}).Draw(t, "variation") {
		case "frozen":
			c := rapid.SampledFrom(res.Graph.Components).Draw(t, "component")
			vary.Adapt = &Adaptation{Frozen: []string{c.ID}}
		case "lora":
			vary.Adapt = &Adaptation{LoRA: &LoRA{Rank: 1}}
		case "micro":
			vary.MicroBatch = rapid.Int64Range(1, o.Batch).Draw(t, "micro")
		case "loss":
			vary.FusedLoss = true
		}
		less := Train(res, vary)
		if less.GradientBytes > whole.GradientBytes+whole.GradientBytes/4+1<<20 || less.ActivationBytes > whole.ActivationBytes+whole.ActivationBytes/4+1<<20 || less.Assumptions() == "" {
			t.Fatalf("gradients %d of %d, activations %d of %d", less.GradientBytes, whole.GradientBytes, less.ActivationBytes, whole.ActivationBytes)
		}
		if vary.Adapt != nil && less.TrainedParams > res.Params || !reflect.DeepEqual(less, Train(res, vary)) {
			t.Fatalf("%d of %d weights trained", less.TrainedParams, res.Params)
		}
		use := InferOptions{Batch: o.Batch, Precision: rapid.SampledFrom(InferPrecisions).Draw(t, "held"), Prompt: rapid.Int64Range(0, 5000).Draw(t, "prompt")}
		used := Infer(res, use)
		if used.PeakBytes < used.WeightBytes || used.PeakBytes > used.WeightBytes+max(used.CacheBytes, used.cacheRead())+used.ActivationBytes || !reflect.DeepEqual(used, Infer(res, use)) {
			t.Fatalf("%+v", used)
		}
	})
}

func large(b *testing.B) *infer.Result {
	text, chain := "x: input shape=[256]\ne: embedding vocabSize=1000 embedDim=64\n", "x -> e"
	for i := range 990 {
		n := "n" + string(rune('a'+i%26)) + strings.Repeat("z", i/26)
		text += n + "a: layerNorm normalizedShape=64\n" + n + "b: causalAttention embedDim=64 numHeads=4\n"
		chain += " -> " + n + "a -> " + n + "b"
	}
	return parse(b, text+"h: lmHead embedDim=64 vocabSize=1000\no: output\n"+chain+" -> h -> o")
}

func BenchmarkInfer(b *testing.B) {
	res := large(b)
	b.ReportAllocs()
	for b.Loop() {
		Infer(res, InferOptions{})
	}
}

func BenchmarkFixes(b *testing.B) {
	res, t4 := large(b), hardware.Lookup("T4")
	if len(Fixes(res, Options{Batch: 4096}, t4)) == 0 {
		b.Fatal("it fits")
	}
	b.ReportAllocs()
	for b.Loop() {
		Fixes(res, Options{Batch: 4096}, t4)
	}
}
