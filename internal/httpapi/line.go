package httpapi

import (
	"slices"
	"time"
)

// line is everybody who waits for a worker. Each has a queue; the worker goes to the one of whose work the least has been done: start-time fair
// queueing (Goyal, Vin and Cheng 1996), with the time that an action ran as its length. So an organisation that sends a thousand large
// models waits for itself, and one that sends a small one now and then is next.
//
// It is guarded by the gate's lock.
type line struct {
	waiting int
	since   time.Time // when the first of those who wait came to nobody
	running int
	virtual time.Duration // the work that whoever was served last had had before
	latest  time.Duration // the most that anybody has had
	mean    time.Duration // that an action runs
}

// queue is who waits of one caller, and how much was done for them.
type queue struct {
	waiting []*waiter
	running int
	spent   time.Duration // of virtual time
}

// waiter is one who waits.
type waiter struct {
	who   string
	ready chan place // has room for one
}

func (q *queue) idle() bool { return len(q.waiting) == 0 && q.running == 0 }

// stands says whether the line has not been empty for a while: a burst goes by, a line that stands is more than can be done.
func (l *line) stands(now time.Time, burst time.Duration) bool {
	return l.waiting > 0 && now.Sub(l.since) > burst
}

// estimate is how long one more of somebody would wait: for those of their own, and of everybody else as many as are served in turns meanwhile.
func (l *line) estimate(t *tenant, all map[string]*tenant, workers int) time.Duration {
	own := 0
	if t != nil {
		own = len(t.waiting)
	}
	ahead := own
	for _, other := range all {
		if other != t {
			ahead += min(len(other.waiting), own+1)
		}
	}
	return l.mean * time.Duration(ahead+1) / time.Duration(max(1, workers))
}

// turns is how many actions may go before one in a line that stands, whatever they take: where each takes longer than the delay, who is next
// must not be turned away.
const turns = 4

// most is how long one may wait in a line that stands.
func (l *line) most(delay time.Duration) time.Duration { return max(delay, turns*l.mean) }

// join puts somebody at the end of their queue.
func (l *line) join(t *tenant, who string, now time.Time) *waiter {
	if l.waiting == 0 {
		l.since = now
	}
	if t.idle() {
		t.spent = max(t.spent, l.virtual) // nobody saves up by not asking
	}
	w := &waiter{who, make(chan place, 1)}
	t.waiting = append(t.waiting, w)
	l.waiting++
	return w
}

// leave takes out somebody who waits no longer, and reports whether they still did.
func (l *line) leave(t *tenant, w *waiter) bool {
	i := slices.Index(t.waiting, w)
	if i < 0 {
		return false
	}
	t.waiting = slices.Delete(t.waiting, i, i+1)
	l.waiting--
	return true
}

// next takes out who is served now; nil where nobody waits. Of two with the same share the name decides, which is as good as chance.
func (l *line) next(all map[string]*tenant) (*tenant, *waiter) {
	var found *tenant
	for _, t := range all {
		if len(t.waiting) > 0 && (found == nil || t.spent < found.spent || t.spent == found.spent && t.waiting[0].who < found.waiting[0].who) {
			found = t
		}
	}
	if found == nil {
		return nil, nil
	}
	w := found.waiting[0]
	found.waiting = slices.Delete(found.waiting, 0, 1)
	l.waiting--
	return found, w
}

// charge books what an action usually takes, and settle what it took.
func (l *line) charge(t *tenant) time.Duration {
	t.spent = max(t.spent, l.virtual)
	l.virtual = t.spent
	t.spent += l.mean
	t.running++
	l.running++
	return l.mean
}

// meanOver is over how many actions the mean is taken: enough that one large model among many small ones hardly moves it.
const meanOver = 32

func (l *line) settle(t *tenant, booked, took time.Duration) {
	t.running--
	l.running--
	t.spent += took - booked
	if l.latest = max(l.latest, t.spent); l.running == 0 && l.waiting == 0 {
		l.virtual = l.latest // nobody owes anybody anything
	}
	if l.mean == 0 {
		l.mean = took
	}
	l.mean += (took - l.mean) / meanOver
}
