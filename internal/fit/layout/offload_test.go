package layout

import (
	"strconv"
	"testing"

	"github.com/modelverifier/verifier/internal/quantity"
)

// What is offloaded is on no card, and what stays is as it was.
func TestOffloadMovesWhatItSays(t *testing.T) {
	res := open(t, "llama3-8b")
	on := func(text string) Stage { return Check(res, parse(t, "deepspeed", text)).Stages[0] }
	whole, states, all := on("dp=8 zero=3"), on("dp=8 zero=3 offload=optimizer"), on("dp=8 zero=3 offload=all")
	if whole.HostGB != nil || states.HostGB == nil || all.HostGB == nil {
		t.Fatalf("host %v, %v, %v", whole.HostGB, states.HostGB, all.HostGB)
	}
	if states.OptimizerGB != all.OptimizerGB || states.OptimizerGB.String() != "0" || states.WeightsGB != whole.WeightsGB || all.WeightsGB.String() != "0" {
		t.Errorf("on the card: %+v, %+v", states, all)
	}
	gb := func(d quantity.Decimal) float64 {
		n, err := strconv.ParseFloat(d.String(), 64)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	for what, s := range map[string]Stage{"optimizer": states, "all": all} {
		sum := gb(*s.HostGB) + gb(s.WeightsGB) + gb(s.GradsGB)
		want := gb(whole.WeightsGB) + gb(whole.GradsGB) + gb(whole.OptimizerGB)
		if d := sum - want; d > 0.02 || d < -0.02 || s.ActivationsGB != whole.ActivationsGB {
			t.Errorf("%s: %g GB of card and host together, without offload %g", what, sum, want)
		}
	}
}
