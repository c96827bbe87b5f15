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
	ended   time.Time     // when one did last, while somebody waited; zero where nobody has since
	pace    time.Duration // between two that end, while somebody waits
	pressure
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

// stands says whether the line is more than can be done: it has not been empty for a while, while a burst goes by; or many were turned away
// lately. A line that is kept short is empty now and then, and that is no room for another burst.
func (l *line) stands(now time.Time, burst time.Duration) bool {
	return l.waiting > 0 && (now.Sub(l.since) > burst || l.high(now, burst))
}

// pressure is how many of those who came lately were turned away, counted in windows of time one behind the other.
type pressure struct {
	began         time.Time
	came, refused int
	much          bool // of the window before
}

// pressed is which part of those who come is turned away, as one in so many, while more come than can be served: at less a burst adds little.
const pressed = 8

// arrives counts one who comes.
func (p *pressure) arrives(now time.Time, window time.Duration, refused bool) {
	if now.Sub(p.began) > window {
		*p = pressure{began: now, much: p.refused*pressed > p.came && now.Sub(p.began) < 2*window}
	}
	if p.came++; refused {
		p.refused++
	}
}

// high says whether many were turned away in the window before, or in this one.
func (p *pressure) high(now time.Time, window time.Duration) bool {
	return now.Sub(p.began) < 2*window && (p.much || p.came >= pressed && p.refused*pressed > p.came)
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
	return l.each(workers) * time.Duration(ahead+1)
}

// each is how soon one ends behind another.
func (l *line) each(workers int) time.Duration {
	return max(l.mean/time.Duration(max(1, workers)), l.pace)
}

// turns is how many actions may go before one in a line that stands, whatever they take: where each takes longer than the delay, who is next
// must not be turned away.
const turns = 2

// most is how long one may wait in a line that stands.
func (l *line) most(delay time.Duration, workers int) time.Duration {
	return max(delay, turns*time.Duration(workers)*l.each(workers))
}

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

func (l *line) settle(t *tenant, booked, took time.Duration, now time.Time) {
	l.follow(now)
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

// follow learns how soon one ends behind another while somebody waits: on a machine that others use too, workers wait for processors.
func (l *line) follow(now time.Time) {
	if l.waiting == 0 {
		l.ended, l.pace = time.Time{}, 0
		return
	}
	if !l.ended.IsZero() {
		if l.pace == 0 {
			l.pace = l.mean
		}
		l.pace += (now.Sub(l.ended) - l.pace) / meanOver
	}
	l.ended = now
}
