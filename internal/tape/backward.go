package tape

import (
	"slices"

	"github.com/modelverifier/verifier/internal/op"
)

// backwards runs all steps back, from the gradients of the losses.
func (r *run) backwards() {
	for _, id := range r.tape.losses {
		switch x := &r.tape.tensors[id]; {
		case x.grad && x.part == Logits:
			r.storages[id].grad = r.buffer(4, Logits)
		case x.grad: // the result of what is not known
			r.storages[id].grad = r.buffer(x.bytes, Passing)
		}
	}
	for k := len(r.tape.steps) - 1; k >= 0; k-- {
		r.backward(k)
	}
	r.free()
}

func (r *run) buffer(bytes int64, part Part) int32 { return r.adopt(r.take(bytes, part), bytes) }

// adopt makes the buffer of a gradient from what is allocated already.
func (r *run) adopt(taken block, bytes int64) int32 {
	b := gradient{block: taken, bytes: bytes, users: 1}
	if n := len(r.spare); n > 0 {
		at := r.spare[n-1]
		r.spare, r.buffers[at-1] = r.spare[:n-1], b
		return at
	}
	r.buffers = append(r.buffers, b)
	return int32(len(r.buffers))
}

func (r *run) drop(at int32) {
	if at == 0 {
		return
	}
	b := &r.buffers[at-1]
	if b.users--; b.users == 0 {
		r.give(b.block)
		r.spare = append(r.spare, at)
	}
}

// backward runs one step back: its gradients are made while that of its result and what it saved are there; then those go, and the
// gradients are added to others of the same tensor.
func (r *run) backward(k int) {
	t := r.tape
	st := &t.steps[k]
	if r.watch != nil {
		r.enter(Backward, st.node, k)
	}
	out := r.storages[st.out].grad
	u := t.unitOf(st)
	if st.needs != 0 && out != 0 {
		if u != nil && !u.again && st.saves() {
			r.recompute(u)
		}
		r.storages[st.out].grad = 0
		if st.hands {
			r.dropParts(st.out)
			r.accumulate(t.refs[st.in.from+int32(t.acts[st.back.from].in)], out)
		} else {
			r.differentiate(st, out)
		}
	} else if t.leads[st.out] && (u == nil || u.again) {
		r.releaseSaved(st)
		if out != 0 { // of a leaf
			r.drop(out)
			r.storages[st.out].grad = 0
		}
	}
	if u != nil {
		r.leaveUnits(k)
	}
}

// differentiate makes the gradients of what a step read from that of its result.
func (r *run) differentiate(st *step, out int32) {
	in := r.tape.at(st.in)
	given, ended := r.gradients(st, out, len(in))
	if !ended {
		r.releaseSaved(st)
	}
	r.drop(out)
	r.dropParts(st.out)
	for i, id := range in {
		if given[i] != 0 {
			r.accumulate(id, given[i])
		}
	}
}

// leaveUnits lets go of what the units were given that begin with a step.
func (r *run) leaveUnits(k int) {
	for _, u := range r.tape.begins(k) {
		if u == nil {
			continue
		}
		for _, id := range u.args {
			r.release(id)
		}
	}
}

// gradients makes the gradients of so many tensors that a step read, and returns their buffers.
func (r *run) gradients(st *step, out int32, count int) (given []int32, ended bool) {
	t := r.tape
	r.given = slices.Grow(r.given[:0], count)[:count]
	clear(r.given)
	r.stack = r.stack[:0]
	for i := st.back.from; i < st.back.to; i++ {
		switch a := &t.acts[i]; a.kind {
		case op.New, op.Viewed:
			first, part := int32(0), t.gradientPart(t.refs[st.in.from+int32(a.in)])
			if a.first > 0 {
				first = r.buffer(a.first, part)
			}
			r.given[a.in] = r.buffer(a.bytes, part)
			r.buffers[r.given[a.in]-1].viewed = a.kind == op.Viewed
			r.drop(first)
		case op.Hands:
			s := &r.storages[t.refs[st.in.to+int32(a.in)]]
			r.given[a.in], s.holds = r.adopt(s.block, a.bytes), 0
		case op.Same:
			r.buffers[out-1].users++
			r.given[a.in] = out
		case op.Ends:
			if st.unit > 0 && !ended {
				r.releaseSaved(st)
				ended = true
			}
		case op.Joins:
			r.join(t.at(st.in)[a.in], out)
		case op.Holds:
			r.stack = append(r.stack, r.take(a.bytes, t.gradientPart(st.out)))
		case op.Drops:
			r.give(r.stack[len(r.stack)-1])
			r.stack = r.stack[:len(r.stack)-1]
		case op.Passing:
			r.passing(a.bytes, t.gradientPart(st.out))
		}
	}
	for _, b := range r.stack {
		r.give(b)
	}
	return r.given, ended
}

// join keeps the gradient of a part until those of all parts are there.
func (r *run) join(whole, at int32) {
	r.buffers[at-1].users++
	if r.storages[whole].grad == 0 {
		r.storages[whole].grad = at
		return
	}
	if r.joined == nil {
		r.joined = map[int32][]int32{}
	}
	r.joined[whole] = append(r.joined[whole], at)
}

// dropParts drops the gradients of parts, which were put together.
func (r *run) dropParts(whole int32) {
	if len(r.joined) == 0 {
		return
	}
	for _, at := range r.joined[whole] {
		r.drop(at)
	}
	delete(r.joined, whole)
}

// accumulate adds a gradient to the one that its tensor has: in place where nobody else has that and it is no part or view of another, else into
// a new tensor.
func (r *run) accumulate(id, at int32) {
	t, s := r.tape, &r.storages[id]
	switch old := s.grad; {
	case old == 0:
		s.grad = at
		if b, part := &r.buffers[at-1].block, t.gradientPart(id); b.part != part {
			r.move(b, part)
		}
	case r.buffers[old-1].users == 1 && !r.buffers[old-1].viewed && r.buffers[old-1].bytes == t.tensors[id].bytes:
		r.drop(at)
	default:
		sum := r.buffer(t.tensors[id].bytes, t.gradientPart(id))
		r.drop(old)
		r.drop(at)
		s.grad = sum
	}
}

// gradientParts is what the gradient of a tensor counts as, by the tensor's own part.
var gradientParts = [partCount]Part{Passing, Gradients, Passing, Passing, Passing, Logits, Passing, Passing}

func (t *Tape) gradientPart(id int32) Part { return gradientParts[t.tensors[id].part] }
