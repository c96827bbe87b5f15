package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
	"github.com/modelverifier/verifier/internal/transformers"
)

var _ = family.Define(family.Family{Type: "cpmant", Default: "CpmAntForCausalLM", Classes: map[string]func(*Build){
	"CpmAntForCausalLM": func(b *Build) {
		x := cpmAnt(b.Scope("cpmant"))
		b.Output(stack.LMHead(b, x, "lm_head", b.Size("hidden_size"), b.Size("vocab_size"), false, 0, false)) // never tied
	},
	"CpmAntModel": func(b *Build) { b.Output(cpmAnt(b)) },
}})

// cpmAnt puts a trained prompt before the text, adds a trained score for each distance, and cuts the prompt off at
// the end.
func cpmAnt(b *Build) Node {
	dim, prompt, kinds, heads := b.Size("hidden_size"), b.Int("prompt_length"), b.Int("prompt_types"),
		b.Size("num_attention_heads")
	root := b.Root()
	length := b.Length(0) + prompt
	ids := root.Add("pad", "prompt", Args{build.Ints("padding", prompt, 0)},
		root.Add("input", "input_ids", Args{build.Ints("shape", b.Length(0)), build.Text("dtype", "int64")}))
	x := b.Embedding(ids, "input_embedding", b.Size("vocab_size")+kinds*prompt, dim)
	x = nn.Segments(b, x, "segment_embedding", b.Size("segment_types"), dim)
	segments := b.Size("segment_types")
	bias := b.OpaqueOf([]Node{x}, "position_bias", []int64{heads, length, length}, 0,
		build.T("relative_attention_bias", segments*segments+b.Int("position_bias_num_buckets"), heads))
	e := b.Scope("encoder")
	for i := range b.Int("num_hidden_layers") {
		m := e.Scope("layers.%d", i)
		a := nn.Attention{Dim: dim, Heads: heads, HeadDim: b.Size("dim_head"), Q: "project_q", K: "project_k",
			V: "project_v", O: "attention_out"}
		h := m.RMSNorm(x, "self_att.layernorm_before_attention", dim)
		first := b.Count()
		x = m.Residual(x, nn.AttendBiased(m, h, "self_att.self_attention", a, bias))
		m.Each(first, "attentionCore", func(n Node) {
			build.Written(m, n, func(a *transformers.Attention) { a.Plain, a.Emptied = true, true })
		})
		h = m.RMSNorm(x, "ffn.layernorm_before_ffn", dim)
		x = m.Residual(x, nn.GatedMLP(m, h, "ffn.ffn",
			nn.Gated{Dim: dim, Hidden: b.Size("dim_ff"), Act: "gelu", Gate: "w_in.w_0", Up: "w_in.w_1", Down: "w_out"}))
	}
	x = e.RMSNorm(x, "output_layernorm", dim)
	return b.Add("slice", "", Args{build.Int("dim", 1), build.Int("start", prompt)}, x)
}
