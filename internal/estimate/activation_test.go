package estimate

import "testing"

// activationsOf is what is kept of a graph whose components are all written in one way.
func activationsOf(t *testing.T, text, how, precision, attention string) int64 {
	t.Helper()
	res := parse(t, text)
	for i := range res.Nodes {
		nameModule(&res.Nodes[i], how)
	}
	return Train(res, Options{Precision: precision, Attention: attention, Batch: 1}).ActivationBytes
}

// Of a thousand times a thousand elements, counted by hand from the operations of each activation: so many bytes an element.
func TestActivationsKeepWhatTheirOperationsDo(t *testing.T) {
	const size = 1024 * 1024
	for _, c := range []struct {
		activation, how string
		fp32, bf16, amp int64
	}{
		{"gelu", "transformers", 4, 2, 2},
		{"gelu", "transformers/steps", 16, 8, 2 + 4 + 4 + 4},
		{"gelu", "transformers/products", 28, 14, 14},
		{"gelu", "transformers/erf", 12, 6, 6},
		{"quickGelu", "transformers/steps", 8, 4, 4},
		{"squaredRelu", "transformers/steps", 4, 2, 2 + 4},
		{"customModule outShape=[1024,1024] numParams=2", "transformers/xielu", 4 + 12 + 1, 2 + 6 + 1, 2 + 12 + 1},
	} {
		text := func(activation string) string {
			return "x: input shape=[1024,1024]\nl: linear inFeatures=1024 outFeatures=1024 bias=false\na: " + activation + "\nm: mean dim=1\no: output\nx -> l -> a -> m -> o"
		}
		for precision, want := range map[string]int64{"fp32": c.fp32, "bf16": c.bf16, "amp": c.amp} {
			got := activationsOf(t, text(c.activation), c.how, precision, "sdpa") - activationsOf(t, text("identity"), "transformers", precision, "sdpa")
			if got/size != want || got%size > 4*block(4) { // a few numbers of what is trained
				t.Errorf("%s as %s in %s keeps %.3f bytes an element, want %d", c.activation, c.how, precision, float64(got)/size, want)
			}
		}
	}
}

// Attention keeps more where its queries are joined, where it multiplies in 32 bits and where its scores go through a hyperbolic tangent.
func TestAttentionKeepsWhatItsWayOfWritingDoes(t *testing.T) {
	const text = "x: input shape=[512,256]\na: ropeAttention embedDim=256 numHeads=4\no: output\nx -> a -> o"
	const rows, scores = 512 * 256, 4 * 512 * 512
	for _, c := range []struct {
		how, precision, attention string
		more                      int64
	}{
		{"transformers/joined", "amp", "sdpa", 2 * rows},
		{"transformers/joined", "fp32", "sdpa", 0},
		{"transformers/joined", "bf16", "eager", 0},
		{"transformers/eager/exact/joined", "bf16", "eager", 4 * rows},
		{"transformers/eager/exact/joined", "amp", "eager", 0},
		{"transformers/capped", "bf16", "eager", 2 * scores},
		{"transformers/capped", "bf16", "sdpa", 0},
	} {
		if got := activationsOf(t, text, c.how, c.precision, c.attention) - activationsOf(t, text, "transformers", c.precision, c.attention); got != c.more {
			t.Errorf("%s in %s, %s, keeps %d bytes more, want %d", c.how, c.precision, c.attention, got, c.more)
		}
	}
}

// A window as long as the text has a mask, one that is longer has none; the mask is that of one head.
func TestAWindowHasAMaskUpToTheLengthOfTheText(t *testing.T) {
	text := func(window string) string {
		return "x: input shape=[512,256]\na: ropeAttention embedDim=256 numHeads=4 windowSize=" + window + "\no: output\nx -> a -> o"
	}
	if got := activationsOf(t, text("512"), "transformers", "amp", "sdpa") - activationsOf(t, text("513"), "transformers", "amp", "sdpa"); got != 2*512*512 {
		t.Errorf("a mask takes %d bytes, want %d", got, 2*512*512)
	}
}

// A cast of a part is as large as the part, and bare attention casts what arrives once.
func TestCastsAreAsLargeAsWhatIsCast(t *testing.T) {
	const text = "x: input shape=[512,256]\nl: linear inFeatures=256 outFeatures=768 bias=false\ns: slice dim=-1 start=0 end=256\nn: layerNorm normalizedShape=256\nm: mean dim=1\no: output\nx -> l -> s -> n -> m -> o"
	without := "x: input shape=[512,256]\nl: linear inFeatures=256 outFeatures=768 bias=false\ns: slice dim=-1 start=0 end=256\nm: mean dim=1\no: output\nx -> l -> s -> m -> o"
	want := int64(4*512*256 + 2*4*512)
	if got := activationsOf(t, text, "transformers", "amp", "sdpa") - activationsOf(t, without, "transformers", "amp", "sdpa"); got != want {
		t.Errorf("a norm of a third keeps %d bytes, want %d", got, want)
	}
}
