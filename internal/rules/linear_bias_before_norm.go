package rules

import (
	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
)

var _ = define(Rule{
	ID:       "linear-bias-before-norm",
	Title:    "A bias that the normalisation takes away again",
	Severity: Info,
	Doc:      `Batch and instance normalisation subtract the mean of each channel, and with it any constant that the layer before added to that channel: the bias has no effect and gets no gradient, but takes memory in weights, gradients and optimiser. Set bias to false; the normalisation has a shift of its own. Layer and root-mean-square normalisation mix the channels and do not cancel a bias, so they are left alone.`,
	Source:   "Ioffe and Szegedy 2015, Batch Normalization: the bias can be ignored, since its effect is cancelled by the mean subtraction",
	Whole: func(p *Pass) {
		for e := range p.Edges(catalog.IsAffine, catalog.CentresChannels) {
			from := &p.Nodes[e.From]
			perChannel := from.Type.Has(catalog.IsConv) || from.Out.Rank() == 1 // a bias along the last axis of more is not one for each channel
			if perChannel && p.Sole(e.From) && p.True(e.From, "bias") {
				p.ReportEdit(e.From, "bias", graph.BoolValue(false), "%s subtracts what the %d biases add", p.Label(e.To), width(from.Type, from.Out))
			}
		}
	},
	Examples: []string{
		"x: input shape=[3,32,32]\nc: conv2d outChannels=16 kernelSize=3 // want\nb: batchNorm\nr: relu\no: output\nx -> c -> b -> r -> o",
		"x: input shape=[3,32,32]\nc: conv2d outChannels=16 kernelSize=3 bias=false\nb: batchNorm\nr: relu\no: output\nx -> c -> b -> r -> o",
		"x: input shape=[32]\nf: linear outFeatures=64\nl: layerNorm normalizedShape=64\nr: relu\no: output\nx -> f -> l -> r -> o",
		"x: input shape=[12,32]\nf: linear outFeatures=64\nb: batchNorm\nr: relu\no: output\nx -> f -> b -> r -> o",
	},
})
