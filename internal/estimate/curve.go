package estimate

import (
	"cmp"
	"slices"

	"github.com/modelverifier/verifier/internal/infer"
)

// Phase is a part of a training step.
type Phase string

// The phases, in their order.
const (
	Forward       Phase = "forward"
	Loss          Phase = "loss"
	Backward      Phase = "backward"
	OptimizerStep Phase = "optimizer"
)

// Moment is what is allocated while one component runs. The bytes beside the total, with those of the curve that are
// always there, add up to it.
type Moment struct {
	Phase      Phase
	Component  int   // its index, or -1 for the loss and the optimizer
	Total      int64 // bytes allocated
	Gradients  int64 // of weights
	Activation int64 // saved for backward; in the forward pass with the results that still have a reader
	Logits     int64 // the model's results and what the loss makes of them
	Step       int64 // what the optimizer makes while it works
	Passing    int64 // gradients of activations, and what the component needs for itself
}

// Saved is what a component has saved for backward at some moment.
type Saved struct {
	Component int
	Bytes     int64
}

// Curve is what a training step holds over its course: the moments whose largest is the peak of Train. Of a step that
// takes several micro-batches it is the second one, whose gradients are added to those of the first.
type Curve struct {
	Weights, States, Inputs int64 // always there: weights, the optimizer's states, and inputs with their targets
	Moments                 []Moment
	Peak                    int // index of the first moment that is the largest; -1 where there is none
	Saved                   []Saved
}

// Follow draws the memory of a training step.
func Follow(res *infer.Result, o Options) *Curve {
	o = o.or(Defaults(), batchFor(res))
	part, _ := o.micro()
	s := new(Room).begin(res, part, o.accumulates())
	c := &Curve{Peak: -1}
	s.curve = c
	m := s.measure()
	c.Weights, c.States, c.Inputs = m.weights, m.states, s.fixed
	always := plus(c.Weights, c.States, c.Inputs)
	for i := range c.Moments {
		x := &c.Moments[i]
		if c.Peak < 0 || x.Total > c.Moments[c.Peak].Total {
			c.Peak = i
		}
		x.Passing = max(0, x.Total-plus(always, x.Gradients, x.Activation, x.Logits, x.Step))
	}
	if c.Peak >= 0 {
		c.Saved = s.savedAt(&c.Moments[c.Peak])
	}
	return c
}

// add notes a moment. The bytes that pass are what is left of the total when all is known.
func (c *Curve) add(s *stepper, m *moment) {
	c.Moments = append(c.Moments, Moment{Phase: s.phase, Component: s.running, Total: m.total, Gradients: m.gradients,
		Activation: m.activations, Logits: m.logits, Step: m.stepExtra})
}

// savedAt lists what components have saved at a moment, the largest first: all that ran before it and were not yet
// passed on the way back. What is computed again counts where its unit is computed again.
func (s *stepper) savedAt(m *Moment) []Saved {
	last := len(s.order) - 1
	switch {
	case m.Phase == OptimizerStep:
		return nil
	case m.Component >= 0:
		last = s.at[m.Component]
	}
	unit := int32(0)
	if m.Phase == Backward {
		unit = s.unitOf(m.Component)
	}
	var out []Saved
	for p := 0; p <= last; p++ {
		i := s.order[p]
		bytes := s.kept[p]
		if unit > 0 && s.unitOf(i) == unit {
			bytes = plus(bytes, s.dropped[p])
		}
		if bytes > 0 {
			out = append(out, Saved{i, bytes})
		}
	}
	slices.SortStableFunc(out, func(a, b Saved) int { return cmp.Compare(b.Bytes, a.Bytes) })
	return out
}
