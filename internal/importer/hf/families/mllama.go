package families

import (
	"slices"

	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "mllama", Default: "MllamaForCausalLM", Classes: map[string]func(*Build){
	"MllamaForCausalLM": func(b *Build) {
		mllamaText(b.With(b.Sub("text_config", "mllama_text_model")), b.Sub("vision_config", "mllama_vision_model"))
	},
}})

// mllamaText is the text model of Llama 3.2 Vision: some layers attend to the vectors of pictures instead of to the
// text. Eight rows of the embedding have no logit, and the head is never tied.
func mllamaText(b *Build, visionConfig *Config) {
	dim, vocab := b.Size("hidden_size"), b.Size("vocab_size")
	crosses := func(i int64) bool { return slices.Contains([]int64{3, 8, 13, 18, 23, 28, 33, 38}, i) }
	if b.Has("cross_attention_layers") {
		crosses = func(i int64) bool { return b.HasInt("cross_attention_layers", i) }
	}
	m := b.Scope("model")
	x := m.Embedding(b.Tokens("input_ids", b.MaxPositions()), "embed_tokens", vocab+8, dim)
	side := visionConfig.Size("image_size") / visionConfig.Size("patch_size")
	var pictures Node
	for i := range b.Int("num_hidden_layers") {
		layer := m.Scope("layers.%d", i)
		if !crosses(i) {
			a := nn.RotaryAttention(b, 500_000)
			a.Bias, a.OutBias, a.HeadDim = false, false, 0
			x = nn.PreNorm(layer, x, dim, func(x Node) Node { return nn.Attend(layer, x, "self_attn", a) },
				func(x Node) Node { return nn.DecoderMLP(layer, x, false) })
			continue
		}
		if pictures == 0 {
			pictures = b.Input("cross_attention_states", visionConfig.Size("max_num_tiles")*(side*side+1), dim)
		}
		x = mllamaCrossing(layer, x, pictures, dim)
	}
	b.Output(stack.LMHead(b, m.RMSNorm(x, "norm", dim), "lm_head", dim, vocab, false, 0, false))
}

// mllamaCrossing is a layer that attends to pictures. Both branches are scaled by a trained gate.
func mllamaCrossing(b *Build, x, pictures Node, dim int64) Node {
	gated := func(x Node, name string) Node {
		gate := b.Add("parameter", name, Args{build.Ints("shape", 1, 1)}, x)
		b.Tensor(name, 1)
		return b.Add("multiply", "", nil, b.Add("tanh", "", nil, gate), x)
	}
	y := nn.Attend(b, b.RMSNorm(x, "input_layernorm", dim), "cross_attn",
		nn.Attention{Dim: dim, Heads: b.Size("num_attention_heads"), KV: b.KVHeads(), Norm: nn.HeadRMS,
			Memory: pictures, MemoryDim: dim})
	x = b.Residual(x, gated(y, "cross_attn_attn_gate"))
	y = nn.DecoderMLP(b, b.RMSNorm(x, "post_attention_layernorm", dim), false)
	return b.Residual(x, gated(y, "cross_attn_mlp_gate"))
}
