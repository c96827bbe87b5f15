package estimate

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/graph"
)

const twoLayers = "x: input shape=[1024]\nf: linear outFeatures=1024 bias=false\na: gelu\ng: linear outFeatures=1024 bias=false\no: output\nx -> f -> a -> g -> o"

// Every figure can be counted by hand: two matrices of 4 MiB, a batch of 32 whose tensors take 128 KiB.
func TestFrozenPartsHaveNoGradientsAndKeepLess(t *testing.T) {
	const w, tensor = 4 << 20, 32 * 1024 * 4
	for name, c := range map[string]struct {
		frozen                                     []string
		gradients, optimizer, activations, trained int64
	}{
		"nothing":         {nil, 2 * w, 2 * 3 * w, 2 * tensor, 2 << 20},
		"the first layer": {[]string{"f"}, w, 3 * w, tensor, 1 << 20}, // g keeps the result of gelu, and nothing before it is kept
		"the last layer":  {[]string{"g"}, w, 3 * w, tensor, 1 << 20}, // gelu keeps what it is applied to; g hands its gradient on without
		"all":             {[]string{"?"}, 0, 0, 0, 0},
	} {
		o := Options{}
		if c.frozen != nil {
			o.Adapt = &Adaptation{Frozen: c.frozen}
		}
		got := Train(parse(t, twoLayers), o)
		if got.WeightBytes != 2*w || got.GradientBytes != c.gradients || got.OptimizerBytes != c.optimizer || got.ActivationBytes != c.activations || got.TrainedParams != c.trained {
			t.Errorf("%s frozen: weights %d, gradients %d, optimizer %d, activations %d, trained %d", name, got.WeightBytes, got.GradientBytes, got.OptimizerBytes, got.ActivationBytes, got.TrainedParams)
		}
		if refused := strings.Contains(got.Assumptions(), "which PyTorch refuses"); refused != (c.trained == 0) {
			t.Errorf("%s frozen: %s", name, got.Assumptions())
		}
	}
}

func TestLoRATrainsTwoThinMatricesBesideEachMap(t *testing.T) {
	const w, thin, tensor = 4 << 20, 8 * 1024 * 4, 32 * 1024 * 4
	got := Train(parse(t, twoLayers), Options{Adapt: &Adaptation{LoRA: &LoRA{Rank: 8, Targets: []string{"f", "g"}}}})
	if got.TrainedParams != 4*8*1024 || got.WeightBytes != 2*w+4*thin || got.GradientBytes != 4*thin || got.OptimizerBytes != 3*4*thin {
		t.Errorf("trained %d, weights %d, gradients %d, optimizer %d", got.TrainedParams, got.WeightBytes, got.GradientBytes, got.OptimizerBytes)
	}
	if want := int64(2*tensor + 2*32*8*4); got.ActivationBytes != want { // what goes into gelu and g, and eight numbers for each adapter
		t.Errorf("keeps %d bytes, want %d", got.ActivationBytes, want)
	}
	all := Train(parse(t, twoLayers), Options{Adapt: &Adaptation{LoRA: &LoRA{Rank: 8}}})
	if all.TrainedParams != 2*8*1024 {
		t.Errorf("%d weights are trained where the last map has no adapter", all.TrainedParams)
	}
	if full := Train(parse(t, twoLayers), Options{}); all.PeakBytes >= full.PeakBytes {
		t.Errorf("LoRA takes %d bytes, training all %d", all.PeakBytes, full.PeakBytes)
	}
}

// It saves time where the card is what takes long. Where starting kernels is, it takes more, since there are more of them: eight layers of a Llama with
// four sequences take 16 ms in bf16, and 35 ms with adapters; in fp32 they take 85 and 71 (truth/memory.jsonl.gz, truth/memory-more.jsonl.gz).
func TestLoRASavesTimeWhereTheCardIsBusy(t *testing.T) {
	rows := measuredRows(t)
	at := slices.IndexFunc(rows, func(r row) bool { return strings.HasPrefix(r.ID, "llama-8x1024-b4-") })
	res := walk(t, rows[at].Graph)
	for _, precision := range []string{"bf16", "fp32"} {
		o := Options{Batch: 4, Precision: precision, GPU: measuredCard}
		full := Train(res, o)
		o.Adapt = &Adaptation{LoRA: &LoRA{Rank: 16}}
		if lora := Train(res, o); (lora.StepMicros < full.StepMicros) != (precision == "fp32") {
			t.Errorf("in %s LoRA takes %d µs, training all %d", precision, lora.StepMicros, full.StepMicros)
		}
	}
}

// Every linear layer of GPT-2 small but the head, in each of 12 layers: 768 to 2304, 768 to 768, 768 to 3072 and 3072 to 768, whose
// sides add up to 12,288.
func TestAdaptersOfALanguageModel(t *testing.T) {
	res := model(t, "gpt2-small")
	if got := new(Room).TrainedParams(res, &Adaptation{LoRA: &LoRA{Rank: 16}}); got != 12*16*12288 {
		t.Errorf("%d weights are trained, want %d", got, 12*16*12288)
	}
}

