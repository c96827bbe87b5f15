package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
	"github.com/modelverifier/verifier/internal/importer/hf/vision"
)

var _ = family.Define(family.Family{Type: "modernvbert", Default: "ModernVBertForMaskedLM",
	Classes: map[string]func(*Build){
		"ModernVBertForMaskedLM": func(b *Build) {
			x, table := modernVBert(b.Scope("model"))
			t := b.With(b.Sub("text_config", "modernbert"))
			b.Output(stack.LMHead(b, modernHead(t.Scope("projection_head"), x), "lm_head", t.Size("hidden_size"),
				t.Size("vocab_size"), t.Bool("decoder_bias"), table, b.Bool("tie_word_embeddings")))
		},
		"ModernVBertModel": func(b *Build) {
			x, _ := modernVBert(b)
			b.Output(x)
		},
	}})

// modernVBert is ModernBERT that reads an image, too: SigLIP's patches, of which neighbours are put into one vector,
// in the places of the text that stand for them.
func modernVBert(b *Build) (x, table Node) {
	visionConfig, t := b.Sub("vision_config", "siglip_vision_model"),
		b.With(b.Sub("text_config", "modernbert")).Scope("text_model")
	dim, factor, width := t.Size("hidden_size"), b.Size("pixel_shuffle_factor"), visionConfig.Size("hidden_size")
	side := visionConfig.Size("image_size") / visionConfig.Size("patch_size")
	table = tokens(t, t.MaxPositions(), "embeddings.tok_embeddings", dim)
	v := b.With(visionConfig).Scope("vision_model")
	c := b.Scope("connector")
	image := c.Linear(shufflePatches(c, vision.SiglipTower(v, vision.TowerPixels(b, visionConfig)), side, width,
		factor), "modality_projection", build.Product(c, width, factor, factor), dim, false)
	return modernBertLayers(t, stack.Scatter(t, table, image, dim)), table
}

// shufflePatches puts squares of neighbouring patches into one vector each.
func shufflePatches(b *Build, x Node, side, width, factor int64) Node {
	shape := func(x Node, sizes ...int64) Node { return b.Reshape(x, sizes...) }
	turn := func(x Node) Node { return b.Add("permute", "", Args{build.Ints("dims", 0, 2, 1, 3)}, x) }
	few, wide := side/factor, build.Product(b, width, factor, factor)
	if b.TextOnly() { // it does not run, and squares that do not fill the picture do no harm
		return b.Opaque(x, "", []int64{max(1, few*few), wide}, 0)
	}
	x = turn(shape(x, side, few, width*factor))
	return shape(turn(shape(x, few, few, wide)), side*side/(factor*factor), wide)
}
