package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/audio"
	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/config"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var (
	_ = family.Define(family.Family{Type: "cohere_asr", Default: "CohereAsrForConditionalGeneration",
		Classes: map[string]func(*Build){"CohereAsrForConditionalGeneration": cohereASR}})
	_ = family.Define(family.Family{Type: "canary", Default: "CanaryForConditionalGeneration",
		Classes: map[string]func(*Build){"CanaryForConditionalGeneration": canary}})
)

// cohereASR is a FastConformer and a decoder, whose positions transformers keeps as a weight.
func cohereASR(b *Build) {
	e := b.Part("encoder_config", "parakeet_encoder", `{"hidden_size": 1280, "num_hidden_layers": 48,
		"num_attention_heads": 8, "intermediate_size": 5120,
		"hidden_act": "silu", "attention_bias": true, "convolution_bias": true, "conv_kernel_size": 9,
		"subsampling_factor": 8,
		"subsampling_conv_channels": 256, "num_mel_bins": 128, "subsampling_conv_kernel_size": 3,
		"subsampling_conv_stride": 2}`)
	memory, _ := audio.Parakeet(b.Scope("model.encoder").With(e))
	m, dim := b.Scope("model.decoder"), b.Size("hidden_size")
	memory = m.Linear(memory, "proj", e.Size("hidden_size"), dim, true)
	x, table := asrDecode(m, memory, dim, func(x Node) Node {
		return m.Positions(x, "pos_emb",
			m.Size("max_position_embeddings"), dim)
	})
	b.Output(stack.LMHead(b, x, "proj_out", dim, b.Size("vocab_size"), true, table, stack.Tied(b)))
}

// canary is the same with fixed positions, and without a projection of what the encoder gives.
func canary(b *Build) {
	e := b.Part("encoder_config", "parakeet_encoder",
		b.Unless("encoder_config", `{"num_hidden_layers": 32, "num_mel_bins": 128}`))
	d := b.Part("decoder_config", "canary_decoder", "")
	if own, whole := d.Size("vocab_size"), b.Size("vocab_size"); own != whole {
		config.Fail(config.CodeContradiction, b.At("vocab_size"), "is %d but that of decoder_config is %d", whole, own)
	}
	memory, _ := audio.Parakeet(b.Scope("model.encoder").With(e))
	m := b.Scope("model.decoder").With(d)
	dim := m.Size("hidden_size")
	x, table := asrDecode(m, memory, dim, func(x Node) Node {
		return m.Add("positionalEncoding", "pos_emb",
			Args{build.Int("maxLen", m.Size("max_position_embeddings")), build.Int("embedDim", dim)}, x)
	})
	b.Output(stack.LMHead(b, x, "proj_out", dim, m.Size("vocab_size"), true, table, stack.Tied(b)))
}

func asrDecode(b *Build, memory Node, dim int64, positions func(x Node) Node) (x, table Node) {
	table = b.Embedding(b.Tokens("decoder_input_ids", b.MaxPositions()), "embed_tokens", b.Size("vocab_size"), dim)
	x = b.LayerNorm(positions(table), "embedding_layernorm", dim, true)
	bias := b.Bool("attention_bias")
	a := nn.Attention{Dim: dim, Heads: b.Size("num_attention_heads"), KV: b.KVHeads(), HeadDim: b.HeadDim(),
		Bias: bias, OutBias: bias, Causal: true}
	cross := a
	cross.Causal, cross.Memory, cross.MemoryDim = false, memory, dim
	for i := range b.Int("num_hidden_layers") {
		l := b.Scope("layers.%d", i)
		x = l.Residual(x, nn.Attend(l, l.LayerNorm(x, "input_layernorm", dim, true), "self_attn", a))
		x = l.Residual(x, stack.CrossAttend(l, l.LayerNorm(x, "post_attention_layernorm", dim, true), "encoder_attn",
			cross))
		x = l.Residual(x, nn.MLP(l.Scope("mlp"), l.LayerNorm(x, "final_layernorm", dim, true), "fc1", "fc2", dim,
			b.Size("intermediate_size"), true, "hidden_act"))
	}
	return b.LayerNorm(x, "norm", dim, true), table
}
