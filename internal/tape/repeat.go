package tape

import (
	"slices"

	"github.com/modelverifier/verifier/internal/infer"
	"github.com/modelverifier/verifier/internal/op"
)

// Large models repeat a few layers. What a component has put on the tape is put there again for one that is like it, with other tensors:
// its type is not asked twice. The tape is the same, to the byte.

// mark is how much there is on a tape.
type mark struct {
	tensors, steps, stored, halves, handed int32
	bytes                                  int64
}

func (t *Tape) mark() mark {
	return mark{int32(len(t.tensors)), int32(len(t.steps)), int32(len(t.stored)), int32(len(t.halves)), int32(len(t.handed)), t.total}
}

// trace is what one component has put on a tape: all between two marks.
type trace struct {
	from, to mark
	repeats  bool // it can be put there again
}

// mostInputs is how many components one reads at the most that is repeated.
const mostInputs = 8

// separate reports whether what a component is about to put on the tape depends on itself and on what it reads alone: its weights are its
// own and not there yet, and nothing that it reads is a weight, of which autocast may have made a copy before.
func (r *Room) separate(res *infer.Result, i int, o *Options) bool {
	t, inputs := &r.tape, res.Wiring.Inputs(i)
	if o.Use != nil || r.noGrad != nil && r.noGrad[i] || r.fuses(res, i, o) {
		return false
	}
	if res.Nodes[i].Shares > 0 || len(t.weights[i]) > 0 || len(inputs) > mostInputs {
		return false
	}
	for _, j := range inputs {
		if id := t.results[j]; id < 0 || t.tensors[id].role != op.Made && t.tensors[id].role != op.Arrives {
			return false
		}
	}
	return true
}

// note keeps the trace of a component that has been added, from a mark on.
func (r *Room) note(i int, from mark, separate bool) {
	to := r.tape.mark()
	r.traces[i] = trace{from, to, separate && from.handed == to.handed}
}

// repeat puts on the tape what an earlier component has put there that is like one. It reports whether there is such a component.
func (r *Room) repeat(res *infer.Result, i int, o *Options) bool {
	like := int(res.Nodes[i].Like) - 1
	if like < 0 || !r.traces[like].repeats || !alike(&res.Nodes[i], &res.Nodes[like]) || o.Frozen(int32(i)) != o.Frozen(int32(like)) ||
		o.Rank != nil && (o.Rank(i) != o.Rank(like) || o.Adapted(i) != o.Adapted(like)) || o.Quantised != nil && o.Quantised(i) != o.Quantised(like) ||
		!r.tape.readAlike(res.Wiring.Inputs(i), res.Wiring.Inputs(like)) {
		return false
	}
	t, of := &r.tape, &r.traces[like]
	if t.Steps()+int(of.to.steps-of.from.steps) > r.most || t.total > mostTotal-(of.to.bytes-of.from.bytes) {
		return false
	}
	from, again := t.mark(), repetition{trace: of, node: int32(i)}
	for k, j := range res.Wiring.Inputs(like) {
		again.read[k], again.reads[k] = t.results[j], t.results[res.Wiring.Inputs(i)[k]]
		again.inputs++
	}
	t.repeat(&again, like)
	r.note(i, from, true)
	return true
}

// alike reports whether two components, of which infer has found one to be like the other, mean the same operations.
func alike(a, b *infer.Node) bool {
	return a.Type == b.Type && a.Component.As() == b.Component.As() && sameList(a.Args, b.Args) && sameList(a.Weights, b.Weights) &&
		a.Params == b.Params && a.OutIsInt == b.OutIsInt && slices.Equal(a.Out, b.Out)
}

// sameList reports whether two lists are one in memory.
func sameList[T any](a, b []T) bool { return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0]) }

// readAlike reports whether the results of components are of the same kind as those of others, and the same ones among them the same.
func (t *Tape) readAlike(a, b []int32) bool {
	if len(a) != len(b) {
		return false
	}
	for k := range a {
		x, y := &t.tensors[t.results[a[k]]], &t.tensors[t.results[b[k]]]
		if x.bytes != y.bytes || x.width != y.width || x.float != y.float || x.strided != y.strided || x.shared != y.shared || x.grad != y.grad {
			return false
		}
		for l := range k {
			if (t.results[a[k]] == t.results[a[l]]) != (t.results[b[k]] == t.results[b[l]]) {
				return false
			}
		}
	}
	return true
}

