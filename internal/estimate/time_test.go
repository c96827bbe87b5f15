package estimate

import "testing"

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
