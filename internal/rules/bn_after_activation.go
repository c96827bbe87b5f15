package rules

import "github.com/modelverifier/verifier/internal/catalog"

var _ = define(Rule{
	ID:       "bn-after-activation",
	Title:    "Batch normalisation behind an activation",
	Severity: Info,
	Doc:      `Batch normalisation was designed to stand between a layer and its activation: there its input is closest to a bell curve, and the activation bends where the values are. Behind the activation it normalises what the activation left over, and it can no longer be folded into the layer before it for inference. Measurements disagree on accuracy (Mishkin et al. 2017 found it better behind ReLU on ImageNet, and ConvMixer is built that way), so this is a remark. Swap the two unless the order is meant.`,
	Source:   "Ioffe and Szegedy 2015, Batch Normalization; against it Mishkin, Sergievskiy and Matas 2017, Systematic evaluation of CNN advances on the ImageNet",
	Whole: func(p *Pass) {
		for e := range p.Edges(catalog.IsActivation, catalog.IsBatchNorm) {
			p.Reportf(e.To, "normalises behind the activation %s", p.Label(e.From))
		}
	},
	Examples: []string{
		"x: input shape=[32]\nf: linear outFeatures=64\nr: relu\nb: batchNorm // want\ng: linear outFeatures=10\no: output\nx -> f -> r -> b -> g -> o",
		"x: input shape=[32]\nf: linear outFeatures=64 bias=false\nb: batchNorm\nr: relu\ng: linear outFeatures=10\no: output\nx -> f -> b -> r -> g -> o",
	},
})
