package bench

import (
	"slices"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/infer"
	"github.com/modelverifier/verifier/internal/quantity"
)

// Chains in which nothing is left at their end: a number that is squared ten times is zero in 32 bits, and so is a
// gradient behind sixty sigmoids.
const (
	mostBends  = 3  // non-linear components in a row without a layer between them
	mostFading = 30 // layers in a row without a normalisation or a shortcut; a sigmoid counts three times
)

// steps is how long the chains are that end at a component.
type steps struct{ bends, fading int }

// chains returns those of every component, in one walk.
func chains(res *infer.Result) []steps {
	out := make([]steps, len(res.Nodes))
	for _, i := range res.Wiring.Order {
		n, in := &res.Nodes[i], res.Wiring.Inputs(i)
		if n.Type == nil || len(in) == 0 {
			continue
		}
		s := out[in[0]]
		for _, j := range in[1:] {
			if n.Type.Has(catalog.IsAdd) { // the shorter way carries the signal and the gradient
				s.bends, s.fading = min(s.bends, out[j].bends), min(s.fading, out[j].fading)
			} else {
				s.bends, s.fading = max(s.bends, out[j].bends), max(s.fading, out[j].fading)
			}
		}
		s.pass(n)
		out[i] = s
	}
	return out
}

func (s *steps) pass(n *infer.Node) {
	t := n.Type
	switch {
	case t.HasAny(catalog.IsNorm | catalog.HasNorm):
		*s = steps{}
	case t.Has(catalog.IsActivation) || isType(t, "multiply"):
		s.bends++
		if t.Has(catalog.Saturates | catalog.InUnit) {
			s.fading += 2
		}
	case n.Params > 0 && !isType(t, "layerScale"):
		s.bends = 0
		s.fading++
	}
}

// fadedAway finds such chains. It is asked of the whole model: what a component alone is says nothing of them.
func fadedAway(res *infer.Result) (out []fault) {
	for i, s := range chains(res) {
		n := &res.Nodes[i]
		label, id := n.Component.Label(), n.Component.ID
		switch {
		case s.bends == mostBends+1 && (n.Type.Has(catalog.IsActivation) || isType(n.Type, "multiply")):
			out = append(out, fault{id, "bends", label + quantity.Sprintf(": is non-linear component %d in a row with no "+
				"layer between them", s.bends)})
		case s.fading > mostFading && s.fading <= mostFading+3 && n.Params > 0:
			out = append(out, fault{id, "fading", label + quantity.Sprintf(": ends a chain of more than %d layers without "+
				"a normalisation or a shortcut, through which nothing passes", mostFading)})
		}
	}
	return out
}

// inner are the parameters that say how wide a component is inside.
var inner = []string{"expertDim", "intermediateSize", "ffDim", "hiddenSize"}

// nothingInside finds a component of no width inside, behind which nothing of the input is left.
func nothingInside(_ *infer.Result, _ int, n *infer.Node) string {
	for k := range n.Type.Params {
		if p := &n.Type.Params[k]; slices.Contains(inner, p.Name) && n.Args[k].Kind() == graph.Int && n.Args[k].Int() < 1 {
			return p.Name + " is 0, so that nothing passes"
		}
	}
	return ""
}
