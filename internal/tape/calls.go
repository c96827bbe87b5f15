package tape

import "github.com/modelverifier/verifier/internal/op"

// Call is what one pass of an operation has a card do: some kernels, and what they read and write. Of the operations that start none, as a view,
// the host alone knows.
type Call struct {
	Phase   Phase
	Bound   op.Bound
	Width   uint8     // bytes of an element of what it gives
	Matrix  op.Matrix // of a product
	FLOPs   int64
	Bytes   int64 // read and written
	Before  int64 // the same in front of a product
	Kernels int64
	Calls   int64 // of the host: operations, and what autograd does for each
	Waits   bool  // the host waits for the card
	Serial  int64 // kernels that wait for one another, in place of one
	Times   int64 // components that are alike do the same, and are counted together
}

// work is what an operation costs beside its memory.
type work struct {
	op     *op.Op // nil is a cast of autocast
	matrix op.Matrix
	flops  int64 // of all samples
	before [2]int64
	serial int64

	positions, each int64 // of a loop, and the kernels at each of them
	beside          int64 // kernels that the code starts beside
	first, times    int32 // the step that it repeats, or itself; and of that how many there are, which stand for all of them
}

// casts is the work of a cast of autocast that is the next step.
func (t *Tape) casts() work {
	return work{serial: 1, positions: 1, each: 1, first: int32(len(t.works)), times: 1}
}

// again is the work of a step that is repeated.
func (t *Tape) again(k int32) work {
	w := t.works[k]
	t.works[w.first].times++
	w.times = 0
	return w
}

// workOf writes down the work of a step in all samples.
func (t *Tape) workOf(s *op.Step, w *work) {
	batch := t.Batch
	w.op, w.beside = s.Op, max(0, s.Beside)
	if s.Op.Matrix != nil {
		w.matrix = s.Op.Matrix(s, batch)
	}
	if s.Op.FLOPs != nil {
		if w.flops = upToFLOPs(max(s.Op.FLOPs(s), 0), batch); s.Causal {
			w.flops /= 2
		}
	}
	if s.Op.Before != nil {
		width := int64(s.Program.Tensors[s.Out].Width)
		w.before = [2]int64{max(0, s.Op.Before(s, batch, width, false)), max(0, s.Op.Before(s, batch, width, true))}
	}
	if s.Op.Serial != nil {
		w.serial = max(1, s.Op.Serial(s))
	}
	if s.Op.Loops != nil {
		positions, kernels := s.Op.Loops(s)
		w.positions, w.each = max(1, positions), max(1, kernels)
	}
}

// Calls visits what a training step has the host and the card do, in the order of the forward pass, and then in that of the backward pass with what is
// computed again; without the optimizer. It follows Run, which finds where gradients come to.
func (t *Tape) Calls(visit func(*Call)) {
	var c Call
	for k := range t.steps {
		if n := t.works[k].times; n > 0 {
			t.forwardCall(k, &c)
			c.Times = int64(n)
			visit(&c)
		}
	}
	t.graded = zeros(t.graded, len(t.tensors))
	for k := range t.units {
		t.recomputed(&t.units[k], visit, &c)
	}
	t.countBack()
	for k := len(t.steps) - 1; k >= 0; k-- {
		st := &t.steps[k]
		if !t.goesBack(st) {
			continue
		}
		first, n := k, int32(1)
		if f := int(t.works[k].first); t.steps[f].needs == st.needs {
			first, n = f, t.backs[f]
			t.backs[f] = 0
		}
		if n > 0 {
			t.backwardCall(first, &c)
			c.Times = int64(n)
			visit(&c)
		}
		t.accumulated(st, visit, &c)
	}
}

// goesBack reports whether a step has a backward pass: something asks for its gradient, and its result leads to a loss.
func (t *Tape) goesBack(st *step) bool { return st.needs != 0 && t.leads[st.out] }

// countBack counts the backward passes of steps that are alike at the first of them. One that hands gradients to other inputs counts by itself.
func (t *Tape) countBack() {
	t.backs = zeros(t.backs, len(t.steps))
	for k := range t.steps {
		if f := t.works[k].first; t.goesBack(&t.steps[k]) && t.steps[f].needs == t.steps[k].needs {
			t.backs[f]++
		}
	}
}

// recomputed visits what checkpointing runs again of a unit: all up to the last step that saves something.
func (t *Tape) recomputed(u *unit, visit func(*Call), c *Call) {
	end := u.last
	for end >= u.first && !(t.steps[end].saves() && t.leads[t.steps[end].out]) {
		end--
	}
	for k := u.first; k <= end; k++ {
		t.forwardCall(int(k), c)
		c.Phase = Backward
		visit(c)
	}
}

