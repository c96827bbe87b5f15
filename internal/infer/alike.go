package infer

import (
	"slices"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
)

// recent holds the last components of a type that were inferred and run. Large models repeat a few blocks many times, and a
// component that is like an earlier one in parameters and inputs has the same result.
type recent struct {
	typ   *catalog.Type
	nodes [8]int32
	count int
}

// remember makes a component that runs available to those like it. An input is left out: its data type follows from its
// readers.
func (w *walker) remember(i int) {
	node := &w.res.Nodes[i]
	if node.Type.ID == InputID {
		return
	}
	r := w.recentOf(node.Type)
	if r == nil {
		w.recent = append(w.recent, recent{typ: node.Type})
		r = &w.recent[len(w.recent)-1]
	}
	r.nodes[r.count%len(r.nodes)] = int32(i)
	r.count++
}

func (w *walker) recentOf(t *catalog.Type) *recent {
	for i := range w.recent {
		if w.recent[i].typ == t {
			return &w.recent[i]
		}
	}
	return nil
}

// copyAlike takes over what is known of an earlier component that is like this one, and reports whether there was one. The
// inputs of both must be known.
func (w *walker) copyAlike(i int) bool {
	node := &w.res.Nodes[i]
	r := w.recentOf(node.Type)
	if r == nil {
		return false
	}
	for k := range min(r.count, len(r.nodes)) {
		like := r.nodes[(r.count-1-k)%len(r.nodes)]
		old := &w.res.Nodes[like]
		if !slices.Equal(node.inIsInt, old.inIsInt) || !slices.EqualFunc(node.In, old.In, catalog.Shape.Equal) ||
			!slices.EqualFunc(node.Component.Params, old.Component.Params, equalParam) {
			continue
		}
		node.Like = like + 1
		node.Args, node.State, node.Out, node.OutIsInt = old.Args, old.State, old.Out, old.OutIsInt
		node.Weights, node.Params, node.FLOPs = old.Weights, old.Params, old.FLOPs
		node.LacksWeights, node.LacksFLOPs = old.LacksWeights, old.LacksFLOPs
		return true
	}
	return false
}

func equalParam(a, b graph.Param) bool { return a.Name == b.Name && a.Value.Equal(b.Value) }
