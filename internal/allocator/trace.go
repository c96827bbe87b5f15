package allocator

import "slices"

// Trace is what a run takes and gives: what stays, in the order in which it is made before the first step; then what stays from the end of the first
// step on; then a step, which gives back all that it takes. Tensors of up to smallBytes are counted alone, as they lose little in their pool.
type Trace struct {
	events                         []int64 // bytes that are taken, or the number of the take that is given, below zero
	takes                          int     // of events
	late, step, end                int     // of events: where what comes later begins, where the step does, and where in it that is made
	lateTakes, stepTakes, endTakes int     // takes in front of those
	smallBytes, smallAtMost        int64
}

// Clear forgets everything, and keeps the memory.
func (t *Trace) Clear() { *t = Trace{events: t.events[:0]} }

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
	sizes := make([]int64, 0, t.takes)
	for _, e := range t.events {
		if e > 0 {
			sizes = append(sizes, e)
		} else {
			e = -sizes[-e-1]
		}
		live += e
		most = max(most, live)
	}
	return most + t.smallAtMost
}

// steps is how many steps are followed: from the second on the later things are there, and the third finds what the second left.
const steps = 3

// Replayer runs traces on a device. The zero value is ready.
type Replayer struct {
	device Device
	places []Place
	raises bool // the limit, where it does not do
	left   int  // of the work that a trace is worth

	Expandable bool // segments are expandable
}

// How closely the limit is looked for, how many limits are tried at the most, and how many events are followed for all of them. Where free pieces are
// many, an event counts more.
const (
	oneIn    = 250
	attempts = 4
	mostWork = 300_000
	moved    = 64 // free pieces that are moved in the time of one event
)

// Follow finds the smallest limit in which a run goes through, and what the allocator takes from a card of any size at the most. It reports whether the
// trace is short enough; where not all limits could be tried, the need is no less than it is.
func (r *Replayer) Follow(t *Trace) (need, reserved int64, ok bool) {
	r.left = mostWork
	if !r.run(t, 0) {
		return 0, 0, false
	}
	reserved = r.device.Most
	low, high := min(reserved, t.Most()), reserved
	if near(low, high) {
		return high, reserved, true
	}
	if limit, found := r.raised(t, low); found {
		high = min(high, limit)
	}
	for tries := attempts; !near(low, high) && tries > 0; tries-- {
		middle := low + (high-low)/2
		if r.run(t, middle) {
			high = middle
		} else if low = middle; r.left < 0 {
			break
		}
	}
	return high, reserved, true
}

func near(low, high int64) bool { return high-low <= max(high/oneIn, roundBytes) }

// raised looks for a limit from below. Where one does not do, it is raised to what the allocator asks for, and the run goes on; then it is followed
// again from its beginning with the limit that it ended with, until that is enough. It may not be the smallest: what a smaller one gives back earlier
// may leave better pieces.
func (r *Replayer) raised(t *Trace, limit int64) (enough int64, found bool) {
	r.raises = true
	defer func() { r.raises = false }()
	for range attempts {
		if !r.run(t, limit) {
			return 0, false
		}
		if r.device.Limit == limit {
			return limit, true
		}
		limit = r.device.Limit
	}
	return 0, false
}

// run follows a trace, and reports whether the limit allows it.
func (r *Replayer) run(t *Trace, limit int64) bool {
	r.device.Clear()
	r.device.Limit, r.device.Expandable = limit, r.Expandable
	r.places = slices.Grow(r.places[:0], t.takes)[:t.takes]
	small := (t.smallAtMost + roundBytes - 1) / roundBytes * roundBytes
	if r.device.passes(small) {
		if !r.raises {
			return false
		}
		r.device.Limit = small
	}
	r.device.reserve(small)
	ok := r.follow(t.events[:t.late], 0) && r.follow(t.events[t.step:t.end], t.stepTakes) &&
		r.follow(t.events[t.late:t.step], t.lateTakes) && r.follow(t.events[t.end:], t.endTakes)
	for k := 1; ok && k < steps; k++ {
		ok = r.follow(t.events[t.step:], t.stepTakes)
	}
	return ok
}

// follow follows events, of which the first take has a number.
func (r *Replayer) follow(events []int64, take int) bool {
	for _, e := range events {
		if r.left -= 1 + len(r.device.large.free)/moved; r.left < 0 {
			return false
		}
		if e < 0 {
			r.device.Give(r.places[-e-1])
			continue
		}
		at, limit := r.device.Take(e)
		if at == 0 && !r.raises {
			return false
		}
		if at == 0 {
			r.device.Limit = limit
			at, _ = r.device.Take(e)
		}
		r.places[take] = at
		take++
	}
	return true
}
