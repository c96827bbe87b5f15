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
	owned  []bool // whether the result of a component is kept already

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
	if n.Saves.New > 0 && k.res.Lower(i, &k.lowering) {
		k.inside(p, n)
	}
}

// inside adds the tensors inside of the component that was lowered last.
func (k *keeper) inside(p *part, n *infer.Node) {
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
	for range len(k.res.Nodes) {
		in := k.res.Wiring.Inputs(i)
		if !k.res.Nodes[i].Type.Has(catalog.IsView) || len(in) == 0 {
			break
		}
		i = int(in[0])
	}
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
