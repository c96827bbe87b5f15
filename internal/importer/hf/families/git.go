package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
	"github.com/modelverifier/verifier/internal/importer/hf/vision"
)

var _ = family.Define(family.Family{Type: "git", Default: "GitForCausalLM", Classes: map[string]func(*Build){
	"GitForCausalLM": func(b *Build) {
		x, embedding := git(b.Scope("git"))
		b.Output(stack.LMHead(b, x, "output", b.Size("hidden_size"), b.Size("vocab_size"), true, embedding,
			b.Bool("tie_word_embeddings")))
	},
	"GitModel": func(b *Build) {
		x, _ := git(b)
		b.Output(x)
	},
}})

// git is BERT's encoder, made causal, over the vectors of pictures and of text behind them.
func git(b *Build) (x, embedding Node) {
	dim := b.Size("hidden_size")
	b.Divides("hidden_size", "num_attention_heads")
	e, top := b.Scope("embeddings"), b.Root()
	embedding = e.Embedding(top.Tokens("input_ids", b.MaxPositions()), "word_embeddings", b.Size("vocab_size"), dim)
	text := e.LayerNorm(e.Positions(embedding, "position_embeddings", b.Size("max_position_embeddings"), dim),
		"LayerNorm", dim, true)
	text = e.Drop(text, "hidden_dropout_prob")
	visionConfig := b.Sub("vision_config", "git_vision_model")
	wide := visionConfig.Size("hidden_size")
	p := b.Scope("visual_projection.visual_projection")
	seen := p.LayerNorm(p.Linear(gitPictures(b, visionConfig), "0", wide, dim, true), "1", dim, true)
	x = b.Join(seen, text)
	for i := range b.Int("num_hidden_layers") {
		l := b.Scope("encoder.layer.%d", i)
		y := nn.Attend(l, x, "attention", nn.Attention{Dim: dim, Heads: b.Size("num_attention_heads"), Bias: true,
			OutBias: true, Causal: true,
			Q: "self.query", K: "self.key", V: "self.value", O: "output.dense"})
		x = l.LayerNorm(l.Residual(x, l.Drop(y, "hidden_dropout_prob")), "attention.output.LayerNorm", dim, true)
		y = nn.MLP(l, x, "intermediate.dense", "output.dense", dim, b.Size("intermediate_size"), true, "hidden_act")
		x = l.LayerNorm(l.Residual(x, l.Drop(y, "hidden_dropout_prob")), "output.LayerNorm", dim, true)
	}
	return x, embedding
}

// gitPictures are the vectors of one picture, or of several in a row, to each of which a trained vector is added.
func gitPictures(b *Build, visionConfig *Config) Node {
	frames, v := b.Or("num_image_with_embedding", 0), b.Scope("image_encoder.vision_model").With(visionConfig)
	if frames < 1 {
		return gitTower(v, vision.TowerPixels(b, visionConfig))
	}
	h, w := visionConfig.Pair("image_size")
	all := b.With(visionConfig).Root().Input("pixel_values", frames, visionConfig.Size("num_channels"), h, w)
	var seen []Node
	for i := range frames {
		frame := gitTower(v, b.Add("select", "", Args{build.Int("dim", 1), build.Int("index", i)}, all))
		v = v.Again()
		name := b.Scope("img_temporal_embedding.%d", i)
		moment := name.Add("parameter", "", Args{build.Ints("shape", 1, visionConfig.Size("hidden_size"))}, frame)
		name.Tensor("", 1, 1, visionConfig.Size("hidden_size"))
		seen = append(seen, b.Add("add", "", nil, frame, moment))
	}
	return b.Join(seen...)
}

// gitTower is CLIP's image model.
func gitTower(b *Build, pixels Node) Node {
	dim, patch := b.Size("hidden_size"), b.Size("patch_size")
	side := b.Size("image_size") / patch
	x := vision.Patches(b, pixels, "embeddings.patch_embedding", dim, patch, false)
	first := b.Add("parameter", "embeddings.class_embedding", Args{build.Ints("shape", 1, dim)}, x)
	b.Tensor("embeddings.class_embedding", dim)
	x = b.Add("concatenate", "embeddings", Args{build.Int("dim", 1)}, first, x)
	x = b.LayerNorm(b.Positions(x, "embeddings.position_embedding", side*side+1, dim), "pre_layrnorm", dim, true)
	for i := range b.Int("num_hidden_layers") {
		x = vision.TowerLayer(b.Scope("encoder.layers.%d", i), x)
	}
	return b.LayerNorm(x, "post_layernorm", dim, true)
}
