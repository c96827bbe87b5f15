package infer

import (
	"strconv"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/quantity"
)

// FlattenID is the type that joins the axes of a sample.
const FlattenID = "flatten"

// tryFlatten looks for a linear layer that was told how many values arrive in all, where they arrive on several axes: a flatten is missing.
// The repair is then that component, tried on the whole graph. Its own edit would have it read the last axis alone, which runs and is not
// what its number says.
func (w *walker) tryFlatten() {
	if len(w.res.Wiring.Duplicates) > 0 {
		return // ids that two components have say no place
	}
	tried := 0
	for k := range w.res.Refusals {
		r := &w.res.Refusals[k]
		node := &w.res.Nodes[r.Node]
		if r.Rule != catalog.LinearInMismatch || !node.readsFlat() {
			continue
		}
		if !node.fits(flat(node.In[0])) {
			if w.channelsOf(r.Node) {
				r.Edits = nil // pooling over the image, or the channels moved last: both would do
			}
			continue
		}
		if tried++; tried > mostTrials {
			return
		}
		e, g, ok := w.res.Insertion(FlattenID, r.Node)
		if !ok {
			continue
		}
		trial := w.attempt(g)
		if trial == nil {
			return
		}
		if w.settledBy(trial, trial.byRule()) {
			r.Edits = []Edit{e}
			r.Message += quantity.Sprintf("; a flatten of %v has that many", node.In[0])
		}
	}
}

// readsFlat reports whether a component maps the last axis of its one input, which has others.
func (n *Node) readsFlat() bool {
	return n.Type.Has(catalog.IsAffine) && !n.Type.Has(catalog.IsConv) && len(n.In) == 1 && n.In[0].Rank() > 1
}

// fits reports whether a component runs with another shape of its one input.
func (n *Node) fits(in catalog.Shape) bool {
	return in != nil && n.Type.Evaluate(n.Component.Params, []catalog.Shape{in}, n.inIsInt).Err == nil
}

// flat is a shape as one axis, nil where its size is beyond counting.
func flat(s catalog.Shape) catalog.Shape {
	size, ok := quantity.Mul(s...)
	if !ok {
		return nil
	}
	return catalog.Shape{size}
}

// channelsOf reports whether a linear layer was told the channels of an image that a convolution or pooling gives.
func (w *walker) channelsOf(i int) bool {
	in := w.res.Nodes[i].In[0]
	_, image := w.res.Image(i)
	return image && w.res.Nodes[i].fits(catalog.Shape{in[0]})
}

// Image returns the convolution or pooling whose result a component reads, through what keeps its shape, and whether there is one.
func (r *Result) Image(i int) (int, bool) {
	for range r.Nodes {
		in := r.Wiring.Inputs(i)
		if len(in) != 1 {
			return 0, false
		}
		i = int(in[0])
		n := &r.Nodes[i]
		switch {
		case n.Type == nil || n.Out == nil:
			return 0, false
		case n.Type.HasAny(catalog.IsConv | catalog.IsPool):
			return i, true
		case !n.Type.Has(catalog.KeepsShape):
			return 0, false
		}
	}
	return 0, false
}

// Insertion puts a component of a type in front of the one input of another, and returns the edit and the graph with it made; ok is false
// where there is not one connection that it could stand in.
func (r *Result) Insertion(typ string, reader int) (e Edit, changed *graph.Graph, ok bool) {
	edges := r.Wiring.InputEdges(reader)
	if len(edges) != 1 {
		return e, nil, false
	}
	g := *r.Graph
	at := edges[0]
	e = Edit{Type: typ, From: g.Connections[at].From, To: g.Connections[at].To}
	e.Component = r.fresh(e.To + "_" + typ)
	g.Components = append(append([]graph.Component(nil), g.Components...), graph.Component{ID: e.Component, Type: typ})
	g.Connections = append(append([]graph.Connection(nil), g.Connections...), graph.Connection{From: e.From, To: e.Component})
	g.Connections[at].From = e.Component
	return e, &g, true
}

// fresh is an id that no component has, with a number behind it where need be.
func (r *Result) fresh(id string) string {
	taken := make(map[string]bool, len(r.Nodes))
	for i := range r.Nodes {
		taken[r.Nodes[i].Component.ID], taken[r.Nodes[i].Component.Name] = true, true
	}
	out := id
	for n := 2; taken[out]; n++ {
		out = id + "_" + strconv.Itoa(n)
	}
	return out
}
