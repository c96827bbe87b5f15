package rules

import "github.com/modelverifier/verifier/internal/catalog"

var _ = define(Rule{
	ID:       "consecutive-linear",
	Title:    "Two linear layers with nothing between them",
	Severity: Info,
	Doc:      `Two linear layers or convolutions in a row can be multiplied out into one: they cost two and compute what one could. Put an activation between them, or join them. A first layer that is narrower than both sides restricts the rank, which is a known way to save weights, and depthwise or grouped convolutions save them too; both are left alone, and so is a first layer that others read as well.`,
	Source:   "arithmetic: the product of two matrices is a matrix; Goodfellow, Bengio and Courville 2016, Deep Learning, chapter 6; Chollet 2017, Xception, for separable convolutions that do better without an activation inside",
	Whole: func(p *Pass) {
		if p.linear() {
			return // no-nonlinearity says it for the whole model
		}
		for e := range p.Edges(catalog.IsAffine, catalog.IsAffine) {
			if !p.Sole(e.From) || p.grouped(e.From) || p.grouped(e.To) || p.factorises(e.From, e.To) {
				continue
			}
			p.Reportf(e.To, "follows %s with no activation between them", p.Label(e.From))
		}
	},
	Examples: []string{
		"x: input shape=[32]\nf: linear outFeatures=64\ng: linear outFeatures=64 // want\nr: relu\nh: linear outFeatures=10\no: output\nx -> f -> g -> r -> h -> o",
		"x: input shape=[32]\nf: linear outFeatures=64\nq: relu\ng: linear outFeatures=64\nr: relu\nh: linear outFeatures=10\no: output\nx -> f -> q -> g -> r -> h -> o",
		"x: input shape=[12,32]\nq: linear outFeatures=64\nk: linear outFeatures=64\nv: linear outFeatures=64\na: scaledDotProductAttention\nf: linear outFeatures=32\no: output\nx -> q\nx -> k\nx -> v\nq, k, v -> a -> f -> o",
		"x: input shape=[32]\nf: linear outFeatures=4 bias=false\ng: linear outFeatures=64\nr: relu\no: output\nx -> f -> g -> r -> o",
		"x: input shape=[32,8,8]\nd: depthwiseConv2d kernelSize=3 padding=1\nc: conv2d outChannels=64 kernelSize=1\nr: relu\no: output\nx -> d -> c -> r -> o",
	},
})

// grouped reports whether a map leaves channels apart.
func (p *Pass) grouped(i int) bool {
	return p.Is(i, catalog.IsDepthwise) || p.Arg(i, "groups").Int() > 1
}
