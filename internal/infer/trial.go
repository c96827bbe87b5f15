package infer

import (
	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
)

// mostTrials bounds how many producers are tried in one graph: each trial is two more walks.
const mostTrials = 4

// tryProducers looks for a producer that a single consumer contradicts, where changing the consumer would only hand the fault on:
// an embedding of 65 features before a stack that is 64 wide throughout. Both changes are walked. The edit names the producer where
// that leaves fewer refusals than there are and changing the consumer does not; where both help, the consumer keeps the blame,
// unless the producer is an embedding whose width is not aligned (see unlikelyWidth).
func (w *walker) tryProducers() {
	tried := 0
	for _, d := range w.demands {
		r := &w.res.Refusals[d.refusal]
		if len(r.Edits) == 1 && r.Edits[0].Component != w.res.Nodes[d.node].Component.ID {
			continue // the producer is blamed already
		}
		src, ok := w.origin(d.from, d.axis)
		if !ok {
			continue
		}
		producer := &w.res.Nodes[src.node]
		edit := Edit{Component: producer.Component.ID, Param: producer.Type.Params[src.param].Name, Value: graph.IntValue(d.size)}
		doubtful := unlikelyWidth(producer, src.axis, d.size)
		if len(r.Edits) > 0 && w.res.Nodes[d.node].Out != nil && !doubtful {
			continue // what follows was walked as it will be: changing the reader settles this refusal and makes no other
		}
		if evaluate(producer, edit.Param, edit.Value, producer.In, producer.inIsInt).Err != nil {
			continue
		}
		if tried++; tried > mostTrials {
			return
		}
		before := len(w.res.Refusals)
		if len(r.Edits) > 0 && !doubtful && w.refusalsWith(d.node, r.Edits[0]) < before {
			continue
		}
		if w.refusalsWith(src.node, edit) < before {
			r.Edits = []Edit{edit}
		}
	}
}

// alignment is what the width of a table is a multiple of wherever its rows are multiplied by matrices in 16 bits (NVIDIA, "Deep
// Learning Performance Documentation", on tensor cores); published models keep to it.
const alignment = 8

// unlikelyWidth reports whether the producer is an embedding whose rows are not aligned, and would be with the size wanted: of two
// numbers that contradict each other, 65 and 64, the table was meant to have the aligned one.
func unlikelyWidth(producer *Node, axis int, wanted int64) bool {
	return producer.Type.Has(catalog.IsEmbedding) && producer.Out[axis]%alignment != 0 && wanted%alignment == 0
}

// refusalsWith counts the refusals of the graph with one parameter changed: those that it has where too much was attempted.
func (w *walker) refusalsWith(node int, e Edit) int {
	g := *w.res.Graph
	g.Components = append([]graph.Component(nil), g.Components...)
	c := &g.Components[node]
	c.Params = append([]graph.Param(nil), c.Params...)
	c.SetParam(e.Param, e.Value)
	if trial := w.attempt(&g); trial != nil {
		return len(trial.Refusals)
	}
	return len(w.res.Refusals)
}
