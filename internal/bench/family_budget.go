package bench

import (
	"slices"

	"github.com/modelverifier/verifier/internal/estimate"
	"github.com/modelverifier/verifier/internal/hardware"
)

var _ = defineFamily(Family{
	Name:  "budget",
	Title: "Design a model under budgets",
	Doc: "There is no start. Input, output, the number of weights, the depth and further budgets (FLOPs, memory of " +
		"a training step, KV cache, dollars, latency) are given; they come from a design that was built first.",
	draw: drawBudget,
})

func drawBudget(r *rng) *draft {
	a := drawAny(r)
	ref := a.build()
	s := measured(ref)
	if ok, _ := s.runs(); !ok {
		return nil
	}
	in, out := interfaceOf(ref)
	d := &draft{reference: ref, constraints: []Constraint{{Kind: "runs"}, in, out}}
	d.prompt = []string{"Design " + a.words() + ". It must meet all of this:"}
	d.constraints = append(d.constraints, window(r, "params", s.walked.Params), Constraint{Kind: "depth", Min: s.depth()},
		Constraint{Kind: "share", Max: largest(s, 3)}, mainLayers(s))
	for _, c := range someBudgets(r, s, in.Shape, in.Vocabulary > 0) {
		if held, _ := kinds[c.Kind].Holds(&c, s); !held {
			return nil
		}
		d.constraints = append(d.constraints, c)
	}
	return d
}

// window is a budget around a number: most often one or two percent wide and with the number anywhere in it, at times
// exact.
func window(r *rng, kind string, n int64) Constraint {
	if r.chance(20) {
		return Constraint{Kind: kind, Min: n, Max: n}
	}
	wide := int64(r.from(5, 20)) // thousandths
	below := int64(r.below(int(wide) + 1))
	return Constraint{Kind: kind, Min: max(1, n-n/1000*below), Max: n + n/1000*(wide-below)}
}

// mainLayers asks for the layers that the architecture is named after, so that another one does not do.
func mainLayers(s *subject) Constraint {
	for _, types := range [][]string{{"conv2d", "separableConv2d"}, {"transformerBlock"}, {"ropeAttention"},
		{"groupedQueryAttention"}, {"lstm"}, {"gru"}, {"linear"}} {
		if n := s.typed(types); n > 0 {
			return Constraint{Kind: "uses", Types: types, Min: int64(n)}
		}
	}
	return Constraint{Kind: "runs"}
}

// someBudgets are two or three further budgets, a little above what the design takes.
func someBudgets(r *rng, s *subject, shape []int64, text bool) (out []Constraint) {
	all := []func() (Constraint, bool){
		func() (Constraint, bool) { return Constraint{Kind: "flops", Max: above(r, s.walked.FLOPs)}, true },
		func() (Constraint, bool) {
			run := drawRun(r, shape, text)
			t, _ := s.priced(run)
			if t == nil {
				return Constraint{}, false
			}
			return Constraint{Kind: "peak-memory", Run: run, Max: above(r, t.PeakBytes)}, true
		},
		func() (Constraint, bool) {
			run := drawRun(r, shape, text)
			run.Epochs, run.Samples = int64(5*r.from(1, 20)), int64(10_000*r.from(1, 100))
			t, _ := s.priced(run)
			if t == nil {
				return Constraint{}, false
			}
			return Constraint{Kind: "cost", Run: run, Max: above(r, t.CostMicroUSD)}, true
		},
		func() (Constraint, bool) { return latencyOf(r, s) },
	}
	if text {
		all = append(all, func() (Constraint, bool) {
			t, _ := s.used(shape[0])
			if t == nil || t.CacheBytes <= 0 {
				return Constraint{}, false
			}
			return Constraint{Kind: "cache-bytes", Tokens: shape[0], Max: t.CacheBytes}, true
		})
	}
	shuffle(r, all)
	for _, f := range all {
		if c, ok := f(); ok && len(out) < r.from(2, 3) {
			out = append(out, c)
		}
	}
	return out
}

// above is a budget that leaves half a percent to two percent of room.
func above(r *rng, n int64) int64 { return n + n/1000*int64(r.from(5, 20)) + 1 }

// drawRun draws a training run for inputs of a shape.
func drawRun(r *rng, shape []int64, text bool) *Run {
	run := &Run{Batch: pick(r, int64(16), 32, 64, 128, 256), Precision: pick(r, estimate.Precisions[0], "amp", "bf16"),
		Optimizer: pick(r, "adamw", "sgd", "adam")}
	if text {
		run.Batch, run.Tokens = pick(r, int64(4), 8, 16, 32), shape[0]
	}
	return run
}

// latencyOf is a budget on a target on which the design fits.
func latencyOf(r *rng, s *subject) (Constraint, bool) {
	targets := hardware.Targets()
	id := targets[r.below(len(targets))].ID
	deployed := estimate.Deploy(s.walked)
	at := slices.IndexFunc(deployed, func(d estimate.Deployment) bool { return d.Target.ID == id && d.Fits })
	if at < 0 || deployed[at].LatencyMs < 0.02 {
		return Constraint{}, false
	}
	return Constraint{Kind: "latency", Target: id, Max: above(r, int64(deployed[at].LatencyMs*1000)+1)}, true
}
