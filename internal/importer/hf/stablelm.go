package hf

import "fmt"

var _ = define(Family{Type: "stablelm", Default: "StableLmForCausalLM", Classes: headed("StableLm", stableLM, sequences, tokens)})

// stableLM has layer norms; attention and network may stand beside each other behind the first of them.
func stableLM(*Build) Decoder {
	return Decoder{FinalNorm: lastLayerNorm, Layer: func(b *Build, x Node, _ int64) Node {
		b = b.With(b.ignoreNull("head_dim"))
		a := b.rotary(0)
		a.HeadDim = b.evenHeads()
		a = b.partly(a, "", 0.25, true)
		a.Bias = b.Bool("use_qkv_bias")
		attend := func(x Node) Node {
			if b.Bool("qk_layernorm") {
				return b.Scope("self_attn").stableHeads(x, a.filled())
			}
			return b.Attend(x, "self_attn", a)
		}
		feed := func(x Node) Node { return b.mlp(x, false) }
		if !b.Bool("use_parallel_residual") {
			return b.layerNormed(x, attend, feed)
		}
		y := b.LayerNorm(x, "input_layernorm", a.Dim, true)
		return b.Add("add", "", nil, x, attend(y), feed(y))
	}}
}

// stableHeads is attention with a layer norm of its own for every head of queries and keys: the same normalisation, and then
// weights that differ from head to head.
func (b *Build) stableHeads(x Node, a Attention) Node {
	q, k, v := b.project(x, a)
	norm := func(x Node, name string, heads int64) Node {
		x = b.Add("qkNorm", name, Args{Int("headDim", a.HeadDim), Text("kind", "layer"), Flag("elementwiseAffine", false)}, x)
		w := b.Add("parameter", name+".norms", Args{Ints("shape", 1, heads*a.HeadDim)}, x)
		for h := range heads {
			b.Tensor(fmt.Sprintf("%s.norms.%d.weight", name, h), a.HeadDim)
		}
		x = b.Add("multiply", name, nil, x, w)
		b.way(x, "inside")
		if !a.Rotary {
			return x
		}
		return b.turn(x, heads, a)
	}
	q, k = norm(q, "q_layernorm", a.Heads), norm(k, "k_layernorm", a.KV)
	y := b.Core(q, k, v, a.Heads, a.KV, true)
	b.joins(y, a)
	return b.Linear(y, a.O, a.Dim, a.Dim, a.OutBias)
}

// evenHeads is hidden_size for each head, which it must be a multiple of.
func (b *Build) evenHeads() int64 {
	dim, heads := b.Size("hidden_size"), b.Size("num_attention_heads")
	if dim%heads != 0 {
		fail(CodeContradiction, b.at("hidden_size"), "is %d, which num_attention_heads, %d, does not divide", dim, heads)
	}
	return dim / heads
}
