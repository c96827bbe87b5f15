package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/config"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "gemma3n", Default: "Gemma3nForConditionalGeneration",
	Classes: map[string]func(*Build){
		"Gemma3nForConditionalGeneration": func(b *Build) { gemma3n(b, "model.", "lm_head") },
		"Gemma3nModel":                    func(b *Build) { gemma3n(b, "", "") },
	}})

// gemma3n is Gemma 3n's text model behind an image and an audio model. Text may also hold tokens of theirs, which
// have tables of their own.
func gemma3n(b *Build, prefix, head string) {
	text, visionConfig, audioConfig := b.Sub("text_config", "gemma3n_text"), b.Sub("vision_config", "gemma3n_vision"),
		b.Sub("audio_config", "gemma3n_audio")
	if a := visionConfig.Str("architecture"); a != "mobilenetv5_300m_enc" || visionConfig.Has("model_args") {
		config.Fail(config.CodeArchitecture, visionConfig.At("architecture"),
			"the image model %q, or its model_args, is not modelled; modelled is mobilenetv5_300m_enc without any", a)
	}
	dim := text.Size("hidden_size")
	seen := mobileNetV5(b.Scope("%svision_tower.timm_model", prefix),
		b.Input("pixel_values", 3, mobileNetSide, mobileNetSide))
	a := b.Scope("%saudio_tower", prefix).With(audioConfig)
	shorter := build.Product(b, pairAt(a, "sscp_conv_stride_size", 0)[0], pairAt(a, "sscp_conv_stride_size", 1)[0],
		audioConfig.Size("conf_reduction_factor"))
	frames := build.Product(b, b.Size("audio_soft_tokens_per_image"), shorter)
	sounds := b.Input("input_features", frames, audioConfig.Size("input_feat_size"))
	heard := conformerTower(a, sounds, frames)
	merge := func(ids, x Node) Node {
		v, a := b.Scope("%sembed_vision", prefix).With(visionConfig), b.Scope("%sembed_audio", prefix).With(audioConfig)
		t := b.With(text)
		x = stack.Scatter(t, x, gemma3nHard(v, ids, dim), dim)
		x = stack.Scatter(t, x, gemma3nHard(a, ids, dim), dim)
		x = stack.Scatter(t, x, gemma3nSoft(v, seen, dim), dim)
		return stack.Scatter(t, x, gemma3nSoft(a, heard, dim), dim)
	}
	stack.Multimodal(b, text, gemma3nText(b.With(text), merge), prefix+"language_model", head)
}

// gemma3nHard looks tokens of a picture or a sound up.
func gemma3nHard(b *Build, ids Node, dim int64) Node {
	wide := b.Size("hidden_size")
	// The ids of other tokens are replaced by one of the table, and the smallest of the table becomes 0.
	own := b.Add("clamp", "vocab_offset", Args{build.Int("min", 0), build.Int("max", b.Size("vocab_size")-1)}, ids)
	x := b.RMSNorm(b.Embedding(own, "embedding", b.Size("vocab_size"), wide), "hard_embedding_norm", wide)
	return gemma3nEmbed(b, b.Linear(x, "embedding_projection", wide, dim, false), dim)
}

// gemma3nSoft projects what a tower gives, with the projection that the tokens have.
func gemma3nSoft(b *Build, x Node, dim int64) Node {
	wide := b.Size("hidden_size")
	x = b.RMSNorm(x, "soft_embedding_norm", wide)
	return gemma3nEmbed(b, b.Again().Linear(x, "embedding_projection", wide, dim, false), dim)
}

func gemma3nEmbed(b *Build, x Node, dim int64) Node {
	return b.Add("rmsNorm", "embedding_post_projection_norm",
		Args{build.Ints("normalizedShape", dim), build.Flag("elementwiseAffine", false)}, x)
}
