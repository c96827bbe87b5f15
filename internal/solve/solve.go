// Package solve turns the questions of an estimate round: the largest batch, sample or context that fits a card, and the card and settings that a
// run costs least on (docs/fit.md).
//
// It asks internal/estimate, and decides nothing about memory or time itself: an answer is that of trying every number, found with fewer tries. It
// must not know requests, policies or verdicts.
package solve

import (
	"github.com/modelverifier/verifier/internal/estimate"
	"github.com/modelverifier/verifier/internal/hardware"
	"github.com/modelverifier/verifier/internal/infer"
)

// Question is what can be asked.
type Question string

// The questions, as they are written on the wire.
const (
	MaxBatch   Question = "max-batch"
	MaxSeqLen  Question = "max-seq-len"
	MaxContext Question = "max-context"
	Cheapest   Question = "cheapest"
)

// Questions lists them.
var Questions = []string{string(MaxBatch), string(MaxSeqLen), string(MaxContext), string(Cheapest)}

// NeedsCard reports whether a question is one about a card.
func (q Question) NeedsCard() bool { return q != Cheapest }

// Run is the run that a question is about. The model runs, and every component has its cost.
type Run struct {
	Walked  *infer.Result // at its own length
	Sized   *infer.Result // at the length of the run
	Options estimate.Options
	Use     estimate.InferOptions
	Card    *hardware.GPU  // nil where the question leaves it open
	Room    *estimate.Room // of the estimates; nil for a new one

	most int64 // a smaller limit of the search, for tests that try every number; 0 for none
}

// bounded is the limit of a search.
func (r *Run) bounded(limit int64) int64 {
	if r.most > 0 {
		return min(limit, r.most)
	}
	return limit
}

// MaxTokens is how long a sample or a context is tried at the most.
const MaxTokens = 1 << 20

// Limit is why no larger number is tried.
type Limit string

// What bounds a search.
const (
	Searched  Limit = "search"    // this package
	Positions Limit = "positions" // the sequence that the model was made for
)

// Answer is what was found.
type Answer struct {
	Question Question
	Value    int64 // the largest number that fits, 0 where the smallest does not
	Smallest int64 // that was tried
	Limit    int64 // the largest that was tried
	Limited  Limit
	Next     *Next // the number behind Value; nil where that is the limit or the model does not run with it

	Change   string   // what makes the smallest context fit, in words; empty where nothing does
	Choices  []Choice // of the cheapest run: the best of each card, the cheapest first
	Withheld string   // why there is no answer

	// The run to ask for: of the answer, of the smallest number where that does not fit, else as it was.
	Options estimate.Options
	Use     estimate.InferOptions
	SeqLen  int64 // tokens of a sample; 0 for those of the run

	tries tries
}

// Next is a number that does not fit.
type Next struct {
	Value        int64
	AtLeastBytes int64 // that it needs of the card
}

// Choice is a run on a card that holds it.
type Choice struct {
	Training *estimate.Training
	Changes  []string // in words; none where the run is as it was asked for
}

// run is the number of the run to ask for.
func (a *Answer) run() int64 {
	if a.Value > 0 {
		return a.Value
	}
	return a.Smallest
}

// Solve answers a question about a run.
func Solve(q Question, r *Run) *Answer {
	a := &Answer{Question: q, Options: estimate.Settled(r.Sized, r.Options), Use: r.Use}
	if r.Card != nil {
		a.Options.GPU = r.Card.Name
	}
	if r.Room == nil {
		r.Room = new(estimate.Room)
	}
	r.Room.Forget()
	defer r.Room.Forget()
	switch q {
	case MaxBatch:
		r.batch(a)
	case MaxSeqLen:
		r.seqLen(a)
	case MaxContext:
		r.context(a)
	case Cheapest:
		r.cheapest(a)
	}
	return a
}
