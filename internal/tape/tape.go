// Package tape follows one training step of a model through memory, operation by operation as autograd records and replays them.
//
// A Tape is the operations of all components in the order in which they run, with the casts of autocast among them. Run counts what is
// alive while they run forward and backward: a result lives until its last reader is through, or until the backward pass of the
// operation that saved it is.
package tape

import (
	"slices"

	"github.com/modelverifier/verifier/internal/arena"
	"github.com/modelverifier/verifier/internal/op"
)

// Precision is how wide floats are.
type Precision = op.Precision

// PrecisionOf is the precision with a name: fp32, tf32, amp, fp16 or bf16.
func PrecisionOf(name string) Precision {
	switch name {
	case "bf16":
		return Precision{Weights: 2}
	case "amp", "fp16":
		return Precision{Weights: 4, Autocast: true, Half: name == "fp16"}
	}
	return Precision{Weights: 4}
}

// tensor is one of the whole step.
type tensor struct {
	bytes   int64
	base    int32 // in whose storage it lies
	born    int32 // the step that makes it; -1 for what is there before
	last    int32 // the last step that reads it, or a view of it
	half    int32 // the 16-bit copy that autocast made of it, from 1
	next    int32 // the next storage whose last reader is the same step, from 1
	width   uint8 // bytes of an element
	float   bool
	strided bool // it does not lie in the order of its axes
	shared  bool // it has no batch axis
	grad    bool // a gradient is computed for it
	role    op.Role
	part    Part
}

// stored is a weight or a buffer, with the last axes of a weight that has two or more.
type stored struct {
	id            int32
	rows, columns int64
}

// stays reports whether a tensor is there before the step and behind it.
func (x *tensor) stays() bool { return x.born < 0 && x.role != op.Handed && x.role != op.Past }

// span is a part of a list.
type span struct{ from, to int32 }

// step is one operation.
type step struct {
	needs     uint64 // which inputs need gradients
	saved     uint64 // which inputs autograd saves
	workspace int64
	in        span  // of refs
	kept      int32 // where the refs end of what it keeps, which lie behind those of in
	back      span  // of acts
	out       int32 // a tensor
	frees     int32 // the first storage whose last reader it is, from 1
	unit      int32 // of checkpointing, from 1
	node      int32 // the component; -1 for the loss
	gathers   bool  // what it keeps is there only where it is saved
	savesOut  bool  // autograd saves its result,
	savesKept bool  // and what it keeps
	pins      bool  // the graph has its first input until all of it is free
	hands     bool  // its backward pass hands the gradient of its result on, and does nothing else: a view
}

// act is one thing that a backward pass does with memory.
type act struct {
	kind  op.Act
	in    int8
	first int64 // of a gradient that is cast: the bytes before
	bytes int64
}

// Tape is the operations of a model.
type Tape struct {
	Batch     int64
	Micro     int64 // micro-batches of a step, each of Batch samples; 0 for one
	Precision Precision

	tensors []tensor
	steps   []step
	works   []work // of the steps
	units   []unit
	refs    []int32 // tensors that steps read and keep
	acts    []act
	halves  []int32 // the 16-bit copies of weights, which autocast makes once
	handed  []handed
	handing map[handing]int32
	idle    int64   // weights of components that do not run, which are followed one by one
	results []int32 // of each component
	weights [][]int32
	owned   arena.Of[int32] // which those are lists of
	stored  []stored        // weights and buffers, in the order in which they are made
	given   []int32         // what the model is given, and the targets
	tied    []int32         // weights that layers were given in place of their own
	frozen  func(node int32) bool

	ahead  int   // behind how many components to look ahead
	total  int64 // bytes of all tensors
	noGrad bool  // what is being added runs under torch.no_grad

	peakOnly bool // neither Calls nor Need is asked for

	ids  []int32 // of the program that is being added
	read []int32 // by the step that is being added
	node int32   // that is being added
	save op.Saved
	g    op.Gradients

	model  int     // the steps of the model; behind them are those of the loss
	losses []int32 // tensors
	held   []int32 // results that the training script has names for
	leads  []bool  // by tensor: whether a gradient comes to it
	lost   []int32 // steps of the model that save something, and lead to no loss
	graded []bool  // by tensor: whether Calls has given it a gradient
	backs  []int32 // by step: how many like it Calls counts going back
	ends   []int32 // by component: the steps up to its last; nil where nobody asks
	used
	run run
}

