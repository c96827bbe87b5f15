package solve

import "github.com/modelverifier/verifier/internal/estimate"

// batch finds the most samples that go through the model at once. A run that adds up several passes to a step keeps their number.
func (r *Run) batch(a *Answer) {
	o, passes := a.Options, a.Options.Accumulated()
	with := func(n int64) estimate.Options {
		o.Batch, o.MicroBatch = n*passes, 0
		if passes > 1 {
			o.MicroBatch = n
		}
		return o
	}
	if r.hopeless(o, 2, 0) {
		a.Withheld = tooMany + "numbers"
		return
	}
	room := r.Room
	s := search{steps: steps(1, r.bounded(max(1, estimate.MaxBatch/passes))), room: r.Card.MemoryBytes, spent: newSpent(room)}
	s.bound = func(n int64) bounded {
		b := room.Bound(r.Sized, with(n))
		return bounded{b.CardBytes, b.FixedBytes, true}
	}
	s.need = func(n int64) int64 {
		return room.Train(r.Sized, with(n)).CardBytes
	}
	a.Limited = Searched
	s.answer(a)
	a.Options = with(a.run())
}