// forwardCall is the forward pass of a step.
func (t *Tape) forwardCall(k int, c *Call) {
	st, w := &t.steps[k], &t.works[k]
	out := &t.tensors[st.out]
	*c = Call{Phase: Forward, Width: out.width, Kernels: 1, Calls: 1, Serial: 1, Times: 1}
	if st.node < 0 {
		c.Phase = Loss
	}
	moved := out.bytes
	for _, id := range t.keptBy(st) {
		moved += t.tensors[id].bytes
	}
	if w.op == nil {
		c.Bytes = moved + t.tensors[t.refs[st.in.from]].bytes
		return
	}
	c.Bound, c.Matrix, c.FLOPs, c.Serial, c.Waits = w.op.Bound, w.matrix, w.flops, w.serial, w.op.Waits
	c.Before = w.before[0]
	if w.op.Integers {
		c.Width = 1
	}
	c.Calls = upTo(w.positions, w.each)
	c.Kernels = upTo(w.op.Forward, c.Calls)
	c.Kernels, c.Calls = c.Kernels+w.beside, c.Calls+w.beside
	if w.op.Forward == 0 {
		return
	}
	if w.op.Bound == op.ByIndex { // what is found is as large as the result
		c.Bytes = 2 * moved
		return
	}
	for _, id := range t.at(st.in) {
		moved += t.tensors[id].bytes
	}
	c.Bytes = moved + 2*(w.op.Forward-1)*out.bytes // each further kernel reads and writes a result once more
}

// backwardCall is the backward pass of a step.
func (t *Tape) backwardCall(k int, c *Call) {
	st, w := &t.steps[k], &t.works[k]
	in, out := t.at(st.in), &t.tensors[st.out]
	*c = Call{Phase: Backward, Width: out.width, Calls: 1, Serial: 1, Times: 1}
	var made, moved, first int64
	for _, a := range t.acts[st.back.from:st.back.to] {
		switch a.kind {
		case op.New, op.Viewed:
			made++
			moved += a.bytes
			if a.first > 0 {
				moved, first = moved+2*a.first, first+1
			}
		case op.Holds:
			moved += 2 * a.bytes
		}
	}
	if w.op == nil {
		c.Kernels, c.Bytes = 1, out.bytes+moved
		return
	}
	c.Bound, c.Before = w.op.Bound, w.before[1]
	back := w.op.Back
	switch {
	case w.op.Bound == op.ByAttention:
		c.Matrix, c.FLOPs = w.matrix, w.flops*2+w.flops/2
		moved += 2 * out.bytes
		for _, id := range in {
			moved += t.tensors[id].bytes
		}
	case w.op.Matrix != nil || w.op.Bound.Convolves():
		products := int64(0)
		for i := range min(2, len(in)) {
			products += int64(st.needs >> i & 1)
		}
		c.Matrix, c.FLOPs = w.matrix, products*w.flops
		moved += products * out.bytes
		for i := range min(2, len(in)) {
			if st.needs>>(1-i)&1 == 1 {
				moved += t.tensors[in[i]].bytes
			}
		}
		if back = products; made > products { // a bias is summed
			back, moved = back+1, moved+out.bytes
		}
	default:
		c.FLOPs, c.Serial = 2*w.flops, 2*w.serial
		moved += max(1, made) * out.bytes
		t.savedBy(st, func(id int32) { moved += t.tensors[id].bytes })
		if made == 0 && moved == out.bytes && back <= 1 { // it hands gradients on
			back, moved = 0, 0
		}
	}
	c.Calls, c.Bytes = upTo(w.positions, w.each), moved
	c.Kernels = upTo(back+first, c.Calls)
	c.Kernels, c.Calls = c.Kernels+2*w.beside, c.Calls+2*w.beside
	if w.positions > 1 {
		c.Bytes += t.scattered(st, w.positions)
	}
}

// scattered is what the backward pass of a loop moves: at each position zeros around the gradient of a part, which are added to those of the others.
func (t *Tape) scattered(st *step, positions int64) int64 {
	whole := int64(0)
	for i, id := range t.at(st.in) {
		if st.needs>>i&1 == 1 {
			whole += 3 * t.tensors[id].bytes
		}
	}
	return upTo(whole, positions)
}

// accumulated adds the gradients of a step to those that its inputs have.
func (t *Tape) accumulated(st *step, visit func(*Call), c *Call) {
	for _, a := range t.acts[st.back.from:st.back.to] {
		switch a.kind {
		case op.New, op.Viewed, op.Same, op.Hands:
		default:
			continue
		}
		id := t.refs[st.in.from+int32(a.in)]
		if !t.graded[id] {
			t.graded[id] = true
			continue
		}
		x := &t.tensors[id]
		*c = Call{Phase: Backward, Width: x.width, Bytes: 3 * x.bytes, Kernels: 1, Calls: 1, Serial: 1, Times: 1}
		visit(c)
	}
}

// Trained is the weights that a step changes: how many there are, and their bytes.
func (t *Tape) Trained() (count, bytes int64) {
	for k := range t.stored {
		if id := t.stored[k].id; t.trains(id) {
			count, bytes = count+1, bytes+t.tensors[id].bytes
		}
	}
	return count, bytes
}

// Units is how many units of checkpointing there are.
func (t *Tape) Units() int64 { return int64(len(t.units)) }

// mostFLOPs is where the FLOPs of one call stop: so that the two or two and a half times as many of its backward pass still fit.
const mostFLOPs = 1 << 61

// upToFLOPs is upTo for FLOPs, of which there may be many more than bytes.
func upToFLOPs(a, b int64) int64 {
	if a > mostFLOPs/max(b, 1) {
		return mostFLOPs
	}
	return a * b
}
