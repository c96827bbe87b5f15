package vision

import (
	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/config"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
)

// The image towers of models that read pictures and text.

// TowerPixels is an image as its tower's config describes it: num_channels, image_size.
func TowerPixels(b *build.Build, tower *config.Config) build.Node {
	h, w := tower.Pair("image_size")
	return b.With(tower).Root().Input("pixel_values", tower.Size("num_channels"), h, w)
}

// Patches cuts an image into patches, one vector each.
func Patches(b *build.Build, x build.Node, name string, dim, patch int64, bias bool) build.Node {
	channels := b.Size("num_channels")
	n := b.Add("patchEmbed", name, build.Args{build.Int("inChannels", channels), build.Int("patchSize", patch),
		build.Int("embedDim", dim), build.Flag("bias", bias)}, x)
	b.Weights(name, bias, dim, channels, patch, patch)
	return n
}

// TowerLayer is a layer of CLIP's and SigLIP's image encoders.
func TowerLayer(b *build.Build, x build.Node) build.Node {
	dim := b.Size("hidden_size")
	b.Divides("hidden_size", "num_attention_heads")
	h := b.LayerNorm(x, "layer_norm1", dim, true)
	x = b.Residual(x, nn.Attend(b, h, "self_attn",
		nn.Attention{Dim: dim, Heads: b.Size("num_attention_heads"), Bias: true, OutBias: true, O: "out_proj"}))
	h = b.LayerNorm(x, "layer_norm2", dim, true)
	return b.Residual(x, nn.MLP(b.Scope("mlp"), h, "fc1", "fc2", dim, b.Size("intermediate_size"), true, "hidden_act"))
}

// SiglipTower is SigLIP's image model. Its pooling head is computed, too, although what uses the tower reads every
// patch.
func SiglipTower(b *build.Build, pixels build.Node) build.Node {
	dim, patch := b.Size("hidden_size"), b.Size("patch_size")
	side := b.Size("image_size") / patch
	x := b.Positions(Patches(b, pixels, "embeddings.patch_embedding", dim, patch, true),
		"embeddings.position_embedding", side*side, dim)
	for i := range b.Int("num_hidden_layers") {
		x = TowerLayer(b.Scope("encoder.layers.%d", i), x)
	}
	x = b.LayerNorm(x, "post_layernorm", dim, true)
	if !b.Given("vision_use_head") || b.Bool("vision_use_head") {
		SiglipHead(b.Scope("head"), x, dim)
	}
	return x
}

// SiglipHead lets one trained vector attend to all patches.
func SiglipHead(b *build.Build, x build.Node, dim int64) build.Node {
	probe := b.Add("parameter", "probe", build.Args{build.Ints("shape", 1, dim)}, x)
	b.Tensor("probe", 1, 1, dim)
	h := b.Add("crossAttention", "attention",
		build.Args{build.Int("embedDim", dim), build.Int("numHeads", b.Size("num_attention_heads"))}, probe, x)
	b.Tensor("attention.in_proj_weight", 3*dim, dim)
	b.Tensor("attention.in_proj_bias", 3*dim)
	b.Weights("attention.out_proj", true, dim, dim)
	y := nn.MLP(b.Scope("mlp"), b.LayerNorm(h, "layernorm", dim, true), "fc1", "fc2", dim, b.Size("intermediate_size"),
		true, "hidden_act")
	return b.First(b.Residual(h, y))
}
