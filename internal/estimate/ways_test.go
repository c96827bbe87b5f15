package estimate

import (
	"testing"

	"github.com/modelverifier/verifier/internal/graph"
)

// written estimates a graph whose components of a type are written in a way, and all others as transformers usually does.
func written(t *testing.T, text, typ, how string, o Options) *Training {
	t.Helper()
	res := parse(t, text)
	for i := range res.Nodes {
		raw := `"transformers"`
		if res.Nodes[i].Type.ID == typ {
			raw = `"transformers/` + how + `"`
		}
		res.Nodes[i].Component.Extra = []graph.Member{{Name: "implementation", Raw: raw}}
	}
	o.Dropout = true
	return Train(res, o)
}

// Dropout of weights that are in memory keeps a byte for each, which says whether it was drawn, and what is left unless a 16-bit copy of that is kept anyway.
func TestDroppedWeightsAreKept(t *testing.T) {
	const text = "x: input shape=[64,32]\na: groupedQueryAttention embedDim=32 numHeads=4 numKVHeads=4\no: output\nx -> a -> o"
	const scores = 8 * 4 * 64 * 64
	for _, c := range []struct {
		precision, attention string
		want                 int64
	}{{"fp32", "eager", 5 * scores}, {"bf16", "eager", 3 * scores}, {"amp", "eager", scores}, {"amp", "sdpa", 0}} {
		o := Options{Batch: 8, Precision: c.precision, Attention: c.attention}
		whole := written(t, text, "groupedQueryAttention", "plain", o)
		if got := written(t, text, "groupedQueryAttention", "plain/dropped", o).ActivationBytes - whole.ActivationBytes; got != c.want {
			t.Errorf("%s, %s: dropout keeps %d bytes, want %d", c.precision, c.attention, got, c.want)
		}
	}
}

// What is only moved is not kept, and what is computed of weights alone there is once.
func TestWhatIsLinearOrTheSameForAllSamples(t *testing.T) {
	const moved = "x: input shape=[64]\nf: linear outFeatures=1000\nc: customModule outShape=[1000] numParams=0 flops=0\no: output\nx -> f -> c -> o"
	o := Options{Batch: 32, Precision: "fp32"}
	if got, want := written(t, moved, "customModule", "plain", o).ActivationBytes, int64(32*1000*4); got != want {
		t.Errorf("a module of which nothing is known keeps %d bytes, want its input, %d", got, want)
	}
	if got := written(t, moved, "customModule", "linear", o).ActivationBytes; got != 0 {
		t.Errorf("a linear module keeps %d bytes", got)
	}
	const angles = "x: input shape=[1000]\nf: linear outFeatures=1000\np: parameter shape=[500] trainable=false\nr: repeat repeats=[2]\nm: multiply\no: output\nx -> f\nf -> p -> r\nf, r -> m -> o"
	if got, want := written(t, angles, "", "", o).ActivationBytes, block(1000*4); got != want {
		t.Errorf("keeps %d bytes, want the factors once, %d", got, want)
	}
}

func TestNormsOfSingleOperationsKeepTheirSteps(t *testing.T) {
	const text = "x: input shape=[16,100]\nf: linear outFeatures=100\nn: layerNorm normalizedShape=100\no: output\nx -> f -> n -> o"
	const count = 32 * 16 * 100
	for how, want := range map[string]int64{"steps": 4 + 4 + 2, "steps/wide": 4 + 4 + 4, "steps/plain": 2 + 2} {
		if got := written(t, text, "layerNorm", how, Options{Batch: 32, Precision: "bf16"}).ActivationBytes; got != want*count {
			t.Errorf("%s keeps %d bytes, want %d", how, got, want*count)
		}
	}
}

// The keys of an indexer are there once for each query while they are multiplied, and nothing of them is kept.
func TestKeysThatAreSpreadAreThereForEachQuery(t *testing.T) {
	const text = "x: input shape=[64,8]\nq: linear inFeatures=8 outFeatures=32\nu: unflatten dim=2 sizes=[4,8]\nk: linear inFeatures=8 outFeatures=8\ns: einsum equation=\"bshd,btd->bsht\"\nr: reshape shape=[64,256]\nh: linear inFeatures=256 outFeatures=2\no: output\nx -> q -> u\nx -> k\nu, k -> s -> r -> h -> o"
	const batch, positions, features, heads = 128, 64, 8, 4
	for precision, want := range map[string]int64{
		"fp32": 4*batch*positions*positions*features + 6*batch*positions*heads*features,
		"amp":  2*batch*positions*positions*features + 8*batch*positions*heads*features,
		"bf16": 4*batch*positions*positions*features + 7*batch*positions*heads*features + 2*batch*positions*positions*heads,
	} {
		res := parse(t, text)
		for i := range res.Nodes {
			res.Nodes[i].Component.Extra = []graph.Member{{Name: "implementation", Raw: `"transformers/spread"`}}
		}
		s := new(Room).begin(res, Options{Batch: batch, Precision: precision, Optimizer: "adamw", Attention: "sdpa"}, false)
		found := false
		for i := range res.Nodes {
			if res.Nodes[i].Type.ID == "einsum" {
				if found = true; s.kind(i).conv != block(want) {
					t.Errorf("%s: %d bytes, want %d", precision, s.kind(i).conv, want)
				}
			}
		}
		if !found {
			t.Fatal("the product is missing")
		}
	}
}
