package estimate

import (
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/infer"
	autograd "github.com/modelverifier/verifier/internal/tape"
)

// Followed is the work of all estimates of a room, whether it was cleared or not, in operations that are run once. Their time grows as it does. It does
// not depend on the order in which a model lists its components, because who stops at a limit must stop at the same estimate. But for models that are too
// long with all their experts: what is given up of them is less where the experts are alike, and counts as well.
//
// What something takes in the time of one operation was measured on decoders, mixtures of experts and the largest requests.
func (r *Room) Followed() int { return r.followed }

// Walked counts components that somebody walked to ask for an estimate.
func (r *Room) Walked(components int) { r.followed += 4 * components }

// walk walks another form of a model.
func (r *Room) walk(g *graph.Graph) *infer.Result {
	r.Walked(len(g.Components))
	return infer.Walk(g)
}

// made counts the operations of the last tape as it is made.
func (r *Room) made(t *autograd.Tape) { r.followed += (t.Steps() + r.tapes.GivenUp()) * 3 / 2 }

// runs counts them as they are run, or followed through the allocator.
func (r *Room) runs(t *autograd.Tape) { r.followed += t.Steps() }

// priced counts them as they are timed on so many cards.
func (r *Room) priced(t *autograd.Tape, cards int) { r.followed += cards * t.Steps() / 2 }
