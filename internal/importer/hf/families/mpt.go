package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "mpt", Default: "MptForCausalLM",
	Classes: stack.NamedClasses("MptForCausalLM", "MptModel", mpt, stack.GPTHeads("Mpt")...)})

// mpt has ALiBi and no bias at all. transformers reads neither expansion_ratio nor no_bias.
func mpt(b *Build) stack.Decoder {
	dim, heads := b.Size("d_model"), b.Size("n_heads")
	lastNorm := func(b *Build, x Node, name string, dim int64) Node { return b.LayerNorm(x, name, dim, false) }
	var slopes Node
	return stack.Decoder{Prefix: "transformer", Embed: "wte", Layers: "blocks", Norm: "norm_f", FinalNorm: lastNorm,
		Dim: dim, Count: b.Int("n_layers"),
		Embedded: func(b *Build, x Node) Node {
			slopes = nn.AlibiSlopes(b, x, heads)
			return x
		},
		Layer: func(b *Build, x Node, _ int64) Node {
			h := b.LayerNorm(x, "norm_1", dim, false)
			x = b.Residual(x, mptAttention(b.Scope("attn"), h, dim, heads, slopes))
			h = b.LayerNorm(x, "norm_2", dim, false)
			return b.Residual(x, nn.PlainMLP(b.Scope("ffn"), h, "up_proj", "down_proj", dim, 4*dim, false, "gelu"))
		}}
}

// mptAttention has projections of hidden_size features, and fails when it is called where the heads do not divide that.
func mptAttention(b *Build, x Node, dim, heads int64, slopes Node) Node {
	all := b.Linear(x, "Wqkv", dim, 3*dim, false)
	y := b.Core(b.Chunk(all, 3, 0), b.Chunk(all, 3, 1), b.Chunk(all, 3, 2), heads, heads, true, slopes)
	return b.Linear(y, "out_proj", dim, dim, false)
}
