package hf

var _ = define(Family{Type: "gemma3n", Default: "Gemma3nForConditionalGeneration", Classes: map[string]func(*Build){
	"Gemma3nForConditionalGeneration": func(b *Build) { b.gemma3n("model.", "lm_head") },
	"Gemma3nModel":                    func(b *Build) { b.gemma3n("", "") },
}})

// gemma3n is Gemma 3n's text model behind an image and an audio model. Text may also hold tokens of theirs, which have tables of
// their own.
func (b *Build) gemma3n(prefix, head string) {
	text, vision, audio := b.Sub("text_config", "gemma3n_text"), b.Sub("vision_config", "gemma3n_vision"), b.Sub("audio_config", "gemma3n_audio")
	if a := vision.Str("architecture"); a != "mobilenetv5_300m_enc" || vision.Has("model_args") {
		fail(CodeArchitecture, vision.at("architecture"), "the image model %q, or its model_args, is not modelled; modelled is mobilenetv5_300m_enc without any", a)
	}
	dim := text.Size("hidden_size")
	seen := b.Scope("%svision_tower.timm_model", prefix).mobileNetV5(b.Input("pixel_values", 3, mobileNetSide, mobileNetSide))
	a := b.Scope("%saudio_tower", prefix).With(audio)
	shorter := b.product(a.pairAt("sscp_conv_stride_size", 0)[0], a.pairAt("sscp_conv_stride_size", 1)[0], audio.Size("conf_reduction_factor"))
	frames := b.product(b.Size("audio_soft_tokens_per_image"), shorter)
	sounds := b.Input("input_features", frames, audio.Size("input_feat_size"))
	heard := a.conformerTower(sounds, frames)
	merge := func(ids, x Node) Node {
		v, a := b.Scope("%sembed_vision", prefix).With(vision), b.Scope("%sembed_audio", prefix).With(audio)
		t := b.With(text)
		x = t.scatter(x, v.gemma3nHard(ids, dim), dim)
		x = t.scatter(x, a.gemma3nHard(ids, dim), dim)
		x = t.scatter(x, v.gemma3nSoft(seen, dim), dim)
		return t.scatter(x, a.gemma3nSoft(heard, dim), dim)
	}
	b.multimodal(text, gemma3nText(b.With(text), merge), prefix+"language_model", head)
}

// gemma3nHard looks tokens of a picture or a sound up.
func (b *Build) gemma3nHard(ids Node, dim int64) Node {
	wide := b.Size("hidden_size")
	// The ids of other tokens are replaced by one of the table, and the smallest of the table becomes 0.
	own := b.Add("clamp", "vocab_offset", Args{Int("min", 0), Int("max", b.Size("vocab_size")-1)}, ids)
	x := b.RMSNorm(b.Embedding(own, "embedding", b.Size("vocab_size"), wide), "hard_embedding_norm", wide)
	return b.gemma3nEmbed(b.Linear(x, "embedding_projection", wide, dim, false), dim)
}

// gemma3nSoft maps what a tower gives, with the map that the tokens have.
func (b *Build) gemma3nSoft(x Node, dim int64) Node {
	wide := b.Size("hidden_size")
	x = b.RMSNorm(x, "soft_embedding_norm", wide)
	return b.gemma3nEmbed(b.Again().Linear(x, "embedding_projection", wide, dim, false), dim)
}

func (b *Build) gemma3nEmbed(x Node, dim int64) Node {
	return b.Add("rmsNorm", "embedding_post_projection_norm", Args{Ints("normalizedShape", dim), Flag("elementwiseAffine", false)}, x)
}
