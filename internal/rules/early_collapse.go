package rules

import "github.com/modelverifier/verifier/internal/catalog"

var _ = define(Rule{
	ID:       "early-collapse",
	Title:    "A kernel over a single element",
	Severity: Warn,
	Doc:      `The layers before have already shrunk the image to one element, so all but one place of this kernel sees only padding: most of its weights never learn, and the layer is a dear linear layer. It happens when a network made for large images gets small ones. Remove a stride or a pool before it, enlarge the input, or use a kernel of size 1.`,
	Source:   "arithmetic: a 3×3 kernel with padding on one element multiplies 8 of its 9 weights by zero, always",
	Whole: func(p *Pass) {
		first, more := -1, 0
		for i := range p.With(catalog.IsConv | catalog.IsPool) {
			if p.Is(i, catalog.IsTransposed) || !p.seesOneElement(i) {
				continue
			}
			if first < 0 {
				first = i
			} else {
				more++
			}
		}
		if first >= 0 {
			kernel, n, _ := p.Spatial(first, "kernelSize")
			p.Reportf(first, "a kernel of size %v slides over the single element of %v (components behind the same collapse: %d more)", catalog.Shape(kernel[:n]), p.Nodes[first].In[0], more)
		}
	},
	Examples: []string{
		"x: input shape=[8,4,4]\nm: maxpool2d kernelSize=4\nc: conv2d outChannels=16 kernelSize=3 padding=1 // want\nr: relu\nd: conv2d outChannels=16 kernelSize=3 padding=1\nv: flatten\nf: linear outFeatures=10\no: output\nx -> m -> c -> r -> d -> v -> f -> o",
		"x: input shape=[8,4,4]\nm: maxpool2d kernelSize=2\nc: conv2d outChannels=16 kernelSize=3 padding=1\nv: flatten\nf: linear outFeatures=10\no: output\nx -> m -> c -> v -> f -> o",
		"x: input shape=[8,4,4]\nm: globalAvgPool2d\nu: reshape shape=[8,1,1]\nc: conv2d outChannels=16 kernelSize=1\no: output\nx -> m -> u -> c -> o",
		"z: input shape=[100,1,1]\nc: transposeConv2d outChannels=64 kernelSize=4\no: output\nz -> c -> o",
	},
})

// seesOneElement reports whether a window larger than 1 slides over an image of one element.
func (p *Pass) seesOneElement(i int) bool {
	in := p.Nodes[i].In[0]
	if in.Rank() == 0 || in.At(-1) != 1 {
		return false // at once, for nearly all
	}
	kernel, n, ok := p.Spatial(i, "kernelSize")
	if !ok || in.Rank() < n {
		return false
	}
	for _, size := range in[in.Rank()-n:] {
		if size != 1 {
			return false
		}
	}
	return max(kernel[0], kernel[n/2], kernel[n-1]) > 1
}
