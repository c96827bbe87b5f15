package bench

import (
	"cmp"
	"strings"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/infer"
	"github.com/modelverifier/verifier/internal/rules"
)

var _ = defineKind(Kind{
	Name: "live",
	Doc: "Every component lies on a way from the input to the output, and its weights have an effect there: none of " +
		"them is multiplied by zero, dropped, cancelled by a normalisation, or meets nothing but padding. What a " +
		"start that runs has of this may stay.",
	Want: func(*Constraint) string {
		return "every component must lie on a way from the input to the output, and all of its weights must have an " +
			"effect on the output"
	},
	Holds: func(_ *Constraint, s *subject) (bool, string) {
		pardoned := map[fault]bool{}
		if before := s.started(); before != nil && !rules.Blocked(rules.Run(before)) {
			for _, f := range faultsOf(before) {
				pardoned[fault{f.id, f.trick, ""}] = true
			}
		}
		var found []string
		for _, f := range faultsOf(s.walked) {
			if !pardoned[fault{f.id, f.trick, ""}] {
				found = append(found, f.why)
			}
		}
		if n := len(found); n > mostFaults {
			return false, strings.Join(found[:mostFaults], "; ") + "; and " + count(n-mostFaults, "more component")
		}
		return len(found) == 0, cmp.Or(strings.Join(found, "; "), "all of it has an effect")
	},
})

// mostFaults is how many of them are named.
const mostFaults = 4

// fault is one way in which a component has no effect.
type fault struct{ id, trick, why string }

// trick is a way to have weights without effect.
type trick struct {
	name string
	find func(res *infer.Result, i int, n *infer.Node) string // says what is wrong with a component that runs, or ""
}

// tricks are those that are looked for, one file or a few lines each.
var tricks = []trick{
	{"dropout", drowned}, {"padding", onlyPadding}, {"one-position", aloneInSequence}, {"one-step", oneStep},
	{"one-value", normOfOne}, {"norm-twice", cancelledByNorm}, {"mean-of-norm", meanOfNorm}, {"rows", rowsUnread},
	{"experts", expertsUnvisited}, {"constant", vanishingConstant}, {"cut", cutAway}, {"product", linearProduct},
	{"same-twice", sameTwice}, {"nothing-inside", nothingInside},
}

// faultsOf looks for every trick in a model. What does not run is for another constraint to say.
func faultsOf(res *infer.Result) (out []fault) {
	fed, used := reach(res)
	for i := range res.Nodes {
		n := &res.Nodes[i]
		label, id := n.Component.Label(), n.Component.ID
		switch {
		case n.State == infer.Note:
			continue
		case n.State == infer.Absent:
			out = append(out, fault{id, "absent", label + " is never called"})
		case !fed[i]:
			out = append(out, fault{id, "unfed", label + " does not depend on the input"})
		case !used[i]:
			out = append(out, fault{id, "unused", label + " does not reach the output"})
		}
		if n.State != infer.Legal {
			continue
		}
		for _, t := range tricks {
			if why := t.find(res, i, n); why != "" {
				out = append(out, fault{id, t.name, label + ": " + why})
			}
		}
	}
	return append(out, fadedAway(res)...)
}

// reach marks what depends on the inputs, and what leads to the outputs. A tensor of the model's own depends on
// nothing; what joins it with something that does depends on the input again.
func reach(res *infer.Result) (fed, used []bool) {
	n := len(res.Nodes)
	fed, used = make([]bool, n), make([]bool, n)
	order := res.Wiring.Order
	for _, i := range order {
		t := res.Nodes[i].Type
		fed[i] = isType(t, infer.InputID)
		for _, j := range res.Wiring.Inputs(i) {
			fed[i] = fed[i] || fed[j]
		}
	}
	for k := len(order) - 1; k >= 0; k-- {
		i := order[k]
		used[i] = isType(res.Nodes[i].Type, "output")
		for _, j := range res.Wiring.Outputs(i) {
			used[i] = used[i] || used[j]
		}
	}
	return fed, used
}

func isType(t *catalog.Type, id string) bool { return t != nil && t.ID == id }
func isNorm(t *catalog.Type) bool            { return t.Has(catalog.IsNorm) }
