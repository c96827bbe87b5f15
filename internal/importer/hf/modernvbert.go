package hf

var _ = define(Family{Type: "modernvbert", Default: "ModernVBertForMaskedLM", Classes: map[string]func(*Build){
	"ModernVBertForMaskedLM": func(b *Build) {
		x, table := modernVBert(b.Scope("model"))
		t := b.With(b.Sub("text_config", "modernbert"))
		b.Output(b.LMHead(t.Scope("projection_head").modernHead(x), "lm_head", t.Size("hidden_size"), t.Size("vocab_size"), t.Bool("decoder_bias"), table, b.Bool("tie_word_embeddings")))
	},
	"ModernVBertModel": func(b *Build) {
		x, _ := modernVBert(b)
		b.Output(x)
	},
}})

// modernVBert is ModernBERT that reads an image, too: SigLIP's patches, of which neighbours are put into one vector, in the
// places of the text that stand for them.
func modernVBert(b *Build) (x, table Node) {
	vision, t := b.Sub("vision_config", "siglip_vision_model"), b.With(b.Sub("text_config", "modernbert")).Scope("text_model")
	dim, factor, width := t.Size("hidden_size"), b.Size("pixel_shuffle_factor"), vision.Size("hidden_size")
	side := vision.Size("image_size") / vision.Size("patch_size")
	table = t.tokens(t.MaxPositions(), "embeddings.tok_embeddings", dim)
	v := b.With(vision).Scope("vision_model")
	c := b.Scope("connector")
	image := c.Linear(c.shufflePatches(v.siglipTower(b.pixels(vision)), side, width, factor), "modality_projection", c.product(width, factor, factor), dim, false)
	return t.modernBertLayers(t.scatter(table, image, dim)), table
}

// shufflePatches puts squares of neighbouring patches into one vector each.
func (b *Build) shufflePatches(x Node, side, width, factor int64) Node {
	shape := func(x Node, sizes ...int64) Node { return b.Add("reshape", "", Args{Ints("shape", sizes...)}, x) }
	turn := func(x Node) Node { return b.Add("permute", "", Args{Ints("dims", 0, 2, 1, 3)}, x) }
	few, wide := side/factor, b.product(width, factor, factor)
	if b.state.opt.Text { // it does not run, and squares that do not fill the picture do no harm
		return b.Opaque(x, "", []int64{max(1, few*few), wide}, 0)
	}
	x = turn(shape(x, side, few, width*factor))
	return shape(turn(shape(x, few, few, wide)), side*side/(factor*factor), wide)
}
