package rules

import (
	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/infer"
)

// depth is how much lies between the inputs of the graph and the result of a component on the shortest way: a shortcut
// around layers makes it short, however many layers there are. Veit et al. 2016 found that the short ways through a residual
// network carry nearly all of its gradient, and that is what the rules on depth ask about.
type depth struct {
	layers     int32 // layers with weights, those with a residual connection inside left out
	attention  int32 // of these, attention
	saturating int32 // saturating activations since the last normalisation
	slopes     int32 // the same, but those whose slope is at most 1/4 count twice
}

// depths returns the depth of every component. Where something is unknown it begins again from zero: rules hold back.
func (p *Pass) depths() []depth {
	if p.depth != nil {
		return p.depth
	}
	p.depth = make([]depth, len(p.Nodes))
	for _, i := range p.Wiring.Order {
		n := &p.Nodes[i]
		if n.State != infer.Legal || n.Type.HasAny(catalog.IsOpaque|catalog.IsTensor) {
			continue
		}
		d := p.nearest(i)
		d.pass(n)
		p.depth[i] = d
	}
	return p.depth
}

// nearest returns the least of the depths that arrive. A tensor of the model itself is no way around anything.
func (p *Pass) nearest(i int) depth {
	var d depth
	first := true
	for _, j := range p.Wiring.Inputs(i) {
		from := p.depth[j]
		if p.Nodes[j].Type.Has(catalog.IsTensor) {
			continue
		}
		if first {
			d, first = from, false
			continue
		}
		d.layers, d.attention = min(d.layers, from.layers), min(d.attention, from.attention)
		d.saturating, d.slopes = min(d.saturating, from.saturating), min(d.slopes, from.slopes)
	}
	return d
}

// pass goes through one component.
func (d *depth) pass(n *infer.Node) {
	t := n.Type
	if t.HasAny(catalog.IsNorm | catalog.HasNorm) {
		d.saturating, d.slopes = 0, 0
	}
	if t.Has(catalog.HasResidual) {
		return
	}
	if t.HasAny(catalog.IsAffine|catalog.IsRecurrent) || t.HasAny(catalog.IsAttention|catalog.HasActivation) && n.Params > 0 {
		d.layers++
	}
	if t.Has(catalog.IsAttention) {
		d.attention++
	}
	if t.Has(catalog.Saturates) {
		d.saturating++
		d.slopes++
		if t.Has(catalog.InUnit) {
			d.slopes++
		}
	}
}

// deepest returns the component behind the output where a measure of depth is largest. What lies inside is not asked: a
// shortcut from the input to the output, as super-resolution networks have, is one for every layer between them.
func (p *Pass) deepest(measure func(depth) int32) (node int, most int32) {
	node = -1
	depths := p.depths()
	for o := range p.Outputs() {
		if i, ok := p.Only(o); ok && measure(depths[i]) > most {
			node, most = i, measure(depths[i])
		}
	}
	return node, most
}
