package solve

import (
	"cmp"
	"slices"

	"github.com/modelverifier/verifier/internal/estimate"
	"github.com/modelverifier/verifier/internal/hardware"
)

// mostChoices is how many cards are named.
const mostChoices = 3

// candidate is a run on a card, before it is known whether it fits.
type candidate struct {
	card, setting int
	costMicroUSD  int64
}

// settings are the runs that compute what was asked for: in as large pieces of the batch or smaller ones, with checkpointing or without. Those with
// the fewest changes come first.
func settings(o estimate.Options) []estimate.Options {
	var out []estimate.Options
	for _, again := range []bool{false, true} {
		if again && o.Checkpointing {
			continue
		}
		for _, n := range o.MicroBatches() {
			next := o
			if n < o.Batch {
				next.MicroBatch = n
			}
			next.Checkpointing = o.Checkpointing || again
			out = append(out, next)
		}
	}
	return out
}

// cards are those that a run may be moved to.
func (r *Run) cards(precision string) []*hardware.GPU {
	if r.Card != nil {
		return []*hardware.GPU{r.Card}
	}
	return estimate.Rented(precision)
}

// cheapest finds the card and the settings that the run costs least on. What each costs is known before what it needs, so that the allocator is
// followed only for those that come first.
func (r *Run) cheapest(a *Answer) {
	room, list, cards := r.Room, settings(a.Options), r.cards(a.Options.Precision)
	if r.hopeless(a.Options, max(2, len(list)), len(cards)) {
		a.Withheld = tooMany + "settings"
		return
	}
	var open []candidate
	budget := newSpent(room)
	for k, o := range list {
		if budget.all() {
			a.Withheld = tooMany + "settings"
			return
		}
		b := room.Bound(r.Sized, o, cards...)
		a.tries.bounds++
		for c, g := range cards {
			if least(b.CardBytes, 0) <= g.MemoryBytes { // the bound is that of one card
				open = append(open, candidate{c, k, b.CostMicroUSD[c]})
			}
		}
	}
	slices.SortFunc(open, candidate.compare)
	found := map[int]bool{}
	for _, c := range open {
		if len(a.Choices) == mostChoices {
			break
		}
		if found[c.card] {
			continue
		}
		if budget.all() {
			a.Withheld, a.Choices = tooMany+"settings", nil
			return
		}
		o := list[c.setting]
		o.GPU = cards[c.card].Name
		t := room.Train(r.Sized, o)
		a.tries.needs++
		if t.Fitting() {
			found[c.card] = true
			a.Choices = append(a.Choices, Choice{t, changes(a.Options, o)})
		}
	}
	if len(a.Choices) > 0 {
		a.Options = a.Choices[0].Training.Options
	}
}

// compare puts the cheaper first; of two that cost the same, that on the card with the cheaper hour, and that with fewer changes.
func (c candidate) compare(d candidate) int {
	return cmp.Or(cmp.Compare(c.costMicroUSD, d.costMicroUSD), cmp.Compare(c.card, d.card), cmp.Compare(c.setting, d.setting))
}

// changes says what a run does in another way.
func changes(from, to estimate.Options) []string {
	var out []string
	if to.MicroBatch != from.MicroBatch {
		out = append(out, to.MicroWords())
	}
	if to.Checkpointing != from.Checkpointing {
		out = append(out, "checkpointing")
	}
	return out
}
