package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
	"github.com/modelverifier/verifier/internal/transformers"
)

var _ = family.Define(family.Family{Type: "cohere", Default: "CohereForCausalLM",
	Classes: stack.HeadedClasses("Cohere", cohere)})

// cohere computes attention and network from the same norm, and adds both. Its layer norms have no bias.
func cohere(b *Build) stack.Decoder {
	return cohereDecoder(b, func(b *Build, x Node, i int64) Node {
		a := nn.RotaryAttention(b, 500_000)
		if !b.Bool("use_qk_norm") {
			return nn.Attend(b, x, "self_attn", a)
		}
		return cohereNormed(b.Scope("self_attn"), x, a)
	})
}

// cohereDecoder is a decoder with Cohere's layers and norms around an attention.
func cohereDecoder(b *Build, attend func(b *Build, x Node, i int64) Node) stack.Decoder {
	return parallel(b, plainLayerNorm, attend,
		func(b *Build, x Node, _ int64) Node { return nn.DecoderMLP(b, x, false) })
}

// parallel is a decoder whose layers have one norm before both branches.
func parallel(b *Build, norm func(b *Build, x Node, name string, dim int64) Node, attend,
	feed func(b *Build, x Node, i int64) Node) stack.Decoder {
	return stack.Decoder{Dim: b.Size("hidden_size"), FinalNorm: norm, Layer: func(b *Build, x Node, i int64) Node {
		h := norm(b, x, "input_layernorm", b.Size("hidden_size"))
		return b.Residual(b.Residual(x, attend(b, h, i)), feed(b, h, i))
	}}
}

// plainLayerNorm is a layer norm without bias.
func plainLayerNorm(b *Build, x Node, name string, dim int64) Node {
	n := b.LayerNorm(x, name, dim, false)
	b.As(n, transformers.LayerNorm{Steps: true, Wide: true})
	return n
}

// cohereNormed is attention whose queries and keys are normalised head by head, with weights of its own for each head.
func cohereNormed(b *Build, x Node, a nn.Attention) Node {
	a = a.Filled()
	q, k, v := nn.Project(b, x, a)
	q, k = normEachHead(b, q, "q_norm", a.Heads, a.HeadDim), normEachHead(b, k, "k_norm", a.KV, a.HeadDim)
	q, k = nn.Rotate(b, q, a.HeadDim, a.Base), nn.Rotate(b, k, a.HeadDim, a.Base)
	return b.Linear(b.Core(q, k, v, a.Heads, a.KV, true), a.O, a.Heads*a.HeadDim, a.Dim, a.OutBias)
}

func normEachHead(b *Build, x Node, name string, heads, dim int64) Node {
	n := b.Scope("%s", name)
	y := n.Add("layerNorm", "", Args{build.Ints("normalizedShape", dim), build.Flag("elementwiseAffine", false)},
		n.Unflatten(x, heads, dim))
	n.As(y, transformers.LayerNorm{Steps: true, Wide: true})
	weight := n.Add("parameter", "weight", Args{build.Ints("shape", 1, heads, dim)}, x)
	n.Tensor("weight", heads, dim)
	scaled := n.Add("multiply", "", nil, y, weight)
	n.As(scaled, transformers.Product{Inside: true, Wide: true})
	return n.Flat(scaled)
}
