package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/config"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/vision"
)

var _ = family.Define(family.Family{Type: "vit", Default: "ViTForImageClassification", Classes: map[string]func(*Build){
	"ViTForImageClassification": func(b *Build) {
		vision.Labels(b, b.First(vit(b.Scope("vit"), 1)), "classifier",
			b.Size("hidden_size"))
	},
	"ViTModel": func(b *Build) { b.Output(vitPooler(b, vit(b, 1))) },
}})

// vit is patches of an image behind extra tokens of its own, through pre-norm layers.
func vit(b *Build, extra int) Node {
	dim := b.Size("hidden_size")
	x := vitPatches(b, Patches{Dim: dim, Tokens: []string{"cls_token", "distillation_token"}[:extra]})
	for i := range b.Int("num_hidden_layers") {
		x = vitLayer(b.Scope("layers.%d", i), x, dim)
	}
	return b.LayerNorm(x, "layernorm", dim, true)
}

func vitLayer(b *Build, x Node, dim int64) Node {
	y := nn.Attend(b, b.LayerNorm(x, "layernorm_before", dim, true), "attention",
		nn.Attention{Dim: dim, Heads: b.Size("num_attention_heads"),
			HeadDim: b.HeadDim(), Bias: b.Bool("qkv_bias"), OutBias: true})
	x = b.Residual(x, y)
	y = nn.MLP(b.Scope("mlp"), b.LayerNorm(x, "layernorm_after", dim, true), "fc1", "fc2", dim,
		b.Size("intermediate_size"), true, "hidden_act")
	return b.Residual(x, y)
}

// vitPooler projects the first token once more.
func vitPooler(b *Build, x Node) Node {
	p, dim := b.Scope("pooler"), b.Size("hidden_size")
	out := b.Or("pooler_output_size", dim)
	if out == 0 {
		out = dim
	}
	return p.Activation(p.Linear(b.First(x), "dense", dim, out, true), "pooler_act")
}

// Patches is how a vision transformer starts.
type Patches struct {
	Dim    int64
	Tokens []string // trained tokens before the patches, the first one in front
	NoRows bool     // there is no table
	NoBias bool     // of the projection of patches
}

// vitPatches adds the projection of patches, the tokens before them and a trained vector for each position, at
// "embeddings".
func vitPatches(b *Build, p Patches) Node {
	e, patch := b.Scope("embeddings"), b.PairOf("patch_size")
	image := vision.Pixels(b)
	x := patchProjection(e, image, "patch_embeddings.projection", p.Dim, patch, !p.NoBias)
	for i := len(p.Tokens) - 1; i >= 0; i-- {
		x = frontToken(e, x, p.Tokens[i], p.Dim)
	}
	if p.NoRows {
		return x
	}
	rows := (image.H/patch[0])*(image.W/patch[1]) + int64(len(p.Tokens))
	return positionRows(e, x, "position_embeddings", rows, p.Dim)
}

// patchProjection turns an image into a sequence of patches.
func patchProjection(b *Build, x vision.Image, name string, dim int64, patch config.Two, bias bool) Node {
	if patch[0] < 1 || patch[1] < 1 {
		config.Fail(config.CodeConfig, b.At("patch_size"), "is %d by %d but takes integers of at least 1", patch[0],
			patch[1])
	}
	n := b.Add("patchEmbed", name, Args{build.Int("inChannels", x.C), vision.Sides("patchSize", patch),
		build.Int("embedDim", dim), build.Flag("bias", bias)}, x.Node)
	b.Weights(name, bias, dim, x.C, patch[0], patch[1])
	return n
}

// frontToken puts a trained token before a sequence.
func frontToken(b *Build, x Node, name string, dim int64) Node {
	n := b.Add("classToken", name, Args{build.Int("embedDim", dim)}, x)
	b.Tensor(name, 1, 1, dim)
	return n
}

// positionRows adds a trained vector to each position; the table is a bare tensor with an axis for the batch.
func positionRows(b *Build, x Node, name string, count, dim int64) Node {
	n := b.Add("learnedPositionalEmbedding", name, Args{build.Int("maxLen", count), build.Int("embedDim", dim)}, x)
	b.Tensor(name, 1, count, dim)
	return n
}

// rowsOf is such a table by itself.
func rowsOf(b *Build, x Node, name string, count, dim int64) Node {
	n := b.Add("parameter", name, Args{build.Ints("shape", count, dim)}, x)
	b.Tensor(name, 1, count, dim)
	return n
}
