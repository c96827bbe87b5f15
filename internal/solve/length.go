package solve

import (
	"slices"

	"github.com/modelverifier/verifier/internal/estimate"
	"github.com/modelverifier/verifier/internal/fit/facts"
	"github.com/modelverifier/verifier/internal/infer"
	"github.com/modelverifier/verifier/internal/quantity"
)

// tokens is the unit of lengths: kernels and trainers pad to multiples of it.
const tokens = 64

// at walks the model with samples of so many tokens. It is nil where the model does not run so, as far as is known.
func (r *Run) at(n int64) *infer.Result {
	res, _, runs := facts.Resized(r.Walked, func(int64) int64 { return n })
	if runs != facts.Yes {
		return nil
	}
	return res
}

// longest is the most tokens that are tried: those that the model was made for, at most MaxTokens. It says why where there is no other length.
func (r *Run) longest() (limit int64, by Limit, why string) {
	switch {
	case len(facts.Tokens(r.Walked)) == 0:
		return 0, "", "the model reads no tokens"
	case facts.Declares(r.Walked):
		return 0, "", "what some of its modules cost is known at its own length alone"
	}
	limit, by = MaxTokens, Searched
	if made := facts.Of(r.Walked).Positions; made > 0 && made <= limit {
		limit, by = made, Positions
	}
	for {
		_, refusal, runs := facts.Resized(r.Walked, func(int64) int64 { return limit })
		table := facts.Longest(r.Walked, refusal)
		switch {
		case runs == facts.Yes:
			return limit, by, ""
		case table <= 0 || table >= limit:
			return 0, "", "the model does not run with " + quantity.Grouped(limit) + " tokens"
		}
		limit, by = table, Positions
	}
}

// seqLen finds the longest sample that is trained on.
func (r *Run) seqLen(a *Answer) {
	limit, by, why := r.longest()
	if why == "" && r.hopeless(a.Options, 2, 0) {
		why = tooMany + "numbers"
	}
	if a.Withheld = why; why != "" {
		return
	}
	room, last, res := r.Room, int64(0), (*infer.Result)(nil)
	at := func(n int64) *infer.Result { // what a length needs is mostly asked right behind its bound
		if n != last {
			last, res = n, r.at(n)
			room.Walked(len(r.Walked.Nodes))
		}
		return res
	}
	s := search{steps: steps(tokens, r.bounded(limit)), room: r.Card.MemoryBytes, spent: newSpent(room)}
	s.bound = func(n int64) bounded {
		if at(n) == nil {
			return bounded{}
		}
		b := room.Bound(res, a.Options)
		return bounded{b.CardBytes, b.FixedBytes, true}
	}
	s.need = func(n int64) int64 {
		return room.Train(at(n), a.Options).CardBytes
	}
	a.Limited = by
	s.answer(a)
	a.SeqLen = a.run()
}

// context finds the most tokens that a sequence can have when the model is used: those that are read and those that are written.
func (r *Run) context(a *Answer) {
	limit, by, why := r.longest()
	if why == "" && r.Room.Infer(r.Sized, r.Use).Options.Prompt == 0 {
		why = "the model does not write token by token"
	}
	least := max(1, r.Use.Prompt, r.Use.Generated) + 1
	if why == "" && limit < least {
		why = quantity.Grouped(least) + " tokens are asked for at the least, and the model takes " + quantity.Grouped(limit)
	}
	if a.Withheld = why; why != "" {
		return
	}
	with := func(n int64) estimate.InferOptions {
		o := r.Use
		switch {
		case o.Generated > 0:
			o.Prompt = n - o.Generated
		case o.Prompt > 0:
			o.Generated = n - o.Prompt
		default:
			o.Prompt, o.Generated = estimate.Context(n)
		}
		return o
	}
	room := r.Room
	all := slices.DeleteFunc(steps(tokens, r.bounded(limit)), func(n int64) bool { return n < least })
	s := search{steps: all, room: r.Card.MemoryBytes, spent: newSpent(room)}
	s.bound = func(n int64) bounded {
		room.Walked(len(r.Walked.Nodes))
		if r.at(n) == nil {
			return bounded{}
		}
		t := room.Infer(r.Sized, with(n))
		return bounded{t.CardBytes, t.WeightBytes, true}
	}
	a.Limited = by
	s.answer(a)
	if a.Withheld != "" {
		return
	}
	if a.Use = with(a.run()); a.Value == 0 {
		a.Change = r.smaller(a.Use)
	}
}

// smaller says what makes a use of the model fit: weights in fewer bits on this card, or else the cheapest card that holds it as it is.
func (r *Run) smaller(o estimate.InferOptions) string {
	now := r.Room.Infer(r.Sized, o)
	for _, precision := range estimate.InferPrecisions {
		next := o
		next.Precision = precision
		if t := r.Room.Infer(r.Sized, next); t.WeightBytes < now.WeightBytes && t.CardBytes <= r.Card.MemoryBytes {
			return "weights in " + precision
		}
	}
	if now.GPU != nil {
		return "another card, " + now.GPU.Name
	}
	return ""
}
