package tape

import (
	"github.com/modelverifier/verifier/internal/allocator"
	"github.com/modelverifier/verifier/internal/infer"
	"github.com/modelverifier/verifier/internal/op"
)

// Use is how a model is used: behind model.eval(), under torch.no_grad().
type Use struct {
	// Caches says that the model writes token by token, and Past how many positions are in its cache when the pass begins.
	Caches bool
	Past   int64
	// Layer is the last component of the layer that calls one.
	Layer func(node int32) int32
	// Sampled says that the next token is chosen from a 32-bit copy of the logits.
	Sampled bool
}

// Pass is what was allocated in a pass without gradients.
type Pass struct {
	Weights int64 // with buffers
	Before  int64 // of its cache when the pass begins
	Cache   int64 // of its cache when the pass is through
	Most    int64 // of all, at the most
	Caching []int // components that have a cache
}

// used is what a tape knows of a model in use.
type used struct {
	pasts   []int32 // tensors of the cache that are there when a pass begins
	stores  []int32 // and that stay when it is through
	caching []int   // components that have some of these
	counted int     // of stores, when the last component was added

	returned []returned
}

// returned is a tensor that a component returned beside its result.
type returned struct{ tensor, node int32 }

func (t *Tape) past(x *op.Tensor) int32 {
	w := t.width(x.DType)
	id := t.tensor(tensor{bytes: t.bytes(x, w), width: uint8(w), float: true, role: op.Past, born: -1})
	t.pasts = append(t.pasts, id)
	return id
}

func (t *Tape) store(id int32) {
	b := t.tensors[id].base
	t.tensors[b].last = cached
	t.stores = append(t.stores, b)
}

// use prepares lowering for a model in use.
func (r *Room) use(u *Use) {
	r.lowering.Caches, r.lowering.Past = u.Caches, u.Past
	r.tape.frozen = func(int32) bool { return true }
}

// added notes what a component returned, and whether it has a cache.
func (t *Tape) added(node int) {
	for k := len(t.returned) - 1; k >= 0 && t.returned[k].node < 0; k-- {
		t.returned[k].node = int32(node)
	}
	if len(t.stores) > t.counted {
		t.counted = len(t.stores)
		t.caching = append(t.caching, node)
	}
}

// give holds what the model gives, and takes the next token from it.
func (r *Room) give(res *infer.Result, u *Use) {
	t, p := &r.tape, &r.program
	for _, i := range r.heads {
		t.Hold(i)
	}
	for _, x := range t.returned {
		if u.Layer != nil && x.node >= 0 {
			t.reads(x.tensor, t.ends[u.Layer(x.node)]-1)
		}
	}
	if u.Sampled && len(r.heads) > 0 && t.results[r.heads[len(r.heads)-1]] >= 0 {
		head := r.heads[len(r.heads)-1]
		p.Reset()
		logits := p.Input(res.Nodes[head].Out, op.Float)
		t.Arrives(p, []int32{int32(head)})
		p.Out = op.Copied32(p, logits, res.Nodes[head].Out...)
		t.Add(head, p, []int32{int32(head)}, Owners{})
	}
}

// extend keeps results until the last step of the components that a function names.
func (t *Tape) extend(res *infer.Result, until func(node int32) int32) {
	for i := range res.Nodes {
		if id, end := t.results[i], until(int32(i)); id >= 0 && end >= 0 && t.ends[end] > 0 {
			t.reads(id, t.ends[end]-1)
		}
	}
}

// Pass follows the pass. Where the allocator is followed, it is run twice: what the first one left decides where the second finds room.
func (t *Tape) Pass() (p Pass) {
	r := t.begin(nil)
	r.build()
	p.Caching, p.Weights = t.caching, r.live
	for id := range t.tensors {
		if x := &t.tensors[id]; x.born < 0 && x.role == op.Arrives {
			p.Weights -= allocator.Mean(x.bytes)
		}
	}
	for again := range 2 {
		if again > 0 && r.mean {
			break
		}
		p.Before, p.Most, p.Cache = r.pass()
	}
	return p
}

// pass runs all steps once. The tensors of a cache are made before, and go as they are read.
func (r *run) pass() (before, most, after int64) {
	begin := r.live
	for _, id := range r.tape.pasts {
		r.make(id)
	}
	before = r.live - begin
	r.phase()
	r.forwards()
	most = r.phase()
	r.letGo()
	after = r.live - begin
	for _, id := range r.tape.stores {
		r.release(id)
	}
	return before, most, after
}
