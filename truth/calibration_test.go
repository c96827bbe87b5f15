package truth

import (
	"testing"

	"github.com/modelverifier/verifier/internal/action/rank"
	"github.com/modelverifier/verifier/internal/rules"
)

// TestCalibration holds the figures that rank ships with every answer to the graphs that PyTorch ran or refused; TestOutcomes holds
// those of the order.
func TestCalibration(t *testing.T) {
	got := *rank.Measured.Exclusion
	want := rank.Exclusion{Claim: got.Claim, Torch: got.Torch, MeasuredAt: got.MeasuredAt}
	for _, r := range append(graphRows(t), drawnGraphs(t)...) {
		want.Graphs++
		_, findings := r.walk(t)
		if rules.Blocked(findings) {
			want.Blocked++
			want.BlockedCrashed += count(!r.OK)
		} else {
			want.Passed++
			want.PassedRan += count(r.OK)
		}
	}
	if got != want {
		t.Errorf("calibration.json says %+v, the rows say %+v", got, want)
	}
}
