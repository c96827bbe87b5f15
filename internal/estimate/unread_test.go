package estimate

import (
	"testing"

	"github.com/modelverifier/verifier/internal/graph"
)

// stepOf is a step over a text of components, all of which are written in some way.
func stepOf(t *testing.T, text, how, precision string) *stepper {
	t.Helper()
	res := parse(t, text)
	for i := range res.Nodes {
		res.Nodes[i].Component.Extra = []graph.Member{{Name: "implementation", Raw: `"` + how + `"`}}
	}
	return new(Room).begin(res, Options{Batch: 2, Precision: precision, Attention: "sdpa", Optimizer: "adamw"}, false)
}

func TestWhatNoOutputReadsIsNotTrained(t *testing.T) {
	const text = "x: input shape=[64,512]\nf: linear outFeatures=512\ng: gelu\nh: linear outFeatures=10\no: output\nx -> f -> g -> h -> o"
	const beside = "\np: linear outFeatures=512\nq: tanh\ng -> p -> q"
	alone, both := stepOf(t, text, "transformers", "fp32").measure(), stepOf(t, text+beside, "transformers", "fp32").measure()
	if both.weights <= alone.weights || both.gradients != alone.gradients || both.states != alone.states || both.activations != alone.activations || both.logits != alone.logits {
		t.Errorf("with a branch that nobody reads %+v, without %+v", both, alone)
	}
	if loss := stepOf(t, text+beside, "torch", "fp32").measure(); loss.gradients <= alone.gradients || loss.logits <= alone.logits {
		t.Errorf("of PyTorch's own modules the end of a branch is a result: %+v", loss)
	}
}

func TestWhatTheCodeHoldsLivesThroughTheForwardPass(t *testing.T) {
	const text = "x: input shape=[64,512]\nf: linear outFeatures=512\nn: layerNorm normalizedShape=512\ng: linear outFeatures=512\nh: gelu\ni: linear outFeatures=512\nj: linear outFeatures=10\no: output\nx -> f -> n -> g -> h -> i -> j -> o"
	s := stepOf(t, text, "transformers", "amp")
	s.measure()
	most := func() int64 {
		s.largest = moment{}
		s.forward(0)
		return s.largest.total
	}
	free := most()
	s.how[2] |= held
	s.hold(2)
	if more, norm := most()-free, int64(2*64*512*4); more <= 0 || more > norm {
		t.Errorf("holding a result of %d bytes adds %d", norm, more)
	}
}

func TestWhatModulesOfTransformersKeep(t *testing.T) {
	const row = 2 * 64 * 64 // elements of a result
	for _, c := range []struct {
		text, how, precision string
		want                 int64
	}{
		// Copies of the three parts, the weights, and what the last map reads. The whole is free.
		{"x: input shape=[64,64]\nf: linear outFeatures=192\nq: slice dim=-1 end=64\nk: slice dim=-1 start=64 end=128\nv: slice dim=-1 start=128\nt: transpose dim0=1 dim1=2\n" +
			"m: matmul\ns: softmax\nw: matmul\nh: linear outFeatures=2\no: output\nx -> f -> q -> m\nf -> k -> t -> m\nm -> s -> w\nf -> v -> w -> h -> o", "transformers", "bf16", 5 * 2 * row},
		{"x: input shape=[64,64]\nf: linear outFeatures=64\nm: max dim=1\no: output\nx -> f -> m -> o", "transformers", "bf16", 2 * 64 * 8},
		{"x: input shape=[64,64]\nf: linear outFeatures=64\nq: quickGelu\nh: linear outFeatures=2\no: output\nx -> f -> q -> h -> o", "transformers", "amp", 4*2*row + 64*64*2 + 3*blockBytes}, // with casts of what arrives, of two weights and of their biases
		{"x: input shape=[16,8,8]\nf: conv2d outChannels=32 kernelSize=3\no: output\nx -> f -> o", "transformers/remade", "bf16", 32*16*9*2 + blockBytes},                                      // and a bias
	} {
		if got := stepOf(t, c.text, c.how, c.precision).measure().activations; got != c.want {
			t.Errorf("%s: keeps %d, want %d", c.text, got, c.want)
		}
	}
}
