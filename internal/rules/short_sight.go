package rules

// leastSeen is the share of the input that a position should have seen before positions are averaged.
const leastSeen = 0.5

var _ = define(Rule{
	ID:        "short-sight",
	Title:     "Positions are averaged before they have seen half of the input",
	Severity:  Info,
	Comparing: true,
	Doc:       `Here all positions of an image become one, and none of them has seen half of it: the windows before are too small, or too few. What is left is how often each small pattern occurs, and not where. Add layers, strides or pools before it, so that the receptive field grows over the image, or flatten instead. It is asked of classifiers of images and tables alone.`,
	Source:    "Luo et al. 2016, Understanding the Effective Receptive Field; Araujo et al. 2019, Computing Receptive Fields; the limit was measured on trained designs, see docs/outcomes.md",
	Whole: func(p *Pass) {
		if m := p.measure(); m != nil && m.pooled < leastSeen {
			p.Reportf(m.pooledAt, "averages positions that have seen %v %% of the input each", percent(m.pooled))
		}
	},
	Examples: []string{
		"x: input shape=[3,32,32]\nc: conv2d outChannels=64 kernelSize=3 padding=1\nr: relu\nm: globalAvgPool2d // want\nv: flatten\nh: linear outFeatures=10\no: output\nx -> c -> r -> m -> v -> h -> o",
		chain([]string{"input shape=[3,32,32]"}, times(4, "conv2d outChannels=64 kernelSize=3 padding=1", "relu", "maxpool2d kernelSize=2"), []string{"globalAvgPool2d", "flatten", "linear outFeatures=10", "output"}),
	},
})
