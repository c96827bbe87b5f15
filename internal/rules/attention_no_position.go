package rules

import (
	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/infer"
)

var _ = define(Rule{
	ID:       "attention-no-position",
	Title:    "Attention that cannot tell positions apart",
	Severity: Warn,
	Doc:      `Attention treats its input as a set: without positions, any order of the same tokens or patches gives the same results in that order, and the model is a bag of words. Add learned or sinusoidal positions behind the embedding, or rotate queries and keys. Attention under a causal mask is left alone, since the mask itself tells positions apart and such models do learn order; so are models that meet a convolution, a recurrent layer or a second input first. For a true set, such as the fields of a table, waive the rule.`,
	Source:   "Vaswani et al. 2017, Attention Is All You Need, Positional Encoding; for causal masks Haviv et al. 2022 and Kazemnejad et al. 2023, The Impact of Positional Encoding on Length Generalization",
	Whole: func(p *Pass) {
		if !p.Any(catalog.IsAttention) || !p.Any(catalog.IsEmbedding|catalog.IsPatches) || p.inferred {
			return
		}
		orders := make([]order, len(p.Nodes))
		for _, i := range p.Wiring.Order {
			o := p.orderOf(i, orders)
			if p.Is(i, catalog.IsAttention) && o.sequence && !o.positions {
				p.Reportf(i, "no component before it tells the positions of its %d tokens apart", p.positions(i))
				o.positions = true // once: what follows has the same cause
			}
			orders[i] = o
		}
	},
	Examples: []string{
		"x: input shape=[64]\ne: embedding vocabSize=1000 embedDim=32\na: multiHeadAttention embedDim=32 numHeads=4 // want\nm: mean dim=1\nf: linear outFeatures=2\no: output\nx -> e -> a -> m -> f -> o",
		"x: input shape=[3,32,32]\ne: patchEmbed patchSize=8 embedDim=32\na: transformerBlock embedDim=32 numHeads=4 // want\nb: transformerBlock embedDim=32 numHeads=4\nm: mean dim=1\nf: linear outFeatures=2\no: output\nx -> e -> a -> b -> m -> f -> o",
		"x: input shape=[64]\ne: embedding vocabSize=1000 embedDim=32\nq: positionalEncoding maxLen=64 embedDim=32\na: multiHeadAttention embedDim=32 numHeads=4\nm: mean dim=1\nf: linear outFeatures=2\no: output\nx -> e -> q -> a -> m -> f -> o",
		"x: input shape=[64]\ne: embedding vocabSize=1000 embedDim=32\na: groupedQueryAttention embedDim=32 numHeads=4\nh: lmHead embedDim=32 vocabSize=1000\no: output\nx -> e -> a -> h -> o",
		"x: input shape=[64]\ne: embedding vocabSize=1000 embedDim=32\nq: linear outFeatures=32\nk: linear outFeatures=32\nv: linear outFeatures=32\na: scaledDotProductAttention // want\no: output\nx -> e -> q\ne -> k\ne -> v\nq, k, v -> a -> o",
		"x: input shape=[64]\ne: embedding vocabSize=1000 embedDim=32\nq: linear outFeatures=32\nk: linear outFeatures=32\nv: linear outFeatures=32\na: scaledDotProductAttention causal=true\no: output\nx -> e -> q\ne -> k\ne -> v\nq, k, v -> a -> o",
		"x: input shape=[64]\ne: embedding vocabSize=1000 embedDim=32\np: parameter shape=[64,32]\ns: add\na: multiHeadAttention embedDim=32 numHeads=4\no: output\nx -> e\ne -> p\ne, p -> s -> a -> o",
		"x: input shape=[64]\ne: embedding vocabSize=1000 embedDim=32\np: parameter shape=[4,32]\na: crossAttention embedDim=32 numHeads=4\no: output\nx -> e -> p\np, e -> a -> o",
		"x: input shape=[64]\nq: input shape=[64]\ne: embedding vocabSize=1000 embedDim=32\nw: embedding vocabSize=64 embedDim=32\ns: add\na: multiHeadAttention embedDim=32 numHeads=4\no: output\nx -> e -> s\nq -> w -> s\ns -> a -> o",
	},
})

// order is what is known of the order of the positions in a result.
type order struct {
	sequence  bool // made of tokens or patches, whose order was there
	positions bool // something told the positions apart, or may have
	root      int  // 1 + the one input that it comes from, 0 for several or none
}

// orderOf follows the order through one component.
func (p *Pass) orderOf(i int, orders []order) order {
	n := &p.Nodes[i]
	if n.State != infer.Legal {
		return order{positions: true}
	}
	if n.Type.Has(catalog.IsTensor) { // may hold positions: to what it is merged with, it is a second input
		return order{root: i + 1}
	}
	var o order
	for k, j := range p.Wiring.Inputs(i) {
		from := orders[j]
		o.sequence, o.positions = o.sequence || from.sequence, o.positions || from.positions
		if k > 0 && from.root != o.root {
			from.root = 0
		}
		o.root = from.root
	}
	t := n.Type
	switch {
	case len(n.In) == 0:
		o.root = i + 1
	case t.HasAny(catalog.IsPositional | catalog.IsRecurrent | catalog.IsOpaque):
		o.positions = true
	case t.Has(catalog.IsAttention) && p.causal(i):
		o.positions = true
	case t.Has(catalog.IsMerge) && o.root == 0: // the second input may hold positions
		o.positions = true
	case t.Has(catalog.IsView) && !t.Has(catalog.KeepsShape): // a linear layer may now run along the positions
		o.positions = true
	case t.Has(catalog.IsConv):
		kernel, axes, ok := p.Spatial(i, "kernelSize")
		o.positions = o.positions || !ok || max(kernel[0], kernel[axes-1], kernel[axes/2]) > 1
	case t.HasAny(catalog.IsEmbedding | catalog.IsPatches):
		o.sequence = o.sequence || n.Out.Rank() >= 2
	}
	return o
}

// positions is the length of the sequence that an attention runs along; queries that come by themselves have heads in front.
func (p *Pass) positions(i int) int64 {
	in := p.Nodes[i].In
	if len(in) > 2 {
		return in[0].At(-2)
	}
	return in[0].At(0)
}

// causal reports whether a position of an attention sees only those before it.
func (p *Pass) causal(i int) bool {
	t := p.Nodes[i].Type
	if t.Param("causal") != nil {
		return p.True(i, "causal")
	}
	return t.Has(catalog.IsCausal)
}
