package estimate

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/infer"
	_ "github.com/modelverifier/verifier/internal/seed"
	"github.com/modelverifier/verifier/models"
	"pgregory.net/rapid"
)

func parse(t testing.TB, text string) *infer.Result {
	t.Helper()
	g, err := graph.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	g.Normalize(catalog.Vocabulary)
	return infer.Walk(g)
}

const classifier = "x: input shape=[784]\nf: linear outFeatures=10\no: output\nx -> f -> o"

const decoder = "x: input shape=[256]\ne: embedding vocabSize=1000 embedDim=64\na: causalAttention embedDim=64 numHeads=4\nh: lmHead embedDim=64 vocabSize=1000\no: output\nx -> e -> a -> h -> o"

// Everything in this case can be counted by hand: the weight takes 31,360 bytes and the bias 40, which the allocator rounds to
// 62 and 1 blocks of 512.
func TestALinearLayerIsCountedToTheByte(t *testing.T) {
	got := Train(parse(t, classifier), Options{})
	const (
		w       = 63 * 512
		inputs  = 32 * 784 * 4
		targets = 512 // 32 of 8 bytes
		logits  = 3 * 512
	)
	if got.WeightBytes != w || got.GradientBytes != w || got.OptimizerBytes != 3*w || got.ActivationBytes != 0 || got.LogitBytes != 4*logits {
		t.Errorf("parts are %+v", got)
	}
	if want := int64(5*w + inputs + targets + logits); got.PeakBytes != want || got.Binding != "optimizer" {
		t.Errorf("peak is %d by %s, want %d by optimizer", got.PeakBytes, got.Binding, want)
	}
	if got.CardBytes != got.NeedBytes+contextBytes || got.UpperBytes < got.NeedBytes || got.NeedBytes < got.PeakBytes {
		t.Errorf("need %d, upper %d, card %d", got.NeedBytes, got.UpperBytes, got.CardBytes)
	}
}

func TestCostIsStepsTimesPrice(t *testing.T) {
	got := Train(parse(t, classifier), Options{Epochs: 3, Samples: 1001, Batch: 10})
	if got.Steps != 3*101 || got.GPU == nil || got.GPU.Name != "T4" || got.Cards != 1 {
		t.Fatalf("%d steps on %d %v", got.Steps, got.Cards, got.GPU)
	}
	want := float64(got.Steps*got.StepMicros) * float64(got.GPU.PriceMicroUSDPerHour) / 3.6e9
	near := func(got, want float64) bool { return math.Abs(got-want) <= want/100+0.5 } // three digits are kept
	if !near(float64(got.CostMicroUSD), want) || !near(got.TotalSec*1e6, float64(got.Steps*got.StepMicros)) || got.TotalSec != float64(got.TotalMicros)/1e6 {
		t.Errorf("costs %d, want %f; takes %f s", got.CostMicroUSD, want, got.TotalSec)
	}
}

func TestDefaultsAreFilledInAndPrinted(t *testing.T) {
	for text, batch := range map[string]int64{classifier: 32, decoder: 8} {
		got := Train(parse(t, text), Options{})
		want := Options{Batch: batch, Precision: "fp32", Optimizer: "adamw", Attention: "sdpa", Epochs: 10, Samples: 50_000}
		if got.Options != want {
			t.Errorf("options are %+v, want %+v", got.Options, want)
		}
		for _, part := range []string{"10 epochs", "50,000 samples (assumed)", "fp32", "adamw", "sdpa", "T4 at $0.5904 an hour", "2026-05-07"} {
			if !strings.Contains(got.Assumptions(), part) {
				t.Errorf("%q does not say %q", got.Assumptions(), part)
			}
		}
		if same := Train(parse(t, text), Defaults()); !reflect.DeepEqual(same, got) {
			t.Errorf("Defaults gives another run than nothing: %+v", same.Options)
		}
	}
	if got := Train(parse(t, classifier), Options{SamplesGiven: true}); got.Options.SamplesGiven {
		t.Error("samples that were not given are called given")
	}
	if got := Train(parse(t, classifier), Options{Samples: 7, SamplesGiven: true}); !got.Options.SamplesGiven || strings.Contains(got.Assumptions(), "assumed") {
		t.Errorf("samples that were given are called assumed: %s", got.Assumptions())
	}
}

