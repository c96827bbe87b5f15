package httpapi

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// gateOf is a gate with one worker that somebody has, and somebody's actions of 10 ms behind it.
func gateOf(t *testing.T, l Limits) (*gate, place) {
	t.Helper()
	l.Workers, l.Wait, l.Requests, l.HeldBytes = 1, time.Hour, 100, 1000
	g := newGate(l)
	g.line.mean = 10 * time.Millisecond
	p, reason := g.work(t.Context(), "noisy", false)
	if p.Room == nil {
		t.Fatal(reason)
	}
	return g, p
}

// queued has somebody wait, and sends their name when they are served.
func queued(t *testing.T, g *gate, who string, served chan<- place) {
	t.Helper()
	g.mu.Lock()
	before := g.line.waiting
	g.mu.Unlock()
	go func() {
		if p, _ := g.work(t.Context(), who, false); p.Room != nil {
			served <- p
		}
	}()
	waitFor(t, "one who waits", func() bool { g.mu.Lock(); defer g.mu.Unlock(); return g.line.waiting == before+1 })
}

// TestWhoAsksForLittleIsNotBehindWhoAsksForMuch has 50 of one caller wait, and then one of another.
func TestWhoAsksForLittleIsNotBehindWhoAsksForMuch(t *testing.T) {
	g, p := gateOf(t, Limits{Fair: true})
	served := make(chan place, 100)
	for range 50 {
		queued(t, g, "noisy", served)
	}
	queued(t, g, "quiet", served)
	place := 0
	for i := range 51 {
		g.rest(p)
		if p = <-served; p.who == "quiet" {
			place = i + 1
		}
	}
	if place == 0 || place > 2 {
		t.Errorf("the one of the other caller was served as number %d of 51", place)
	}
	g.rest(p)
	if g.line.waiting != 0 || len(g.workers) != 1 {
		t.Errorf("%d wait, %d workers", g.line.waiting, len(g.workers))
	}
}

// TestSharesAreOfTimeAndNotOfCalls simulates a caller whose actions take ten times as long as those of another, both with a long queue.
func TestSharesAreOfTimeAndNotOfCalls(t *testing.T) {
	all, took := map[string]*tenant{"large": {}, "small": {}}, map[string]time.Duration{"large": 10 * time.Millisecond, "small": time.Millisecond}
	l, now, ran := &line{}, time.Now(), map[string]time.Duration{}
	for range 2000 {
		for who, t := range all {
			if len(t.waiting) < 5 {
				l.join(t, who, now)
			}
		}
		who, w := l.next(all)
		booked := l.charge(who)
		ran[w.who] += took[w.who]
		l.settle(who, booked, took[w.who], now)
	}
	if ratio := ran["large"].Seconds() / ran["small"].Seconds(); ratio < 0.9 || ratio > 1.1 {
		t.Errorf("the time of the two is %v", ran)
	}
}

// TestALineThatStandsIsShortened holds that a burst waits, and that what would wait for too long behind it is turned away at once.
func TestALineThatStandsIsShortened(t *testing.T) {
	g, p := gateOf(t, Limits{Fair: true, Delay: 25 * time.Millisecond, Burst: 200 * time.Millisecond})
	served := make(chan place, 100)
	for range 5 { // 60 ms of work: a burst
		queued(t, g, "noisy", served)
	}
	if g.crowded("noisy") {
		t.Error("a burst is turned away")
	}
	waitFor(t, "a line that stands", func() bool { return g.crowded("noisy") })
	began := time.Now()
	if got, reason := g.work(t.Context(), "noisy", false); got.Room != nil || reason != "queue" || time.Since(began) > 100*time.Millisecond {
		t.Errorf("one more: %v %q behind %v", got.Room, reason, time.Since(began))
	}
	if g.crowded("quiet") {
		t.Error("somebody else, who would be next, is turned away")
	}
	gone, leave := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer leave()
	if _, reason := g.work(gone, "noisy", true); reason != "gone" {
		t.Errorf("one that has had a worker does not wait for another: %q", reason)
	}
	g.line.mean = time.Second // each takes much longer than the delay
	if g.crowded("quiet") || !g.crowded("noisy") {
		t.Error("where actions take long, who is next is turned away, or the one behind many is not")
	}
	g.line.mean = 10 * time.Millisecond
	for range 5 {
		g.rest(p)
		p = <-served
	}
	g.rest(p)
	if g.crowded("noisy") {
		t.Error("the line is empty, and callers are turned away")
	}
}

