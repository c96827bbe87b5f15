package tape

import (
	mathbits "math/bits"
	"slices"
)

// gradient is a buffer that several tensors may share.
type gradient struct {
	block
	bytes  int64 // that were asked for
	users  int32
	viewed bool // it is a view of a tensor that lives as long
}

// storage is what a run knows of a tensor's.
type storage struct {
	block
	holds int32 // how often it is held
	grad  int32 // the gradient of the tensor, from 1
	pin   bool  // a node of the graph holds it
}

// run is the state of a step.
type run struct {
	tape *Tape
	memory
	storages  []storage         // by tensor
	joined    map[int32][]int32 // by tensor: the further gradients of its parts
	buffers   []gradient
	spare     []int32 // buffers that nobody uses
	given     []int32
	stack     []block
	pins      []int32  // storages that nodes of the graph hold,
	lasting   []block  // and those of them whose tensors were computed again
	hasStates bool     // the optimizer's
	paged     int64    // bytes of them in unified memory
	last      bool     // the pass whose account is kept is under way
	watch     *watcher // nil: nobody watches
}

// exactly is how many tensors are followed through the allocator at the most. In larger models a single one matters little.
const exactly = 4096

// Run follows training from the making of the weights on, and returns the peaks of a step for which the optimizer has its states. Those lie
// where they found room at the end of the first step, so that two are followed where the allocator is.
func (t *Tape) Run(o Optimizer) Account { return t.begin(nil).train(o) }

// begin prepares a run, which may be watched.
func (t *Tape) begin(w *watcher) *run {
	r := &t.run
	r.reset(t)
	r.watch = w
	t.reach()
	t.deaths()
	return r
}

// reset empties the state for the tensors of a tape, and keeps its memory.
func (r *run) reset(t *Tape) {
	r.allocator.Clear()
	*r = run{tape: t, memory: memory{allocator: r.allocator, recorder: r.recorder.idle(), mean: len(t.tensors) > exactly}, storages: zeros(r.storages, len(t.tensors)),
		buffers: slices.Grow(r.buffers[:0], len(t.stored)), spare: slices.Grow(r.spare[:0], len(t.stored)), given: r.given[:0],
		stack: slices.Grow(r.stack[:0], len(t.stored)),
		pins:  r.pins[:0], lasting: r.lasting[:0]}
}

// zeros is a list of so many zeros in the memory of another.
func zeros[T any](list []T, count int) []T {
	list = slices.Grow(list[:0], count)[:count]
	clear(list)
	return list
}

func (r *run) train(o Optimizer) Account {
	if !r.tape.peakOnly {
		r.recorder.begin()
	}
	r.build()
	r.recorder.trace.Late()
	r.recorder.on = false
	if r.mean {
		r.states(o)
	} else {
		r.step(o, false)
	}
	return r.step(o, true)
}

// step takes one step, whose account may be kept. Where gradients are added to those of the micro-batch before, two of them show all.
func (r *run) step(o Optimizer, last bool) (a Account) {
	if last {
		r.recorder.step()
	}
	if r.tape.Micro > 1 {
		r.forwards()
		r.backwards()
		r.letGo()
	}
	r.last, r.largest = last, r.parts
	r.phase()
	r.forwards()
	a.Kept, a.Held = r.live, r.parts
	a.Forward = r.note(&a)
	r.backwards()
	a.Backward = r.note(&a)
	a.Held[Gradients] = r.parts[Gradients]
	r.enter(OptimizerStep, -1, 0)
	r.optimize(o)
	a.Held[States], a.Held[Logits], a.Held[Copies] = r.parts[States], r.largest[Logits], r.largest[Copies]
	a.Paged = r.paged
	a.Step = r.note(&a)
	r.leave()
	r.letGo()
	r.phase()
	r.last, r.recorder.on = false, false
	return a
}

// build makes weights and buffers, in 16 bits from 32-bit ones that are there at once, and then what the model is given.
func (r *run) build() {
	t := r.tape
	r.stack = r.stack[:0]
	if t.Precision.Weights == 2 {
		r.recorder.on = false // most scripts make them in 16 bits
		for k := range t.stored {
			x := &t.tensors[t.stored[k].id]
			r.stack = append(r.stack, r.take(2*x.bytes, x.part))
		}
		r.recorder.on = r.recorder.wanted
	}
	for k := range t.stored {
		x := &t.tensors[t.stored[k].id]
		r.take(x.bytes, x.part)
		if len(r.stack) > 0 {
			r.give(r.stack[k])
		}
	}
	r.tie()
	for _, id := range t.given {
		r.take(t.tensors[id].bytes, Inputs)
	}
}

