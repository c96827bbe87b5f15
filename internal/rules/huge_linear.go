package rules

import (
	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/quantity"
)

// hugeWeights is where the weights of one flattened layer are worth a remark, together with half of the model: 10 million
// are 160 MB of training state with Adam. A rule of thumb.
const hugeWeights = 10_000_000

var _ = define(Rule{
	ID:       "huge-linear",
	Title:    "Most of the weights in one linear layer",
	Severity: Info,
	Doc:      `One linear layer behind a flattened image holds more than half of the weights of the model: each position has weights of its own, which overfit and tie the model to one input size. AlexNet and VGG were built like this; later networks take the mean over the positions first (global average pooling); GoogLeNet does better than AlexNet with a twelfth of its weights. Pool before flattening, or narrow the layer.`,
	Source:   "Lin, Chen and Yan 2014, Network in Network, global average pooling; Szegedy et al. 2015 (GoogLeNet gained 0.6 % by average pooling). The limits are rules of thumb",
	Whole: func(p *Pass) {
		if p.Params < hugeWeights {
			return
		}
		for i := range p.With(catalog.IsAffine) {
			n := &p.Nodes[i]
			if n.Params < hugeWeights || n.Params <= p.Params/2 || n.Type.HasAny(catalog.IsConv|catalog.IsHead) {
				continue
			}
			if j, ok := p.Behind(i, catalog.IsDropout|catalog.IsActivation); ok && p.Is(j, catalog.IsView) && p.Nodes[j].In[0].Rank() > p.Nodes[j].Out.Rank() {
				p.Reportf(i, "holds %s of the %s weights, for %d inputs from the flattened %v", quantity.Short(n.Params), quantity.Short(p.Params), n.In[0].At(-1), p.Nodes[j].In[0])
			}
		}
	},
	Examples: []string{
		"x: input shape=[512,7,7]\nv: flatten\nf: linear outFeatures=4096 // want\nr: relu\ng: linear outFeatures=1000\no: output\nx -> v -> f -> r -> g -> o",
		"x: input shape=[512,7,7]\nv: globalAvgPool2d\nf: linear outFeatures=4096\nr: relu\ng: linear outFeatures=1000\no: output\nx -> v -> f -> r -> g -> o",
	},
})
