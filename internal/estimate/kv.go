package estimate

import (
	"slices"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/infer"
	library "github.com/modelverifier/verifier/internal/transformers"
)

// Kinds of what a model that writes token by token remembers of those before.
const (
	CacheFull    = "full"    // keys and values of every head
	CacheGrouped = "grouped" // of fewer heads than there are of queries
	CacheLatent  = "latent"  // one vector that keys and values are made of
	CacheSliding = "sliding" // of the last tokens only
	CacheCross   = "cross"   // of another sequence, which does not grow
	CacheState   = "state"   // of a recurrence, which does not grow
)

// Cache is what layers of one kind and size remember.
type Cache struct {
	Kind          string
	Layers        int64
	BytesPerToken int64 // of one layer and one sequence; 0 where it does not grow
	Window        int64 // tokens that it ends at; 0 for none
	Bytes         int64 // of all these layers and sequences when the last token has been written
}

// memory of one layer, in elements.
type remembered struct {
	node     int // the component
	kind     string
	perToken int64
	window   int64
	fixed    int64
	wide     int64 // the same in 32 bits, whatever the model computes in
}

// caches lists what every layer of a model remembers; none where it does not write token by token.
func caches(res *infer.Result) []remembered {
	if !generates(res) {
		return nil
	}
	var out []remembered
	behind := behindCausal(res)
	for _, i := range res.Wiring.Order {
		n := &res.Nodes[i]
		if !known(n) || len(n.In) == 0 || slices.ContainsFunc(n.In, func(s catalog.Shape) bool { return s == nil }) {
			continue
		}
		from := len(out)
		switch {
		case looksBack(n):
			out = append(out, attended(n))
			if n.Type.Has(catalog.HasMemory) {
				out = append(out, memoryOf(n))
			}
		case n.Type.Has(catalog.IsAttention):
			if r, ok := crossed(res, i, behind); ok {
				out = append(out, r)
			}
		default:
			r := remembered{kind: CacheState, wide: carried(n)}
			if r.wide == 0 { // a module of a library has its state in place of the type's
				r.fixed = stateOf(n)
			}
			if r.fixed > 0 || r.wide > 0 {
				out = append(out, r)
			}
		}
		for k := range out[from:] {
			out[from+k].node = i
		}
	}
	return out
}

// bytes is what a layer remembers of so many tokens of one sequence.
func (r *remembered) bytes(tokens, size int64) int64 {
	return plus(times(r.perToken, size, tokensKept(tokens, r.window)), times(r.fixed, size), times(r.wide, 4))
}

// generates reports whether a model can write token by token: it reads tokens, gives a result for each position, and every
// layer that mixes positions on the way looks back only.
func generates(res *infer.Result) bool {
	if !readsTokens(res) {
		return false
	}
	back, each := false, false
	for i := range res.Nodes {
		n := &res.Nodes[i]
		if !known(n) || n.Type == nil {
			continue
		}
		back = back || looksBack(n) || stateOf(n) > 0
		each = each || givesLogits(res, i) && n.Out.Rank() >= 2
	}
	return back && each
}

// looksBack reports whether attention sees only what came before. A mask that is computed in the graph may do so too; that
// is not known, and counts as no.
func looksBack(n *infer.Node) bool {
	if !n.Type.Has(catalog.IsAttention) {
		return false
	}
	if n.Type.Param("causal") != nil {
		return arg(n, "causal").Bool()
	}
	return n.Type.Has(catalog.IsCausal)
}

// behindCausal marks the components that depend on attention that looks back: those of a decoder.
func behindCausal(res *infer.Result) []bool {
	out := make([]bool, len(res.Nodes))
	for _, i := range res.Wiring.Order {
		out[i] = known(&res.Nodes[i]) && looksBack(&res.Nodes[i])
		for _, j := range res.Wiring.Inputs(i) {
			out[i] = out[i] || out[j]
		}
	}
	return out
}

// attended is what attention that looks back remembers of a token.
func attended(n *infer.Node) remembered {
	if state := stateOf(n); state > 0 {
		return remembered{kind: CacheState, fixed: state}
	}
	if rank := arg(n, "kvLoraRank").Int(); rank > 0 {
		return remembered{kind: CacheLatent, perToken: plus(rank, arg(n, "qkRopeHeadDim").Int())}
	}
	r := remembered{kind: CacheFull}
	heads, shared := arg(n, "numHeads").Int(), arg(n, "numKVHeads").Int()
	if n.Type.Has(catalog.IsMerge) && n.Type.Param("embedDim") == nil && len(n.In) >= 3 { // keys and values arrive as they are
		r.perToken = plus(perPosition(n.In[1]), perPosition(n.In[2]))
		if perPosition(n.In[1]) < perPosition(n.In[0]) {
			r.kind = CacheGrouped
		}
	} else {
		size := arg(n, "headDim").Int()
		if size <= 0 {
			size = arg(n, "embedDim").Int() / max(1, heads)
		}
		if shared <= 0 {
			shared = heads
		}
		r.perToken = times(2, shared, size)
	}
	if shared > 0 && shared < heads {
		r.kind = CacheGrouped
	}
	if w := arg(n, "windowSize").Int(); w > 0 {
		r.kind, r.window = CacheSliding, w
	}
	return r
}

// perPosition is the features of a position, over all heads.
func perPosition(s catalog.Shape) int64 {
	if s.Rank() < 2 {
		return 0
	}
	return s.Size() / max(1, s.At(-2))
}

// memoryOf is what a decoder block remembers of its second input; without one it attends to the first once more.
func memoryOf(n *infer.Node) remembered {
	both := times(2, arg(n, "embedDim").Int())
	if len(n.In) < 2 || n.In[1].Rank() == 0 {
		return remembered{kind: CacheFull, perToken: both}
	}
	return remembered{kind: CacheCross, fixed: times(both, n.In[1][0])}
}

// crossed is what attention from a decoder to another sequence remembers of that.
func crossed(res *infer.Result, i int, behind []bool) (remembered, bool) {
	n, from := &res.Nodes[i], res.Wiring.Inputs(i)
	if len(n.In) < 2 || len(from) != len(n.In) || !behind[from[0]] || behind[from[1]] {
		return remembered{}, false
	}
	switch {
	case n.In[1].Rank() < 2 || n.Type.Param("embedDim") == nil && len(n.In) < 3:
		return remembered{}, false
	case n.Type.Param("embedDim") != nil:
		return remembered{kind: CacheCross, fixed: times(2, arg(n, "embedDim").Int(), n.In[1].At(-2))}, true
	}
	return remembered{kind: CacheCross, fixed: plus(max(0, n.In[1].Size()), max(0, n.In[2].Size()))}, true
}

// stateOf is the elements of the state of a recurrence that runs in one direction; 0 where it has none.
func stateOf(n *infer.Node) int64 {
	if n.Type.State == nil {
		return 0
	}
	return n.Type.State(callOf(n))
}

// carried is the same of a module of a library that a component is, in 32-bit floats.
func carried(n *infer.Node) int64 {
	if v := library.Lookup(n.Type.ID, n.Component.As()); v != nil {
		if r, is := v.Module.(catalog.Recurrence); is {
			return r.State(callOf(n))
		}
	}
	return 0
}

func callOf(n *infer.Node) *catalog.Call {
	return &catalog.Call{Type: n.Type, Args: n.Args, In: n.In, InIsInt: n.InIsInt(), Out: n.Out, OutIsInt: n.OutIsInt}
}
