package estimate

import (
	"strings"
	"testing"
)

// scored is a step over a text of components, all of which are written in some way.
func scored(t *testing.T, text, how, attention string) memory {
	t.Helper()
	res := parse(t, text)
	for i := range res.Nodes {
		nameModule(&res.Nodes[i], how)
	}
	o := Options{Batch: 2, Precision: "bf16", Optimizer: "adamw", Attention: attention, Dropout: true}
	return new(Room).measure(res, o)
}

func TestWhatAttentionKeepsOfItsScores(t *testing.T) {
	const text = "x: input shape=[512]\ne: embedding vocabSize=100 embedDim=64\na: groupedQueryAttention embedDim=64 numHeads=4\nh: lmHead embedDim=64 vocabSize=100\no: output\nx -> e -> a -> h -> o"
	const scores = 2 * 4 * 512 * 512
	plain := scored(t, text, "transformers", "eager").activations
	for how, more := range map[string]int64{
		"transformers/plain":                       -4 * scores,      // a softmax in 16 bits, which is multiplied as it is
		"transformers/dropped":                     scores,           // which weights are dropped
		"transformers/plain/dropped":               (3 - 4) * scores, // and the others
		"transformers/capped":                      2 * scores,
		"transformers/plain/eager/clamped":         (2 - 4) * scores,
		"transformers/plain/eager/clamped/dropped": (2 + 3 - 4) * scores,
	} {
		if got := scored(t, text, how, "eager").activations - plain; got < more || got > more+scores/8 { // the allocator may leave a little with each
			t.Errorf("%s keeps %d bytes more than the usual attention, want %d", how, got, more)
		}
	}
	uncapped := strings.Replace(text, "h: lmHead embedDim=64 vocabSize=100", "h: linear outFeatures=100", 1)
	if fused := scored(t, uncapped, "transformers/dropped/capped", "sdpa").activations; fused != scored(t, uncapped, "transformers", "sdpa").activations {
		t.Error("a fused kernel keeps something of dropout or of a tangent")
	}
}

func TestWhatIsNotReadGetsNoGradient(t *testing.T) {
	const text = "x: input shape=[64]\nf: linear outFeatures=64 bias=false\no: output\nx -> f -> o"
	all := scored(t, text, "transformers", "sdpa")
	more := scored(t, text+"\np: parameter shape=[4096]\nx -> p", "transformers", "sdpa")
	if more.weights-all.weights != 2*4096 || more.gradients != all.gradients || more.states != all.states || more.logits != all.logits {
		t.Errorf("a tensor that nothing reads makes %+v of %+v", more, all)
	}
}

func TestDropoutRestsWhereNothingIsTrained(t *testing.T) {
	const text = "x: input shape=[64,256]\nf: linear outFeatures=256\nd: dropout p=0.1\ng: linear outFeatures=8\no: output\nx -> f -> d -> g -> o"
	without := strings.Replace(strings.Replace(text, "d: dropout p=0.1\n", "", 1), "-> d ", "", 1)
	if got, want := Infer(parse(t, text), InferOptions{}).PeakBytes, Infer(parse(t, without), InferOptions{}).PeakBytes; got != want {
		t.Errorf("%d bytes with dropout, %d without", got, want)
	}
}
