package layout

import (
	"cmp"
	"slices"
	"strings"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/infer"
)

// group finds the repeated layers of a model. It returns, for each component, which layer it belongs to: -1 before the layers, their
// number behind them.
func group(res *infer.Result) (at []int, layers int) {
	if at, layers = byScope(res); layers > 0 {
		return at, layers
	}
	return byCuts(res)
}

// byScope reads the layers from the module paths that importers leave: the numbered list with the most weights, in the order in which its
// items run.
func byScope(res *infer.Result) ([]int, int) {
	type place struct{ list, item string }
	places := make([]place, len(res.Nodes))
	weights, names := map[string]int64{}, []string{}
	for _, i := range res.Wiring.Order {
		list, item, ok := numbered(res.Nodes[i].Component.Scope())
		if !ok {
			continue
		}
		places[i] = place{list, item}
		if _, seen := weights[list]; !seen {
			names = append(names, list)
		}
		weights[list] = plus(weights[list], max(0, res.Nodes[i].Params))
	}
	if len(names) == 0 {
		return nil, 0
	}
	best := slices.MaxFunc(names, func(a, b string) int { return cmp.Compare(weights[a], weights[b]) }) // the first of equals
	layer := map[string]int{}
	at := make([]int, len(res.Nodes))
	for _, i := range res.Wiring.Order {
		if p := places[i]; p.item != "" && p.list == best {
			if _, seen := layer[p.item]; !seen {
				layer[p.item] = len(layer)
			}
		}
	}
	inside := func(i int) bool { return places[i].item != "" && places[i].list == best }
	front := inFront(res, inside)
	for i := range at {
		switch {
		case inside(i):
			at[i] = layer[places[i].item]
		case front[i]:
			at[i] = -1
		default:
			at[i] = len(layer)
		}
	}
	return at, len(layer)
}

// inFront marks the components that run in front of the layers wherever the order has them: they need no layer, and the layers need them, as a
// table that the first layer reads, or nothing behind the layers does. A decoder that begins beside an encoder is behind the encoder's layers.
func inFront(res *infer.Result, inside func(i int) bool) []bool {
	n := len(res.Nodes)
	needs, needed, joins, front := make([]bool, n), make([]bool, n), make([]bool, n), make([]bool, n)
	for _, i := range res.Wiring.Order {
		needs[i] = inside(i) || slices.ContainsFunc(res.Wiring.Inputs(i), func(j int32) bool { return needs[j] })
	}
	for _, i := range slices.Backward(res.Wiring.Order) {
		for _, j := range res.Wiring.Outputs(i) {
			needed[i] = needed[i] || inside(int(j)) || needed[j]
			joins[i] = joins[i] || needs[j] || joins[j]
		}
		front[i] = !needs[i] && (needed[i] || !joins[i])
	}
	return front
}

// numbered cuts a path at its first number: model.layers.3.mlp lies in model.layers.3, an item of model.layers.
func numbered(path string) (list, item string, ok bool) {
	for m := range graph.Modules(path) {
		if cut := strings.LastIndexByte(m, '.'); cut >= 0 && graph.IsNumbered(m) {
			return m[:cut], m, true
		}
	}
	return "", "", false
}

// byCuts finds layers where nothing names them: from one attention layer, or whatever mixes positions, to the next, cut where a
// single tensor flows on.
func byCuts(res *infer.Result) ([]int, int) {
	order := res.Wiring.Order
	anchors := anchorsOf(res, func(t *catalog.Type) bool {
		return t.HasAny(catalog.IsAttention|catalog.IsRecurrent) || t.ID == "mamba" || t.ID == "mamba2"
	})
	if len(anchors) == 0 {
		anchors = anchorsOf(res, func(t *catalog.Type) bool {
			return t.Weights != nil && !t.HasAny(catalog.IsNorm|catalog.IsEmbedding|catalog.IsHead)
		})
	}
	at := make([]int, len(res.Nodes))
	for i := range at {
		at[i] = -1
	}
	if len(anchors) == 0 {
		return at, 0
	}
	clean := cuts(res)
	starts := []int{} // positions at which layers start
	for k, a := range anchors {
		from := 0
		if k > 0 {
			from = anchors[k-1] + 1
		}
		start := -1
		for p := a; p >= from; p-- {
			if p == 0 || clean[p-1] {
				start = p
				break
			}
		}
		if start >= 0 && (len(starts) == 0 || start > starts[len(starts)-1]) {
			starts = append(starts, start)
		} else if len(starts) == 0 {
			starts = append(starts, a)
		}
	}
	end := lastEnd(res, starts, anchors[len(anchors)-1], clean)
	layer := -1
	for p, i := range order {
		if layer+1 < len(starts) && p >= starts[layer+1] {
			layer++
		}
		at[i] = layer
		if p >= end {
			at[i] = len(starts)
		}
	}
	return at, len(starts)
}

// anchorsOf returns the positions, in the order of the walk, of components that a layer has one of.
func anchorsOf(res *infer.Result, is func(*catalog.Type) bool) []int {
	var out []int
	for p, i := range res.Wiring.Order {
		if t := res.Nodes[i].Type; t != nil && is(t) {
			out = append(out, p)
		}
	}
	return out
}

// cuts says behind which positions exactly one tensor flows on, the model's inputs aside.
func cuts(res *infer.Result) []bool {
	order := res.Wiring.Order
	position := make([]int, len(res.Nodes))
	for p, i := range order {
		position[i] = p
	}
	ends := make([]int, len(order)+1) // how many tensors are last read at a position
	clean := make([]bool, len(order))
	live := 0
	for p, i := range order {
		live -= ends[p]
		last := p
		for _, j := range res.Wiring.Outputs(i) {
			last = max(last, position[j])
		}
		if t := res.Nodes[i].Type; last > p && t != nil && t.ID != infer.InputID && !t.Has(catalog.IsTensor) {
			live++
			ends[last]++
		}
		clean[p] = live == 1
	}
	return clean
}

// lastEnd is the position behind the last layer: as far from its start as the layer before it was long, where that is a cut; else in
// front of the last component with weights.
func lastEnd(res *infer.Result, starts []int, anchor int, clean []bool) int {
	order := res.Wiring.Order
	n := len(starts)
	if n > 1 {
		if end := starts[n-1] + starts[n-1] - starts[n-2]; end > anchor && end <= len(order) && clean[end-1] {
			return end
		}
	}
	for p := len(order) - 1; p > anchor; p-- {
		if len(res.Nodes[order[p]].Weights) > 0 && clean[p-1] {
			return p
		}
	}
	return min(anchor+1, len(order))
}
