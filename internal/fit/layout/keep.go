package layout

import (
	"slices"
	"strings"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/infer"
	"github.com/modelverifier/verifier/internal/op"
)

// keeper adds up weights and kept tensors, each storage once.
type keeper struct {
	res    *infer.Result
	hidden int64
	owned  []bool   // whether the result of a component is kept already
	owners []int32  // the component in whose result that of another lies, from 1; 0 where nobody asked
	within []within // what is kept inside of a component; nil where nobody asked

	lowering catalog.Lowering
	made     []bool // by tensor of a program: whether a softmax gives it,
	attended []bool // and whether attention reads it
}

// weigh adds the weights of a component. Matrices are split by tensor parallelism; vectors, routers and the projections into a latent
// vector are on every rank, as Megatron-LM has them.
func (k *keeper) weigh(p *part, n *infer.Node) {
	for i := range n.Weights {
		w := &n.Weights[i]
		size := times(max(0, w.Times), max(0, w.Shape.Size()))
		switch {
		case w.Shape.Rank() == 2 && (n.Type.ID == "embedding" || n.Type.Has(catalog.IsHead)):
			p.tables = append(p.tables, table{w.Shape[0], times(max(0, w.Times), w.Shape[1])})
		case n.Type.Has(catalog.IsExperts) && strings.HasPrefix(w.Module, "experts"):
			p.expert = plus(p.expert, size)
		case w.Shape.Rank() < 2, n.Type.HasAny(catalog.IsNorm | catalog.IsPositional), isReplicated(w.Module):
			if n.Type.Has(catalog.IsAttention) && w.Shape.Rank() >= 2 && !isReplicated(w.Module) { // attention with positions of its own
				p.split = plus(p.split, size)
				continue
			}
			p.whole = plus(p.whole, size)
		default:
			p.split = plus(p.split, size)
		}
	}
}

// hasExpertBias reports whether a component is experts whose linear layers have a bias.
func hasExpertBias(n *infer.Node) bool {
	for i := range n.Weights {
		if w := &n.Weights[i]; n.Type.Has(catalog.IsExperts) && strings.HasPrefix(w.Module, "experts") && strings.HasSuffix(w.Name, "bias") {
			return true
		}
	}
	return false
}

// isReplicated names the linear layers inside a component that are replicated on every tensor-parallel rank.
func isReplicated(module string) bool {
	switch module {
	case "router", "gate", "shared_gate", "q_a_proj", "kv_a_proj_with_mqa":
		return true
	}
	return false
}

// keep adds what autograd saves of a component, with activations in 16 bits.
func (k *keeper) keep(p *part, i int) {
	n, in := &k.res.Nodes[i], k.res.Wiring.Inputs(i)
	for j, saved := range n.Saves.In {
		if saved && j < len(in) {
			k.result(p, int(in[j]))
		}
	}
	if n.Saves.Out {
		k.result(p, i)
	}
	if n.Saves.New > 0 {
		w := k.inside(i)
		p.stream, p.inner, p.scores = plus(p.stream, w.stream), plus(p.inner, w.inner), plus(p.scores, w.scores)
	}
}

// within are the bytes of the tensors inside of a component.
type within struct {
	known                 bool
	stream, inner, scores int64
}

// inside is what is kept inside of a component. One that is like an earlier one keeps the same.
func (k *keeper) inside(i int) *within {
	if like := int(k.res.Nodes[i].Like) - 1; like >= 0 && k.res.Nodes[like].Shares == k.res.Nodes[i].Shares {
		i = like
	}
	if k.within == nil {
		k.within = make([]within, len(k.res.Nodes))
	}
	w := &k.within[i]
	if !w.known {
		if w.known = true; k.res.Lower(i, &k.lowering) {
			k.lowered(w, &k.res.Nodes[i])
		}
	}
	return w
}

// lowered adds the tensors inside of the component that was lowered last.
func (k *keeper) lowered(p *within, n *infer.Node) {
	program := k.lowering.P
	k.made, k.attended = zeros(k.made, len(program.Tensors)), zeros(k.attended, len(program.Tensors))
	for j := range program.Steps {
		s := &program.Steps[j]
		k.made[s.Out] = s.Softmaxes()
		for _, v := range s.In {
			k.attended[program.Tensors[v].Base] = k.attended[program.Tensors[v].Base] || s.Attends()
		}
	}
	for _, v := range program.Saved() {
		t := &program.Tensors[v]
		if t.Role != op.Made || v == program.Tensors[program.Out].Base {
			continue
		}
		size := t.DType.Bytes()
		if t.DType == op.Float || t.DType == op.Float32 && t.Shared && len(t.Shape) > 1 { // a mask has the type of the scores that it is added to
			size = 2
		}
		bytes := times(t.Elems(), size)
		// Residual connections add, and norms read, tensors of the full width; what attention reads is split.
		if n.Type.Has(catalog.IsNorm) || n.Type.Has(catalog.HasResidual) && t.Elems() == n.In[0].Size() && !k.attended[v] {
			p.stream = plus(p.stream, bytes)
			continue
		}
		p.inner = plus(p.inner, bytes)
		if k.made[v] && n.Type.Has(catalog.IsAttention) {
			p.scores = plus(p.scores, bytes)
		}
	}
}

// zeros is a list of so many marks, in the memory of another.
func zeros(list []bool, n int) []bool {
	list = slices.Grow(list[:0], n)[:n]
	clear(list)
	return list
}

// result keeps the result of a component, in the storage that it lies in.
func (k *keeper) result(p *part, i int) {
	i = k.owner(i)
	n := &k.res.Nodes[i]
	if n.Type == nil || n.Out == nil || n.Type.ID == infer.InputID || n.Type.Has(catalog.IsTensor) || k.owned[i] {
		return
	}
	k.owned[i] = true
	bytes := times(2, max(0, n.Out.Size()))
	if n.Out.Rank() > 0 && n.Out.At(-1) == k.hidden {
		p.stream = plus(p.stream, bytes)
		return
	}
	p.inner = plus(p.inner, bytes)
}

// owner is the component in whose result that of another lies: what the first of a chain of views looks at. Many may read the end of one
// long chain, so that it is followed once.
func (k *keeper) owner(i int) int {
	if k.owners == nil {
		k.owners = make([]int32, len(k.res.Nodes))
	}
	viewed := func(i int) int {
		if in := k.res.Wiring.Inputs(i); k.res.Nodes[i].Type.Has(catalog.IsView) && len(in) > 0 {
			return int(in[0])
		}
		return i
	}
	at := i
	for steps := 0; k.owners[at] == 0 && viewed(at) != at && steps < len(k.res.Nodes); steps++ { // on a cycle none is the first
		at = viewed(at)
	}
	owner := at
	if known := k.owners[at]; known != 0 {
		owner = int(known) - 1
	}
	for ; i != at; i = viewed(i) {
		k.owners[i] = int32(owner) + 1
	}
	return owner
}
