package agent

import (
	"fmt"
	"slices"
	"strings"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/infer"
)

// fixes are the changes that findings name.
func (s *searcher) fixes(t *try) (out []move) {
	for _, f := range t.found {
		var m move
		for _, e := range f.Edits {
			if e.Inserts() {
				m.ops = append(m.ops, op{Op: "insert", Component: e.Component, Type: e.Type, From: e.From, To: e.To})
				continue
			}
			m.ops = append(m.ops, op{Op: "change", Component: e.Component,
				Params: map[string]any{e.Param: raw(e.Value.AppendJSON(nil))}})
		}
		if len(m.ops) > 0 && !s.guarded[m.ops[0].Component] {
			m.because = fmt.Sprintf("%sis refused (%s), and one change certainly repairs it: %s.", subjectOf(t.seen, f.Node),
				f.Message, f.Fix)
			out = append(out, m)
		}
	}
	return out
}

func subjectOf(res *infer.Result, node int) string {
	if node < 0 {
		return "The model "
	}
	return "The component " + res.Nodes[node].Component.Label() + " "
}

// numbers changes one number of a component near to a finding, or of one that the task does not keep, to a size that
// stands near to it.
func (s *searcher) numbers(t *try) (out []move) {
	if len(t.found) == 0 {
		return nil
	}
	f := &t.found[0]
	for _, i := range s.suspects(t) {
		c := t.seen.Nodes[i].Component
		near := neighbours(t.seen, i)
		for _, p := range c.Params {
			if p.Value.Kind() != graph.Int || c.Type == infer.InputID {
				continue
			}
			for _, v := range candidates(p.Value.Int(), near) {
				out = append(out, move{
					ops: []op{{Op: "change", Component: c.ID, Params: map[string]any{p.Name: v}}},
					because: fmt.Sprintf("%sis refused (%s); the fault may lie in %s, whose %s of %d becomes %d, a size that "+
						"stands near to it.",
						subjectOf(t.seen, f.Node), f.Message, c.Label(), p.Name, p.Value.Int(), v),
				})
			}
		}
	}
	return out
}

// suspects are the components whose numbers may be wrong: those that are not kept where the task keeps others, else
// those at most two connections from the first finding.
func (s *searcher) suspects(t *try) (out []int) {
	near := map[int]bool{}
	for _, f := range t.found {
		if f.Node >= 0 {
			for _, i := range around(t.seen, f.Node, 2) {
				near[i] = true
			}
		}
	}
	for i := range t.seen.Nodes {
		c := t.seen.Nodes[i].Component
		if !s.guarded[c.ID] && (len(s.guarded) > 0 || near[i]) {
			out = append(out, i)
		}
	}
	// What lies near to a finding comes first.
	slices.SortStableFunc(out, func(a, b int) int {
		if near[a] == near[b] {
			return a - b
		}
		if near[a] {
			return -1
		}
		return 1
	})
	return out
}

// around are the components at most so many connections from one.
func around(res *infer.Result, from, steps int) []int {
	out, seen := []int{from}, map[int]bool{from: true}
	for begin := 0; steps > 0; steps-- {
		end := len(out)
		for _, i := range out[begin:end] {
			for _, list := range [][]int32{res.Wiring.Inputs(i), res.Wiring.Outputs(i)} {
				for _, j := range list {
					if !seen[int(j)] {
						seen[int(j)] = true
						out = append(out, int(j))
					}
				}
			}
		}
		begin = end
	}
	return out
}

// neighbours are the sizes that stand at a component and near to it.
func neighbours(res *infer.Result, at int) (out []int64) {
	for _, i := range around(res, at, 3) {
		n := &res.Nodes[i]
		for _, p := range n.Component.Params {
			if p.Value.Kind() == graph.Int {
				out = append(out, p.Value.Int())
			}
		}
		for _, in := range n.In {
			out = append(out, in...)
		}
		out = append(out, n.Out...)
	}
	return out
}

// candidates are up to six other values for a number: of the sizes near to it those nearest, and a few simple
// multiples.
func candidates(v int64, near []int64) (out []int64) {
	near = slices.DeleteFunc(append(slices.Clone(near), v-1, v+1, v/2, 2*v), func(n int64) bool { return n < 1 || n == v })
	far := func(n int64) float64 { return float64(max(n, v)) / float64(min(n, v)) }
	slices.SortStableFunc(near, func(a, b int64) int {
		switch x, y := far(a), far(b); {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return int(a - b)
	})
	near = slices.Compact(near)
	return near[:min(6, len(near))]
}

// shapes gives the input and what feeds the output the sizes that the task asks for.
func (s *searcher) shapes(t *try) (out []move) {
	for i := range s.task.Constraints {
		c := &s.task.Constraints[i]
		if t.grade.Checks[i].Held || c.Kind != "input" && c.Kind != "output" {
			continue
		}
		for j := range t.seen.Nodes {
			n := &t.seen.Nodes[j]
			switch {
			case c.Kind == "input" && n.Component.Type == infer.InputID:
				out = append(out, s.settled(t, []place{{n.Component.ID, "shape", 0}}, func(place) any { return c.Shape },
					fmt.Sprintf("The task asks for an input of shape %v: %s.", catalog.Of(c.Shape...), t.grade.Checks[i].Got)))
			case c.Kind == "output" && n.Component.Type == "output" && len(c.Shape) > 0:
				if w := widthOf(t.seen, j); w != nil {
					out = append(out, s.settled(t, w.places, func(place) any { return c.Shape[len(c.Shape)-1] },
						fmt.Sprintf("The task asks for an output of shape %v: %s.", catalog.Of(c.Shape...),
							strings.TrimSuffix(t.grade.Checks[i].Got, "."))))
				}
			}
		}
	}
	return out
}
