package rules

import "github.com/modelverifier/verifier/internal/catalog"

var _ = define(Rule{
	ID:       "bn-at-output",
	Title:    "Batch normalisation as the last layer",
	Severity: Info,
	Doc:      `The result of a sample then depends on the others in its batch during training, and its scale is set by the normalisation instead of by the target. The authors of DCGAN left it out of the last layer of the generator because samples oscillated. Networks that learn embeddings (SimCLR, ArcFace) end in one on purpose; elsewhere, return what the last layer gives.`,
	Source:   "Radford, Metz and Chintala 2016, Unsupervised Representation Learning with Deep Convolutional Generative Adversarial Networks",
	Whole: func(p *Pass) {
		seen := map[int]bool{}
		for o := range p.Outputs() {
			i, ok := p.Behind(o, catalog.IsView|catalog.Saturates|catalog.IsSoftmax)
			if ok && !seen[i] && p.Is(i, catalog.IsBatchNorm) {
				seen[i] = true
				p.Reportf(i, "no layer with weights of its own follows before the output")
			}
		}
	},
	Examples: []string{
		"x: input shape=[32]\nf: linear outFeatures=10\nb: batchNorm // want\no: output\nx -> f -> b -> o",
		"x: input shape=[32]\nf: linear outFeatures=10\nb: batchNorm // want\nt: tanh\no: output\nx -> f -> b -> t -> o",
		"x: input shape=[32]\nf: linear outFeatures=64 bias=false\nb: batchNorm\nr: relu\ng: linear outFeatures=10\no: output\nx -> f -> b -> r -> g -> o",
	},
})