// repetition is a component that repeats the trace of another.
type repetition struct {
	*trace
	node           int32
	tensors, steps int32 // how much further behind its own are
	inputs         int
	read, reads    [mostInputs]int32 // the tensors that the other read, and what it reads in their place
}

// of is its tensor in the place of one of the other.
func (a *repetition) of(id int32) int32 {
	if id >= a.from.tensors && id < a.to.tensors {
		return id + a.tensors
	}
	for k, old := range a.read[:a.inputs] {
		if id == old {
			return a.reads[k]
		}
	}
	return id // it was handed to both
}

func (t *Tape) repeat(a *repetition, like int) {
	a.tensors, a.steps = int32(len(t.tensors))-a.from.tensors, int32(len(t.steps))-a.from.steps
	t.tensors, t.steps = doubled(t.tensors, int(a.to.tensors-a.from.tensors)), doubled(t.steps, int(a.to.steps-a.from.steps))
	t.refs = doubled(t.refs, t.refsOf(a))
	if !t.peakOnly {
		t.works = doubled(t.works, int(a.to.steps-a.from.steps))
	}
	t.repeatTensors(a)
	for k := a.from.steps; k < a.to.steps; k++ {
		t.repeatStep(a, k)
	}
	if list := t.weights[like]; len(list) > 0 {
		own := t.widen(nil, len(list))
		for k, id := range list {
			if id >= a.from.tensors && id < a.to.tensors {
				own[k] = id + a.tensors
			}
		}
		t.weights[a.node] = own
	}
	t.results[a.node] = a.of(t.results[like])
	for _, id := range a.reads[:a.inputs] { // what a module is given lives as long as it runs
		t.reads(id, int32(len(t.steps)-1))
	}
	t.total += a.to.bytes - a.from.bytes
}

// refsOf is how many references the steps of a repetition have.
func (t *Tape) refsOf(a *repetition) (n int) {
	for _, st := range t.steps[a.from.steps:a.to.steps] {
		n += int(st.kept - st.in.from)
	}
	return n
}

// doubled is a list with room for so many more. It grows by its own length at the least: append grows long lists by a quarter, and leaves
// four times their length behind.
func doubled[T any](list []T, more int) []T {
	if cap(list)-len(list) >= more {
		return list
	}
	return slices.Grow(list, max(more, len(list)))
}

// repeatTensors adds the tensors; those that are views get their storage with their step.
func (t *Tape) repeatTensors(a *repetition) {
	t.tensors = append(t.tensors, t.tensors[a.from.tensors:a.to.tensors]...)
	made := t.tensors[a.from.tensors+a.tensors:]
	for k := range made {
		x := &made[k]
		x.base, x.last = x.base+a.tensors, -1
		if x.born >= 0 {
			x.born += a.steps
		}
		if x.half > a.from.tensors && x.half <= a.to.tensors {
			x.half += a.tensors
		} else { // one that shares the weight has made a copy
			x.half = 0
		}
	}
	for _, s := range t.stored[a.from.stored:a.to.stored] {
		s.id += a.tensors
		t.stored = append(t.stored, s)
	}
	for _, id := range t.halves[a.from.halves:a.to.halves] {
		t.halves = append(t.halves, id+a.tensors)
		t.tensors[id+a.tensors].last = cached
	}
}

// repeatStep adds a step.
func (t *Tape) repeatStep(a *repetition, k int32) {
	st := t.steps[k]
	view := t.tensors[st.out].base != st.out
	further := int32(len(t.refs)) - st.in.from
	for _, id := range t.refs[st.in.from:st.kept] {
		t.refs = append(t.refs, a.of(id))
	}
	st.in.from, st.in.to, st.kept, st.out = st.in.from+further, st.in.to+further, st.kept+further, st.out+a.tensors
	st.node, st.unit = a.node, 0
	if view {
		t.tensors[st.out].base = t.tensors[t.refs[st.in.from]].base
	}
	for _, id := range t.at(st.in) {
		t.reads(id, int32(len(t.steps)))
	}
	t.steps = append(t.steps, st)
	if !t.peakOnly {
		t.works = append(t.works, t.again(k))
	}
}