// Begin starts the tape of a model with so many components, in the memory of the one before.
func (t *Tape) Begin(components int, batch int64, p Precision, frozen func(node int32) bool) {
	clear(t.weights)
	clear(t.handing)
	t.owned.Clear()
	*t = Tape{owned: t.owned, Batch: batch, Precision: p, results: slices.Grow(t.results[:0], components)[:components],
		weights: slices.Grow(t.weights, max(0, components-len(t.weights)))[:components], frozen: frozen,
		tensors: t.tensors[:0], steps: t.steps[:0], works: t.works[:0], graded: t.graded, refs: t.refs[:0], acts: t.acts[:0], ahead: firstAhead,
		units: t.units[:0], halves: t.halves[:0], handed: t.handed[:0], handing: t.handing, stored: t.stored[:0], given: t.given[:0], tied: t.tied[:0], ids: t.ids[:0], read: t.read[:0], g: t.g,
		losses: t.losses[:0], held: t.held[:0], leads: t.leads[:0], lost: t.lost[:0], run: t.run}
	for i := range t.results {
		t.results[i] = -1
	}
}

// firstAhead is behind how many components a tape first looks ahead.
const firstAhead = 16

// lookAhead makes room for all components when some are added, as much as those took in the mean: lists that grow bit by bit are copied often.
func (t *Tape) lookAhead(added, all int) {
	if added < t.ahead {
		return
	}
	t.ahead *= 2
	most := mostSteps + mostOfEach*all
	most += most / 16 // losses
	t.steps, t.works = grown(t.steps, added, all, most), grown(t.works, added, all, most)
	most *= 2 // most operations make one tensor, and read a weight or two
	t.tensors, t.refs = grown(t.tensors, added, all, most), grown(t.refs, added, all, most)
	t.acts, t.stored = grown(t.acts, added, all, most*3/2), grown(t.stored, added, all, most)
}

// grown is a list with room for all components, if it is as long as those so far have made it, or for the most that are followed.
func grown[T any](list []T, added, all, most int) []T {
	need := min(len(list)*all/added, most)
	if need <= cap(list) {
		return list
	}
	return slices.Grow(list, min(need+need/8, most)-len(list))
}

func (t *Tape) tensor(x tensor) int32 {
	id := int32(len(t.tensors))
	x.base, x.last = id, -1
	switch x.role {
	case op.Made:
		x.part = Activations
		if t.node < 0 {
			x.part = Logits
		}
	case op.Arrives:
		t.given = append(t.given, id)
	case op.Handed, op.Past:
		x.part = Activations
	default:
		if x.role == op.Weight {
			x.part = Weights
		}
		t.stored = append(t.stored, stored{id: id})
	}
	t.tensors = append(t.tensors, x)
	return id
}

// Input adds what the model is given.
func (t *Tape) Input(node int, elems int64, isInt bool) {
	width := uint8(t.Precision.Weights)
	if isInt {
		width = 8
	}
	t.results[node] = t.tensor(tensor{bytes: t.bytes(&op.Tensor{Shape: []int64{max(elems, 0)}}, int64(width)), width: width, float: !isInt, role: op.Arrives, born: -1})
}

// Owners are the components whose weights a component has: its own, or those of the one whose module it calls; and the one that it is tied to.
type Owners struct{ Own, Tied int }

// Add appends the program of a component that reads others.
func (t *Tape) Add(node int, p *op.Program, inputs []int32, owners Owners) {
	t.node = int32(node)
	t.ids = zeros(t.ids, len(p.Tensors))
	for k, j := range inputs[:min(len(inputs), len(p.In))] {
		t.ids[p.In[k]] = t.results[j]
	}
	t.own(p, owners)
	if len(p.Steps) > cap(t.steps)-len(t.steps) {
		t.steps = slices.Grow(t.steps, max(len(p.Steps), cap(t.steps)/2))
	}
	for k := range p.Steps {
		t.append(&p.Steps[k], p)
	}
	t.results[node] = t.ids[p.Out]
	end := int32(len(t.steps) - 1)
	for _, j := range inputs { // what a module is given lives as long as it runs
		if id := t.results[j]; id >= 0 {
			t.reads(id, end)
		}
	}
}

func (t *Tape) width(d op.DType) int64 { return t.Precision.Width(d) }

// Arrives tells a program how wide the results of components are that it reads, whether they lie in the order of their axes, and whether they have a
// batch axis.
func (t *Tape) Arrives(p *op.Program, inputs []int32) {
	for k, j := range inputs[:min(len(inputs), len(p.In))] {
		if t.results[j] < 0 {
			continue
		}
		v, from := p.In[k], &t.tensors[t.results[j]]
		p.Tensors[v].Width, p.Tensors[v].Strided, p.Tensors[v].Shared = from.width, from.strided, from.shared
	}
}

func (t *Tape) reads(id, at int32) {
	b := t.tensors[id].base
	t.tensors[b].last = max(t.tensors[b].last, at)
}

