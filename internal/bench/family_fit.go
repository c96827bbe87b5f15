package bench

import (
	"github.com/modelverifier/verifier/internal/hardware"
)

var _ = defineFamily(Family{
	Name:  "fit",
	Title: "Make a training step fit on a card",
	Doc: "A training step of the start does not fit on the card. The answer fits, under the same run, with the " +
		"same interface and depth and nearly as many weights as the reference has.",
	draw: drawFit,
})

func drawFit(r *rng) *draft {
	a := drawAny(r)
	start, ref := a.build(), a.scaled(r.from(50, 85)).build()
	before, s := measured(start), measured(ref)
	if ok, _ := before.runs(); !ok {
		return nil
	}
	if ok, _ := s.runs(); !ok {
		return nil
	}
	in, out := interfaceOf(start)
	cards := hardware.GPUs()
	card := cards[r.below(len(cards))]
	run := drawRun(r, in.Shape, in.Vocabulary > 0)
	for run.Batch = 1; run.Batch <= 1<<16; run.Batch *= 2 {
		large, _ := before.priced(run)
		small, _ := s.priced(run)
		if large == nil || small == nil || small.CardBytes > card.MemoryBytes {
			return nil
		}
		if large.CardBytes > card.MemoryBytes {
			break
		}
	}
	if run.Batch > 1<<16 {
		return nil
	}
	d := &draft{start: start, reference: ref, constraints: []Constraint{{Kind: "runs"}, in, out, {Kind: "fits",
		GPU: card.Name, Run: run}}}
	d.prompt = []string{
		"Training this model, " + a.words() + ", runs out of memory on one " + card.Name + " (" + run.text() +
			"). The batch, the precision and the optimizer have to stay. Change the model so that a training step fits.",
		"The changed model must meet all of this:",
	}
	d.constraints = append(d.constraints, Constraint{Kind: "params", Min: percent(s.walked.Params, 96),
		Max: before.walked.Params},
		Constraint{Kind: "depth", Min: before.depth()}, mainLayers(before), Constraint{Kind: "share", Max: largest(s, 5)})
	return d
}
