package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/vision"
)

var _ = family.Define(family.Family{Type: "clip", Default: "CLIPModel", Classes: clips("CLIP", "clip")})

// clips are the classes of two towers, one for images and one for texts, that meet in one space.
func clips(name, modelType string) map[string]func(*Build) {
	visionTower := func(b *Build) *Build {
		return b.With(tower(b.Config, "vision_config", modelType+"_vision_model")).Scope("vision_model")
	}
	text := func(b *Build) *Build {
		return b.With(tower(b.Config, "text_config", modelType+"_text_model")).Scope("text_model")
	}
	return map[string]func(*Build){
		name + "ForImageClassification": func(b *Build) {
			v := visionTower(b)
			vision.HeadsDivide(v)
			vision.HeadsDivide(text(b)) // its config is made and looked at, even if no text is read
			x, _ := clipVision(v)
			vision.Labels(b, b.Mean(b.Add("slice", "", Args{build.Int("dim", 1), build.Int("start", 1)}, x), "", 1),
				"classifier", v.Size("hidden_size"))
		},
		name + "Model": func(b *Build) {
			v, t, dim := visionTower(b), text(b), b.Size("projection_dim")
			vision.HeadsDivide(v)
			vision.HeadsDivide(t)
			_, image := clipVision(v)
			image = b.Linear(image, "visual_projection", v.Size("hidden_size"), dim, false)
			words := b.Linear(textTower(t, true), "text_projection", t.Size("hidden_size"), dim, false)
			y := b.Add("sum", "", Args{build.Int("dim", 1)}, cosines(b, words, image))
			b.Output(b.Add("multiply", "logits_per_text", nil, y, b.Add("exp", "", nil, b.Param(y, "logit_scale"))))
		},
	}
}

// tower is the config of a part. The old spelling of it, with _dict behind, goes before the new one.
func tower(c *Config, key, modelType string) *Config {
	if old := key + "_dict"; c.Given(old) {
		return c.Sub(old, modelType)
	}
	return c.Sub(key, modelType)
}

// cosines multiplies two vectors of length 1, feature by feature. Texts and images meet pair by pair here: that each
// meets all of the batch is left out, since no shape has the batch axis twice.
func cosines(b *Build, text, image Node) Node {
	return b.Add("multiply", "", nil, unit(b, text), unit(b, image))
}

// clipVision gives the positions, and what the first of them becomes.
func clipVision(b *Build) (x, pooled Node) {
	dim, e, patch := b.Size("hidden_size"), b.Scope("embeddings"), b.PairOf("patch_size")
	image := vision.Pixels(b)
	x = patchProjection(e, image, "patch_embedding", dim, patch, false)
	x = e.Add("classToken", "class_embedding", Args{build.Int("embedDim", dim)}, x)
	e.Tensor("class_embedding", dim)
	x = e.Positions(x, "position_embedding", (image.H/patch[0])*(image.W/patch[1])+1, dim)
	x = clipLayers(b, b.LayerNorm(x, "pre_layrnorm", dim, true), dim, false)
	return x, b.LayerNorm(b.First(x), "post_layernorm", dim, true)
}

// textTower gives what the last position of a text becomes, where its end is.
func textTower(b *Build, causal bool) Node {
	return b.Add("select", "", Args{build.Int("index", -1)}, textPositions(b, causal))
}

// textPositions gives what every position of a text becomes.
func textPositions(b *Build, causal bool) Node {
	dim, e, rows := b.Size("hidden_size"), b.Scope("embeddings"), b.Size("max_position_embeddings")
	x := e.Embedding(b.Root().Tokens("input_ids", rows), "token_embedding", b.Size("vocab_size"), dim)
	x = clipLayers(b, e.Positions(x, "position_embedding", rows, dim), dim, causal)
	return b.LayerNorm(x, "final_layer_norm", dim, true)
}

func clipLayers(b *Build, x Node, dim int64, causal bool) Node {
	heads := b.Size("num_attention_heads")
	for i := range b.Int("num_hidden_layers") {
		l := b.Scope("encoder.layers.%d", i)
		y := l.LayerNorm(x, "layer_norm1", dim, true)
		if dim%heads == 0 {
			y = nn.Attend(l, y, "self_attn", nn.Attention{Dim: dim, Heads: heads, Bias: true, OutBias: true,
				Causal: causal, O: "out_proj"})
		} else { // the projections keep all features, and the heads do not fit them when it runs
			a := l.Scope("self_attn")
			y = a.Core(a.Linear(y, "q_proj", dim, dim, true), a.Linear(y, "k_proj", dim, dim, true),
				a.Linear(y, "v_proj", dim, dim, true), heads, heads, causal)
			y = a.Linear(y, "out_proj", dim, dim, true)
		}
		x = l.Residual(x, y)
		x = l.Residual(x, nn.MLP(l.Scope("mlp"), l.LayerNorm(x, "layer_norm2", dim, true), "fc1", "fc2", dim,
			b.Size("intermediate_size"), true, "hidden_act"))
	}
	return x
}
