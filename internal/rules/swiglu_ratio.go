package rules

import "github.com/modelverifier/verifier/internal/catalog"

// The widths of gated feed-forward networks in published models, as multiples of the model's: from 8/3 (Llama) over 3.5
// (Llama 3, Mistral) and about 5.4 (Qwen2) to 8 (Gemma). What lies outside of 1.5 to 8 is worth a second look.
const minGate, maxGate = 1.5, 8.0

var _ = define(Rule{
	ID:       "swiglu-ratio",
	Title:    "An unusual width of a gated feed-forward network",
	Severity: Info,
	Doc:      `A gated network has three matrices where a plain one has two, so 8/3 of the model's width costs what a plain one of 4 times the width costs. Published models lie between 8/3 and 8. Far below, the layer has less room than the attention beside it; far above, nearly all weights of the model sit in it, and memory traffic with them. Check the number, or keep it if it was measured.`,
	Source:   "Shazeer 2020, GLU Variants Improve Transformer (2/3 of the width keeps the cost); published configurations of Llama, Mistral, Qwen2 and Gemma. The limits are a rule of thumb",
	Whole: func(p *Pass) {
		for i := range p.With(catalog.IsGated) {
			dim, inner := p.Arg(i, "embedDim").Int(), p.Arg(i, "intermediateSize").Int()
			if dim < 1 || inner < 1 {
				continue
			}
			if ratio := float64(inner) / float64(dim); ratio < minGate || ratio > maxGate {
				p.Reportf(i, "intermediateSize %d is %.3g times embedDim %d; published models use 2.7 to 8 times", inner, ratio, dim)
			}
		}
	},
	Examples: []string{
		"x: input shape=[12,64]\ns: swiglu embedDim=64 intermediateSize=64 // want\no: output\nx -> s -> o",
		"x: input shape=[12,64]\ns: swiglu embedDim=64 intermediateSize=1024 // want\no: output\nx -> s -> o",
		"x: input shape=[12,64]\ns: swiglu embedDim=64 intermediateSize=176\no: output\nx -> s -> o",
	},
})
