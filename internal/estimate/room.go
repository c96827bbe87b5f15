package estimate

import (
	"strings"

	"github.com/modelverifier/verifier/internal/arena"
	autograd "github.com/modelverifier/verifier/internal/tape"
)

// Room is the memory of estimates, one after the other. The zero value is ready.
type Room struct {
	ints   arena.Of[int]
	int64s arena.Of[int64]
	tapes  autograd.Room

	deployments arena.Of[Deployment]
	texts       arena.Of[string]
	written     strings.Builder // what some of them are parts of

	lastTrained  trained
	lastMeasured measured
	company      company
	followed     int // operations so far, Clear or not, each time that one is
}

// Clear leaves nothing of what was estimated. A Training stays: it is no part of the room.
func (r *Room) Clear() {
	r.Forget()
	r.ints.Clear()
	r.int64s.Clear()
	r.tapes.Clear()
	r.deployments.Clear()
	r.texts.Clear()
	r.written.Reset() // its memory goes with the answer
}

// Forget keeps the memory and what was estimated in it, and leaves no estimate that would spare the next one work.
func (r *Room) Forget() {
	r.lastTrained, r.lastMeasured, r.company = trained{}, measured{}, company{}
}
