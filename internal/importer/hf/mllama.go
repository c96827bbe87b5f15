package hf

import "slices"

var _ = define(Family{Type: "mllama", Default: "MllamaForCausalLM", Classes: map[string]func(*Build){
	"MllamaForCausalLM": func(b *Build) {
		b.With(b.Sub("text_config", "mllama_text_model")).mllamaText(b.Sub("vision_config", "mllama_vision_model"))
	},
}})

// mllamaText is the text model of Llama 3.2 Vision: some layers attend to the vectors of pictures instead of to the text.
// Eight rows of the embedding have no logit, and the head is never tied.
func (b *Build) mllamaText(vision *Config) {
	dim, vocab := b.Size("hidden_size"), b.Size("vocab_size")
	crossing := []int64{3, 8, 13, 18, 23, 28, 33, 38}
	if b.Has("cross_attention_layers") {
		crossing = b.Ints("cross_attention_layers")
	}
	m := b.Scope("model")
	x := m.Embedding(b.Tokens("input_ids", b.MaxPositions()), "embed_tokens", vocab+8, dim)
	side := vision.Size("image_size") / vision.Size("patch_size")
	var pictures Node
	for i := range b.Int("num_hidden_layers") {
		layer := m.Scope("layers.%d", i)
		if !slices.Contains(crossing, i) {
			a := b.rotaryAttention(500_000)
			a.Bias, a.OutBias, a.HeadDim = false, false, 0
			x = layer.PreNorm(x, dim, func(x Node) Node { return layer.Attend(x, "self_attn", a) }, func(x Node) Node { return layer.mlp(x, false) })
			continue
		}
		if pictures == 0 {
			pictures = b.Input("cross_attention_states", vision.Size("max_num_tiles")*(side*side+1), dim)
		}
		x = layer.mllamaCrossing(x, pictures, dim)
	}
	b.Output(b.LMHead(m.RMSNorm(x, "norm", dim), "lm_head", dim, vocab, false, 0, false))
}

// mllamaCrossing is a layer that attends to pictures. Both branches are scaled by a trained gate.
func (b *Build) mllamaCrossing(x, pictures Node, dim int64) Node {
	gated := func(x Node, name string) Node {
		gate := b.Add("parameter", name, Args{Ints("shape", 1, 1)}, x)
		b.Tensor(name, 1)
		return b.Add("multiply", "", nil, b.Add("tanh", "", nil, gate), x)
	}
	y := b.Attend(b.RMSNorm(x, "input_layernorm", dim), "cross_attn", Attention{Dim: dim, Heads: b.Size("num_attention_heads"), KV: b.KVHeads(), Norm: HeadRMS, Memory: pictures, MemoryDim: dim})
	x = b.Residual(x, gated(y, "cross_attn_attn_gate"))
	y = b.mlp(b.RMSNorm(x, "post_attention_layernorm", dim), false)
	return b.Residual(x, gated(y, "cross_attn_mlp_gate"))
}
