package allocator

import "slices"

// steps is how many steps are followed: from the second on the later things are there, and the third finds what the second left.
const steps = 3

// Replayer runs traces on a device. The zero value is ready.
type Replayer struct {
	device Device
	places []Place
	raises bool // the limit, where it does not do
	left   int  // of the work that a trace is worth
	behind int  // events that a run without a limit has behind it
	saved  moment

	Expandable bool // segments are expandable
}

// How closely the limit is looked for, how many limits are tried at the most, and how many events are followed for all of them. Where free pieces are
// many, an event counts more.
const (
	oneIn    = 250
	attempts = 4
	mostWork = 300_000
	moved    = 64  // free pieces for which an event counts one more: lists in order were moved by as many in its time
	looks    = 256 // events behind which it is looked whether the work will do
)

// Follow finds the smallest limit in which a run goes through, and what the allocator takes from a card of any size at the most. It reports whether the
// trace is short enough; where not all limits could be tried, the need is no less than it is.
func (r *Replayer) Follow(t *Trace) (need, reserved int64, ok bool) {
	r.left = mostWork
	low := t.Most()
	r.saved.await(low)
	if !r.run(t, 0) {
		return 0, 0, false
	}
	r.saved.end(r)
	reserved = r.device.Most
	low, high := min(reserved, low), reserved
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

// leg is a part of a run: events, and the number of the first take among them.
type leg struct {
	events []int64
	take   int
}

// legs are those of a run, in order: what stays; the first step, at whose end the later things are made; and the further steps.
func (t *Trace) legs() [3 + steps]leg {
	all := [3 + steps]leg{{t.events[:t.late], 0}, {t.events[t.step:t.end], t.stepTakes}, {t.events[t.late:t.step], t.lateTakes}, {t.events[t.end:], t.endTakes}}
	for k := 4; k < len(all); k++ {
		all[k] = leg{t.events[t.step:], t.stepTakes}
	}
	return all
}

// run follows a trace, and reports whether the limit allows it.
func (r *Replayer) run(t *Trace, limit int64) bool {
	if r.saved.spans(limit) && !r.Expandable {
		r.device.Limit = limit
		r.left -= r.saved.all
		return r.left >= 0
	}
	from, ok := r.begin(t, limit)
	legs, sure := t.legs(), limit == 0 || r.raises
	r.behind = 0
	for k := from.leg; ok && k < len(legs); k++ {
		left, segments, reserved := r.left, r.device.large.segments, r.device.Reserved
		least := 0
		if sure {
			least = eventsOf(legs[k+1:])
		}
		if ok = r.follow(&legs[k], from, sure, least); !ok {
			return false
		}
		// A step that neither took a segment from the card nor gave one back left all as it was, and so will the next.
		same := k > 3 && from.event == 0 && segments == r.device.large.segments && reserved == r.device.Reserved
		if same && !r.Expandable && t.balanced() {
			r.left -= (left - r.left) * (len(legs) - 1 - k)
			return r.left >= 0
		}
		from = position{leg: k + 1}
	}
	return ok
}

func eventsOf(legs []leg) (count int) {
	for k := range legs {
		count += len(legs[k].events)
	}
	return count
}

// begin is where a run under a limit begins: where it may first differ from the one without a limit that was followed before.
func (r *Replayer) begin(t *Trace, limit int64) (from position, ok bool) {
	small := (t.smallAtMost + roundBytes - 1) / roundBytes * roundBytes
	if limit >= small && r.saved.holds(limit) {
		r.saved.restore(r)
		r.device.Limit = limit
		return r.saved.position, r.left >= 0
	}
	r.device.Clear()
	r.device.Limit, r.device.Expandable = limit, r.Expandable
	r.places = slices.Grow(r.places[:0], t.takes)[:t.takes]
	if r.device.passes(small) {
		if !r.raises {
			return from, false
		}
		r.device.Limit = small
	}
	r.device.reserve(small)
	return from, true
}

// follow follows the events of a leg, from one on. Where nothing but its work ends a run for sure, it ends as soon as less is left than the events
// are that follow, those behind the leg with them.
func (r *Replayer) follow(l *leg, from position, sure bool, behind int) bool {
	take, free := l.take+from.takes, &r.device.large.free
	for k := from.event; k < len(l.events); k++ {
		e, work := l.events[k], 1+free.count/moved
		ahead := behind + len(l.events) - 1 - k
		if r.left -= work; r.left < 0 || sure && r.left < ahead || k%looks == 0 && r.hopeless(ahead) {
			r.left = -1
			return false
		}
		r.behind++
		switch {
		case e < 0:
			r.device.Give(r.places[-e-1])
			continue
		case k+1 < len(l.events) && l.events[k+1] == -int64(take+1) && !r.Expandable && free.count%moved != 0 && free.has(e):
			k++ // what is given back at once leaves all as it was
			if r.left -= work; r.left < 0 {
				return false
			}
		default:
			at := r.device.reuse(e)
			if at == 0 {
				r.saved.offer(r, e, position{leg: from.leg, event: k, takes: take - l.take}, r.left+work)
				if at = r.extend(e); at == 0 {
					return false
				}
			}
			r.places[take] = at
		}
		take++
	}
	return true
}

// hopeless reports whether the events ahead of a run without a limit take more work than is left, at what those behind it took in the mean.
func (r *Replayer) hopeless(ahead int) bool {
	return r.device.Limit == 0 && (mostWork-r.left)*ahead > r.left*r.behind && r.behind > looks
}

// extend takes memory from the card for a tensor, and raises the limit where that is asked for; 0 where the limit does not allow it.
func (r *Replayer) extend(n int64) Place {
	walked := r.device.walked
	defer func() { r.left -= (r.device.walked - walked) / moved }()
	at, limit := r.device.extend(n)
	if at == 0 && r.raises {
		r.device.Limit = limit
		at, _ = r.device.Take(n)
	}
	return at
}
