package infer

import (
	"slices"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
)

// Option is a parameter with values of which each repairs a refusal. Which one was meant is not in the graph, so that none is an edit.
type Option struct {
	Component string
	Param     string
	Values    []int64 // ascending
}

const (
	mostOptions = 6   // values of one parameter
	mostTried   = 128 // values that are tried for them
	mostChoices = 8   // refusals of a graph that get options: each is many evaluations
)

// dividing are the parameters whose values must divide another size, by the rule that says so.
var dividing = map[string][]string{
	catalog.HeadDimDivisibility:   {"numHeads"},
	catalog.GQAHeadDivisibility:   {"numKVHeads"},
	catalog.GroupDivisibility:     {"groups"},
	catalog.GroupNormDivisibility: {"numGroups"},
	catalog.ShuffleDivisibility:   {"groups", "upscaleFactor", "downscaleFactor"},
}

// offerOptions gives refusals of a size that does not divide another the values that do, nearest to the one that was written.
func (w *walker) offerOptions() {
	given := 0
	for k := range w.res.Refusals {
		r := &w.res.Refusals[k]
		names := dividing[r.Rule]
		if names == nil || len(r.Edits) > 0 || slices.ContainsFunc(w.res.Nodes[r.Node].In, func(s catalog.Shape) bool { return s == nil }) {
			continue
		}
		if given++; given > mostChoices {
			return
		}
		node := &w.res.Nodes[r.Node]
		for p := range node.Type.Params {
			name := node.Type.Params[p].Name
			if !slices.Contains(names, name) || p >= len(node.Args) || node.Args[p].Kind() != graph.Int {
				continue
			}
			if values := legal(node, name, node.Args[p].Int()); len(values) > 0 {
				r.Options = append(r.Options, Option{node.Component.ID, name, values})
			}
		}
	}
}

// legal are the values of a parameter with which a component runs, those nearest to what it was.
func legal(node *Node, name string, was int64) (out []int64) {
	for d := int64(1); d <= mostTried/2 && len(out) < mostOptions; d++ {
		for _, v := range [2]int64{was - d, was + d} {
			if v >= 1 && len(out) < mostOptions && evaluate(node, name, graph.IntValue(v), node.In, node.inIsInt).Err == nil {
				out = append(out, v)
			}
		}
	}
	slices.Sort(out)
	return out
}
