package estimate

import (
	"fmt"
	"testing"

	"github.com/modelverifier/verifier/internal/hardware"
)

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

// The clock walks the operations of 2,000 components, all of them distinct, beside a plan.
func BenchmarkStepMicros(b *testing.B) {
	text, chain := "x: input shape=[64]\n", "x"
	for k := range 2000 {
		name := fmt.Sprintf("l%d", k)
		text += fmt.Sprintf("%s: linear outFeatures=%d\n", name, 64+k)
		chain += " -> " + name
	}
	res := parse(b, text+"o: output\n"+chain+" -> o")
	o := Options{Precision: "amp"}.or(Defaults(), batchFor(res))
	m, card := new(Room).measure(res, o), hardware.Lookup(measuredCard)
	for b.Loop() {
		stepMicros(m.tape, o, card)
	}
}
