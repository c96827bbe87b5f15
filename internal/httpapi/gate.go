package httpapi

import (
	"context"
	"maps"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelverifier/verifier/internal/action"
)

// gate bounds what is taken on at once, in three ways: how many actions are under way, how many bytes of their bodies are
// held, and how many of them run. What is over a bound is turned away, so that load costs a refusal and not memory. Bytes
// are booked as they arrive, not as announced, so that a slow client holds no more than twice what it has sent.
//
// Everybody whom an edition tells apart has a share of each: who asks for much waits behind, and is turned away before, who asks for little.
type gate struct {
	limits  Limits
	under   atomic.Int64
	held    atomic.Int64
	workers chan *action.Room // those that are free, each with the memory that it works in

	mu      sync.Mutex
	line    line
	who     map[string]*tenant // who has a place, bytes, or waits; and who was served more than others lately
	present int                // how many of them have a place
}

// tenant is what one of the callers has of the server now.
type tenant struct {
	places, bytes int64
	queue
}

func newGate(l Limits) *gate {
	g := &gate{limits: l, workers: make(chan *action.Room, l.Workers), who: map[string]*tenant{}}
	for range l.Workers {
		g.workers <- &action.Room{}
	}
	return g
}

// tenant finds or makes the entry of somebody. The caller holds the lock.
func (g *gate) tenant(who string) *tenant {
	t := g.who[who]
	if t == nil {
		if len(g.who) >= mostRemembered {
			maps.DeleteFunc(g.who, func(_ string, t *tenant) bool { return t.places == 0 && t.bytes == 0 && t.idle() })
		}
		t = &tenant{}
		g.who[who] = t
	}
	return t
}

// mostRemembered is how many callers are remembered for what they have had. It is more than have a place.
const mostRemembered = 2048

// forget drops an entry that says nothing any more. The caller holds the lock.
func (g *gate) forget(who string, t *tenant) {
	if t.places == 0 && t.bytes == 0 && t.idle() && t.spent <= g.line.virtual {
		delete(g.who, who)
	}
}

// fair says whether somebody may have so much of a limit: all that is free while half of it is, and then an equal share with everybody who
// has some and one more who may come. Where callers are not told apart there is one, who may have all.
func (g *gate) fair(wanted, used, limit int64) bool {
	return used <= limit && (!g.limits.Fair || used <= limit/2 || wanted <= limit/int64(max(1, g.present)+1))
}

// enter books a request; leave gives it back.
func (g *gate) enter(who string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	t := g.tenant(who)
	if !g.fair(t.places+1, g.under.Load()+1, g.limits.Requests) {
		g.forget(who, t)
		return false
	}
	if t.places++; t.places == 1 {
		g.present++
	}
	g.under.Add(1)
	return true
}

func (g *gate) leave(who string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	t := g.tenant(who)
	if t.places--; t.places == 0 {
		g.present--
	}
	g.under.Add(-1)
	g.forget(who, t)
}

// hold books bytes of a body; drop gives them back.
func (g *gate) hold(who string, n int64) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	t := g.tenant(who)
	if !g.fair(t.bytes+n, g.held.Load()+n, g.limits.HeldBytes) {
		g.forget(who, t)
		return false
	}
	t.bytes += n
	g.held.Add(n)
	return true
}

func (g *gate) drop(who string, n int64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	t := g.tenant(who)
	t.bytes -= n
	g.held.Add(-n)
	g.forget(who, t)
}

// place is a worker that somebody has.
type place struct {
	*action.Room
	who   string
	began time.Time
	cost  time.Duration // that was booked for it
}

// crowded says whether one more of somebody would wait for too long, in a queue that stands, and is turned away.
func (g *gate) crowded(who string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := time.Now()
	refused := g.tooLong(g.who[who], now)
	if refused {
		g.line.arrives(now, g.limits.Burst, true)
	}
	return refused
}

// tooLong is crowded for a caller who holds the lock. An entry may be missing.
func (g *gate) tooLong(t *tenant, now time.Time) bool {
	if g.limits.Delay == 0 || g.line.waiting == 0 {
		return false
	}
	delay := g.limits.Delay
	if !g.line.stands(now, g.limits.Burst) {
		delay *= burstBy
	}
	return g.line.estimate(t, g.who, g.limits.Workers) > g.line.most(delay, g.limits.Workers)
}

// burstBy times the delay of a standing queue is that of a burst.
const burstBy = 10

// work waits for a worker; rest gives it back, with nothing left of the request. It returns why there was none. A request that has had one before is
// not turned away for the length of the queue: what was done for it, as asking a model or sharing a plan, would be lost.
func (g *gate) work(ctx context.Context, who string, again bool) (p place, reason string) {
	g.mu.Lock()
	t, now := g.tenant(who), time.Now()
	refused := !again && g.tooLong(t, now)
	if !again {
		g.line.arrives(now, g.limits.Burst, refused)
	}
	if g.line.waiting == 0 {
		select {
		case room := <-g.workers:
			p = g.begin(t, who, room, now)
			g.mu.Unlock()
			return p, ""
		default:
		}
	}
	if refused {
		g.forget(who, t)
		g.mu.Unlock()
		return p, "queue"
	}
	most := g.limits.Wait
	if !again && g.limits.Delay > 0 && g.line.stands(now, g.limits.Burst) {
		most = min(most, lateBy*g.line.most(g.limits.Delay, g.limits.Workers)) // the estimate may have been wrong
	}
	w := g.line.join(t, who, now)
	g.mu.Unlock()
	timer := time.NewTimer(most)
	defer timer.Stop()
	select {
	case p = <-w.ready:
		return p, ""
	case <-timer.C:
		reason = "wait"
	case <-ctx.Done():
		reason = "gone"
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.line.leave(t, w) {
		if reason == "wait" && !again {
			g.line.arrives(time.Now(), g.limits.Burst, true)
		}
		g.forget(who, t)
		return p, reason
	}
	return <-w.ready, "" // it came at the same moment
}

// lateBy times the delay of a standing queue is how long somebody stays in one.
const lateBy = 4

// begin books the time that somebody will take, as far as it can be known. The caller holds the lock.
func (g *gate) begin(t *tenant, who string, room *action.Room, now time.Time) place {
	return place{room, who, now, g.line.charge(t)}
}

func (g *gate) rest(p place) {
	p.Room.Clear()
	now := time.Now()
	g.mu.Lock()
	defer g.mu.Unlock()
	t := g.tenant(p.who)
	g.line.settle(t, p.cost, now.Sub(p.began), now)
	g.forget(p.who, t)
	if next, w := g.line.next(g.who); next != nil {
		w.ready <- g.begin(next, w.who, p.Room, now)
		return
	}
	g.workers <- p.Room
}
