package rules

import "github.com/modelverifier/verifier/internal/catalog"

var _ = define(Rule{
	ID:       "stride-exceeds-kernel",
	Title:    "A window that jumps over elements",
	Severity: Warn,
	Doc:      `The window moves further than it is wide, so the elements between two places are never read, and nothing learned before reaches them; a transposed convolution leaves gaps in its result that only the bias fills. Make the kernel at least as large as the stride. A window of size 1 is left alone: residual networks use it to bring a shortcut to size, knowingly.`,
	Source:   "arithmetic; for windows of size 1, He et al. 2019, Bag of Tricks for Image Classification with Convolutional Neural Networks, measure what reading a quarter of the elements costs",
	Whole: func(p *Pass) {
		for i := range p.With(catalog.IsConv | catalog.IsPool) {
			stride, n, ok := p.Spatial(i, "stride")
			if !ok || max(stride[0], stride[1], stride[2]) == 1 {
				continue
			}
			kernel, _, ok := p.Spatial(i, "kernelSize")
			if !ok {
				continue
			}
			dilation, _, ok := p.Spatial(i, "dilation")
			for k := range n {
				covers := kernel[k]
				if ok {
					covers = dilation[k]*(kernel[k]-1) + 1
				}
				if kernel[k] == 1 || stride[k] <= covers {
					continue
				}
				if p.Is(i, catalog.IsTransposed) {
					p.Reportf(i, "stride %d spreads the elements further apart than the %d that the kernel covers: gaps of %d are left", stride[k], covers, stride[k]-covers)
				} else {
					p.Reportf(i, "stride %d is larger than the %d that the window covers: %d of every %d elements are not read", stride[k], covers, stride[k]-covers, stride[k])
				}
				break
			}
		}
	},
	Examples: []string{
		"x: input shape=[3,32,32]\nc: conv2d outChannels=8 kernelSize=2 stride=3 // want\no: output\nx -> c -> o",
		"x: input shape=[3,32,32]\nm: maxpool2d kernelSize=2 stride=4 // want\no: output\nx -> m -> o",
		"x: input shape=[3,8,8]\nc: transposeConv2d outChannels=8 kernelSize=2 stride=3 // want\no: output\nx -> c -> o",
		"x: input shape=[3,32,32]\nc: conv2d outChannels=8 kernelSize=3 stride=2\nm: maxpool2d kernelSize=2\ns: conv2d outChannels=16 kernelSize=1 stride=2\no: output\nx -> c -> m -> s -> o",
	},
})
