package families

import (
	"fmt"

	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/config"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
	"github.com/modelverifier/verifier/internal/transformers"
)

var _ = family.Define(family.Family{Type: "stablelm", Default: "StableLmForCausalLM",
	Classes: stack.HeadedClasses("StableLm", stableLM, stack.SequenceClassification, stack.TokenClassification)})

// stableLM has layer norms; attention and network may stand beside each other behind the first of them.
func stableLM(*Build) stack.Decoder {
	return stack.Decoder{FinalNorm: stack.LastLayerNorm, Layer: func(b *Build, x Node, _ int64) Node {
		b = b.With(b.IgnoreNull("head_dim"))
		a := nn.Rotary(b, 0)
		a.HeadDim = evenHeads(b)
		a = nn.PartlyRotary(b, a, "", 0.25, true)
		a.Bias = b.Bool("use_qkv_bias")
		attend := func(x Node) Node {
			if b.Bool("qk_layernorm") {
				return stableHeads(b.Scope("self_attn"), x, a.Filled())
			}
			return nn.Attend(b, x, "self_attn", a)
		}
		feed := func(x Node) Node { return nn.DecoderMLP(b, x, false) }
		if !b.Bool("use_parallel_residual") {
			return nn.LayerNormed(b, x, attend, feed)
		}
		y := b.LayerNorm(x, "input_layernorm", a.Dim, true)
		return b.Add("add", "", nil, x, attend(y), feed(y))
	}}
}

// stableHeads is attention with a layer norm of its own for every head of queries and keys: the same normalisation,
// and then weights that differ from head to head.
func stableHeads(b *Build, x Node, a nn.Attention) Node {
	q, k, v := nn.Project(b, x, a)
	norm := func(x Node, name string, heads int64) Node {
		x = b.Add("qkNorm", name, Args{build.Int("headDim", a.HeadDim), build.Text("kind", "layer"),
			build.Flag("elementwiseAffine", false)}, x)
		w := b.Add("parameter", name+".norms", Args{build.Ints("shape", 1, heads*a.HeadDim)}, x)
		for h := range heads {
			b.Tensor(fmt.Sprintf("%s.norms.%d.weight", name, h), a.HeadDim)
		}
		x = b.Add("multiply", name, nil, x, w)
		b.As(x, transformers.Product{Inside: true})
		if !a.Rotary {
			return x
		}
		return nn.RotateHeads(b, x, heads, a)
	}
	q, k = norm(q, "q_layernorm", a.Heads), norm(k, "k_layernorm", a.KV)
	y := b.Core(q, k, v, a.Heads, a.KV, true)
	nn.MarkJoined(b, y, a)
	return b.Linear(y, a.O, a.Dim, a.Dim, a.OutBias)
}

// evenHeads is hidden_size for each head, which it must be a multiple of.
func evenHeads(b *Build) int64 {
	dim, heads := b.Size("hidden_size"), b.Size("num_attention_heads")
	if dim%heads != 0 {
		config.Fail(config.CodeContradiction, b.At("hidden_size"),
			"is %d, which num_attention_heads, %d, does not divide", dim, heads)
	}
	return dim / heads
}