// deaths lists at each step the storages whose last reader it is, in the order in which they were added. No step has any before.
func (t *Tape) deaths() {
	for id := len(t.tensors) - 1; id >= 0; id-- {
		x := &t.tensors[id]
		if x.base != int32(id) || x.stays() || x.last == cached {
			continue
		}
		if at := max(x.last, x.born); at >= 0 {
			x.next, t.steps[at].frees = t.steps[at].frees, int32(id)+1
		}
	}
}

func (r *run) forwards() {
	t := r.tape
	for _, h := range t.handed {
		r.make(h.id)
	}
	for k := range t.steps {
		if k == t.model {
			r.forget()
		}
		r.forward(k)
	}
	if t.model == len(t.steps) { // there is no loss
		r.forget()
	}
	for _, id := range t.halves { // the region of autocast ends
		r.release(id)
	}
}

func (r *run) forward(k int) {
	t := r.tape
	st := &t.steps[k]
	if r.watch != nil {
		r.enter(Forward, st.node, k)
	}
	if st.unit != 0 {
		for _, u := range t.begins(k) {
			if u != nil && u.outer == 0 {
				r.enterUnit(u)
			} else if u != nil {
				u.again = false
			}
		}
	}
	r.compute(st, st.unit == 0)
	for at := st.frees; at > 0; at = t.tensors[at-1].next {
		r.release(at - 1)
	}
}

// compute makes what a step gives, and holds what autograd saves of it.
func (r *run) compute(st *step, save bool) {
	t := r.tape
	if save || !st.gathers {
		for _, id := range t.keptBy(st) {
			r.make(id)
		}
	}
	if t.tensors[st.out].base == st.out {
		r.make(st.out)
	}
	if st.workspace > 0 {
		r.passing(st.workspace, t.gradientPart(st.out))
	}
	if st.pins {
		r.pin(t.refs[st.in.from])
	}
	if save {
		r.holdSaved(st)
	}
}

// pin holds a tensor until the graph is free.
func (r *run) pin(id int32) {
	b := r.tape.tensors[id].base
	if s := &r.storages[b]; s.holds > 0 && !s.pin {
		s.pin = true
		s.holds++
		r.pins = append(r.pins, b)
	}
}

// unpin lets go of what was pinned behind the first so many.
func (r *run) unpin(first int) {
	for _, b := range r.pins[first:] {
		if s := &r.storages[b]; s.pin {
			s.pin = false
			r.release(b)
		}
	}
	r.pins = r.pins[:first]
}

// free ends the graph, and what its nodes hold.
func (r *run) free() {
	r.unpin(0)
	for _, b := range r.lasting {
		r.give(b)
	}
	r.lasting = r.lasting[:0]
}

// holdSaved holds each tensor that autograd saves of a step.
func (r *run) holdSaved(st *step) {
	for bits := st.saved; bits != 0; bits &= bits - 1 {
		r.hold(r.tape.refs[st.in.from+int32(mathbits.TrailingZeros64(bits))])
	}
	if st.savesOut {
		r.hold(st.out)
	}
	if st.savesKept {
		for _, id := range r.tape.keptBy(st) {
			r.hold(id)
		}
	}
}

// releaseSaved lets go of them.
func (r *run) releaseSaved(st *step) {
	for bits := st.saved; bits != 0; bits &= bits - 1 {
		r.release(r.tape.refs[st.in.from+int32(mathbits.TrailingZeros64(bits))])
	}
	if st.savesOut {
		r.release(st.out)
	}
	if st.savesKept {
		for _, id := range r.tape.keptBy(st) {
			r.release(id)
		}
	}
}

// make brings the storage of a tensor to life, with one that holds it: the code that has a name for it.
func (r *run) make(id int32) {
	x, s := &r.tape.tensors[id], &r.storages[id]
	if s.pin { // it is computed again, and the first one is still there
		s.pin = false
		r.lasting = append(r.lasting, s.block)
	}
	s.block, s.holds = r.take(x.bytes, x.part), 1
	if r.watch != nil && r.last {
		r.watch.events = append(r.watch.events, event{r.takes, id, s.size})
	}
}

func (r *run) hold(id int32) {
	if s := &r.storages[r.tape.tensors[id].base]; s.holds > 0 {
		s.holds++
	}
}

func (r *run) release(id int32) {
	b := r.tape.tensors[id].base
	s := &r.storages[b]
	if s.holds == 0 {
		return
	}
	if s.holds--; s.holds == 0 {
		r.give(s.block)
		if r.watch != nil && r.last {
			r.watch.events = append(r.watch.events, event{take: r.takes, tensor: b})
		}
	}
}

// letGo ends what the training script has names for.
func (r *run) letGo() {
	for _, id := range r.tape.held {
		r.release(id)
	}
}
