package hf

var _ = define(Family{Type: "cpmant", Default: "CpmAntForCausalLM", Classes: map[string]func(*Build){
	"CpmAntForCausalLM": func(b *Build) {
		x := b.Scope("cpmant").cpmAnt()
		b.Output(b.LMHead(x, "lm_head", b.Size("hidden_size"), b.Size("vocab_size"), false, 0, false)) // never tied
	},
	"CpmAntModel": func(b *Build) { b.Output(b.cpmAnt()) },
}})

// cpmAnt puts a trained prompt before the text, adds a trained score for each distance, and cuts the prompt off at the end.
func (b *Build) cpmAnt() Node {
	dim, prompt, kinds, heads := b.Size("hidden_size"), b.Int("prompt_length"), b.Int("prompt_types"), b.Size("num_attention_heads")
	root := Build{Config: b.Config, state: b.state}
	length := b.Length(0) + prompt
	ids := root.Add("pad", "prompt", Args{Ints("padding", prompt, 0)}, root.Add("input", "input_ids", Args{Ints("shape", b.Length(0)), Text("dtype", "int64")}))
	x := b.Embedding(ids, "input_embedding", b.Size("vocab_size")+kinds*prompt, dim)
	x = b.Segments(x, "segment_embedding", b.Size("segment_types"), dim)
	segments := b.Size("segment_types")
	bias := b.opaqueOf([]Node{x}, "position_bias", []int64{heads, length, length}, 0,
		T("relative_attention_bias", segments*segments+b.Int("position_bias_num_buckets"), heads))
	e := b.Scope("encoder")
	for i := range b.Int("num_hidden_layers") {
		m := e.Scope("layers.%d", i)
		a := Attention{Dim: dim, Heads: heads, HeadDim: b.Size("dim_head"), Q: "project_q", K: "project_k", V: "project_v", O: "attention_out"}
		h := m.RMSNorm(x, "self_att.layernorm_before_attention", dim)
		first := len(b.state.graph.Components)
		x = m.Residual(x, m.attendBiased(h, "self_att.self_attention", a, bias))
		m.ways(first, "attentionCore", "plain/emptied")
		h = m.RMSNorm(x, "ffn.layernorm_before_ffn", dim)
		x = m.Residual(x, m.Gated(h, "ffn.ffn", Gated{Dim: dim, Hidden: b.Size("dim_ff"), Act: "gelu", Gate: "w_in.w_0", Up: "w_in.w_1", Down: "w_out"}))
	}
	x = e.RMSNorm(x, "output_layernorm", dim)
	return b.Add("slice", "", Args{Int("dim", 1), Int("start", prompt)}, x)
}
