package rules

import "github.com/modelverifier/verifier/internal/catalog"

const (
	// plainLayers is the depth at which a plain network was measured to train worse than a shallower one: He et al. 2016
	// compare plain networks of 18 and 34 layers on ImageNet, both with batch normalisation. MobileNet trains with 28.
	plainLayers = 34
	// plainAttention is a rule of thumb: Dong et al. 2021 prove that attention without shortcuts loses rank doubly
	// exponentially with depth, and see it within the first few layers of trained transformers.
	plainAttention = 6
)

var _ = define(Rule{
	ID:       "deep-no-residual",
	Title:    "A deep network without shortcuts",
	Severity: Warn,
	Doc:      `Every way from the input to the output leads through at least this many layers. Plain networks of this depth train worse than shallower ones, not because they overfit but because the error of training itself is higher; attention without shortcuts makes all positions alike within a few layers. Add the input of a block to its result (a residual connection), or concatenate it. The length counted is that of the shortest way, so a shortcut around a part is enough for that part.`,
	Source:   "He, Zhang, Ren and Sun 2016, Deep Residual Learning (plain-34 against plain-18); Dong, Cordonnier and Loukas 2021, Attention is not all you need. 6 layers of attention is a rule of thumb",
	Whole: func(p *Pass) {
		if p.inferred || p.layers < plainAttention {
			return // an importer that concluded connections may have missed the shortcuts
		}
		if i, n := p.deepest(func(d depth) int32 { return d.layers }); n >= plainLayers {
			p.Reportf(i, "%d layers with weights follow each other and no shortcut leads around any of them", n)
			return
		}
		if !p.Any(catalog.IsAttention) {
			return
		}
		if i, n := p.deepest(func(d depth) int32 { return d.attention }); n >= plainAttention {
			p.Reportf(i, "%d layers of attention follow each other and no shortcut leads around any of them", n)
		}
	},
	Examples: []string{
		chain([]string{"input shape=[16]"}, times(33, "linear outFeatures=16", "layerNorm normalizedShape=16", "relu"), []string{"linear outFeatures=4 // want", "output"}),
		chain([]string{"input shape=[12,16]"}, times(5, "selfAttention embedDim=16 numHeads=2", "layerNorm normalizedShape=16"), []string{"selfAttention embedDim=16 numHeads=2 // want", "output"}),
		chain([]string{"input shape=[16]"}, times(27, "linear outFeatures=16", "layerNorm normalizedShape=16", "relu"), []string{"linear outFeatures=4", "output"}),
		chain([]string{"input shape=[16]"}, times(33, "linear outFeatures=16", "layerNorm normalizedShape=16", "relu"), []string{"add", "linear outFeatures=4 // want", "output"}) + "\np: parameter shape=[16]\nn1 -> p -> n101",
		residual(40, "input shape=[16]", "linear outFeatures=16"),
		chain([]string{"input shape=[16]"}, times(39, "linear outFeatures=16", "relu"), []string{"linear outFeatures=16", "add", "output"}) + "\nn1 -> n81",
		chain([]string{"input shape=[12,16]"}, times(12, "transformerBlock embedDim=16 numHeads=2"), []string{"output"}),
	},
})