// pressedBy sends a gate of two workers so many times what they can do, for a minute of a clock that waits for nobody. It returns how
// long those waited who were served, and how many were turned away.
func pressedBy(t *testing.T, times float64) (waited []time.Duration, refused int) {
	t.Helper()
	const work = 3 * time.Millisecond
	synctest.Test(t, func(t *testing.T) {
		limits := Defaults()
		limits.Workers, limits.Fair = 2, true
		g, random := newGate(limits), rand.New(rand.NewPCG(1, 2))
		var mu sync.Mutex
		var group sync.WaitGroup
		for end := time.Now().Add(time.Minute); time.Now().Before(end); {
			takes := time.Duration(random.ExpFloat64() * float64(work))
			group.Go(func() {
				if g.crowded("noisy") {
					mu.Lock()
					defer mu.Unlock()
					refused++
					return
				}
				came := time.Now()
				p, _ := g.work(t.Context(), "noisy", false)
				served := time.Since(came)
				if p.Room != nil {
					time.Sleep(takes)
					g.rest(p)
				}
				mu.Lock()
				defer mu.Unlock()
				if p.Room != nil {
					waited = append(waited, served)
				} else {
					refused++
				}
			})
			time.Sleep(time.Duration(random.ExpFloat64() * float64(work) / 2 / times))
		}
		group.Wait()
	})
	slices.Sort(waited)
	return waited, refused
}

// TestWhoIsServedDoesNotWaitLongerForTwiceTheLoad holds that a line which was shortened does not begin another burst whenever it is
// empty for a moment, and that nobody is turned away while everything can be done.
func TestWhoIsServedDoesNotWaitLongerForTwiceTheLoad(t *testing.T) {
	for _, c := range []struct {
		times   float64
		longest time.Duration // of 99 in a hundred
		refused float64       // at the most
	}{
		{0.5, 25 * time.Millisecond, 0}, {0.9, 100 * time.Millisecond, 0.01}, {1.2, 150 * time.Millisecond, 0.25},
		{2, 100 * time.Millisecond, 0.55}, {8, 100 * time.Millisecond, 0.9},
	} {
		waited, refused := pressedBy(t, c.times)
		p99, part := waited[len(waited)*99/100], float64(refused)/float64(refused+len(waited))
		t.Logf("%v times what can be done: %v is waited, %.3f are turned away", c.times, p99, part)
		if p99 > c.longest || part > c.refused {
			t.Errorf("%v is allowed, and %v may be turned away", c.longest, c.refused)
		}
	}
}

// TestNobodyHoldsEveryPlaceNorAllMemory has one caller take what it can, and then others.
func TestNobodyHoldsEveryPlaceNorAllMemory(t *testing.T) {
	take := func(g *gate, who string, place bool) (n int) {
		for range 1000 {
			if place && !g.enter(who) || !place && !g.hold(who, 10) {
				break
			}
			n++
		}
		return n
	}
	for _, place := range []bool{true, false} {
		g := newGate(Limits{Workers: 1, Requests: 100, HeldBytes: 1000, Fair: true})
		if n := take(g, "noisy", place); n != 50 {
			t.Errorf("one alone has %d of 100", n)
		}
		for i := range 8 {
			who := fmt.Sprint("other ", i)
			if !g.enter(who) || !g.hold(who, 10) {
				t.Errorf("number %d gets nothing", i)
			}
		}
		g = newGate(Limits{Workers: 1, Requests: 100, HeldBytes: 1000})
		if n := take(g, "", place); n != 100 {
			t.Errorf("where callers are not told apart, they have %d of 100", n)
		}
	}
}

// TestNothingIsRememberedOfWhoHasGone holds that entries go with what they count.
func TestNothingIsRememberedOfWhoHasGone(t *testing.T) {
	g := newGate(Limits{Workers: 2, Requests: 100, HeldBytes: 1000, Wait: time.Second, Fair: true})
	for i := range 1000 {
		who := fmt.Sprint(i)
		if !g.enter(who) || !g.hold(who, 10) {
			t.Fatal("an empty gate is closed")
		}
		p, reason := g.work(t.Context(), who, false)
		if p.Room == nil {
			t.Fatal(reason)
		}
		g.rest(p)
		g.drop(who, 10)
		g.leave(who)
	}
	if len(g.who) > 10 || len(g.workers) != 2 {
		t.Errorf("%d callers are remembered, %d workers are free", len(g.who), len(g.workers))
	}
}
