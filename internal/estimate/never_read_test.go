package estimate

import "testing"

// TestAWeightThatNothingReadsIsNotCopiedForEachSample holds that an unused weight takes its own bytes and those of its optimizer, and no more.
func TestAWeightThatNothingReadsIsNotCopiedForEachSample(t *testing.T) {
	const unused = 1 << 20
	without := Train(parse(t, classifier), Options{})
	with := Train(parse(t, classifier+"\np: parameter shape=[1048576]\nx -> p"), Options{})
	if more := with.PeakBytes - without.PeakBytes; more > 5*4*unused+4096 || more < 4*unused {
		t.Errorf("%d bytes more for %d unused weights", more, unused)
	}
}
