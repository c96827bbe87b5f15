package estimate

import (
	"math"
	"testing"
)

// Where the arithmetic of a component belongs follows from the sizes of its weights and the width of what they are multiplied with.
func TestArithmeticIsDividedByWhatRunsAtTheSameRate(t *testing.T) {
	for _, c := range []struct {
		component, shape string
		width            int64
		want             arithmetic
	}{
		{"linear inFeatures=64 outFeatures=512", "[64]", 2, arithmetic{products: 1}},
		{"linear inFeatures=64 outFeatures=509", "[64]", 2, arithmetic{odd: 1}},
		{"linear inFeatures=63 outFeatures=512", "[63]", 2, arithmetic{odd: 1}},
		{"linear inFeatures=64 outFeatures=510", "[64]", 2, arithmetic{loose: 1}},
		{"linear inFeatures=64 outFeatures=508", "[64]", 2, arithmetic{products: 1}},
		{"linear inFeatures=64 outFeatures=509", "[64]", 4, arithmetic{loose: 1}},
		{"linear inFeatures=64 outFeatures=510", "[64]", 4, arithmetic{products: 1}},
		{"linear inFeatures=63 outFeatures=509", "[63]", 0, arithmetic{products: 1}},
		{"conv2d inChannels=64 outChannels=64 kernelSize=3", "[64,9,9]", 2, arithmetic{dense: 1}},
		{"conv2d inChannels=3 outChannels=64 kernelSize=3", "[3,9,9]", 2, arithmetic{thin: 1}},
		{"conv2d inChannels=1 outChannels=64 kernelSize=3", "[1,9,9]", 2, arithmetic{thin: 1}},
		{"conv2d inChannels=64 outChannels=64 kernelSize=3 groups=64", "[64,9,9]", 2, arithmetic{depthwise: 1, windows: 1}},
		{"conv2d inChannels=64 outChannels=64 kernelSize=6 groups=64", "[64,9,9]", 2, arithmetic{depthwise: 1, windows: 0.25}},
		{"separableConv2d inChannels=40 outChannels=60 kernelSize=3 padding=1", "[40,9,9]", 2, arithmetic{dense: 2400.0 / 2760, depthwise: 360.0 / 2760, windows: 360.0 / 2760}},
	} {
		res := parse(t, "x: input shape="+c.shape+"\ny: "+c.component+"\no: output\nx -> y -> o")
		got := divide(&res.Nodes[1], c.width)
		for k, pair := range [][2]float64{{got.products, c.want.products}, {got.loose, c.want.loose}, {got.odd, c.want.odd}, {got.dense, c.want.dense},
			{got.thin, c.want.thin}, {got.depthwise, c.want.depthwise}, {got.windows, c.want.windows}} {
			if math.Abs(pair[0]-pair[1]) > 1e-9 {
				t.Errorf("%s with %d bytes: %+v, want %+v (part %d)", c.component, c.width, got, c.want, k)
			}
		}
	}
}

// A vocabulary that is padded to a multiple of 64 takes less time though it has more weights.
func TestAnOddVocabularyIsSlow(t *testing.T) {
	step := func(vocab, precision string) int64 {
		res := parse(t, "x: input shape=[512]\ne: embedding vocabSize="+vocab+" embedDim=1024\nh: lmHead embedDim=1024 vocabSize="+vocab+"\no: output\nx -> e -> h -> o")
		return Train(res, Options{Batch: 32, Precision: precision, GPU: measuredCard}).StepMicros
	}
	for _, precision := range []string{"bf16", "amp", "tf32"} {
		if odd, even := step("50257", precision), step("50304", precision); odd < even+even/4 {
			t.Errorf("%s: %d µs with 50257 words and %d µs with 50304", precision, odd, even)
		}
	}
	if odd, even := step("50257", "fp32"), step("50304", "fp32"); odd > even {
		t.Errorf("fp32: %d µs with 50257 words and %d µs with 50304", odd, even)
	}
}
