package estimate

import (
	"iter"
	"strings"

	"github.com/modelverifier/verifier/internal/arena"
	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/infer"
)

// memory is what a training step holds of a card: the parts, and the most at any moment.
type memory struct {
	weights, gradients, states, stepExtra, activations, logits, peak int64
	binding                                                          string
	kernels, scattered                                               int64 // that the two passes start, and what is laid out in full for a part
	again                                                            int64 // units that are computed again
}

// storage is a component's result that autograd keeps. The backward pass frees it behind the first component that keeps it.
type storage struct {
	bytes int64
	first int32 // the position of that component
	unit  int32 // what computes it again in the backward pass; 0 where it is kept
}

// Room is the memory of estimates, one after the other. The zero value is ready.
type Room struct {
	stepper   stepper
	bools     arena.Of[bool]
	ints      arena.Of[int]
	int32s    arena.Of[int32]
	int64s    arena.Of[int64]
	shares    arena.Of[share]
	ways      arena.Of[implementation]
	kinds     arena.Of[kind]
	storages  arena.Of[storage]
	gradients arena.Of[gradient]
	notes     arena.Of[int64]
	layout    layout

	deployments arena.Of[Deployment]
	texts       arena.Of[string]
	written     strings.Builder // what some of them are parts of
}

// Clear leaves nothing of what was estimated. A Training stays: it is no part of the room.
func (r *Room) Clear() {
	r.stepper = stepper{}
	r.bools.Clear()
	r.ints.Clear()
	r.int32s.Clear()
	r.int64s.Clear()
	r.shares.Clear()
	r.ways.Clear()
	r.kinds.Clear()
	r.storages.Clear()
	r.gradients.Clear()
	r.notes.Clear()
	r.layout = layout{}
	r.deployments.Clear()
	r.texts.Clear()
	r.written.Reset() // its memory goes with the answer
}

// stepper follows one step through the components that are known, in the order in which they run.
type stepper struct {
	room    *Room
	res     *infer.Result
	o       Options
	order   []int
	at      []int   // the position of each component, or -1
	sources []int32 // the component whose storage its result lies in
	last    []int32 // the position of the last that reads its result, or a view of it
	narrow  []bool
	results []int64 // the bytes of a component's result for the whole batch
	shares  []share // what of each component's weights is trained
	how     []implementation
	units   []int32 // the unit that checkpointing computes a component again with, from 1; 0 for none; nil without checkpointing
	kinds   []kind
	of      []int32 // the kind of each component
	trains  []bool  // whether a component's result depends on a weight, so that a gradient is computed for it
	alone   []bool  // whether a component's result is the same for all samples
	unread  []bool  // whether a component's result reaches no output
	heads   []int   // components whose results the loss is computed from
	fixed   int64   // inputs, targets and buffers
	held    int64   // logits that the training script holds
	adds    bool    // whether gradients are added to those of the micro-batch before
	rests   bool    // whether nothing is trained, so that dropout hands on what it gets

	settled  bool // whether tensors were followed through the allocator
	dropless bool // whether there is dropout of a config that is not counted

	memory
	largest moment
	curve   *Curve    // that is drawn on the way; nil: none
	phase   Phase     // of the step, where one is
	running int       // the component that runs
	saved   []storage // results that are kept
	owned   []int32   // the one of a component's result, from 1; 0 where it is not kept
	kept    []int64   // by position: what the component there keeps, and none before it
	dropped []int64   // likewise, what is computed again instead; nil without checkpointing
	masked  [2]bool   // whether the mask of attention to all before, and that of windows, is among what is kept
	passing []int64   // likewise, what is freed when the forward pass ends; nil where nothing is
	freed   []int64   // by position: what the pass under way frees there
	flow    flow
}

