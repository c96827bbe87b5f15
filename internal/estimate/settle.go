package estimate

import (
	"cmp"
	"math"
	"slices"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/infer"
)

// tensor is one that is kept for the backward pass and may lose memory to the allocator's rounding.
type tensor struct {
	bytes       int64
	made, freed int32 // the positions that make it and that free it
	place       int32
}

// mostTensors is how many tensors are followed through the allocator at the most. In larger models a single one matters little, and
// block and fresh say what they lose in the mean.
const mostTensors = 512

// settle runs two steps through the allocator, tensor by tensor: weights as the modules are built, then what the forward pass keeps and
// the results that come and go, the gradients, and the optimizer's states, which stay where they first found room. What a tensor takes
// then in the second step replaces what block and fresh count for it.
func (s *stepper) settle() {
	l := &s.room.layout
	if !l.begin(s) {
		return
	}
	s.settled = true
	l.build(s)
	for pass := range 2 {
		l.forward(s)
		if pass == 1 {
			l.correct(s)
		}
		l.backward(s)
		l.step(s, pass == 0)
	}
	all, trained := int64(0), int64(0)
	for k := range l.weights {
		w := &l.weights[k]
		all += fresh(w.bytes)
		if w.trained {
			trained += fresh(w.bytes)
		}
	}
	s.weights += l.total(l.stay[:len(l.weights)]) - all
	s.states += l.total(l.stay[len(l.weights):]) - trained*states(s.o.Optimizer)
	s.gradients += l.graded - trained
	s.stepExtra += l.copied - trained*stepCopies(s.o.Optimizer)
}

// states is how many tensors like a weight an optimizer keeps for it.
func states(optimizer string) int64 {
	switch optimizer {
	case "adamw", "adam", "adamw-fused":
		return 2
	case "sgd":
		return 1
	}
	return 0
}

// total is what tensors take.
func (l *layout) total(places []int32) int64 {
	sum := int64(0)
	for _, k := range places {
		sum += l.allocator.size(k)
	}
	return sum
}

// weight is a tensor of a component's.
type weight struct {
	bytes   int64
	owner   int32 // the component's position
	trained bool
}

// layout is the state of settle.
type layout struct {
	allocator allocator
	parts     []tensor // what is kept beside results, by position
	tensors   []tensor // all that is kept, by where it is made
	weights   []weight // those that may lose something
	stay      []int32  // places of weights and states
	flow      []int32  // of each component the place of a result that comes and goes, then of its gradient
	ends      []int32  // results that are alive
	order     []int32
	gradients []int32

	graded, copied int64 // what the gradients take, and the optimizer's copies
}

// begin lists the tensors that are large enough, and reports whether they are few enough.
func (l *layout) begin(s *stepper) bool {
	l.allocator.clear()
	l.tensors, l.weights, l.stay, l.gradients = l.tensors[:0], l.weights[:0], l.stay[:0], l.gradients[:0]
	parts := l.parts
	for p, i := range s.order {
		for len(parts) > 0 && int(parts[0].made) == p {
			l.tensors = append(l.tensors, parts[0])
			parts = parts[1:]
		}
		if at := s.owned[i]; at > 0 && s.saved[at-1].unit == 0 && s.result(i) > smallBytes {
			l.tensors = append(l.tensors, tensor{bytes: s.result(i), made: int32(p), freed: s.saved[at-1].first})
		}
		s.eachWeight(i, func(elems int64) {
			if bytes := times(elems, weightSize(s.o.Precision)); bytes > smallBytes && len(l.weights) <= mostTensors {
				l.weights = append(l.weights, weight{bytes, int32(p), s.shares[i].own})
			}
		})
		if len(l.tensors)+len(l.weights) > mostTensors {
			return false
		}
	}
	return true
}

// eachWeight calls a function with the elements of each trained tensor of a component. Experts that are one tensor lose little.
func (s *stepper) eachWeight(i int, f func(elems int64)) {
	n := &s.res.Nodes[i]
	grouped := groups(n, s.how[i])
	for k := range n.Weights {
		w := &n.Weights[k]
		if grouped && isExpert(w) {
			continue
		}
		for range min(w.Times, mostTensors) {
			f(max(0, w.Shape.Size()))
		}
	}
}