func TestEagerAttentionCostsItsScores(t *testing.T) {
	res := parse(t, decoder)
	sdpa, eager := Train(res, Options{}), Train(res, Options{Attention: "eager"})
	if extra := EagerExtra(res, sdpa); extra <= 0 || sdpa.PeakBytes+extra != eager.PeakBytes || EagerExtra(res, eager) != 0 {
		t.Errorf("sdpa %d and %d more, eager %d", sdpa.PeakBytes, extra, eager.PeakBytes)
	}
	const rows = 8 * 4 * 256 // of which the kernel keeps a number each, and a mask
	scores := int64(rows*256*4 - rows*4 - 256*256*4)
	if more := eager.ActivationBytes - sdpa.ActivationBytes; more < scores || more > scores+smallBytes { // what is left of a piece goes with them
		t.Errorf("scores take %d, want %d", more, scores)
	}
	if flash := Train(parse(t, decoder), Options{Attention: "flash"}); flash.PeakBytes != sdpa.PeakBytes {
		t.Errorf("flash takes %d, sdpa %d", flash.PeakBytes, sdpa.PeakBytes)
	}
}

// torch.nn.functional.scaled_dot_product_attention runs a kernel that has no scores in memory, whatever attention is asked for.
func TestAttentionByItselfRunsItsKernel(t *testing.T) {
	body := "x: input shape=[64,32]\nq: linear outFeatures=32\nk: linear outFeatures=32\nv: linear outFeatures=32\n" +
		"r: reshape shape=[4,64,8]\ns: reshape shape=[4,64,8]\nu: reshape shape=[4,64,8]\nm: parameter shape=[1,64,64] trainable=false\n" +
		"a: scaledDotProductAttention\nf: flatten\nh: linear outFeatures=2\no: output\nx -> q -> r\nx -> k -> s\nx -> v -> u\nx -> m\nr, s, u, m -> a -> f -> h -> o"
	res := parse(t, body)
	sdpa, eager := Train(res, Options{}), Train(res, Options{Attention: "eager"})
	if extra := EagerExtra(res, sdpa); eager.ActivationBytes != sdpa.ActivationBytes || extra != 0 {
		t.Errorf("keeps %d bytes, eager %d, %d more", sdpa.ActivationBytes, eager.ActivationBytes, extra)
	}
}

// A scale that is multiplied onto x keeps x for its own gradient, where it has one, and itself for that of x; but it lies in the weights already.
func TestATensorOfTheModelIsNoActivation(t *testing.T) {
	body := "x: input shape=[100]\nf: linear outFeatures=1000\np: parameter shape=[1000]%s\nm: multiply\no: output\nx -> f\nf -> p\nf, p -> m -> o"
	trained := Train(parse(t, strings.ReplaceAll(body, "%s", "")), Options{})
	constant := Train(parse(t, strings.ReplaceAll(body, "%s", " trainable=false")), Options{})
	if want := int64(32 * 1000 * 4); trained.ActivationBytes != want || constant.ActivationBytes != 0 {
		t.Errorf("keeps %d and %d bytes, want %d, the result of the linear layer, and 0", trained.ActivationBytes, constant.ActivationBytes, want)
	}
	if weight := block(4000); trained.WeightBytes-constant.WeightBytes != weight {
		t.Errorf("weights take %d and %d bytes, want %d more where the tensor is trained", trained.WeightBytes, constant.WeightBytes, weight)
	}
	if constant.PeakBytes >= trained.PeakBytes {
		t.Errorf("a constant needs no gradient and no state: %d and %d", constant.PeakBytes, trained.PeakBytes)
	}
}

