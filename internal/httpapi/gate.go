package httpapi

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/modelverifier/verifier/internal/action"
)

// gate bounds what is taken on at once, in three ways: how many actions are under way, how many bytes of their bodies are
// held, and how many of them run. What is over a bound is turned away, so that load costs a refusal and not memory. Bytes
// are booked as they arrive, not as announced, so that a slow client holds no more than twice what it has sent.
type gate struct {
	limits  Limits
	under   atomic.Int64
	held    atomic.Int64
	workers chan *action.Room // those that are free, each with the memory that it works in
}

func newGate(l Limits) *gate {
	g := &gate{limits: l, workers: make(chan *action.Room, l.Workers)}
	for range l.Workers {
		g.workers <- &action.Room{}
	}
	return g
}

// enter books a request; leave gives it back.
func (g *gate) enter() bool {
	if g.under.Add(1) > g.limits.Requests {
		g.under.Add(-1)
		return false
	}
	return true
}

func (g *gate) leave() { g.under.Add(-1) }

// hold books bytes of a body; drop gives them back.
func (g *gate) hold(n int64) bool {
	if g.held.Add(n) > g.limits.HeldBytes {
		g.held.Add(-n)
		return false
	}
	return true
}

func (g *gate) drop(n int64) { g.held.Add(-n) }

// work waits for a worker; rest gives it back, with nothing left of the request. It returns why there was none.
func (g *gate) work(ctx context.Context) (room *action.Room, reason string) {
	select {
	case room = <-g.workers:
		return room, ""
	default:
	}
	timer := time.NewTimer(g.limits.Wait)
	defer timer.Stop()
	select {
	case room = <-g.workers:
		return room, ""
	case <-timer.C:
		return nil, "wait"
	case <-ctx.Done():
		return nil, "gone"
	}
}

func (g *gate) rest(room *action.Room) {
	room.Clear()
	g.workers <- room
}