func TestPatternsMeanComponents(t *testing.T) {
	c := &graph.Component{ID: "c7", Extra: []graph.Member{{Name: "scope", Raw: `"model.layers.10.self_attn"`}}}
	for pattern, want := range map[string]bool{
		"c7": true, "c?": true, "c": false, "model": true, "model.layers": true, "model.layers.1": false, "model.layers.10": true, "model.layers.*": true,
		"model.layers.1?": true, "model.layers.1*": true, "model.layers.*.self_attn": true, "model.layers.*.mlp": false, "*.self_attn": false, "*": true,
		"*.*.*.self_attn": true, "model.layers.[12]0": true, "": false, "[": false,
	} {
		g := globOf(pattern)
		if got := g.means(c); got != want {
			t.Errorf("%q: %v, want %v", pattern, got, want)
		}
	}
	if ParsePattern("[") == nil || ParsePattern("a.*") != nil {
		t.Error("patterns are not checked")
	}
	g := &graph.Graph{Components: []graph.Component{*c}}
	if field, p, found := (&Adaptation{Frozen: []string{"c7", "c8"}}).Unmatched(g); !found || field != "frozen[1]" || p != "c8" {
		t.Errorf("%s %s %v", field, p, found)
	}
}

// The names that users of adapters write, over a Llama whose attention and network are components with several linear layers inside.
func TestTargetsAreNamedAsPeftNamesThem(t *testing.T) {
	res := model(t, "llama-3.2-1b")
	const layers, dim, hidden, kv, rank = 16, 2048, 8192, 512, 8
	q, k, gate, down := int64(dim+dim), int64(dim+kv), int64(dim+hidden), int64(hidden+dim)
	attention, network := 2*q+2*k, 2*gate+down
	base := Train(res, Options{Batch: 1, Precision: "bf16"}).WeightBytes
	for _, c := range []struct {
		targets []string
		sides   int64 // of the matrices of one layer
	}{
		{[]string{"q_proj", "v_proj"}, q + k},
		{[]string{"*.q_proj"}, q},
		{[]string{"self_attn.q_proj"}, q},
		{[]string{`.*\.(q|v)_proj`}, q + k},
		{[]string{`model\.layers\.\d+\.mlp\.(up|down)_proj`}, gate + down},
		{[]string{"gate_proj", "up_proj", "down_proj"}, network},
		{[]string{"q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"}, attention + network},
		{[]string{AllLinear}, attention + network},
		{nil, attention + network},
		{[]string{"model.layers.*.self_attn"}, attention},
		{[]string{"model.layers.*.self_attn", "q_proj"}, attention},
		{[]string{"proj"}, 0},
	} {
		a := &Adaptation{LoRA: &LoRA{Rank: rank, Targets: c.targets, Bits: 16}}
		if got, want := new(Room).TrainedParams(res, a), layers*rank*c.sides; got != want {
			t.Errorf("%v: %d weights are trained, want %d", c.targets, got, want)
		}
		trained := Train(res, Options{Batch: 1, Adapt: a, Precision: "bf16"})
		if got, want := trained.WeightBytes-base, 2*layers*rank*c.sides; got != want { // every matrix is a multiple of 512 bytes
			t.Errorf("%v: adapters of %d bytes, want %d", c.targets, got, want)
		}
	}
}

// A few letters can stand for millions of steps, and each costs memory before a name is read.
func TestLargeRegularExpressionsAreNoTargets(t *testing.T) {
	for _, word := range []string{"(a{500}){500}", "(.{1000}b){3}", strings.Repeat("(a|b)", 500), strings.Repeat("a", 3000) + "+"} {
		if err := ParseTarget(word); !errors.Is(err, ErrTooLarge) {
			t.Errorf("%.20s…: %v", word, err)
		}
	}
	unsloth := `(?:.*?(?:language|text).*?(?:self_attn|attention|attn|mlp|feed_forward|ffn|dense).*?(?:q_proj|k_proj|v_proj|o_proj|gate_proj|up_proj|` +
		`down_proj|experts|gate_up_proj).*?)|(?:\bmodel\.layers\.[\d]{1,}\.(?:self_attn|attention|attn|mlp)\.(?:(?:q_proj|k_proj|v_proj|o_proj)))`
	if err := ParseTarget(unsloth); err != nil {
		t.Errorf("a trainer's own: %v", err)
	}
}

// Layers that are alike but for their adapters are not taken for one another.
func TestTargetsCanDifferByLayer(t *testing.T) {
	res := model(t, "llama-3.2-1b")
	const dim, kv, rank = 2048, 512, 8
	base := Train(res, Options{Batch: 1, Precision: "bf16"}).WeightBytes
	a := &Adaptation{LoRA: &LoRA{Rank: rank, Targets: []string{"model.layers.0.self_attn.q_proj", "model.layers.1.self_attn.v_proj"}, Bits: 16}}
	if got, want := Train(res, Options{Batch: 1, Adapt: a, Precision: "bf16"}).WeightBytes-base, int64(2*rank*(dim+dim+dim+kv)); got != want {
		t.Errorf("adapters of %d bytes, want %d", got, want)
	}
}

func TestATargetThatIsNotThereIsSaid(t *testing.T) {
	res := model(t, "llama-3.2-1b")
	field, word, names, found := (&Adaptation{LoRA: &LoRA{Targets: []string{"q_proj", "qkv_proj"}}}).MissingTarget(res)
	if !found || field != "lora.targets[1]" || word != "qkv_proj" || !slices.Contains(names, "q_proj") || !slices.Contains(names, "down_proj") {
		t.Errorf("%s %s %v %v", field, word, names, found)
	}
	if _, _, _, found := (&Adaptation{LoRA: &LoRA{Targets: []string{AllLinear, "v_proj", "self_attn.q_proj"}}}).MissingTarget(res); found {
		t.Error("what is there is said to be missing")
	}
	if ParseTarget("(") == nil || ParseTarget("[") == nil || ParseTarget("q_proj") != nil || ParseTarget(`.*q_proj`) != nil {
		t.Error("targets are not checked")
	}
}
