package action

import (
	"slices"
	"testing"
)

// TestAnOwnModuleBoundsTheCost: what a module declares is counted, and what it holds in memory is not known.
func TestAnOwnModuleBoundsTheCost(t *testing.T) {
	s := study(t, "x: input shape=[16]\nm: customModule outShape=[16] numParams=100 flops=300\nl: linear outFeatures=4\no: output\nx -> m -> l -> o", 0)
	if !slices.Equal(s.CostWithheld, []string{"m"}) || len(s.ParamsWithheld) > 0 || s.Complete() || !s.Priced() {
		t.Errorf("the cost lacks %q, the weights lack %q, priced %v and complete %v", s.CostWithheld, s.ParamsWithheld, s.Priced(), s.Complete())
	}
	if n := s.FLOPs(); n == nil || *n != 300+2*16*4 {
		t.Errorf("FLOPs are %v, want those declared and those of the linear layer", n)
	}
	if want := "what 1 component holds in memory is not known"; s.Bounded() != want {
		t.Errorf("bounded because %q, want %q", s.Bounded(), want)
	}
	if s.FitsGPU() != NotKnown || s.Fits("H100") {
		t.Errorf("fits %s, and H100 %v", s.FitsGPU(), s.Fits("H100"))
	}
}
