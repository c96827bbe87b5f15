package tape

import (
	"slices"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/infer"
	"github.com/modelverifier/verifier/internal/op"
)

// Options is how a model is trained.
type Options struct {
	Batch     int64
	Precision Precision
	Eager     bool
	Masks     bool // rows are packed of samples that a mask keeps from one another
	Undropped bool // dropout inside of components has a probability of 0
	Micro     int64
	FusedLoss bool
	LogProbs  bool // the loss is one of log-probabilities
	PeakOnly  bool // neither time nor need is asked for
	Card      op.Card
	// Unit names what torch.utils.checkpoint runs together with a component, as its layer, and a part of that which it runs again by itself, too, as
	// the layers of a stage; "" where there is none.
	Unit func(n *infer.Node) (layer, part string)
	// Module is the module of a library that a component is; nil for PyTorch's own. It follows from type, parameters and name of the module.
	Module func(n *infer.Node) catalog.Module
	// Idle reports whether a component has its weights and does not run.
	Idle func(n *infer.Node) bool
	// Frozen reports whether the weights of a component are not trained, and Rank how large the adapters beside its linear layers are.
	// Adapted says which of its weights those are beside, as bits by their numbers.
	Frozen  func(node int32) bool
	Rank    func(node int) int64
	Adapted func(node int) uint64
	// Adapters is what those are like, Stored how quantised weights lie in memory, and Quantised which those are; nil for none.
	Adapters  catalog.Adapters
	Stored    op.Stored
	Quantised func(node int) uint64
	// Until is the component behind which the result of one is free, where that is not the last that reads it: whoever calls a module has
	// names for what it is called with. Nil where every last reader is.
	Until func(node int32) int32
	// Use is how a model is used; nil where it is trained.
	Use *Use
	// Kind is all that the number of operations of a model follows from, so that it is found out once how many parts of components are followed. Nil
	// where nobody asks again.
	Kind any
}

// Room is the memory of tapes, one after the other. The zero value is ready.
type Room struct {
	tape      Tape
	program   op.Program
	lowering  catalog.Lowering
	heads     []int   // the components whose results losses are taken of
	fused     []fused // by those that have taken the last map of one in
	unknowns  []int   // the components whose operations are not known
	unordered []bool  // those on a cycle or behind one; nil where there is none
	traces    []trace // by component
	first     []int32 // of the components that are like each
	group     []int32 // how many are like each that is the first of them; empty before they were counted
	layers    checkpointed
	noGrad    []bool // components that run under torch.no_grad; nil for none
	most      int    // steps that are followed
	vain      int    // steps that were lowered and not followed, the tape being too long
	fewer     fewer
	givenUp   int
	alike     int64 // weights of unknown components that are declared as several and followed one by one
}

// keptSteps is how many steps a room has memory for after Clear at the most: one that grew with a large model is let go.
const keptSteps = 1 << 15

// Clear leaves nothing of the tapes that were made.
func (r *Room) Clear() {
	if cap(r.tape.steps) > keptSteps {
		*r = Room{}
		return
	}
	r.tape.Begin(0, 0, Precision{}, nil)
	r.program.Reset()
	r.lowering = catalog.Lowering{}
	r.fused, r.traces = r.fused[:0], r.traces[:0]
	r.fewer = fewer{}
}

// fused is the last linear layer of a head, which its loss takes in.
type fused struct {
	node         int
	owners       Owners
	weight, bias op.Tensor
	hasBias      bool
}

// Of is the tape of a model with its loss, and the type of the first component that no operations are known of, if there is one.
func Of(res *infer.Result, o Options) (t *Tape, missing string) { return new(Room).Of(res, o) }

// Of is the same in memory that was used before. The tape is good until the next.
func (r *Room) Of(res *infer.Result, o Options) (t *Tape, missing string) {
	if o.Frozen == nil {
		o.Frozen = func(int32) bool { return false }
	}
	if o.Module == nil {
		o.Module = func(*infer.Node) catalog.Module { return nil }
	}
	r.givenUp = 0
	for k := r.fewer.from(res, o.Kind); ; k++ {
		r.lowering.Parts = mostParts[k]
		if missing = r.follow(res, &o); missing != tooLong || r.lowering.Parts == 1 {
			return &r.tape, missing
		}
		r.fewer.note(res, o.Kind, k+1)
		r.givenUp += r.tape.Steps() + r.vain
	}
}

