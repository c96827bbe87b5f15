package agent

import (
	"fmt"
	"slices"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/infer"
)

// shapers are the types that people put between layers to change a shape.
var shapers = []struct {
	typ    string
	params map[string]any
}{{"flatten", nil}, {"globalAvgPool2d", nil}, {"mean", map[string]any{"dim": 1}}}

// wires changes connections at what is refused: it takes inputs away where there are too many, adds one where one is
// missing, turns those of a cycle round, takes out what stands between layers without weights, and puts in what
// changes a shape.
func (s *searcher) wires(t *try) (out []move) {
	at := map[int]bool{}
	for _, f := range t.found {
		if f.Node < 0 || at[f.Node] || len(at) == 4 {
			continue
		}
		at[f.Node] = true
		why := fmt.Sprintf("%sis refused (%s)", subjectOf(t.seen, f.Node), f.Message)
		out = append(out, s.unwired(t, f.Node, why)...)
		out = append(out, s.wired(t, f.Node, why)...)
		out = append(out, s.between(t, f.Node, why)...)
	}
	return out
}

// unwired takes one of several inputs away, or turns a connection of a cycle round.
func (s *searcher) unwired(t *try, node int, why string) (out []move) {
	c := t.seen.Nodes[node].Component
	inputs := t.seen.Wiring.Inputs(node)
	for _, j := range inputs {
		from := t.seen.Nodes[j].Component
		if len(inputs) > 1 {
			out = append(out, move{ops: []op{{Op: "disconnect", From: from.ID, To: c.ID}},
				because: fmt.Sprintf("%s: what %s sends there is taken away.", why, from.Label())})
		}
		out = append(out, move{ops: []op{{Op: "disconnect", From: from.ID, To: c.ID}, {Op: "connect", From: c.ID,
			To: from.ID}},
			because: fmt.Sprintf("%s: the connection from %s is turned round.", why, from.Label())})
	}
	return out
}

// wired connects something to a component that lacks an input: what nobody reads first, then what stands before it in
// the list, then what has the shape that the component has elsewhere.
func (s *searcher) wired(t *try, node int, why string) (out []move) {
	n := &t.seen.Nodes[node]
	var from []int
	for i := range t.seen.Nodes {
		if len(t.seen.Wiring.Outputs(i)) == 0 && i != node && t.seen.Nodes[i].Component.Type != "output" {
			from = append(from, i)
		}
	}
	for i := node - 1; i >= max(0, node-4); i-- {
		from = append(from, i)
	}
	for _, i := range around(t.seen, node, 3) {
		if i != node && len(n.In) > 0 && t.seen.Nodes[i].Out.Equal(n.In[0]) {
			from = append(from, i)
		}
	}
	inputs := t.seen.Wiring.Inputs(node)
	for k, i := range from {
		if slices.Index(from, i) != k || slices.ContainsFunc(inputs, func(j int32) bool { return int(j) == i }) || len(out) == 8 {
			continue
		}
		id := t.seen.Nodes[i].Component.ID
		m := move{ops: []op{{Op: "connect", From: id, To: n.Component.ID}}, because: fmt.Sprintf("%s: %s feeds it too.",
			why, t.seen.Nodes[i].Component.Label())}
		if len(inputs) == 1 && len(n.In) == 1 { // in the place of what feeds it
			old := t.seen.Nodes[inputs[0]].Component
			m.ops = append(m.ops, op{Op: "disconnect", From: old.ID, To: n.Component.ID})
			m.because = fmt.Sprintf("%s: %s feeds it in the place of %s.", why, t.seen.Nodes[i].Component.Label(), old.Label())
			out = append(out, move{ops: m.ops[:1], because: fmt.Sprintf("%s: %s feeds it too.", why,
				t.seen.Nodes[i].Component.Label())})
		}
		out = append(out, m)
	}
	return out
}

// between takes out a component without weights near to what is refused, and puts in what changes a shape.
func (s *searcher) between(t *try, node int, why string) (out []move) {
	for _, i := range around(t.seen, node, 2) {
		n := &t.seen.Nodes[i]
		if n.Params > 0 || n.Component.Type == infer.InputID || n.Component.Type == "output" ||
			len(t.seen.Wiring.Inputs(i)) != 1 || s.guarded[n.Component.ID] {
			continue
		}
		out = append(out, move{ops: []op{{Op: "remove", Component: n.Component.ID, Join: true}},
			because: fmt.Sprintf("%s: %s, which changes the shape near to it, is taken out.", why, n.Component.Label())})
	}
	inputs := t.seen.Wiring.Inputs(node)
	if len(inputs) != 1 {
		return out
	}
	from, c := t.seen.Nodes[inputs[0]].Component, t.seen.Nodes[node].Component
	for _, shaper := range shapers {
		id := shaper.typ + "_" + c.ID
		out = append(out, move{
			ops: []op{{Op: "add", Component: id, Type: shaper.typ, From: from.ID, Params: shaper.params}, {Op: "disconnect",
				From: from.ID, To: c.ID},
				{Op: "connect", From: id, To: c.ID}},
			because: fmt.Sprintf("%s: a %s goes before it.", why, shaper.typ),
		})
	}
	return out
}

// revived connects what nobody reads to the merges behind it, the nearest first, and takes it out where it has no weights.
func (s *searcher) revived(t *try) (out []move) {
	for i := range t.seen.Nodes {
		n := &t.seen.Nodes[i]
		if len(t.seen.Wiring.Outputs(i)) > 0 || n.Type == nil || n.Component.Type == "output" {
			continue
		}
		why := capitalised(t.why("live"))
		if n.Params == 0 {
			out = append(out, move{ops: []op{{Op: "remove", Component: n.Component.ID}},
				because: fmt.Sprintf("%s: %s, which nobody reads, is taken out.", why, n.Component.Label())})
		}
		merges := 0
		for j := i + 1; j < len(t.seen.Nodes) && merges < 4; j++ {
			if m := &t.seen.Nodes[j]; m.Type != nil && m.Type.Has(catalog.IsMerge) {
				merges++
				out = append(out, move{ops: []op{{Op: "connect", From: n.Component.ID, To: m.Component.ID}},
					because: fmt.Sprintf("%s: %s reads %s too, which nobody read.", why, m.Component.Label(), n.Component.Label())})
			}
		}
	}
	return out
}
