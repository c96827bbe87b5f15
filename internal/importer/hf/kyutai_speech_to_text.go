package hf

var _ = define(Family{Type: "kyutai_speech_to_text", Default: "KyutaiSpeechToTextForConditionalGeneration", Classes: map[string]func(*Build){
	"KyutaiSpeechToTextForConditionalGeneration": kyutai,
}})

// kyutai reads at each moment a word and the codes of the sound, whose vectors are added. The codec that makes the codes is a
// part of the model; its sound is a second output.
func kyutai(b *Build) {
	m, dim, length := b.Scope("model"), b.Size("hidden_size"), b.Length(b.MaxPositions())
	books, vocab := b.Size("num_codebooks"), b.Size("vocab_size")
	if b.Size("ffn_dim")%2 != 0 {
		fail(CodeConfig, b.at("ffn_dim"), "is %d but must be even", b.Int("ffn_dim"))
	}
	entries := vocab + books*b.Size("codebook_vocab_size") + 1
	table := m.Embedding(b.Input("input_ids", length, books+1), "embed_tokens.embed_tokens", entries, dim)
	x := m.Add("sum", "embed_tokens", Args{Int("dim", 2)}, table)
	heads := b.heads("num_attention_heads", "hidden_size")
	for i := range b.Int("num_hidden_layers") {
		l := m.Scope("layers.%d", i)
		x = l.Residual(x, l.Attend(l.RMSNorm(x, "input_layernorm", dim), "self_attn", Attention{Dim: dim, Heads: heads, KV: l.KVHeads(), HeadDim: l.HeadDim(), Rotary: true,
			Causal: true, Base: l.RopeBase(), Window: l.Or("sliding_window", 0), Q: "q_proj.linear", K: "k_proj.linear", V: "v_proj.linear", O: "o_proj.linear"}))
		y := l.RMSNorm(x, "post_attention_layernorm", dim)
		x = l.Residual(x, l.Gated(y, "mlp", Gated{Dim: dim, Hidden: b.Size("ffn_dim") / 2, Act: b.Str("hidden_act"), Fused: "fc1", Down: "fc2"}))
	}
	tied := b.Bool("tie_word_embeddings")
	if tied {
		vocab = entries
	}
	b.Output(b.LMHead(m.RMSNorm(x, "norm", dim), "lm_head", dim, vocab, false, table, tied))
	codec := b.Part("codec_config", "mimi", "")
	if codec.modelType != "mimi" {
		fail(CodeArchitecture, codec.at("model_type"), "%q is not modelled", codec.modelType)
	}
	b.Output(b.Scope("codec_model").With(codec).mimi(length))
}
