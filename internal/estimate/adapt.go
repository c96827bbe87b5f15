package estimate

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/infer"
)

// Adaptation says which weights a run does not train. A pattern is the id of a component, its scope (the path of its module),
// a scope above it, or either with * and ? in it, where * takes no dot.
type Adaptation struct {
	Frozen []string // patterns of components whose weights stay as they are
	LoRA   *LoRA
}

// LoRA trains two thin matrices beside each linear layer, and nothing else (Hu et al. 2021), as peft does it: what an adapter reads is cast to its
// type, and what it gives is added to what the map gives.
type LoRA struct {
	Rank    int64
	Targets []string // as ParseTarget takes them; none stands for AllLinear
	Bits    int64    // of an element, one of AdapterBits; 16 stands for the type of the weights (autocast_adapter_dtype=False)
	Dropout float64  // the probability with which what an adapter reads is dropped
}

// Bounds of an adaptation.
const (
	MaxRank     = 1 << 16
	MaxPatterns = 64
	maxScope    = 300 // longer names have no pattern
)

// ParsePattern says what is wrong with a pattern, nil where nothing is.
func ParsePattern(pattern string) error {
	_, err := path.Match(slashed(pattern), "")
	return err
}

// Unmatched returns the first pattern of what is frozen that means no component of a model, with the field that has it: a name that is
// misspelt would otherwise freeze nothing and change nothing. MissingTarget does the same for the targets of adapters.
func (a *Adaptation) Unmatched(g *graph.Graph) (field, pattern string, found bool) {
	if a == nil {
		return "", "", false
	}
	for k, pattern := range a.Frozen {
		p := globOf(pattern)
		if !slices.ContainsFunc(g.Components, func(c graph.Component) bool { return p.means(&c) }) {
			return "frozen[" + strconv.Itoa(k) + "]", pattern, true
		}
	}
	return "", "", false
}

// isLinear reports whether a weight is the matrix of a linear layer: what recurrent layers, tables and convolutions have is not.
func isLinear(n *infer.Node, w *catalog.Weight) bool {
	return multiplies(n) && !n.Type.HasAny(catalog.IsEmbedding|catalog.IsTensor) && w.Shape.Rank() == 2 && strings.HasSuffix(w.Name, "weight")
}

// share is what of a component's weights is trained.
type share struct {
	own      bool   // its own weights are trained
	adapters int64  // maps that have adapters
	weights  uint64 // theirs, as bits by their numbers
}

// shares says for every component which of its weights are trained, into a list of as many. Without an adaptation, all.
func shares(res *infer.Result, a *Adaptation, out []share) []share {
	var targets []target
	var frozen []glob
	if a != nil && a.LoRA != nil {
		targets = parseTargets(a.LoRA.Targets)
	} else if a != nil {
		frozen = globsOf(a.Frozen)
	}
	for i := range res.Nodes {
		n := &res.Nodes[i]
		if n.Component == nil || len(n.Weights) == 0 {
			continue
		}
		switch {
		case a == nil:
			out[i].own = true
		case a.LoRA != nil:
			out[i].weights, out[i].adapters = a.LoRA.adapted(res, i, targets)
		default:
			out[i].own = !slices.ContainsFunc(frozen, func(g glob) bool { return g.means(n.Component) })
		}
	}
	return out
}

// givesLogits reports whether a component's result goes straight to an output.
func givesLogits(res *infer.Result, i int) bool {
	if res.Nodes[i].Type.Has(catalog.IsHead) {
		return true
	}
	for _, j := range res.Wiring.Outputs(i) {
		if res.Nodes[j].Type.Has(catalog.IsVirtual) {
			return true
		}
	}
	return false
}

// adapterWeights are the trained tensors that adapters add to a component: for a map from in to out, in×rank and rank×out.
func adapterWeights(n *infer.Node, weights uint64, rank int64) []catalog.Weight {
	var out []catalog.Weight
	for k := range n.Weights {
		if w := &n.Weights[k]; weights&bit(k) != 0 && isLinear(n, w) {
			out = append(out, catalog.Weight{Module: w.Path(), Name: "lora_A.weight", Shape: catalog.Of(rank, w.Shape[1]), Times: w.Times},
				catalog.Weight{Module: w.Path(), Name: "lora_B.weight", Shape: catalog.Of(w.Shape[0], rank), Times: w.Times})
		}
	}
	return out
}

// trainedNode is a component with the weights that are trained of it, and those alone.
func trainedNode(n *infer.Node, s share, a *Adaptation) *infer.Node {
	if s.own || len(n.Weights) == 0 {
		return n
	}
	trained := *n
	trained.Weights = nil
	if s.adapters > 0 {
		trained.Weights = adapterWeights(n, s.weights, a.LoRA.Rank)
	}
	return &trained
}

// trained is what a run trains of a model.
type trained struct {
	res    *infer.Result
	adapt  *Adaptation
	shares []share
}

// trained compares the patterns of a run with the names of a model once, however often the run is estimated.
func (r *Room) trained(res *infer.Result, a *Adaptation) []share {
	if last := &r.lastTrained; last.res != res || last.adapt != a || last.shares == nil {
		*last = trained{res, a, shares(res, a, make([]share, len(res.Nodes)))}
	}
	return r.lastTrained.shares
}

// TrainedParams is the number of weights that a run changes.
func (r *Room) TrainedParams(res *infer.Result, a *Adaptation) int64 {
	sum := int64(0)
	if a == nil {
		for i := range res.Nodes {
			if n := &res.Nodes[i]; n.State != infer.Absent {
				sum = plus(sum, n.Params)
			}
		}
		return sum
	}
	for i, s := range r.trained(res, a) {
		if n := &res.Nodes[i]; n.State != infer.Absent {
			t := trainedNode(n, s, a)
			for k := range t.Weights {
				sum = plus(sum, times(t.Weights[k].Times, max(0, t.Weights[k].Shape.Size())))
			}
		}
	}
	return sum
}
