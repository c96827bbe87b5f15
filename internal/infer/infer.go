// Package infer walks a graph once and says everything that can be known of it without running it: the arguments of every
// component, the shapes and types of its inputs and result, its weights, FLOPs and what autograd keeps, and every refusal with
// the change that repairs it.
//
// A refused component does not silence the rest: where its result is certain all the same, the walk goes on behind it; where
// it is not, what follows is unknown, and nothing is said about it but its weights, where its own parameters decide them. The
// package judges components and their wiring; the rules that see the whole graph are in package rules.
package infer

import (
	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/op"
)

// UnknownType is the rule for a component whose type the catalogue does not have.
const UnknownType = "unknown-layer-type"

// TiedMismatch is the rule for a tied weight that has no partner, or one of another shape.
const TiedMismatch = "tied-weight-mismatch"

// State says how far a component is known.
type State uint8

// The states of a component.
const (
	Unknown  State = iota // behind a component whose result is not certain, or on a cycle
	Legal                 // runs
	Refused               // does not run
	Withheld              // runs for all that is known, but declares no shape
	Note                  // is no layer: a note on the canvas
	Absent                // is constructed, with its weights, and not called: what reads pictures or sounds, where there is text alone
)

// Node is what was found out about one component.
type Node struct {
	Component *graph.Component
	Type      *catalog.Type // nil where the catalogue does not have it
	Args      []graph.Value // in the order of Type.Params, with defaults and what was taken from the input
	State     State
	Shares    int32 // the component whose weight or whose module this one uses, from 1; 0 where all weights are its own
	Like      int32 // an earlier component with the same parameters and inputs, from 1; 0 where none was found

	In       []catalog.Shape // nil entries where unknown
	inIsInt  []bool
	Out      catalog.Shape // nil where unknown
	OutIsInt bool

	Weights    []catalog.Weight // also of a component that does not run, where its own parameters decide them
	Params     int64            // trained parameters, those of a tied weight not among them
	FLOPs      int64            // forward, one sample
	Idle       int64            // of an absent component: the FLOPs of the call that is not made
	Saves      op.Keeps         // what autograd saves for the backward pass of one sample in 32-bit floats
	SavedBytes int64            // its size, with the inputs and the result

	LacksWeights bool // Weights and Params are not known
	LacksFLOPs   bool // FLOPs are not known
	unfollowed   bool // its type has operations, and this component more than are followed
}

// Refusal is a reason why the graph does not run.
type Refusal struct {
	Node    int // index of the component
	Rule    string
	Message string
	Edits   []Edit // the one change that repairs it; empty where several could
	Fix     string // Edits in words
	Options []Option
}

// Edit is a change of one parameter, or a component that is put into a connection.
type Edit struct {
	Component string
	Param     string
	Value     graph.Value

	// Of an insertion, the type of the new component, whose id is Component, and the ends of the connection; "" of a change.
	Type, From, To string
}

// Inserts reports whether the edit puts a component into a connection.
func (e *Edit) Inserts() bool { return e.Type != "" }

// Result is what the walk found out.
type Result struct {
	Graph    *graph.Graph
	Wiring   *graph.Wiring
	Nodes    []Node
	Refusals []Refusal

	Params     int64 // without the components that lack weights
	FLOPs      int64 // without those that lack FLOPs
	SavedBytes int64 // each storage once, however many components keep it

	structure *graph.Structure // where the order of execution needed it
}

// Walk infers a graph that has been brought into canonical form with catalog.Vocabulary.
func Walk(g *graph.Graph) *Result { return new(Room).Walk(g) }

// Walk is the same in memory that was used before. What it returns is good until the room is cleared.
func (r *Room) Walk(g *graph.Graph) *Result {
	w := r.visitAll(g, nil)
	w.blameProducers()
	w.tryProducers()
	w.tryFlatten()
	w.tryBatch() // what it settles keeps no other edit
	w.offerOptions()
	w.total()
	w.finish()
	w.res.settle()
	return w.res
}

// Attempt is Walk without the search for what repairs a refusal, which walks the graph again and again: for whoever made a change and
// asks whether the graph runs with it.
func Attempt(g *graph.Graph) *Result { return new(Room).Attempt(g) }

// Attempt is the same in memory that was used before. What it returns is good until the room is cleared.
func (r *Room) Attempt(g *graph.Graph) *Result {
	w := r.visitAll(g, nil)
	w.total()
	w.finish()
	w.res.settle()
	return w.res
}

// mostAttempted is how many components and weights all attempts of a graph go through together: those of the largest go through hundreds of thousands.
const mostAttempted = 1 << 16

// attempt infers a changed graph, whose misspelt types are those of this one. It is nil where too much was attempted.
func (w *walker) attempt(g *graph.Graph) *Result {
	for i := range w.res.Nodes {
		w.attempted += 1 + len(w.res.Nodes[i].Weights)
	}
	if w.attempted > mostAttempted {
		return nil
	}
	return new(Room).visitAll(g, w.guesses).res
}

// visitAll infers every component, and says nothing yet of what the refusals have in common. Guesses are those of a walk of almost the
// same graph.
func (r *Room) visitAll(g *graph.Graph, guesses map[string]string) *walker {
	w := r.walker(g)
	w.guesses = guesses
	for _, i := range w.res.Wiring.Order {
		if !w.skip[i] {
			w.visit(i)
		}
	}
	for i := range w.res.Nodes {
		if n := &w.res.Nodes[i]; n.State == Unknown && !w.visited[i] && !w.skip[i] {
			w.visitBlind(i) // on or behind a cycle: the parameters alone can still be wrong
		}
	}
	w.weigh()
	w.tie()
	w.leaveOut()
	return w
}

// InputID is the type whose data type follows from what reads it.
const InputID = "input"

// Calls reports whether the component calls the module of the one that it shares with, and not its weight alone.
func (n *Node) Calls() bool { return n.Shares > 0 && n.str("sameAs") != "" }

// InIsInt says of each input whether it is an integer tensor.
func (n *Node) InIsInt() []bool { return n.inIsInt }
