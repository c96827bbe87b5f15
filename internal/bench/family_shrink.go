package bench

import "github.com/modelverifier/verifier/internal/quantity"

var _ = defineFamily(Family{
	Name:  "shrink",
	Title: "Half the weights, the same interface",
	Doc: "A model that runs is to have half of its weights or less, but not much less, with the same input and " +
		"output, as many layers of its main kind and the same depth.",
	draw: drawShrink,
})

func drawShrink(r *rng) *draft {
	a := drawAny(r)
	start := a.build()
	before := measured(start)
	if ok, _ := before.runs(); !ok {
		return nil
	}
	half := before.walked.Params / 2
	for share := 90; share >= 20; share -= 2 {
		ref := a.scaled(share).build()
		s := measured(ref)
		if ok, _ := s.runs(); !ok || s.walked.Params > half || s.walked.Params < percent(before.walked.Params, 38) {
			continue
		}
		in, out := interfaceOf(start)
		d := &draft{start: start, reference: ref, constraints: []Constraint{{Kind: "runs"}, in, out}}
		d.prompt = []string{
			"This is " + a.words() + " with " + quantity.Grouped(before.walked.Params) + " trained parameters. Make it " +
				"half as large: same input, same output, same depth, half of the weights.",
			"The smaller model must meet all of this:",
		}
		d.constraints = append(d.constraints, Constraint{Kind: "params", Min: percent(before.walked.Params, 38), Max: half},
			Constraint{Kind: "depth", Min: before.depth()}, mainLayers(before), Constraint{Kind: "share", Max: largest(s, 5)},
			Constraint{Kind: "flops", Max: above(r, s.walked.FLOPs)})
		return d
	}
	return nil
}
