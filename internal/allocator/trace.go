package allocator

// Trace is what a run takes and gives: what stays, in the order in which it is made before the first step; then what stays from the end of the first
// step on; then a step, which gives back all that it takes. Tensors of up to smallBytes are counted alone, as they lose little in their pool.
type Trace struct {
	events                         []int64 // bytes that are taken, or the number of the take that is given, below zero
	takes                          int     // of events
	late, step, end                int     // of events: where what comes later begins, where the step does, and where in it that is made
	lateTakes, stepTakes, endTakes int     // takes in front of those
	smallBytes, smallAtMost        int64
	sizes                          []int64 // of takes, for Most
}

// Clear forgets everything, and keeps the memory.
func (t *Trace) Clear() { *t = Trace{events: t.events[:0], sizes: t.sizes[:0]} }

// Take notes that memory is taken, and returns the number of the take; below zero for one that is counted alone.
func (t *Trace) Take(bytes int64) int32 {
	n := rounded(bytes)
	if n <= smallBytes {
		t.smallBytes += n
		t.smallAtMost = max(t.smallAtMost, t.smallBytes)
		return -int32(n / blockBytes) //nolint:gosec // at most smallBytes
	}
	t.events = append(t.events, n)
	t.takes++
	return int32(t.takes)
}

// Give notes that the memory of a take is given back; 0 stands for none.
func (t *Trace) Give(take int32) {
	if take <= 0 {
		t.smallBytes += int64(take) * blockBytes
		return
	}
	t.events = append(t.events, -int64(take))
}

// Late begins what stays from the end of the first step on, Step the step, and End is where in a step that is made the first time.
func (t *Trace) Late() { t.late, t.lateTakes = len(t.events), t.takes }
func (t *Trace) Step() { t.step, t.stepTakes = len(t.events), t.takes }
func (t *Trace) End()  { t.end, t.endTakes = len(t.events), t.takes }

// Most is what is taken at the most, each tensor rounded by itself: less than any card that the run goes through on has.
func (t *Trace) Most() int64 {
	live, most := int64(0), int64(0)
	t.sizes = t.sizes[:0]
	for _, e := range t.events {
		if e > 0 {
			t.sizes = append(t.sizes, e)
		} else {
			e = -t.sizes[-e-1]
		}
		live += e
		most = max(most, live)
	}
	return most + t.smallAtMost
}

// balanced reports whether a step gives back as much as it takes.
func (t *Trace) balanced() bool {
	takes := t.takes - t.stepTakes
	return len(t.events)-t.step == 2*takes
}