// build makes the weights, in bf16 from 32-bit ones that go one by one.
func (l *layout) build(s *stepper) {
	a := &l.allocator
	if s.o.Precision == "bf16" {
		for k := range l.weights {
			l.gradients = append(l.gradients, a.take(times(2, l.weights[k].bytes)))
		}
	}
	for k := range l.weights {
		l.stay = append(l.stay, a.take(l.weights[k].bytes))
		if s.o.Precision == "bf16" {
			a.give(l.gradients[k])
		}
	}
	l.gradients = l.gradients[:0]
	for _, i := range s.order {
		if s.res.Nodes[i].Type.ID == infer.InputID {
			a.take(s.result(i))
		}
	}
}

// forward makes what is kept, and the results that are not.
func (l *layout) forward(s *stepper) {
	a := &l.allocator
	l.flow = slices.Grow(l.flow[:0], len(s.res.Nodes))[:len(s.res.Nodes)]
	clear(l.flow)
	l.ends = l.ends[:0]
	next := 0
	for p, i := range s.order {
		for ; next < len(l.tensors) && int(l.tensors[next].made) == p; next++ {
			l.tensors[next].place = a.take(l.tensors[next].bytes)
		}
		if n := &s.res.Nodes[i]; s.owned[i] == 0 && s.source(i) == i && n.Out != nil && n.Type.ID != infer.InputID && !n.Type.Has(catalog.IsTensor) {
			if l.flow[i] = a.take(s.result(i)); l.flow[i] > 0 {
				l.ends = append(l.ends, int32(i))
			}
		}
		l.end(s, p)
	}
	l.end(s, math.MaxInt)
}

// end frees the results that nobody reads behind a position.
func (l *layout) end(s *stepper, p int) {
	left := l.ends[:0]
	for _, j := range l.ends {
		if max(s.at[j], int(s.last[j])) > p {
			left = append(left, j)
			continue
		}
		l.allocator.give(l.flow[j])
		l.flow[j] = 0
	}
	l.ends = left
}

// correct counts what each tensor takes instead of what it takes in the mean.
func (l *layout) correct(s *stepper) {
	for k := range l.tensors {
		if t := &l.tensors[k]; t.place > 0 {
			more := l.allocator.size(t.place) - block(t.bytes)
			s.kept[t.freed] += more
			s.activations += more
		}
	}
}

// byEnd lists the tensors in the order in which they are freed, the last first to go.
func (l *layout) byEnd() []int32 {
	l.order = l.order[:0]
	for k := range l.tensors {
		l.order = append(l.order, int32(k))
	}
	slices.SortStableFunc(l.order, func(j, k int32) int { return cmp.Compare(l.tensors[j].freed, l.tensors[k].freed) })
	return l.order
}

// backward makes gradients, and frees what was kept.
func (l *layout) backward(s *stepper) {
	a := &l.allocator
	l.ends = l.ends[:0]
	for _, i := range s.heads { // the logarithms of the shares
		l.ends = append(l.ends, a.take(times(max(0, s.res.Nodes[i].Out.Size()), s.o.Batch, 4)))
	}
	last, kept := len(l.weights), len(l.tensors)
	order := l.byEnd()
	for p := len(s.order) - 1; p >= 0; p-- {
		i := s.order[p]
		for ; last > 0 && int(l.weights[last-1].owner) == p; last-- {
			if w := &l.weights[last-1]; w.trained {
				l.gradients = append(l.gradients, a.take(w.bytes))
			}
		}
		for j := range s.inputs(i) {
			if l.flow[j] == 0 && s.trains[j] {
				l.flow[j] = a.take(s.result(j))
			}
		}
		a.give(l.flow[i])
		l.flow[i] = 0
		for ; kept > 0 && int(l.tensors[order[kept-1]].freed) == p; kept-- {
			a.give(l.tensors[order[kept-1]].place)
		}
	}
	for _, k := range l.ends {
		a.give(k)
	}
}

// step is the optimizer's: its states in the first step, its copies, and the gradients go.
func (l *layout) step(s *stepper, first bool) {
	a := &l.allocator
	copies := len(l.gradients)
	for k := range l.weights {
		w := &l.weights[k]
		for n := states(s.o.Optimizer); first && w.trained && n > 0; n-- {
			l.stay = append(l.stay, a.take(w.bytes))
		}
	}
	for k := range l.weights {
		w := &l.weights[k]
		for n := stepCopies(s.o.Optimizer); w.trained && n > 0; n-- {
			l.gradients = append(l.gradients, a.take(w.bytes))
		}
	}
	l.graded, l.copied = l.total(l.gradients[:copies]), l.total(l.gradients[copies:])
	for _, place := range l.gradients {
		a.give(place)
	}
	l.gradients = l.gradients[:0]
}
