package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/vision"
)

var _ = family.Define(family.Family{Type: "dinov2", Default: "Dinov2ForImageClassification",
	Classes: dinos("Dinov2", "dinov2", false)})

// dinos are the classes of DINOv2, whose classifier sees the first token beside the mean of the patches.
func dinos(name, prefix string, registers bool) map[string]func(*Build) {
	return map[string]func(*Build){
		name + "ForImageClassification": func(b *Build) {
			skip := int64(1)
			if registers {
				skip += b.Int("num_register_tokens")
			}
			x := dino(b.Scope("%s", prefix), registers)
			patches := b.Mean(b.Add("slice", "", Args{build.Int("dim", 1), build.Int("start", skip)}, x), "", 1)
			vision.Labels(b, b.Add("concatenate", "", nil, b.First(x), patches), "classifier", 2*b.Size("hidden_size"))
		},
		name + "Model": func(b *Build) { b.Output(dino(b, registers)) },
	}
}

func dino(b *Build, registers bool) Node {
	vision.HeadsDivide(b)
	dim := b.Size("hidden_size")
	x := vitPatches(b, Patches{Dim: dim, Tokens: []string{"cls_token"}})
	if registers || b.Bool("use_mask_token") {
		build.Unused(b, x, "embeddings.mask_token", 1, dim)
	}
	if registers {
		x = dinoRegisters(b.Scope("embeddings"), x, dim)
	}
	for i := range b.Int("num_hidden_layers") {
		x = dinoLayer(b.Scope("encoder.layer.%d", i), x, dim)
	}
	return b.LayerNorm(x, "layernorm", dim, true)
}

// dinoRegisters puts trained tokens behind the first one.
func dinoRegisters(b *Build, x Node, dim int64) Node {
	count := b.Int("num_register_tokens")
	if count == 0 {
		return x
	}
	n := b.Add("parameter", "register_tokens", Args{build.Ints("shape", count, dim)}, x)
	b.Tensor("register_tokens", 1, count, dim)
	first := b.Add("slice", "", Args{build.Int("dim", 1), build.Int("end", 1)}, x)
	rest := b.Add("slice", "", Args{build.Int("dim", 1), build.Int("start", 1)}, x)
	return b.Add("concatenate", "", nil, first, n, rest)
}

func dinoLayer(b *Build, x Node, dim int64) Node {
	y := nn.Attend(b, b.LayerNorm(x, "norm1", dim, true), "attention",
		nn.Attention{Dim: dim, Heads: b.Size("num_attention_heads"), Bias: b.Bool("qkv_bias"), OutBias: true,
			Q: "attention.query", K: "attention.key", V: "attention.value", O: "output.dense"})
	x = b.Residual(x, vision.Scale(b, y, "layer_scale1.lambda1", dim))
	y = b.LayerNorm(x, "norm2", dim, true)
	hidden := vision.Ratio(b.Float("mlp_ratio"), dim)
	if b.Bool("use_swiglu_ffn") {
		hidden = (hidden*2/3 + 7) / 8 * 8
		y = nn.GatedMLP(b, y, "mlp", nn.Gated{Dim: dim, Hidden: hidden, Bias: true, Act: "silu", Fused: "weights_in",
			Down: "weights_out"})
	} else {
		y = nn.MLP(b.Scope("mlp"), y, "fc1", "fc2", dim, hidden, true, "hidden_act")
	}
	return b.Residual(x, vision.Scale(b, y, "layer_scale2.lambda1", dim))
}
