package layout

import (
	"strings"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/infer"
)

// keeper adds up weights and kept tensors, each storage once.
type keeper struct {
	res    *infer.Result
	hidden int64
	owned  []bool // whether the result of a component is kept already
}

// weigh adds the weights of a component. Matrices are split by tensor parallelism; vectors, routers and the maps into a latent
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

// hasExpertBias reports whether a component is experts whose maps add a bias.
func hasExpertBias(n *infer.Node) bool {
	for i := range n.Weights {
		if w := &n.Weights[i]; n.Type.Has(catalog.IsExperts) && strings.HasPrefix(w.Module, "experts") && strings.HasSuffix(w.Name, "bias") {
			return true
		}
	}
	return false
}

// isReplicated names the maps inside a component that every tensor-parallel rank has in full.
func isReplicated(module string) bool {
	switch module {
	case "router", "gate", "shared_gate", "q_a_proj", "kv_a_proj_with_mqa":
		return true
	}
	return false
}

// keep adds what a component keeps for the backward pass, with activations in 16 bits.
func (k *keeper) keep(p *part, i int) {
	n := &k.res.Nodes[i]
	for j := range n.Kept {
		kept := &n.Kept[j]
		switch kept.Name {
		case catalog.KeptInput:
			if in := k.res.Wiring.Inputs(i); int(kept.Input) < len(in) {
				k.result(p, int(in[kept.Input]))
			}
		case catalog.KeptOutput:
			k.result(p, i)
		default:
			size := kept.As.Bytes()
			if kept.As == catalog.AsActivation {
				size = 2
			}
			bytes := times(max(0, kept.Elems), size)
			if n.Type.Has(catalog.IsNorm) || n.Type.Has(catalog.HasResidual) && k.isStream(n, kept) {
				p.stream = plus(p.stream, bytes)
			} else {
				p.inner = plus(p.inner, bytes)
				if strings.HasPrefix(kept.Name, "attention weights") {
					p.scores = plus(p.scores, bytes)
				}
			}
		}
	}
}

// isStream reports whether a tensor inside a block has the full width: what residual connections add, and what is normalised.
func (k *keeper) isStream(n *infer.Node, kept *catalog.Kept) bool {
	return len(n.In) > 0 && kept.Elems == n.In[0].Size() && !strings.Contains(kept.Name, "quer") && !strings.Contains(kept.Name, "key") && !strings.Contains(kept.Name, "value")
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
