package estimate

import (
	"github.com/modelverifier/verifier/internal/hardware"
	"github.com/modelverifier/verifier/internal/infer"
)

// Bound is what is known of a run before its allocator is followed: it takes a part of the time of Train, for those who try many runs.
type Bound struct {
	CardBytes    int64   // the run needs no less of a card: the peak, with the context of the process
	FixedBytes   int64   // of them, what no batch changes: weights and the optimizer's states
	CostMicroUSD []int64 // on each of the cards, as Train says it where the run fits
}

// Bound finds it for a run on the card of its options, and what the run costs on others.
func (r *Room) Bound(res *infer.Result, o Options, cards ...*hardware.GPU) Bound {
	o = o.or(Defaults(), batchFor(res))
	m := r.measure(res, o)
	b := Bound{CardBytes: plus(m.peak, contextBytes), FixedBytes: plus(m.weights, m.states)}
	r.priced(m.tape, len(cards))
	for _, g := range cards {
		t := Training{Options: o, PricedOn: g, Cards: 1}
		t.price(&m)
		t.round()
		b.CostMicroUSD = append(b.CostMicroUSD, t.CostMicroUSD)
	}
	return b
}

// passesOf is how often the model goes through beside training, for each objective: to score, to read and to write, and the value model of PPO back as well.
var passesOf = map[string]int{"dpo": 1, "grpo": 3, "ppo": 5}

// Least is how many operations Bound follows at the least, and how many for the same model in other pieces of its batch. It is found without what runs
// of the operations: for those who do not begin what they cannot end.
func (r *Room) Least(res *infer.Result, o Options, cards int) (first, again int) {
	o = o.or(Defaults(), batchFor(res))
	t, _ := r.tapeOf(res, o, true)
	n := t.Steps()
	again = n + n*3/2 + cards*n/2
	return again + passesOf[o.Objective]*n*3/4, again // a pass has no loss
}

// Rented lists the cards that can be rented and compute in a precision, the cheapest hour first.
func Rented(precision string) []*hardware.GPU {
	var out []*hardware.GPU
	for _, g := range hardware.GPUs() {
		if g.Managed && rate(g, precision) > 0 {
			out = append(out, g)
		}
	}
	return out
}

// Settled is a run with its defaults filled in.
func Settled(res *infer.Result, o Options) Options { return o.or(Defaults(), batchFor(res)) }

// MicroBatches lists in how many samples at a time a step can take its batch: as it does, in halves of that, in quarters, down to one by one.
func (o Options) MicroBatches() []int64 {
	part, _ := o.micro()
	out := []int64{part.Batch}
	for n := part.Batch; n > 1; out = append(out, n) {
		n = (n + 1) / 2
	}
	return out
}

// Accumulated is how many passes of the model are added up to a step.
func (o Options) Accumulated() int64 {
	_, n := o.micro()
	return n
}
