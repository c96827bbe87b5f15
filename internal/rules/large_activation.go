package rules

import (
	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/quantity"
)

// activationBytes is what one component may keep for one sample before it is reported: 1 GiB, of which an 80 GB card holds
// fewer than 80 with nothing else on it. A rule of thumb.
const activationBytes = 1 << 30

var _ = define(Rule{
	ID:       "large-activation",
	Title:    "One sample takes a gigabyte in one component",
	Severity: Info,
	Doc:      `What this component gives, or keeps for the backward pass, takes a gigabyte or more for a single sample in 32-bit floats, so that memory and not arithmetic decides the batch size. Attention over very long sequences, logits over a large vocabulary and early layers on large images are the usual cases. Reduce the resolution or length earlier, compute the loss in parts, use fused attention, or recompute activations in the backward pass (checkpointing).`,
	Source:   "arithmetic on the inferred shapes; Chen et al. 2016, Training Deep Nets with Sublinear Memory Cost, for recomputation. The limit is a rule of thumb",
	Whole: func(p *Pass) {
		largest, most, others := -1, int64(activationBytes)-1, 0
		for _, i := range p.Wiring.Order { // the first of equals to run
			n := &p.Nodes[i]
			bytes := n.SavedBytes
			if size := n.Out.Size(); n.Out != nil && size <= maxElements && !n.Type.Has(catalog.IsTensor) {
				bytes = max(bytes, 4*size)
			}
			if bytes >= activationBytes {
				others++
			}
			if bytes > most {
				largest, most = i, bytes
			}
		}
		if largest >= 0 {
			bound := ""
			if p.Nodes[largest].LacksSaved() {
				bound = "at least "
			}
			p.Reportf(largest, "takes %s%s for one sample in 32-bit floats (components that take %s or more: %d)", bound, quantity.Bytes(most), quantity.Bytes(activationBytes), others)
		}
	},
	Examples: []string{
		"x: input shape=[131072]\ne: embedding vocabSize=32000 embedDim=64\nh: lmHead embedDim=64 vocabSize=32000 // want\no: output\nx -> e -> h -> o",
		"x: input shape=[8]\nm: customModule outShape=[300000000] // want\no: output\nx -> m -> o",
		"x: input shape=[2048]\ne: embedding vocabSize=32000 embedDim=64\nh: lmHead embedDim=64 vocabSize=32000\no: output\nx -> e -> h -> o",
	},
})

// maxElements is a count of 32-bit elements whose size in bytes fits in an int64.
const maxElements = 1 << 60
