package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/config"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
	"github.com/modelverifier/verifier/internal/transformers"
)

var _ = family.Define(family.Family{Type: "xlnet", Default: "XLNetLMHeadModel",
	Classes: stack.NamedClasses("XLNetLMHeadModel", "XLNetModel", xlnet,
		stack.TokenHead("XLNetForTokenClassification"))})

// xlnet has attention with scores for distances, and norms behind the sums. Its mask vector and its segments are used
// only when words are hidden or segments are given.
func xlnet(b *Build) stack.Decoder {
	b.Divides("d_model", "n_head")
	dim, heads := b.Size("d_model"), b.Size("n_head")
	if head := b.Or("d_head", 0); head != 0 && head != dim/heads {
		config.Fail(config.CodeContradiction, b.At("d_head"), "is %d but d_model / n_head is %d", head, dim/heads)
	}
	var waves Node
	return stack.Decoder{Prefix: "transformer", Embed: "word_embedding", Layers: "layer", Head: "lm_loss",
		HeadBias: true, NoFinalNorm: true, Dim: dim, Count: b.Int("n_layer"),
		Embedded: func(b *Build, x Node) Node {
			b.Add("parameter", "mask_emb", Args{build.Ints("shape", 1, dim)}, x)
			b.Tensor("mask_emb", 1, 1, dim)
			waves = b.Drop(b.Constant(x, "pos_emb", 2*b.TextLength(), dim), "dropout")
			return b.Drop(x, "dropout")
		},
		Layer: func(b *Build, x Node, _ int64) Node {
			m := b.Scope("rel_attn")
			x = m.LayerNorm(b.Residual(x, m.Drop(relativeAttention(m, x, waves, dim, heads), "dropout")), "layer_norm",
				dim, true)
			m = b.Scope("ff")
			wide := b.Size("d_inner")
			y := m.Drop(m.Activation(m.Linear(x, "layer_1", dim, wide, true), "ff_activation"), "dropout")
			return m.LayerNorm(b.Residual(x, m.Drop(m.Linear(y, "layer_2", wide, dim, true), "dropout")), "layer_norm",
				dim, true)
		},
		Last: func(b *Build, x Node) Node { return b.Drop(x, "dropout") }}
}

// relativeAttention is that of Transformer-XL: the scores of words and those of distances, each with a trained offset.
func relativeAttention(b *Build, x, waves Node, dim, heads int64) Node {
	head, length := dim/heads, b.TextLength()
	linear := func(x Node, name string) Node {
		n := b.Add("linear", name, Args{build.Int("inFeatures", dim), build.Int("outFeatures", dim),
			build.Flag("bias", false)}, x)
		b.Tensor(name, dim, heads, head)
		return n
	}
	q, k, v, r := linear(x, "q"), linear(x, "k"), linear(x, "v"), linear(waves, "r")
	b.As(r, transformers.Logits{Recast: true})
	distances := b.OpaqueOf([]Node{q, r}, "rel_shift", []int64{heads, length, length},
		build.Product(b, 4, length, length, dim))
	b.Set(distances, "numParams", build.Int("", 4*dim).Value)
	for _, name := range []string{"r_r_bias", "r_s_bias"} {
		b.Tensor(name, heads, head)
	}
	b.Tensor("seg_embed", 2, heads, head)
	offset := b.Add("parameter", "r_w_bias", Args{build.Ints("shape", 1, dim)}, x)
	b.Tensor("r_w_bias", heads, head)
	y := b.Core(b.Add("add", "", nil, q, offset), k, v, heads, heads, b.Is("attn_type", "uni"), distances)
	b.SetDropout(y, "dropout")
	return linear(y, "o")
}
