package estimate

import (
	"math"
	"testing"
)

// The errors that estimates state are those of the measured rows: nineteen peaks in twenty and nine times in ten.
func TestStatedErrorsHoldForTheMeasuredRuns(t *testing.T) {
	peaks, steps, rows := 0, 0, measuredRows(t)
	for _, r := range rows {
		o := r.options()
		o.GPU = measuredCard
		got := Train(walk(t, r.Graph), o)
		if math.Abs(float64(got.PeakBytes)/float64(r.PeakBytes)-1) <= PeakErrorPercent/100.0 {
			peaks++
		}
		if f := float64(got.StepMicros) / 1e3 / r.StepMs; f <= measuredSpread/100.0 && f >= 100.0/measuredSpread {
			steps++
		} else {
			t.Logf("%s: step %.2f of the measured", r.ID, f)
		}
	}
	t.Logf("of %d runs %d peaks within %d %%, %d steps within a factor of %.2f", len(rows), peaks, PeakErrorPercent, steps, measuredSpread/100.0)
	if peaks*100 < len(rows)*95 {
		t.Errorf("%d of %d peaks are within %d %%", peaks, len(rows), PeakErrorPercent)
	}
	if steps*100 < len(rows)*90 {
		t.Errorf("%d of %d steps are within a factor of %.2f", steps, len(rows), measuredSpread/100.0)
	}
}
