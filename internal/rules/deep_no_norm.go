package rules

import "github.com/modelverifier/verifier/internal/catalog"

// bareLayers is one more than the deepest network that is widely trained with neither normalisation nor shortcuts: the 19
// layers of VGG-19, whose authors began from a shallower network that they had trained before.
const bareLayers = 20

var _ = define(Rule{
	ID:       "deep-no-norm",
	Title:    "A deep network without normalisation",
	Severity: Warn,
	Doc:      `Without a normalisation the scale of values and gradients is multiplied layer by layer, and from about this depth on it either vanishes or explodes unless the initialisation is tuned for it. Add batch, layer, group or root-mean-square normalisation, or shortcuts together with an initialisation made for them. Networks with selu, which normalises itself, and residual networks, some of which do without, are left alone.`,
	Source:   "Simonyan and Zisserman 2015, Very Deep Convolutional Networks for Large-Scale Image Recognition (deeper configurations were begun from a trained shallower one; Glorot's initialisation was later found to do); Ioffe and Szegedy 2015. The limit of 20 layers is a rule of thumb drawn from VGG-19",
	Whole: func(p *Pass) {
		if p.inferred || p.layers < bareLayers || p.Any(catalog.IsNorm|catalog.HasNorm|catalog.SelfNorms|catalog.IsOpaque) {
			return
		}
		if i, n := p.deepest(func(d depth) int32 { return d.layers }); n >= bareLayers {
			p.Reportf(i, "%d layers with weights follow each other and nothing in the model normalises", n)
		}
	},
	Examples: []string{
		chain([]string{"input shape=[16]"}, times(19, "linear outFeatures=16", "relu"), []string{"linear outFeatures=4 // want", "output"}),
		chain([]string{"input shape=[16]"}, times(19, "linear outFeatures=16", "layerNorm normalizedShape=16", "relu"), []string{"linear outFeatures=4", "output"}),
		chain([]string{"input shape=[16]"}, times(24, "linear outFeatures=16", "selu"), []string{"linear outFeatures=4", "output"}),
		residual(24, "input shape=[16]", "linear outFeatures=16"),
	},
})
