package rules

import (
	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/infer"
)

var _ = define(Rule{
	ID:       "no-nonlinearity",
	Title:    "A model without a non-linearity",
	Severity: Warn,
	Doc:      `The model has several layers with weights but nothing that bends, so it computes exactly what one of them could compute, and depth buys nothing but cost. Put an activation between the layers. A layer that is narrower than both of its neighbours restricts the rank of the map, as in matrix factorisation, and is left alone; so is every model with a component that is not known to be linear.`,
	Source:   "arithmetic: the product of two matrices is a matrix; Goodfellow, Bengio and Courville 2016, Deep Learning, chapter 6",
	Whole: func(p *Pass) {
		if !p.linear() {
			return
		}
		for i := range p.With(catalog.IsAffine) {
			j, ok := p.Behind(i, linear&^catalog.IsAffine)
			if ok && p.Is(j, catalog.IsAffine) && !p.factorises(j, i) {
				p.Reportf(i, "follows %s, and nothing in the model is non-linear", p.Label(j))
				return // once: it is the model that lacks it
			}
		}
	},
	Examples: []string{
		"x: input shape=[32]\nf: linear outFeatures=64\nd: dropout p=0.2\ng: linear outFeatures=10 // want\no: output\nx -> f -> d -> g -> o",
		"x: input shape=[32]\nf: linear outFeatures=64\nr: relu\ng: linear outFeatures=10\no: output\nx -> f -> r -> g -> o",
		"x: input shape=[32]\nf: linear outFeatures=4\ng: linear outFeatures=32\no: output\nx -> f -> g -> o",                                // principal components
		"x: input shape=[32]\nf: linear outFeatures=64\np: parameter shape=[64]\ng: linear outFeatures=10\no: output\nx -> f -> p -> g -> o", // nothing of f reaches g
		"x: input shape=[32]\nf: linear outFeatures=1\no: output\nx -> f -> o",
	},
})

// linear are the traits of what is a linear or affine function of its inputs. Views and embeddings are for this.
const linear = catalog.IsVirtual | catalog.IsAffine | catalog.IsDropout | catalog.IsView | catalog.IsAdd | catalog.IsBatchNorm | catalog.IsLinear | catalog.IsEmbedding

// linear reports whether every component runs and is linear.
func (p *Pass) linear() bool {
	if !p.Any(catalog.IsAffine) || p.Any(catalog.IsActivation|catalog.HasActivation|catalog.IsSoftmax) {
		return false
	}
	for i := range p.Nodes {
		n := &p.Nodes[i]
		if n.State != infer.Note && (n.State != infer.Legal || !n.Type.HasAny(linear)) {
			return false
		}
	}
	return true
}

// width returns the size of the axis that an affine map makes: the channels of a convolution, the last axis otherwise.
func width(t *catalog.Type, s catalog.Shape) int64 {
	if t.Has(catalog.IsConv) && s.Rank() > 0 {
		return s[0]
	}
	return s.At(-1)
}

// factorises reports whether an affine map is narrower than what goes into it and than the result of the next one.
func (p *Pass) factorises(first, second int) bool {
	a, b := &p.Nodes[first], &p.Nodes[second]
	middle := width(a.Type, a.Out)
	return middle < width(a.Type, a.In[0]) && middle < width(b.Type, b.Out)
}
