package infer_test

import (
	"slices"
	"testing"
)

// A number of operations that does not fit in 64 bits crashes nothing: it is not known, of the component or of the sum, and what fits stays.
func TestFLOPsThatDoNotFitAreNotKnown(t *testing.T) {
	attention := "groupedQueryAttention embedDim=5120 numHeads=40 numKVHeads=8 headDim=128\n"
	for _, c := range []struct {
		name, text string
		lacks      []string
		flops      int64
	}{
		{"of a component", "x: input shape=[2000000000,8]\na: groupedQueryAttention embedDim=8 numHeads=2\nf: linear outFeatures=1\no: output\nx -> a -> f -> o",
			[]string{"a"}, 2 * 2_000_000_000 * 8},
		{"of a sum", "x: input shape=[10485760,5120]\na: " + attention + "b: " + attention + "c: " + attention + "d: " + attention + "e: " + attention +
			"o: output\nx -> a -> b -> c -> d -> e -> o", []string{"e"}, 0},
	} {
		res := walked(t, c.text)
		if len(res.Refusals) > 0 {
			t.Errorf("%s: refused: %s", c.name, res.Refusals[0].Message)
		}
		if got := res.FLOPsWithheld(); !slices.Equal(got, c.lacks) {
			t.Errorf("%s: FLOPs of %v are not known, want %v", c.name, got, c.lacks)
		}
		if res.FLOPs < 0 || c.flops > 0 && res.FLOPs != c.flops {
			t.Errorf("%s: %d FLOPs, want %d", c.name, res.FLOPs, c.flops)
		}
		if res.KnownFLOPs() != nil {
			t.Errorf("%s: a sum of FLOPs is said to be known", c.name)
		}
	}
}
