package tape

import "slices"

// unit is steps that torch.utils.checkpoint runs without saving anything, and again when their backward pass begins. One inside of another saves
// what it is given when the other is run again.
type unit struct {
	first, last int32   // steps
	outer       int32   // the unit that it is inside of, from 1
	args        []int32 // what it is given, which is held until its backward pass is through
	again       bool    // it has been run again in the step under way
}

// Checkpoint makes a unit of the steps from one on, up to those that were added last. Units do not overlap, but one may be inside of another, which
// is made after it.
func (t *Tape) Checkpoint(from int) {
	u := unit{first: int32(from), last: int32(len(t.steps) - 1)}
	if u.last < u.first {
		return
	}
	for k := from; k < len(t.steps); k++ {
		for _, id := range t.at(t.steps[k].in) {
			b := t.tensors[id].base
			if x := &t.tensors[b]; !x.stays() && x.born < u.first && !slices.Contains(u.args, b) {
				u.args = append(u.args, b)
			}
		}
		if st := &t.steps[k]; st.unit == 0 {
			st.unit = int32(len(t.units)) + 1
		} else {
			t.units[st.unit-1].outer = int32(len(t.units)) + 1
		}
	}
	t.units = append(t.units, u)
}

// Steps is the number of steps so far.
func (t *Tape) Steps() int { return len(t.steps) }

// unitOf is the unit of a step, nil where it is saved as usual.
func (t *Tape) unitOf(st *step) *unit {
	if st.unit == 0 {
		return nil
	}
	return &t.units[st.unit-1]
}

// begins reports whether a step is the first of a unit, and which are: the inner one first.
func (t *Tape) begins(k int) (out [2]*unit) {
	u := t.unitOf(&t.steps[k])
	for n := 0; u != nil && n < len(out); n++ {
		if int(u.first) == k {
			out[n] = u
		}
		u = t.outerOf(u)
	}
	return out
}

func (t *Tape) outerOf(u *unit) *unit {
	if u.outer == 0 {
		return nil
	}
	return &t.units[u.outer-1]
}

// recompute runs a unit again, up to the last step that saves something, and saves: of a unit inside what that is given.
func (r *run) recompute(u *unit) {
	t := r.tape
	if outer := t.outerOf(u); outer != nil && !outer.again {
		r.recompute(outer)
	}
	u.again = true
	pinned := len(r.pins)
	own := func(k int32) bool { return t.unitOf(&t.steps[k]) == u }
	end := u.last
	for end > u.first && !(own(end) && t.steps[end].saves()) && (own(end) || t.unitOf(&t.steps[end]).first != end) {
		end--
	}
	for k := u.first; k <= end; k++ {
		if inner := t.unitOf(&t.steps[k]); inner != u && inner.first == k {
			r.enterUnit(inner)
		}
		r.compute(&t.steps[k], own(k))
		for at := t.steps[k].frees; at > 0; at = t.tensors[at-1].next {
			if t.tensors[at-1].born >= u.first {
				r.release(at - 1)
			}
		}
	}
	for k := u.first; k <= end; k++ { // its frame ends
		if id := t.steps[k].out; t.tensors[id].base == id && max(t.tensors[id].last, t.tensors[id].born) > end {
			r.release(id)
		}
	}
	r.unpin(pinned) // with the graph of what was run again
}

// enterUnit holds what a unit is given.
func (r *run) enterUnit(u *unit) {
	u.again = false
	for _, id := range u.args {
		r.hold(id)
	}
}

// saves reports whether a step saves anything.
func (st *step) saves() bool { return st.saved != 0 || st.savesOut || st.savesKept }