func TestOptimizersKeepDifferentStates(t *testing.T) {
	res := parse(t, "x: input shape=[1024]\nf: linear outFeatures=1024 bias=false\no: output\nx -> f -> o")
	const w = 4 << 20 // Adafactor's sum over 1,024 rows needs 16 blocks of 512 bytes for each of 1,024 columns, which is more than the matrix
	for optimizer, want := range map[string]int64{"adamw": 3 * w, "adam": 3 * w, "adamw-fused": 2 * w, "sgd": w, "sgd-plain": 0, "adamw-8bit": 2 * (w/4 + 32*512), "adafactor": 2*w + 2*4096} {
		if got := Train(res, Options{Optimizer: optimizer}); got.OptimizerBytes != want {
			t.Errorf("%s takes %d, want %d", optimizer, got.OptimizerBytes, want)
		}
	}
}

func TestATooLargeModelIsPricedOnSeveralCards(t *testing.T) {
	got := Train(parse(t, "x: input shape=[8]\ne: embedding vocabSize=200000000 embedDim=64\no: output\nx -> e -> o"), Options{})
	if got.GPU != nil || got.Cards < 2 || got.PricedOn.Name != "H200" || !strings.Contains(got.Assumptions(), "no single card fits") {
		t.Errorf("%v, %d of %s: %s", got.GPU, got.Cards, got.PricedOn.Name, got.Assumptions())
	}
	for _, f := range got.Fits {
		if fits, known := got.On(f.GPU.Name); f.Fits || fits || !known {
			t.Errorf("%s holds %d bytes", f.GPU.Name, got.CardBytes)
		}
	}
	if _, known := got.On("abacus"); known {
		t.Error("an unknown card is known")
	}
}

func TestBF16NeedsACardThatHasIt(t *testing.T) {
	for precision, want := range map[string]string{"fp32": "T4", "fp16": "T4", "amp": "L4", "bf16": "L4"} {
		if got := Train(parse(t, classifier), Options{Precision: precision}); got.GPU == nil || got.GPU.Name != want {
			t.Errorf("%s trains on %v, want %s", precision, got.GPU, want)
		}
	}
}

func TestCheckpointingSavesMemoryAndCostsTime(t *testing.T) {
	text := "x: input shape=[512]\ne: embedding vocabSize=100 embedDim=256\n"
	chain := "x -> e"
	for _, name := range []string{"a", "b", "c", "d", "f", "g"} {
		text += name + ": transformerBlock embedDim=256 numHeads=4\n"
		chain += " -> " + name
	}
	res := parse(t, text+"h: lmHead embedDim=256 vocabSize=100\no: output\n"+chain+" -> h -> o")
	all, again := Train(res, Options{Batch: 64}), Train(res, Options{Batch: 64, Checkpointing: true})
	if again.PeakBytes*2 > all.PeakBytes || again.StepMicros <= 0 || again.ActivationBytes >= all.ActivationBytes {
		t.Errorf("peak %d, with checkpointing %d", all.PeakBytes, again.PeakBytes)
	}
}

func TestRefusedGraphsAreCountedAsFarAsKnown(t *testing.T) {
	for _, text := range []string{
		"",
		"x: input shape=[784]",
		"a: linear inFeatures=3 outFeatures=4\na -> a",
		"x: input shape=[784]\nf: linear inFeatures=700 outFeatures=10\no: output\nx -> f -> o",
		"x: input shape=[784]\nf: nosuchtype\no: output\nx -> f -> o",
		"x: input shape=[9223372036854775807,9223372036854775807]\nf: linear outFeatures=10\no: output\nx -> f -> o",
		"x: input shape=[4611686018427387904]\nf: relu\no: output\nx -> f -> o",
	} {
		res := parse(t, text)
		if got := Train(res, Options{}); got.CardBytes < contextBytes || got.StepMicros < 1 || got.CostMicroUSD < 0 || got.PeakBytes > most || got.Assumptions() == "" {
			t.Errorf("%q: %+v", text, got)
		}
		if got := Deploy(res); len(got) != 9 {
			t.Errorf("%q: %d targets", text, len(got))
		}
	}
	broken := parse(t, strings.Replace(classifier, "outFeatures=10\n", "outFeatures=10\ng: linear inFeatures=11 outFeatures=5\n", 1)+"\nf -> g")
	if got := Train(broken, Options{}); len(broken.Refusals) == 0 || got.WeightBytes != 63*512+1024 || got.WeightBytes < 4*broken.Params {
		t.Errorf("%d weights, also of what is refused, take %d", broken.Params, got.WeightBytes)
	}
	if got := Infer(broken, InferOptions{Precision: "fp32"}); got.WeightBytes < 4*broken.Params {
		t.Errorf("%d weights take %d in use", broken.Params, got.WeightBytes)
	}
	if got := Deploy(broken); got[0].SizeMBQuantized < float64(broken.Params)/1e6-0.001 {
		t.Errorf("%d weights take %v MB", broken.Params, got[0].SizeMBQuantized)
	}
}

