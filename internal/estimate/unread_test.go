package estimate

import "testing"

// stepOf is a step over a text of components, all of which are written in some way.
func stepOf(t *testing.T, text, how, precision string) memory {
	t.Helper()
	res := parse(t, text)
	for i := range res.Nodes {
		nameModule(&res.Nodes[i], how)
	}
	o := Options{Batch: 2, Precision: precision, Attention: "sdpa", Optimizer: "adamw"}
	return new(Room).measure(res, o)
}

func TestWhatNoOutputReadsIsNotTrained(t *testing.T) {
	const text = "x: input shape=[64,512]\nf: linear outFeatures=512\ng: gelu\nh: linear outFeatures=10\no: output\nx -> f -> g -> h -> o"
	const beside = "\np: linear outFeatures=512\nq: tanh\ng -> p -> q"
	alone, both := stepOf(t, text, "transformers", "fp32"), stepOf(t, text+beside, "transformers", "fp32")
	if both.weights <= alone.weights || both.gradients != alone.gradients || both.states != alone.states || both.activations != alone.activations || both.logits != alone.logits {
		t.Errorf("with a branch that nobody reads %+v, without %+v", both, alone)
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
		{"x: input shape=[64,64]\nf: linear outFeatures=64\nq: quickGelu\nh: linear outFeatures=2\no: output\nx -> f -> q -> h -> o", "transformers", "amp", 4*2*row + blockBytes}, // with casts of what arrives and of the last weight: the first hands no gradient on
		{"x: input shape=[16,8,8]\nf: conv2d outChannels=32 kernelSize=3\no: output\nx -> f -> o", "transformers/remade", "bf16", 32*16*9*2 + 2*blockBytes},                        // and of each kernel its mean and its root
	} {
		if got := stepOf(t, c.text, c.how, c.precision).activations; got != c.want {
			t.Errorf("%s: keeps %d, want %d", c.text, got, c.want)
		}
	}
}
