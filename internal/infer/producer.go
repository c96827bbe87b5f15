package infer

import (
	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
)

// blameProducers looks for a producer that several consumers contradict in the same way. If two or more components want
// one other size of the same axis, and nothing is content with the size that it has, then the one wrong number is the
// producer's, and the edit of all these refusals names it.
func (w *walker) blameProducers() {
	if len(w.demands) < 2 {
		return
	}
	steps, seen := mostFollowed, make([]int32, len(w.res.Nodes))
	groups := map[source][]demand{}
	var order []source
	for _, d := range w.demands {
		src, ok := w.origin(d.from, d.axis)
		if !ok {
			continue
		}
		if groups[src] == nil {
			order = append(order, src)
		}
		groups[src] = append(groups[src], d)
	}
	for k, src := range order {
		group := groups[src]
		if len(group) < 2 || !agree(group) || w.anyContent(src, seen, int32(k)+1, &steps) {
			continue
		}
		producer := &w.res.Nodes[src.node]
		value := graph.IntValue(group[0].size)
		if r := evaluate(producer, producer.Type.Params[src.param].Name, value, producer.In, producer.inIsInt); r.Err != nil {
			continue
		}
		edit := []Edit{{Component: producer.Component.ID, Param: producer.Type.Params[src.param].Name, Value: value}}
		for _, d := range group {
			w.res.Refusals[d.refusal].Edits = edit
		}
	}
}

// source is the parameter of a component that sets the size of an axis.
type source struct{ node, param, axis int }

// origin follows an axis upstream, through components that keep the shape, to the parameter that set it.
func (w *walker) origin(i, axis int) (source, bool) {
	for range w.res.Nodes { // at most one step for each component
		node := &w.res.Nodes[i]
		if node.Type == nil || node.Out == nil {
			return source{}, false
		}
		for p := range node.Type.Params {
			if at, ok := node.Type.Params[p].Writes.In(len(node.Out)); ok && at == axis {
				return source{i, p, axis}, node.State == Legal
			}
		}
		inputs := w.res.Wiring.Inputs(i)
		if !node.Type.Has(catalog.KeepsShape) || len(inputs) != 1 {
			return source{}, false
		}
		i = int(inputs[0])
	}
	return source{}, false
}

func agree(group []demand) bool {
	for _, d := range group {
		if d.size != group[0].size {
			return false
		}
	}
	return true
}

// mostFollowed is how many connections are followed, of all producers together, to find who is content with one. What is behind more
// of them is not found out, and nobody is blamed.
const mostFollowed = 1 << 20

// anyContent reports whether a component downstream of the source, through components that keep the shape, runs with the
// size that it has and would not with another: one that was told the size, or a merge. Seen has a mark for each component, which
// is that of the last search that came by; steps are those that are left.
func (w *walker) anyContent(src source, seen []int32, mark int32, steps *int) bool {
	seen[src.node] = mark
	for queue := []int{src.node}; len(queue) > 0; queue = queue[1:] {
		readers := w.res.Wiring.Outputs(queue[0])
		if *steps -= len(readers); *steps < 0 {
			return true
		}
		for _, j := range readers {
			i := int(j)
			if seen[i] == mark {
				continue
			}
			seen[i] = mark
			node := &w.res.Nodes[i]
			if node.State == Legal && w.fixes(i, src.axis) {
				return true
			}
			if node.Type.Has(catalog.KeepsShape) {
				queue = append(queue, i)
			}
		}
	}
	return false
}

// fixes reports whether a legal component holds its input to the size of an axis: by a parameter that was given, or by
// another input.
func (w *walker) fixes(i, axis int) bool {
	node := &w.res.Nodes[i]
	if len(node.In) > 1 {
		return true
	}
	for p := range node.Type.Params {
		param := &node.Type.Params[p]
		if at, ok := param.Reads.In(len(node.In[0])); ok && at == axis && given(node, param.Name) {
			return true
		}
	}
	return false
}
