package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/config"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "kyutai_speech_to_text",
	Default: "KyutaiSpeechToTextForConditionalGeneration", Classes: map[string]func(*Build){
		"KyutaiSpeechToTextForConditionalGeneration": kyutai,
	}})

// kyutai reads at each moment a word and the codes of the sound, whose vectors are added. The codec that makes the
// codes is a part of the model; its sound is a second output.
func kyutai(b *Build) {
	m, dim, length := b.Scope("model"), b.Size("hidden_size"), b.Length(b.MaxPositions())
	books, vocab := b.Size("num_codebooks"), b.Size("vocab_size")
	if b.Size("ffn_dim")%2 != 0 {
		config.Fail(config.CodeConfig, b.At("ffn_dim"), "is %d but must be even", b.Int("ffn_dim"))
	}
	entries := vocab + books*b.Size("codebook_vocab_size") + 1
	table := m.Embedding(b.Input("input_ids", length, books+1), "embed_tokens.embed_tokens", entries, dim)
	x := m.Add("sum", "embed_tokens", Args{build.Int("dim", 2)}, table)
	heads := stack.HeadCount(b, "num_attention_heads", "hidden_size")
	for i := range b.Int("num_hidden_layers") {
		l := m.Scope("layers.%d", i)
		x = l.Residual(x, nn.Attend(l, l.RMSNorm(x, "input_layernorm", dim), "self_attn",
			nn.Attention{Dim: dim, Heads: heads, KV: l.KVHeads(), HeadDim: l.HeadDim(), Rotary: true,
				Causal: true, Base: l.RopeBase(), Window: l.Or("sliding_window", 0), Q: "q_proj.linear",
				K: "k_proj.linear", V: "v_proj.linear", O: "o_proj.linear"}))
		y := l.RMSNorm(x, "post_attention_layernorm", dim)
		x = l.Residual(x, nn.GatedMLP(l, y, "mlp",
			nn.Gated{Dim: dim, Hidden: b.Size("ffn_dim") / 2, Act: b.Str("hidden_act"), Fused: "fc1", Down: "fc2"}))
	}
	tied := b.Bool("tie_word_embeddings")
	if tied {
		vocab = entries
	}
	b.Output(stack.LMHead(b, m.RMSNorm(x, "norm", dim), "lm_head", dim, vocab, false, table, tied))
	codec := b.Part("codec_config", "mimi", "")
	if codec.Type() != "mimi" {
		config.Fail(config.CodeArchitecture, codec.At("model_type"), "%q is not modelled", codec.Type())
	}
	b.Output(mimi(b.Scope("codec_model").With(codec), length))
}