// follow appends all components and the losses. It ends where the tape becomes too long and the parts of components can be fewer.
func (r *Room) follow(res *infer.Result, o *Options) (missing string) {
	t := &r.tape
	t.Begin(len(res.Nodes), o.Batch, o.Precision, o.Frozen)
	t.Micro, t.g.Card, t.peakOnly = o.Micro, o.Card, o.PeakOnly
	r.layers, r.fused, r.unknowns, r.unordered = (checkpointed{}), r.fused[:0], r.unknowns[:0], nil
	r.traces, r.group = zeros(r.traces, len(res.Nodes)), r.group[:0]
	r.most, r.vain, r.alike = mostSteps+mostOfEach*len(res.Nodes), 0, 0
	r.findHeads(res)
	r.program.Precision, r.program.Single, r.program.Eval = o.Precision, o.Batch == 1, o.Use != nil
	r.lowering = catalog.Lowering{P: &r.program, Eager: o.Eager, Masks: o.Masks, Undropped: o.Undropped, X: r.lowering.X, Parts: r.lowering.Parts,
		Adapters: o.Adapters, Stored: o.Stored}
	r.noGrad = res.WithoutGradients()
	if o.Use != nil {
		r.use(o.Use)
	}
	if o.Until != nil || o.Use != nil {
		t.ends = make([]int32, len(res.Nodes))
	}
	for k, i := range res.Wiring.Order {
		t.lookAhead(k, len(res.Wiring.Order))
		why := r.place(res, i, o)
		if why == tooLong && r.lowering.Parts > 1 {
			if r.lowering.Parted {
				return why
			}
			r.lowering.Parts = 1 // it would come to the same
		}
		if missing == "" {
			missing = why
		}
	}
	r.cyclic(res, o)
	r.layer("", "")
	for i := range res.Nodes {
		if n := &res.Nodes[i]; n.State == infer.Legal && len(res.Wiring.Outputs(i)) == 0 {
			t.End(i)
		}
	}
	t.model = len(t.steps)
	if o.Until != nil {
		t.extend(res, o.Until)
	}
	if o.Use != nil {
		r.give(res, o.Use)
		return missing
	}
	for _, i := range r.heads {
		r.lose(res, i, o)
	}
	return missing
}

// place appends one component, and returns its type where its operations are not known.
func (r *Room) place(res *infer.Result, i int, o *Options) (missing string) {
	n, t := &res.Nodes[i], &r.tape
	switch {
	case n.State == infer.Note:
	case o.Idle != nil && n.Type != nil && o.Idle(n):
		t.Idle(n.Weights)
	case n.Type.Has(catalog.IsVirtual):
		if n.Type.ID == infer.InputID && n.State == infer.Legal {
			t.Input(i, n.Out.Size(), n.OutIsInt)
		}
	case n.State != infer.Legal || n.Out == nil:
		missing = "unknown"
	default:
		missing = r.add(res, i, o)
	}
	if missing != "" {
		r.unknown(res, i)
	}
	return missing
}

// findHeads finds the components whose results losses are taken of: those that outputs read, or where there is no output those that nothing reads.
func (r *Room) findHeads(res *infer.Result) {
	r.heads = r.heads[:0]
	outputs := false
	for i := range res.Nodes {
		n := &res.Nodes[i]
		if n.State != infer.Legal || !n.Type.Has(catalog.IsVirtual) || n.Type.ID == infer.InputID {
			continue
		}
		for _, j := range res.Wiring.Inputs(i) {
			if outputs = true; !res.Nodes[j].OutIsInt && !slices.Contains(r.heads, int(j)) {
				r.heads = append(r.heads, int(j))
			}
		}
	}
	for _, i := range res.Wiring.Order { // that of a list decides nothing
		n := &res.Nodes[i]
		if !outputs && n.State == infer.Legal && !n.Type.Has(catalog.IsVirtual) && !n.OutIsInt && len(res.Wiring.Outputs(i)) == 0 {
			r.heads = append(r.heads, i)
		}
	}
}

// add appends the operations of a component, or returns why there are none: its type, or that they are too many.
func (r *Room) add(res *infer.Result, i int, o *Options) (missing string) {
	if o.Unit != nil {
		r.layer(o.Unit(&res.Nodes[i]))
	}
	separate, from := r.separate(res, i, o), r.tape.mark()
	if !separate || !r.repeat(res, i, o) {
		graded, missing := r.lower(res, i, o)
		if missing != "" {
			return missing
		}
		r.note(i, from, separate && graded)
	}
	if ends := r.tape.ends; ends != nil {
		ends[i] = int32(r.tape.Steps())
	}
	return ""
}

// fuses reports whether the loss of a component takes its last map in.
func (r *Room) fuses(res *infer.Result, i int, o *Options) bool {
	return o.FusedLoss && len(res.Wiring.Outputs(i)) == 1 && slices.Contains(r.heads, i)
}

