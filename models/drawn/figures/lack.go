// Package figures holds answers to one property: a figure that lacks a component says so. It finds out by itself what nobody can know
// of a model, and reads texts entry by entry and JSON member by member. Only tests may import it.
package figures

import (
	"slices"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/infer"
)

// Lack is what nobody can know of a model, as ids of components: whose weights, whose FLOPs, and what they hold in memory.
type Lack struct{ Params, FLOPs, Memory []string }

// Of says what a model lacks for certain, whichever way its faults are repaired: components of a type that does not exist, custom modules
// with what they do not declare, and, where the model runs, all whose shapes are not known.
func Of(g *graph.Graph) (out Lack) {
	g = g.Clone()
	g.Normalize(catalog.Vocabulary)
	res := infer.Walk(g)
	for i := range res.Nodes {
		n := &res.Nodes[i]
		c := n.Component
		if n.State == infer.Note || n.State == infer.Absent || n.Type.Has(catalog.IsVirtual) {
			continue
		}
		unseen := len(res.Refusals) == 0 && (n.State == infer.Withheld || n.State == infer.Unknown)
		unknown, own := n.Type == nil, n.Type.Has(catalog.IsOpaque)
		if unknown || own && !declares(c, "numParams") {
			out.Params = append(out.Params, c.ID)
		}
		if unknown || own && !declares(c, "flops") {
			out.FLOPs = append(out.FLOPs, c.ID)
		}
		if unknown || unseen || own && c.As() == "" {
			out.Memory = append(out.Memory, c.ID)
		}
	}
	return out
}

func declares(c *graph.Component, param string) bool {
	v, given := c.Param(param)
	return given && v.Kind() == graph.Int && v.Int() >= 0
}

// Or is what one of two models lacks: a difference lacks what either does.
func (l Lack) Or(other Lack) Lack {
	return Lack{slices.Concat(l.Params, other.Params), slices.Concat(l.FLOPs, other.FLOPs), slices.Concat(l.Memory, other.Memory)}
}

// None reports whether nothing is lacking.
func (l Lack) None() bool { return len(l.Params)+len(l.FLOPs)+len(l.Memory) == 0 }
