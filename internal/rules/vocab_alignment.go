package rules

import (
	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
)

const (
	// tile is what NVIDIA's guide asks of matrix dimensions in 16-bit floats: multiples of 8 (16 bytes).
	tile = 8
	// padTo is what is proposed, since the same guide finds multiples of 64 best on A100.
	padTo = 64
	// minVocab leaves alone heads that are too small for their matrix product to matter. A rule of thumb.
	minVocab = 1024
)

var _ = define(Rule{
	ID:       "vocab-alignment",
	Title:    "A vocabulary that does not fill tensor cores",
	Severity: Info,
	Doc:      `The product with the vocabulary is one of the largest of a language model, and in 16-bit floats NVIDIA GPUs run it at full speed only where its sizes are multiples of 8, best of 64. Pad the vocabulary to the next multiple: the added tokens never occur, and their logits learn to stay low. Tied tables must be padded together. GPT-2's 50,257 is the well-known case; training codes pad it to 50,304. By the measured steps of an H200, products with an odd vocabulary run at about an eighth of the speed of others, and those with an even one that no 4 divides at a third; the time of a plan counts that.`,
	Source:   "NVIDIA Deep Learning Performance, Matrix Multiplication Background User's Guide; Megatron-LM --make-vocab-size-divisible-by (128)",
	Whole: func(p *Pass) {
		for i := range p.With(catalog.IsAffine) {
			n := &p.Nodes[i]
			size := n.Out.At(-1)
			if size < minVocab || size%tile == 0 {
				continue
			}
			tied := p.tied(i)
			if !tied && !n.Type.Has(catalog.IsHead) {
				continue
			}
			padded := (size + padTo - 1) / padTo * padTo
			const message = "the vocabulary of %d is no multiple of %d; the next multiple of %d is %d"
			if param := writes(n.Type); param != "" && !tied {
				p.ReportEdit(i, param, graph.IntValue(padded), message, size, tile, padTo, padded)
			} else { // the partner would have to change with it
				p.Reportf(i, message, size, tile, padTo, padded)
			}
		}
	},
	Examples: []string{
		"x: input shape=[64]\ne: embedding vocabSize=50257 embedDim=32\nh: lmHead embedDim=32 vocabSize=50257 // want\no: output\nx -> e -> h -> o",
		"x: input shape=[64]\ne: embedding vocabSize=50257 embedDim=32\nh: lmHead embedDim=32 vocabSize=50257 tiedTo=e // want\no: output\nx -> e -> h -> o",
		"x: input shape=[64]\ne: embedding vocabSize=50304 embedDim=32\nh: lmHead embedDim=32 vocabSize=50304 tiedTo=e\no: output\nx -> e -> h -> o",
	},
})

// tied reports whether a component uses the weight of another.
func (p *Pass) tied(i int) bool { return p.Arg(i, "tiedTo").Str() != "" || p.True(i, "tied") }

// writes returns the parameter that sets the last axis of a type's result.
func writes(t *catalog.Type) string {
	for k := range t.Params {
		if t.Params[k].Writes == catalog.At(-1) {
			return t.Params[k].Name
		}
	}
	return ""
}