// begin finds out what does not change during a step, which adds its gradients to those of the micro-batch before, or not.
func (r *Room) begin(res *infer.Result, o Options, adds bool) *stepper {
	size := len(res.Nodes)
	r.bools.Reserve(5 * size)
	r.int32s.Reserve(5 * size)
	r.int64s.Reserve(5 * size)
	s := &r.stepper
	*s = stepper{room: r, res: res, o: o, adds: adds, how: r.ways.Make(size), results: r.int64s.Make(size)}
	for i := range res.Nodes {
		s.how[i] = implementationOf(res.Nodes[i].Component)
		if !o.Dropout {
			s.dropless = s.dropless || s.how[i].has(dropped) || s.how[i].has(transformers) && known(&res.Nodes[i]) && res.Nodes[i].Type.Has(catalog.IsDropout)
			s.how[i] &^= dropped
		}
	}
	s.walkOrder()
	s.alone = s.unbatched()
	s.narrow = narrow(res, o.Precision, s.how, r.bools.Make(size))
	for _, i := range s.order {
		s.hold(i)
		if n := &res.Nodes[i]; n.Out != nil && !neverRead(res, i) {
			s.results[i] = times(max(0, n.Out.Size()), s.batch(i), width(n, s.narrow[i]))
		}
	}
	if o.Checkpointing {
		s.findUnits()
		s.dropped = r.int64s.Make(len(s.order))
	}
	s.shares = shares(res, o.Adapt, r.shares.Make(size))
	for i := range s.shares {
		if s.how[i].has(detached) || s.how[i].has(frozen) {
			s.shares[i] = share{}
		}
	}
	s.findUnread()
	s.findKinds()
	s.constants()
	s.trains = s.trained()
	s.countKernels()
	s.saved, s.owned = r.storages.Make(size)[:0], r.int32s.Make(size)
	s.kept, s.freed = r.int64s.Make(len(s.order)), r.int64s.Make(len(s.order))
	s.flow = flow{of: r.int32s.Make(size), bufs: r.gradients.Make(size)[:0]}
	return s
}

// walkOrder lists the components that are known in the order in which they run, and follows their results.
func (s *stepper) walkOrder() {
	size, r := len(s.res.Nodes), s.room
	r.ints.Reserve(2 * size)
	s.at, s.order = r.ints.Make(size), r.ints.Make(size)[:0]
	s.sources, s.last = r.int32s.Make(size), r.int32s.Make(size)
	for i := range s.at {
		s.at[i] = -1
	}
	for _, i := range s.res.Wiring.Order {
		n := &s.res.Nodes[i]
		if !known(n) {
			continue
		}
		p := len(s.order)
		s.at[i], s.sources[i] = p, int32(i)
		s.order = append(s.order, i)
		for j := range s.inputs(i) {
			s.last[s.sources[j]] = int32(p)
		}
		if n.Type.Has(catalog.IsView) || s.skips(i) {
			if j := s.input(i, 0); j >= 0 {
				s.sources[i] = s.sources[j]
			}
		}
	}
}

// measure adds up what a step holds at its three kinds of moments: when the gradient of the loss is computed, in the backward
// pass of every component, and in the optimizer's step. Measured: language models are largest at the first, convolutional
// networks at the second, networks that are mostly weights at the third.
func (s *stepper) measure() memory { return s.step(true) }

// step measures, exactly with what the allocator gives each tensor, else with what it gives in the mean.
func (s *stepper) step(exactly bool) memory {
	s.keepAll()
	s.largest = moment{}
	counted := s.memory
	if exactly {
		s.settle()
	}
	always := plus(s.weights, s.states, s.fixed)
	s.phase = Forward
	s.forward(always)
	early := s.earlyGradients()
	s.phase, s.running = Loss, -1
	s.reach(moment{plus(always, early, s.activations, s.logits), early, s.activations, s.logits, 0})
	s.phase = Backward
	s.backward(plus(always, s.held))
	s.phase, s.running = OptimizerStep, -1
	s.reach(moment{plus(always, s.gradients, s.stepExtra, s.held), s.gradients, 0, s.held, s.stepExtra})
	s.peak, s.binding = s.largest.total, s.binds(&s.largest)
	m := s.memory
	s.memory = counted // for the next time, with another attention
	return m
}

