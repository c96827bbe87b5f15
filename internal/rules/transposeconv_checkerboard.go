package rules

import "github.com/modelverifier/verifier/internal/catalog"

var _ = define(Rule{
	ID:       "transposeconv-checkerboard",
	Title:    "A transposed convolution that overlaps unevenly",
	Severity: Info,
	Doc:      `Where the stride does not divide the kernel, some elements of the result are sums of more products than their neighbours, and pictures made this way show a checkerboard; the weights can learn against it, but seldom do so fully. Choose a kernel that is a multiple of the stride (4 with 2), or enlarge by upsampling and convolve behind it. Networks that are known to work have lived with it, so this is a remark.`,
	Source:   "Odena, Dumoulin and Olah 2016, Deconvolution and Checkerboard Artifacts, distill.pub",
	Whole: func(p *Pass) {
		for i := range p.With(catalog.IsTransposed) {
			kernel, n, ok := p.Spatial(i, "kernelSize")
			stride, _, okStride := p.Spatial(i, "stride")
			for k := 0; ok && okStride && k < n; k++ {
				if stride[k] > 1 && kernel[k] > stride[k] && kernel[k]%stride[k] != 0 {
					p.Reportf(i, "stride %d does not divide kernelSize %d: elements of the result overlap %d or %d times", stride[k], kernel[k], kernel[k]/stride[k], kernel[k]/stride[k]+1)
					break
				}
			}
		}
	},
	Examples: []string{
		"x: input shape=[16,8,8]\nc: transposeConv2d outChannels=8 kernelSize=3 stride=2 // want\no: output\nx -> c -> o",
		"x: input shape=[16,8,8]\nc: transposeConv2d outChannels=8 kernelSize=4 stride=2 padding=1\no: output\nx -> c -> o",
		"x: input shape=[16,8,8]\nc: transposeConv2d outChannels=8 kernelSize=3\no: output\nx -> c -> o",
	},
})
