package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "glmasr", Default: "GlmAsrForConditionalGeneration",
	Classes: map[string]func(*Build){"GlmAsrForConditionalGeneration": glmASR}})

// glmASR is Whisper's encoder with rotary positions, whose positions are stacked to rows as wide as its feed-forward
// network.
func glmASR(b *Build) {
	audioConfig := b.Part("audio_config", "glmasr_encoder", "")
	text := b.Part("text_config", "llama", `{"vocab_size": 59264, "hidden_size": 2048,
		"intermediate_size": 6144, "num_hidden_layers": 28, "num_attention_heads": 16, "num_key_value_heads": 4,
		"max_position_embeddings": 8192}`)
	m := b.Scope("model.audio_tower").With(audioConfig)
	dim, positions := m.Size("hidden_size"), m.Size("max_position_embeddings")
	x := spectrogramStem(m, dim, positions)
	for i := range m.Int("num_hidden_layers") {
		l := m.Scope("layers.%d", i)
		x = l.Residual(x, nn.Attend(l, l.LayerNorm(x, "input_layernorm", dim, true), "self_attn",
			nn.Attention{Dim: dim, Heads: l.Size("num_attention_heads"), KV: l.KVHeads(),
				HeadDim: l.HeadDim(), Bias: true, OutBias: true, NoKeyBias: true, Rotary: true, Base: l.RopeBase()}))
		x = l.Residual(x, nn.MLP(l.Scope("mlp"), l.LayerNorm(x, "post_attention_layernorm", dim, true), "fc1", "fc2",
			dim, l.Size("intermediate_size"), true, "hidden_act"))
	}
	x = m.LayerNorm(x, "norm", dim, true)
	width, out := m.Size("intermediate_size"), text.Size("hidden_size")
	count := positions * dim / width
	x = stack.Projector(b, stack.Stack(b.Scope("model.multi_modal_projector"), x, count, width), width, 2*out, out,
		true, b.Str("projector_hidden_act"))
	stack.Listen(b, text, x)
}