// moment is what a step holds at one time: all, and the parts that come and go.
type moment struct {
	total, gradients, activations, logits, stepExtra int64
}

// reach notes a moment that is larger than those before it.
func (s *stepper) reach(m moment) {
	if s.curve != nil {
		s.curve.add(s, &m)
	}
	if m.total > s.largest.total {
		s.largest = m
	}
}

// binds names the largest part of a moment.
func (s *stepper) binds(m *moment) string {
	name, largest := "", int64(-1)
	for _, part := range [...]struct {
		name  string
		bytes int64
	}{{"weights", s.weights}, {"gradients", m.gradients}, {"optimizer", plus(s.states, m.stepExtra)}, {"activations", m.activations}, {"logits", m.logits}} {
		if part.bytes > largest && m.total > 0 {
			name, largest = part.name, part.bytes
		}
	}
	return name
}

// constants sums what does not change during a step, and finds the heads.
func (s *stepper) constants() {
	size := weightSize(s.o.Precision)
	for _, i := range s.order {
		n := &s.res.Nodes[i]
		if n.Type.ID == infer.InputID {
			s.fixed = plus(s.fixed, block(s.result(i)))
		}
		if s.unread[i] || neverRead(s.res, i) || !s.isHead(i) {
			continue
		}
		s.heads = append(s.heads, i)
		held, worst := logitSizes(s.o.Precision, s.how[i])
		count := times(max(0, n.Out.Size()), s.o.Batch)
		s.addLogits(i, count, held, worst)
		s.addStreams(i)
		if s.how[i].has(capped) { // what the tangent gives is kept
			s.logits = plus(s.logits, block(times(count, s.cappedBytes(i))))
		}
		s.fixed = plus(s.fixed, block(times(8, count/classes(n.Out)))) // a 64-bit target for each
	}
	s.countKinds(size)
	s.countUnwalked(size)
	if s.o.Optimizer != "adafactor" {
		s.stepExtra = times(s.gradients, stepCopies(s.o.Optimizer))
	}
}

// classes is the number of logits that one target chooses among: the channels of an image, otherwise the last axis.
func classes(out catalog.Shape) int64 {
	switch out.Rank() {
	case 0:
		return 1
	case 3:
		return max(1, out[0])
	}
	return max(1, out.At(-1))
}

// isHead reports whether a component feeds an output, or is the end of a graph that has none behind it.
func (s *stepper) isHead(i int) bool {
	n := &s.res.Nodes[i]
	if n.Type.Has(catalog.IsVirtual) || n.OutIsInt || n.Out == nil || s.isUnread(i) {
		return false
	}
	readers := s.res.Wiring.Outputs(i)
	for _, j := range readers {
		if r := &s.res.Nodes[j]; r.Type.Has(catalog.IsVirtual) && known(r) {
			return true
		}
	}
	return len(readers) == 0
}

// result is the bytes of a component's result for the whole batch.
func (s *stepper) result(i int) int64 { return s.results[i] }

// source is the component whose storage a component's result lies in: its own, or, for a view, that of its first input.
func (s *stepper) source(i int) int { return int(s.sources[i]) }

// skips reports whether a component is dropout that does nothing, so that its result is what it gets: in use, and where a config's
// probabilities are not asked for.
func (s *stepper) skips(i int) bool {
	return s.res.Nodes[i].Type.Has(catalog.IsDropout) && (s.rests || !s.o.Dropout && s.how[i].has(transformers))
}

// inputs yields the known components that feed component i.
func (s *stepper) inputs(i int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for _, j := range s.res.Wiring.Inputs(i) {
			if s.at[j] >= 0 && !yield(int(j)) {
				return
			}
		}
	}
}

// input is the k-th of them, or -1.
func (s *stepper) input(i, k int) int {
	for j := range s.inputs(i) {
		if k == 0 {
			return j
		}
		k--
	}
	return -1
}