// lower appends the operations of a component, and reports whether autograd follows them. It returns why there are none.
func (r *Room) lower(res *infer.Result, i int, o *Options) (graded bool, missing string) {
	n, t, p, l := &res.Nodes[i], &r.tape, &r.program, &r.lowering
	if r.vain > r.most/16 {
		return false, tooLong // and so it is with what follows: a component can have twenty thousand steps
	}
	l.Begin(n.Type, catalog.Call{Type: n.Type, Args: n.Args, In: n.In, InIsInt: n.InIsInt(), Out: n.Out, OutIsInt: n.OutIsInt}, n.Weights)
	if l.Rank = 0; o.Rank != nil {
		l.Rank, l.Adapted = o.Rank(i), o.Adapted(i)
	}
	if o.Quantised != nil {
		l.Quantised = o.Quantised(i)
	}
	owners := Owners{Own: i}
	if n.Shares > 0 {
		theirs := &res.Nodes[n.Shares-1]
		if n.Calls() {
			owners.Own, l.Weights = int(n.Shares)-1, theirs.Weights
		} else if len(theirs.Weights) > 0 {
			owners.Tied, l.Tied = int(n.Shares)-1, &theirs.Weights[0]
		}
	}
	inputs := res.Wiring.Inputs(i)
	if slices.ContainsFunc(inputs, func(j int32) bool { return t.results[j] < 0 }) {
		return false, "unknown" // it reads what is not there
	}
	t.Arrives(p, inputs)
	if p.Out = l.Lower(o.Module(n)); p.Out == op.None {
		return false, n.Type.ID
	}
	if t.Steps()+len(p.Steps) > r.most || r.fewerParts(res, i, o) {
		r.vain += len(p.Steps)
		return false, tooLong
	}
	if unreadable(p) {
		return false, n.Type.ID
	}
	if r.fuses(res, i, o) {
		r.cut(i, owners)
	}
	t.noGrad = r.noGrad != nil && r.noGrad[i]
	graded = !t.noGrad
	t.Add(i, p, inputs, owners)
	t.noGrad = false
	if o.Use != nil {
		t.added(i)
	}
	return graded, ""
}

// checkpointed is the layer that is under way, a part of it, and the steps at which they began.
type checkpointed struct {
	layer, part    string
	from, partFrom int
}

// layer ends a unit of checkpointing where another begins: the part before the layer.
func (r *Room) layer(layer, part string) {
	c, at := &r.layers, r.tape.Steps()
	if layer == c.layer && part == c.part {
		return
	}
	if c.part != "" {
		r.tape.Checkpoint(c.partFrom)
	}
	c.part, c.partFrom = part, at
	if layer == c.layer {
		return
	}
	if c.layer != "" {
		r.tape.Checkpoint(c.from)
	}
	c.layer, c.from = layer, at
}

// cut takes the last linear layer off a head's program, for its loss.
func (r *Room) cut(node int, owners Owners) {
	p := &r.program
	s := p.LastLinear()
	if s == nil {
		return
	}
	f := fused{node: node, owners: owners, weight: p.Tensors[s.In[1]]}
	if f.hasBias = len(s.In) > 2; f.hasBias {
		f.bias = p.Tensors[s.In[2]]
	}
	f.weight.Shape, f.bias.Shape = slices.Clone(f.weight.Shape), slices.Clone(f.bias.Shape) // those of a program are used again
	r.fused = append(r.fused, f)
	p.Out, p.Steps = s.In[0], p.Steps[:len(p.Steps)-1]
}

// lose takes the loss of a head: with its last map in pieces, as the head's own model does, or as a training script, which has a name for the logits.
func (r *Room) lose(res *infer.Result, i int, o *Options) {
	n, p := &res.Nodes[i], &r.program
	if r.tape.results[i] < 0 || n.Out == nil {
		return
	}
	p.Reset()
	if at := slices.IndexFunc(r.fused, func(f fused) bool { return f.node == i }); at >= 0 {
		r.loseInPieces(n, &r.fused[at], o)
		return
	}
	logits, targets := p.Input(n.Out, op.Float), p.Input(nil, op.Int64)
	r.tape.Arrives(p, []int32{int32(i)})
	h, ok := o.Module(n).(catalog.Head)
	if o.LogProbs {
		r.tape.Heads(i)
		p.Out = op.LogProbs(p, logits, targets)
	} else if ok {
		r.tape.Heads(i)
		p.Out = h.Loss(p, logits, targets)
	} else {
		r.tape.Hold(i)
		p.Out = op.CrossEntropy(p, logits, targets)
	}
	r.tape.Loss(i, p, targetsOf(n.Out), Owners{})
	if ok { // the model's frame has a name for what its head read, last_hidden_state
		r.tape.Reach(res.Wiring.Inputs(i))
	}
}

// loseInPieces takes the loss of a head's last map.
func (r *Room) loseInPieces(n *infer.Node, f *fused, o *Options) {
	p := &r.program
	shape := slices.Clone(n.Out)
	shape[len(shape)-1] = f.weight.Shape[1]
	x, targets := p.Input(shape, op.Float), p.Input(nil, op.Int64)
	r.tape.Arrives(p, []int32{int32(f.node)})
	weight, bias := p.Weight(int(f.weight.Index), f.weight.Shape...), op.None
	if f.hasBias {
		bias = p.Weight(int(f.bias.Index), f.bias.Shape...)
	}
	p.Out = op.FusedLoss(p, x, weight, bias, targets, !o.Frozen(int32(f.owners.Own)))
	r.tape.Loss(f.node, p, targetsOf(n.Out), f.owners)
}

// targetsOf is how many of them a sample has: one for each place of an image or of a sequence.
func targetsOf(out catalog.Shape) int64 {
	switch out.Rank() {
	case 0:
		return 1
	case 3:
		return out.Size() / max(1, out[0])
	}
	return out.Size() / max(1, out.At(-1))
}