func TestValidateNamesWhatIsWrong(t *testing.T) {
	if got := (Options{}).Validate(); got != nil {
		t.Errorf("nothing is wrong with nothing: %v", got)
	}
	got := Options{Batch: -1, Precision: "fp8", Optimizer: "lion", Attention: "none", Epochs: MaxEpochs + 1, Samples: math.MaxInt64}.Validate()
	var fields []string
	for _, p := range got {
		fields = append(fields, p.Field)
	}
	if want := []string{"batch", "precision", "optimizer", "attention", "epochs", "samples"}; !slices.Equal(fields, want) {
		t.Errorf("wrong are %v, want %v", fields, want)
	}
	if want := `precision is "fp8" but takes one of fp32, tf32, amp, fp16, bf16`; got[1].Error() != want {
		t.Errorf("says %q", got[1].Error())
	}
	if want := "batch is -1 but takes a number from 1 to 1048576"; got[0].Error() != want {
		t.Errorf("says %q", got[0].Error())
	}
}

// bundled are the bundled models, walked.
func bundled(t *testing.T) []*infer.Result {
	t.Helper()
	var all []*infer.Result
	for _, name := range models.List() {
		g, err := models.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		g.Normalize(catalog.Vocabulary)
		all = append(all, infer.Walk(g))
	}
	return all
}

func TestAnyRunOfAnyModelHasAnEstimate(t *testing.T) {
	all := bundled(t)
	rapid.Check(t, func(t *rapid.T) {
		res := rapid.SampledFrom(all).Draw(t, "model")
		o := Options{
			Batch: rapid.Int64Range(1, 4096).Draw(t, "batch"), Epochs: rapid.Int64().Draw(t, "epochs"), Samples: rapid.Int64().Draw(t, "samples"),
			Precision: rapid.SampledFrom(Precisions).Draw(t, "precision"), Optimizer: rapid.SampledFrom(Optimizers).Draw(t, "optimizer"),
			Attention: rapid.SampledFrom(Attentions).Draw(t, "attention"), Checkpointing: rapid.Bool().Draw(t, "checkpointing"),
		}
		got := Train(res, o)
		if again := Train(res, o); !reflect.DeepEqual(got, again) {
			t.Fatalf("two answers: %+v, %+v", got, again)
		}
		if floor := got.WeightBytes + got.GradientBytes + got.OptimizerBytes; got.PeakBytes < floor {
			t.Fatalf("peak %d is below weights, gradients and states, %d", got.PeakBytes, floor)
		}
		if got.NeedBytes < got.PeakBytes || got.UpperBytes < got.NeedBytes || got.CardBytes <= got.NeedBytes || got.CostMicroUSD < 0 || got.StepMicros < 1 || got.Cards < 1 {
			t.Fatalf("%+v", got)
		}
		o.Batch++
		less := lostBytes * int64(len(res.Nodes)) // a tensor whose size becomes a multiple of a MiB leaves no remainder that goes with it
		if more := Train(res, o); more.ActivationBytes < got.ActivationBytes-less {
			t.Fatalf("a sample more keeps less: %d, %d", more.ActivationBytes, got.ActivationBytes)
		}
		last := int64(0)
		for _, f := range got.Fits {
			if f.Fits != (got.CardBytes <= f.GPU.MemoryBytes) || f.GPU.PriceMicroUSDPerHour < last {
				t.Fatalf("%s: %v", f.GPU.Name, f.Fits)
			}
			last = f.GPU.PriceMicroUSDPerHour
		}
	})
}