// append adds one step, and in front of it the casts that autocast makes for it.
func (t *Tape) append(s *op.Step, p *op.Program) {
	t.read = t.read[:0]
	for _, v := range s.In {
		t.read = append(t.read, t.ids[v])
	}
	width := t.widthOf(s)
	out := &p.Tensors[s.Out]
	if out.DType != op.Float {
		width = t.width(out.DType)
	}
	at := int32(len(t.steps))
	t.steps = append(t.steps, step{in: t.list(t.read), node: t.node, gathers: s.Op.Gathers})
	if !t.peakOnly {
		t.works = append(t.works, t.casts())
		t.workOf(s, &t.works[at])
	}
	st := &t.steps[at]
	for k, id := range t.read {
		if t.tensors[id].grad && !s.Op.Detaches && !t.noGrad {
			st.needs |= 1 << k
		}
		t.reads(id, at)
	}
	float := out.DType.IsFloat()
	st.out = t.tensor(tensor{bytes: t.bytes(out, width), width: uint8(width), float: float, grad: (st.needs != 0 || s.Op.Leaf) && float, born: at, strided: out.Strided, shared: out.Shared})
	if s.Op.View {
		of, x := &t.tensors[t.read[0]], &t.tensors[st.out]
		x.base, x.width, x.float = of.base, of.width, of.float
	}
	for _, v := range s.Kept {
		x := &p.Tensors[v]
		w := t.width(x.DType)
		if x.DType == op.Float {
			w = width
		}
		t.ids[v] = t.tensor(tensor{bytes: t.bytes(x, w), width: uint8(w), born: at})
		t.refs = append(t.refs, t.ids[v])
	}
	st.kept = int32(len(t.refs))
	t.ids[s.Out] = st.out
	if s.Op.Stores {
		t.store(t.read[0])
	} else if s.Op.Returns {
		t.returned = append(t.returned, returned{tensor: t.read[0], node: -1})
	}
	if s.Op.Workspace != nil {
		st.workspace = min(max(s.Op.Workspace(s, t.Batch, width), 0), mostTotal)
	}
	if st.needs != 0 || s.Op.Leaf {
		if s.Op.Saves != nil {
			t.save.Begin(st.needs)
			s.Op.Saves(s, &t.save)
			st.saved, st.savesOut, st.savesKept = t.save.In, t.save.Out, t.save.Kept
		}
		st.pins = s.Op.Pins && st.needs&1 != 0
		st.back = t.backOf(s, st)
		st.hands = st.back.to == st.back.from+1 && t.acts[st.back.from].kind == op.Same && !st.saves()
	}
}

// widthOf is the width in which an operation computes, of what it reads. Autocast may have that cast.
func (t *Tape) widthOf(s *op.Step) int64 {
	switch {
	case t.Precision.Autocast && s.Op.Half && !t.Precision.Half:
		t.halve(t.read)
		return 2
	case t.Precision.Autocast:
		return t.autocast(s.Op.Autocast, t.read)
	case s.Op.Autocast == op.Follows:
		return int64(t.tensors[t.read[0]].width)
	case s.Op.Autocast != op.Lowers:
		return t.widest(t.read)
	case len(t.read) > 1 && t.tensors[t.read[1]].role == op.Weight:
		return int64(t.tensors[t.read[1]].width)
	}
	return t.Precision.Weights
}

func (t *Tape) list(ids []int32) span {
	from := int32(len(t.refs))
	t.refs = append(t.refs, ids...)
	return span{from, int32(len(t.refs))}
}

func (t *Tape) at(s span) []int32 { return t.refs[s.from:s.to] }

// keptBy is what a step keeps.
func (t *Tape) keptBy(st *step) []int32 { return t.refs[st.in.to:st.kept] }

// mostTotal is where the bytes of all tensors together stop growing, far beyond any machine: a sum of a few times as much still fits in an int64.
// mostRead is how many tensors a step can read.
const (
	mostTotal = 1 << 54
	mostRead  = 64
)

func (t *Tape) bytes(x *op.Tensor, width int64) int64 {
	n := x.Elems() * width
	if !x.Shared {
		n = upTo(n, t.Batch)
	}
	n = min(n, max(0, mostTotal-t.total))
	t.total += n
	return x.RoundUp(n)
}

// upTo is a product of two that are not negative, and stops at mostTotal.
func upTo(a, b int64) int64 {
	if a > mostTotal/max(b, 1) {
		return mostTotal
	}
	return a * b
}

// cached marks what lives until the forward pass ends, or longer.
const cached = 1 << 30

// Hold keeps the result of a component through the step, as a training script does that has a name for it.
func (t *Tape) Hold(node int) {
	t.Heads(node)
	if id := t.results[node]; id >= 0 {
		t.held = append(t.held, id)
		t.tensors[t.tensors[id].base].last = cached
	}
}

// Heads counts the result of a component as logits.
func (t *Tape) Heads(node int) {
	if id := t.results[node]; id >= 0 {
		if b := &t.tensors[t.tensors[id].base]; b.part == Activations {
			b.part = Logits
		}
	}
}

// Reach keeps the results of components until the last step so far is through.
func (t *Tape) Reach(nodes []int32) {
	for _, j := range nodes {
		if id := t.results[j]; id >= 0 {
			t.reads(id, int32(len(t.steps)-1))
		}
	}
}
