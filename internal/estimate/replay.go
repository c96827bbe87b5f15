package estimate

import (
	"github.com/modelverifier/verifier/internal/hardware"
	"github.com/modelverifier/verifier/internal/infer"
	"github.com/modelverifier/verifier/internal/op"
	autograd "github.com/modelverifier/verifier/internal/tape"
	library "github.com/modelverifier/verifier/internal/transformers"
)

// Replay runs a training step operation by operation. It returns the type of the first component that no operations are known of, if there is one.
func Replay(res *infer.Result, o Options) (account autograd.Account, missing string) {
	return new(Room).replay(res, o.or(Defaults(), batchFor(res)))
}

func (r *Room) replay(res *infer.Result, o Options) (account autograd.Account, missing string) {
	t, missing := r.tapeOf(res, o, true)
	r.runs(t)
	return t.Run(autograd.OptimizerOf(o.Optimizer)), missing
}

// tape is the operations of a run, and the type of the first component that has none.
func (r *Room) tape(res *infer.Result, o Options) (*autograd.Tape, string) {
	return r.tapeOf(res, o, false)
}

// tapeOf is the same, of which nothing but the peak may be asked for.
func (r *Room) tapeOf(res *infer.Result, o Options, peakOnly bool) (*autograd.Tape, string) {
	part, count := o.micro()
	res = r.scored(res, &o)
	t := autograd.Options{Batch: o.sequences(part.Batch), Micro: count, LogProbs: o.Objective != "", Precision: autograd.PrecisionOf(o.Precision), Eager: o.Attention == "eager", FusedLoss: o.FusedLoss,
		Masks: o.masks()}
	t.PeakOnly, t.Precision.Autocast = peakOnly, t.Precision.Autocast || o.Autocast
	if g := hardware.Lookup(o.GPU); g != nil {
		t.Card = op.Card{Processors: g.Processors, Threads: g.Threads}
	}
	_, foreign := library.ModelOf(res)
	t.Module, t.Undropped = library.In(res, o.Dropout), foreign && !o.Dropout
	t.Idle = func(n *infer.Node) bool { return n.State == infer.Absent }
	if foreign {
		until, _ := heldUntil(res, false)
		t.Until = func(node int32) int32 { return until[node] }
	}
	if o.Checkpointing {
		t.Unit = unitName(res)
	}
	if o.Adapt != nil {
		trained := r.trained(res, o.Adapt)
		t.Frozen = func(node int32) bool { return !trained[node].own }
		t.Rank = func(node int) int64 {
			if o.Adapt.LoRA == nil || trained[node].adapters == 0 {
				return 0
			}
			return o.Adapt.LoRA.Rank
		}
		t.Adapted = func(node int) uint64 { return trained[node].weights }
		t.Adapters = o.adapters()
	}
	if t.Stored = storedBases[o.Base]; t.Stored != op.InFloats {
		t.Quantised = func(node int) uint64 { return quantised(res, node) }
	}
	t.Kind = o.operations(t.Batch)
	r.lastMeasured = measured{}
	followed, missing := r.tapes.Of(res, t)
	r.made(followed)
	return followed, missing
}

// operations is a run without what decides nothing about the number of its operations: of the batch only whether it is one sequence does.
func (o Options) operations(sequences int64) Options {
	o.Batch, o.MicroBatch, o.Samples, o.SamplesGiven, o.Epochs = min(sequences, 2), 0, 0, false, 0
	o.Optimizer, o.Checkpointing, o.Expandable, o.GPU, o.Shard = "", false, false, "", Shard{}
	return o
}

// unitName is what is checkpointed together with a component: of transformers' models a layer, else the component, where it is a block or attends. Of
// stages it is the stage, and in it the layer.
func unitName(res *infer.Result) func(n *infer.Node) (layer, part string) {
	model, foreign := library.ModelOf(res)
	return func(n *infer.Node) (layer, part string) {
		switch {
		case foreign:
			scope := n.Component.Scope()
			if layer = layerOf(scope); model.Nested {
				part = layerOf(scope[len(layer):])
			}
		case recomputes(n):
			layer = n.Component.ID
		}
		return layer, part
	}
}

// memory is what a training step holds of a card: the parts, and the most at any moment.
type memory struct {
	weights, gradients, states, stepExtra, activations, logits, peak int64
	binding                                                          string
	tape                                                             *autograd.Tape // that was followed
	paged                                                            int64          // states in unified memory
	beside                                                           int64          // what an objective adds to the peak: models, and what they have
}

// measured is a run whose tape is the last of a room.
type measured struct {
	res     *infer.Result
	options Options
	memory  memory
}

// measure is what a step holds.
func (r *Room) measure(res *infer.Result, o Options) memory {
	if last := &r.lastMeasured; last.res == res && last.options == o {
		return last.memory
	}
	with := r.othersOf(res, o)
	t, _ := r.tape(res, o)
	r.runs(t)
	a := t.Run(autograd.OptimizerOf(o.Optimizer))
	b := with.beside(&o, &a)
	m := memory{beside: b.sum(), weights: a.Held[autograd.Weights] + b.weights, gradients: a.Held[autograd.Gradients] + b.gradients, states: a.Held[autograd.States] + b.states, stepExtra: a.Held[autograd.Copies],
		activations: a.Held[autograd.Activations], logits: a.Held[autograd.Logits], peak: a.Most() + b.sum(), binding: a.Binding(),
		tape: t, paged: a.Paged}
	r.lastMeasured = measured{res, o, m}
	return m
}

// EagerExtra is what the peak of a run would gain by attention that has its scores in memory; 0 where it has them.
func EagerExtra(res *infer.Result, t *Training) int64 { return new(Room).EagerExtra(res, t) }

// EagerExtra is the same in memory that was used before.
func (r *Room) EagerExtra(res *infer.Result, t *Training) int64 {
	o := t.Options
	if o.Attention == "eager" || !attends(res) {
		return 0
	}
	o.Attention = "eager"
	a, _ := r.replay(res, o)
	return max(0, a.Most()-t.PeakBytes)
}

// phases are those of a tape, in order.
var phases = [...]Phase{Forward, Loss, Backward, OptimizerStep}

// curve draws the memory of a tape.
func (r *Room) curve(t *autograd.Tape, o Options) *Curve {
	moments, peak, saved := t.Watch(autograd.OptimizerOf(o.Optimizer))
	c := &Curve{Peak: peak}
	for k := range moments {
		m := &moments[k]
		p := &m.Parts
		c.Weights, c.States, c.Inputs = p[autograd.Weights], p[autograd.States], p[autograd.Inputs]
		c.Moments = append(c.Moments, Moment{Phase: phases[m.Phase], Component: int(m.Node), Total: p.Sum(), Gradients: p[autograd.Gradients],
			Activation: p[autograd.Activations], Logits: p[autograd.Logits], Step: p[autograd.Copies], Passing: p[autograd.Passing]})
	}
	for _, s := range saved {
		c.Saved = append(c.Saved, Saved{int(s.Node), s.Bytes})
	}
	return c
}