func TestDeployments(t *testing.T) {
	small := Deploy(parse(t, classifier))
	if len(small) != 9 || small[0].Target.ID != "mobile-ios" || small[0].Score != 100 || small[0].SizeMB != 0.016 || small[0].SizeMBQuantized != 0.008 {
		t.Errorf("a small classifier goes to %+v", small[0])
	}
	large := Deploy(parse(t, "x: input shape=[2048]\ne: embedding vocabSize=32000 embedDim=65536\no: output\nx -> e -> o")) // 2.1 billion parameters
	if !large[0].Fits || !strings.HasPrefix(large[0].Target.ID, "cloud-") && large[0].Target.ID != "edge-gpu" {
		t.Errorf("a large model goes to %+v", large[0])
	}
	attention := Deploy(parse(t, decoder))
	for _, list := range [][]Deployment{small, large, attention} {
		for i, d := range list {
			if i > 0 && d.Score > list[i-1].Score || d.Fits != (d.Score > 0) || len(d.Reasons) == 0 || d.LatencyMs <= 0 || d.Score > 100 {
				t.Errorf("%s at place %d: %+v", d.Target.ID, i, d)
			}
		}
	}
	at := slices.IndexFunc(attention, func(d Deployment) bool { return d.Target.ID == "edge-tpu" })
	if d := attention[at]; d.Fits || !slices.Contains(d.Reasons, "attention layers do not run there") {
		t.Errorf("attention on an Edge TPU: %+v", d)
	}
}

func TestScaleRounds(t *testing.T) {
	for _, c := range [][4]int64{{7, 3, 2, 11}, {1, 1, 2, 1}, {1, 1, 3, 0}, {most, most, most, most}, {most, most, 1, most}, {0, 5, 7, 0}} {
		if got := scale(c[0], c[1], c[2]); got != c[3] {
			t.Errorf("%d*%d/%d is %d, want %d", c[0], c[1], c[2], got, c[3])
		}
	}
}

func TestAmountsStopGrowing(t *testing.T) {
	for _, c := range []struct{ got, want int64 }{
		{times(3, 4, 5), 60}, {times(most, 1), most}, {times(most+1, 1), most}, {times(1<<40, 1<<40, 0), 0}, {times(math.MaxInt64, math.MaxInt64, 0), 0}, {times(1<<40, 1<<40), most}, {times(1<<62, 1<<2, 3), most},
		{times(5, -1), 0}, {plus(1, 2, 3), 6}, {plus(most, most), most}, {plus(math.MaxInt64, math.MaxInt64), most}, {plus(7, -1), 7},
	} {
		if c.got != c.want {
			t.Errorf("%d, want %d", c.got, c.want)
		}
	}
}

// BenchmarkTrain is of decoders of the size that the service takes at the most: one whose layers are alike, as those of most models
// are, and one in which each has a width of its own.
func BenchmarkTrain(b *testing.B) {
	alike := "x: input shape=[256]\ne: embedding vocabSize=1000 embedDim=64\n"
	distinct := alike
	chains := [2]string{"x -> e", "x -> e"}
	for i := range 990 {
		alike += fmt.Sprintf("a%d: layerNorm normalizedShape=64\nb%d: multiHeadAttention embedDim=64 numHeads=4\n", i, i)
		chains[0] += fmt.Sprintf(" -> a%d -> b%d", i, i)
	}
	for i := range 660 {
		w := 64 + 4*i
		distinct += fmt.Sprintf("a%d: layerNorm normalizedShape=%d\nb%d: multiHeadAttention embedDim=%d numHeads=4\nc%d: linear inFeatures=%d outFeatures=%d\n", i, w, i, w, i, w, w+4)
		chains[1] += fmt.Sprintf(" -> a%d -> b%d -> c%d", i, i, i)
	}
	for i, text := range []string{alike, distinct} {
		res := parse(b, text+"o: output\n"+chains[i]+" -> o")
		b.Run([]string{"alike", "distinct"}[i], func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Train(res, Options{})
				Deploy(res)
			}
		})
	}
}
