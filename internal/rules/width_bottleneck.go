package rules

import "github.com/modelverifier/verifier/internal/catalog"

// bottleneck is how many times wider both neighbours of a layer must be: a rule of thumb. The bottlenecks of residual
// networks narrow 4 times, gates of squeeze-and-excitation 16 times, and both keep a way around.
const bottleneck = 16

var _ = define(Rule{
	ID:       "width-bottleneck",
	Title:    "A layer much narrower than its neighbours",
	Severity: Info,
	Doc:      `Everything the model knows of a sample passes through this layer, which has less than a sixteenth of the width before and behind it: what does not fit is lost, and the wide layers around it cannot bring it back. Autoencoders want that, and are left alone where the result has the shape of the input; so are layers with a way around them and gates. Elsewhere it is often a slip of a digit: widen the layer.`,
	Source:   "the data-processing inequality: no later layer can restore what a narrow one drops. The factor of 16 is a rule of thumb",
	Whole: func(p *Pass) {
		if p.inferred || p.reconstructs() {
			return
		}
		for i := range p.With(catalog.IsAffine) {
			j, ok := p.Behind(i, catalog.IsActivation|catalog.IsNorm|catalog.IsDropout)
			if direct, _ := p.Only(i); !ok || j == direct || !p.Is(j, catalog.IsAffine) || !p.Sole(j) || p.gates(i) {
				continue // one that feeds another without an activation between them factorises a matrix
			}
			before, narrow, behind := p.widthInto(j), width(p.Nodes[j].Type, p.Nodes[j].Out), width(p.Nodes[i].Type, p.Nodes[i].Out)
			if narrow < before/bottleneck && narrow < behind/bottleneck {
				p.Reportf(j, "narrows %d to %d, and %s widens it to %d", before, narrow, p.Label(i), behind)
			}
		}
	},
	Examples: []string{
		"x: input shape=[512]\nf: linear outFeatures=8 // want\nr: relu\ng: linear outFeatures=512\ns: relu\nh: linear outFeatures=10\no: output\nx -> f -> r -> g -> s -> h -> o",
		"x: input shape=[512]\nf: linear outFeatures=128\nr: relu\ng: linear outFeatures=512\ns: relu\nh: linear outFeatures=10\no: output\nx -> f -> r -> g -> s -> h -> o",
		"x: input shape=[512]\nf: linear outFeatures=8\nr: relu\ng: linear outFeatures=512\no: output\nx -> f -> r -> g -> o",
	},
})

func (p *Pass) widthInto(i int) int64 { return width(p.Nodes[i].Type, p.Nodes[i].In[0]) }

// reconstructs reports whether a result has the shape of an input: an autoencoder, or a translation of the input.
func (p *Pass) reconstructs() bool {
	shapes := map[string]bool{}
	for i := range p.With(catalog.IsVirtual) {
		n := &p.Nodes[i]
		if !n.Type.Has(catalog.KeepsShape) {
			shapes[n.Out.String()] = true
		} else if shapes[n.Out.String()] {
			return true
		}
	}
	return false
}
