package hf

var _ = define(Family{Type: "git", Default: "GitForCausalLM", Classes: map[string]func(*Build){
	"GitForCausalLM": func(b *Build) {
		x, embedding := b.Scope("git").git()
		b.Output(b.LMHead(x, "output", b.Size("hidden_size"), b.Size("vocab_size"), true, embedding, b.Bool("tie_word_embeddings")))
	},
	"GitModel": func(b *Build) {
		x, _ := b.git()
		b.Output(x)
	},
}})

// git is BERT's encoder, made causal, over the vectors of pictures and of text behind them.
func (b *Build) git() (x, embedding Node) {
	dim := b.Size("hidden_size")
	b.divides("hidden_size", "num_attention_heads")
	e, top := b.Scope("embeddings"), &Build{Config: b.Config, state: b.state}
	embedding = e.Embedding(top.Tokens("input_ids", b.MaxPositions()), "word_embeddings", b.Size("vocab_size"), dim)
	text := e.LayerNorm(e.Positions(embedding, "position_embeddings", b.Size("max_position_embeddings"), dim), "LayerNorm", dim, true)
	text = e.drop(text, "hidden_dropout_prob")
	vision := b.Sub("vision_config", "git_vision_model")
	wide := vision.Size("hidden_size")
	p := b.Scope("visual_projection.visual_projection")
	seen := p.LayerNorm(p.Linear(b.gitPictures(vision), "0", wide, dim, true), "1", dim, true)
	x = b.Add("concatenate", "", Args{Int("dim", 1)}, seen, text)
	for i := range b.Int("num_hidden_layers") {
		l := b.Scope("encoder.layer.%d", i)
		y := l.Attend(x, "attention", Attention{Dim: dim, Heads: b.Size("num_attention_heads"), Bias: true, OutBias: true, Causal: true,
			Q: "self.query", K: "self.key", V: "self.value", O: "output.dense"})
		x = l.LayerNorm(l.Residual(x, l.drop(y, "hidden_dropout_prob")), "attention.output.LayerNorm", dim, true)
		y = l.MLP(x, "intermediate.dense", "output.dense", dim, b.Size("intermediate_size"), true, "hidden_act")
		x = l.LayerNorm(l.Residual(x, l.drop(y, "hidden_dropout_prob")), "output.LayerNorm", dim, true)
	}
	return x, embedding
}

// gitPictures are the vectors of one picture, or of several in a row, to each of which a trained vector is added.
func (b *Build) gitPictures(vision *Config) Node {
	frames, v := b.Or("num_image_with_embedding", 0), b.Scope("image_encoder.vision_model").With(vision)
	if frames < 1 {
		return v.gitTower(b.pixels(vision))
	}
	h, w := vision.Pair("image_size")
	all := (&Build{Config: vision, state: b.state}).Input("pixel_values", frames, vision.Size("num_channels"), h, w)
	var seen []Node
	for i := range frames {
		frame := v.gitTower(b.Add("select", "", Args{Int("dim", 1), Int("index", i)}, all))
		v = v.Again()
		name := b.Scope("img_temporal_embedding.%d", i)
		moment := name.Add("parameter", "", Args{Ints("shape", 1, vision.Size("hidden_size"))}, frame)
		name.Tensor("", 1, 1, vision.Size("hidden_size"))
		seen = append(seen, b.Add("add", "", nil, frame, moment))
	}
	return b.Add("concatenate", "", Args{Int("dim", 1)}, seen...)
}

// gitTower is CLIP's image model.
func (b *Build) gitTower(pixels Node) Node {
	dim, patch := b.Size("hidden_size"), b.Size("patch_size")
	side := b.Size("image_size") / patch
	x := b.patches(pixels, "embeddings.patch_embedding", dim, patch, false)
	first := b.Add("parameter", "embeddings.class_embedding", Args{Ints("shape", 1, dim)}, x)
	b.Tensor("embeddings.class_embedding", dim)
	x = b.Add("concatenate", "embeddings", Args{Int("dim", 1)}, first, x)
	x = b.LayerNorm(b.Positions(x, "embeddings.position_embedding", side*side+1, dim), "pre_layrnorm", dim, true)
	for i := range b.Int("num_hidden_layers") {
		x = b.Scope("encoder.layers.%d", i).towerLayer(x)
	}
	return b.LayerNorm(x, "post_layernorm", dim, true)
}
