package infer_test

import (
	"strings"
	"testing"
)

// TestSavedOfAnOwnModuleIsNotKnown: its FLOPs and weights can be declared, what it saves for backward cannot.
func TestSavedOfAnOwnModuleIsNotKnown(t *testing.T) {
	const own = "x: input shape=[4]\nm: customModule outShape=[4] numParams=20 flops=32\nf: linear outFeatures=2\no: output\nx -> m -> f -> o"
	for _, c := range []struct {
		name, graph string
		known       bool
	}{
		{"declared", own, false},
		{"without a shape", strings.Replace(own, "outShape=[4] ", "", 1), false},
		{"a linear layer instead", strings.Replace(own, "customModule outShape=[4] numParams=20 flops=32", "linear outFeatures=4", 1), true},
		{"of a library whose code was followed", strings.Replace(own, "flops=32", "flops=32 @as=transformers.PreTrainedModel", 1), true},
	} {
		t.Run(c.name, func(t *testing.T) {
			res := walked(t, c.graph)
			if got := res.KnownSaved() != nil; got != c.known {
				t.Errorf("what the model saves is known: %v, want %v", got, c.known)
			}
			if got := res.Nodes[1].KnownSaved() != nil; got != c.known {
				t.Errorf("what m saves is known: %v, want %v", got, c.known)
			}
			if c.name == "declared" && (res.KnownFLOPs() == nil || *res.KnownFLOPs() != 32+16) {
				t.Errorf("FLOPs are %v, want the declared ones and those of the linear layer", res.KnownFLOPs())
			}
		})
	}
}
