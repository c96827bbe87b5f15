package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/config"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
	"github.com/modelverifier/verifier/internal/transformers"
)

var _ = family.Define(family.Family{Type: "falcon", Default: "FalconForCausalLM",
	Classes: stack.NamedClasses("FalconForCausalLM", "FalconModel", falcon, stack.GPTHeads("Falcon")...)})

// falcon has rotary positions or ALiBi, few heads of keys and values, and in most models attention and network side
// by side.
func falcon(b *Build) stack.Decoder {
	dim, heads := b.SizeOr("n_embed", b.Size("hidden_size")), b.Size("num_attention_heads")
	if dim%heads != 0 {
		config.Fail(config.CodeContradiction, b.At("hidden_size"),
			"is %d, which is no multiple of num_attention_heads, %d", dim, heads)
	}
	if b.Bool("new_decoder_architecture") && !b.Bool("parallel_attn") {
		b.Note("new_decoder_architecture needs parallel_attn: transformers builds the model, but it fails when it is called")
	}
	var slopes Node
	return stack.Decoder{Prefix: "transformer", Embed: "word_embeddings", Layers: "h", Norm: "ln_f",
		FinalNorm: stack.LastLayerNorm, Dim: dim,
		Embedded: func(b *Build, x Node) Node {
			if b.Bool("alibi") {
				slopes = nn.AlibiSlopes(b, x, heads)
			}
			return x
		},
		Layer: func(b *Build, x Node, _ int64) Node {
			a := falconAttention(b, dim, heads)
			return falconLayer(b, x, dim,
				func(x Node) Node {
					if b.Bool("alibi") {
						return attendSloped(b, x, "self_attention", a, slopes)
					}
					y := nn.Attend(b, x, "self_attention", a)
					switch {
					case b.IsType(y, "linear"): // behind its parts
					case a.KV == 1 && a.Heads > 1:
						build.Written(b, y, func(m *transformers.Attention) { m.Broadcast = true })
					default:
						build.Written(b, y, func(m *transformers.Attention) { m.Masked = true })
					}
					return y
				},
				func(x Node) Node {
					m, hidden := b.Scope("mlp"), b.SizeOr("ffn_hidden_size", 4*dim)
					x = m.Activation(falconLinear(m, x, "dense_h_to_4h", dim, hidden), "activation")
					return falconLinear(m, x, "dense_4h_to_h", hidden, dim)
				})
		}}
}

// falconLinear is a linear layer whose bias is added to its product, so that autocast leaves the sum in 32 bits.
func falconLinear(b *Build, x Node, name string, in, out int64) Node {
	bias := b.Bool("bias")
	n := b.Linear(x, name, in, out, bias)
	if bias {
		b.As(n, transformers.Logits{Added: true})
	}
	return n
}

// attendSloped is attention with ALiBi. Where keys and values have one head, nobody repeats it.
func attendSloped(b *Build, x Node, name string, a nn.Attention, slopes Node) Node {
	a = a.Filled()
	m := b.Scope("%s", name)
	wide, narrow := a.Heads*a.HeadDim, a.KV*a.HeadDim
	all := falconLinear(m, x, a.Fused, a.Dim, wide+2*narrow)
	y := m.Core(m.Slice(all, 0, wide), m.Slice(all, wide, wide+narrow), m.Slice(all, wide+narrow, wide+2*narrow),
		a.Heads, a.KV, a.Causal, slopes)
	if a.KV == 1 && a.Heads > 1 {
		build.Written(m, y, func(a *transformers.Attention) { a.Broadcast = true })
	}
	return falconLinear(m, y, a.O, wide, a.Dim)
}

func falconAttention(b *Build, dim, heads int64) nn.Attention {
	a := nn.Attention{Dim: dim, Heads: heads, KV: heads, HeadDim: dim / heads, Rotary: !b.Bool("alibi"), Causal: true,
		Base:  nn.BaseOf(b, "", 0),
		Fused: "query_key_value", O: "dense"}
	switch {
	case b.Bool("new_decoder_architecture"):
		a.KV = b.SizeOr("num_kv_heads", heads)
	case b.Bool("multi_query"):
		a.KV = 1
	}
	return a.Biased(b.Bool("bias"))
}

// falconLayer has one norm for both branches, or one for each; or the branches follow each other.
func falconLayer(b *Build, x Node, dim int64, attend, feed func(x Node) Node) Node {
	if !b.Bool("parallel_attn") {
		return nn.PreNormed(b, x, func(x Node, name string) Node { return b.LayerNorm(x, name, dim, true) }, attend,
			feed)
	}
	norms := b.Or("num_ln_in_parallel_attn", 0)
	if !b.Has("num_ln_in_parallel_attn") && b.Bool("new_decoder_architecture") {
		norms = 2
	}
	if norms != 2 {
		h := b.LayerNorm(x, "input_layernorm", dim, true)
		return stack.ParallelResidual(b, x, attend(h), feed(h))
	}
	attended := attend(b.LayerNorm(x, "ln_attn", dim, true))
	return stack.ParallelResidual(b, x, attended, feed(b.LayerNorm(x, "ln_mlp", dim, true)))
}
