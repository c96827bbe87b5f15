package tape

import (
	"cmp"
	"slices"
)

// Phase is a part of a training step.
type Phase uint8

// The phases, in their order.
const (
	Forward Phase = iota
	Loss
	Backward
	OptimizerStep
)

// Moment is the most that was allocated while one component ran.
type Moment struct {
	Phase Phase
	Node  int32 // the component, or -1 for the loss and the optimizer
	Parts Parts

	take, step int32 // how often memory had been taken by then, and the last step of the component in the order of the forward pass
}

// Saved is what a component has saved for the backward pass.
type Saved struct {
	Node  int32
	Bytes int64
}

// event is the beginning or the end of a storage.
type event struct {
	take, tensor int32
	bytes        int64 // 0 at the end
}

// watcher notes the moments of a step, and which storages live when.
type watcher struct {
	moments []Moment
	events  []event
}

// Watch follows training as Run does, and notes the moments of the last step and what components had saved at the largest of them.
func (t *Tape) Watch(o Optimizer) (all []Moment, peak int, saved []Saved) {
	w := &watcher{}
	t.begin(w).train(o)
	t.run.watch = nil
	peak = -1
	for k := range w.moments {
		if peak < 0 || w.moments[k].Parts.Sum() > w.moments[peak].Parts.Sum() {
			peak = k
		}
	}
	if peak >= 0 {
		saved = t.savedAt(&w.moments[peak], w.events)
	}
	return w.moments, peak, saved
}

// enter begins the moment of a component, or goes on with it.
func (r *run) enter(phase Phase, node int32, step int) {
	w := r.watch
	if w == nil || !r.last {
		return
	}
	if phase != OptimizerStep && node < 0 {
		phase = Loss
	}
	if n := len(w.moments); n == 0 || w.moments[n-1].Phase != phase || w.moments[n-1].Node != node {
		r.leave()
		w.moments = append(w.moments, Moment{Phase: phase, Node: node, step: int32(step)})
	}
	m := &w.moments[len(w.moments)-1]
	m.step = max(m.step, int32(step))
}

// leave ends the moment under way.
func (r *run) leave() {
	if r.watch == nil || !r.last {
		return
	}
	if n := len(r.watch.moments); n > 0 {
		m := &r.watch.moments[n-1]
		m.Parts, m.take = r.partsAtMost(), r.atTake
	}
	r.phase()
}

// savedAt lists what components have saved at a moment, the largest first. A storage counts for the first component that saves it: on the way back
// that is the last to let it go.
func (t *Tape) savedAt(m *Moment, events []event) (out []Saved) {
	if m.Phase == OptimizerStep {
		return nil
	}
	live := make([]int64, len(t.tensors))
	for _, e := range events {
		if e.take < m.take || e.take == m.take && e.bytes > 0 { // what was freed next was still there
			live[e.tensor] = e.bytes
		}
	}
	count := func(node, id int32) {
		b := t.tensors[id].base
		if live[b] == 0 || t.tensors[b].part != Activations {
			return
		}
		if n := len(out); n == 0 || out[n-1].Node != node {
			out = append(out, Saved{Node: node})
		}
		out[len(out)-1].Bytes += live[b]
		live[b] = 0
	}
	for k := int32(0); k <= m.step; k++ {
		st := &t.steps[k]
		if u := t.unitOf(st); u != nil && u.first == k {
			for _, id := range u.args {
				count(st.node, id)
			}
		}
		if st.unit == 0 || m.Phase == Backward {
			t.savedBy(st, func(id int32) { count(st.node, id) })
		}
	}
	slices.SortStableFunc(out, func(a, b Saved) int { return cmp.Compare(b.Bytes, a.Bytes) })
	return out
}

// savedBy does something with each tensor that autograd saves of a step.
func (t *Tape) savedBy(st *step, do func(id int32)) {
	for k, id := range t.at(st.in) {
		if st.saved>>k&1 == 1 {
			do(id)
		}
	}
	if st.savesOut {
		do(st.out)
	}
	if st.savesKept {
		for _, id := range t.keptBy(st) {
			do(id)
		}
	}
}
