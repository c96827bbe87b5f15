package hf

var _ = define(Family{Type: "cohere", Default: "CohereForCausalLM", Classes: headed("Cohere", cohere)})

// cohere computes attention and network from the same norm, and adds both. Its layer norms have no bias.
func cohere(b *Build) Decoder {
	return cohereDecoder(b, func(b *Build, x Node, i int64) Node {
		a := b.rotaryAttention(500_000)
		if !b.Bool("use_qk_norm") {
			return b.Attend(x, "self_attn", a)
		}
		return b.Scope("self_attn").cohereNormed(x, a)
	})
}

// cohereDecoder is a decoder with Cohere's layers and norms around an attention.
func cohereDecoder(b *Build, attend func(b *Build, x Node, i int64) Node) Decoder {
	return parallel(b, plainLayerNorm, attend, func(b *Build, x Node, _ int64) Node { return b.mlp(x, false) })
}

// parallel is a decoder whose layers have one norm before both branches.
func parallel(b *Build, norm func(b *Build, x Node, name string, dim int64) Node, attend, feed func(b *Build, x Node, i int64) Node) Decoder {
	return Decoder{Dim: b.Size("hidden_size"), FinalNorm: norm, Layer: func(b *Build, x Node, i int64) Node {
		h := norm(b, x, "input_layernorm", b.Size("hidden_size"))
		return b.Residual(b.Residual(x, attend(b, h, i)), feed(b, h, i))
	}}
}

// plainLayerNorm is a layer norm without bias.
func plainLayerNorm(b *Build, x Node, name string, dim int64) Node {
	n := b.LayerNorm(x, name, dim, false)
	b.way(n, "steps/wide")
	return n
}

// cohereNormed is attention whose queries and keys are normalised head by head, with weights of its own for each head.
func (b *Build) cohereNormed(x Node, a Attention) Node {
	a = a.filled()
	q, k, v := b.project(x, a)
	q, k = b.normEachHead(q, "q_norm", a.Heads, a.HeadDim), b.normEachHead(k, "k_norm", a.KV, a.HeadDim)
	q, k = b.Rotate(q, a.HeadDim, a.Base), b.Rotate(k, a.HeadDim, a.Base)
	return b.Linear(b.Core(q, k, v, a.Heads, a.KV, true), a.O, a.Heads*a.HeadDim, a.Dim, a.OutBias)
}

func (b *Build) normEachHead(x Node, name string, heads, dim int64) Node {
	n := b.Scope("%s", name)
	y := n.Add("layerNorm", "", Args{Ints("normalizedShape", dim), Flag("elementwiseAffine", false)}, n.Unflatten(x, heads, dim))
	n.way(y, "steps/wide")
	weight := n.Add("parameter", "weight", Args{Ints("shape", 1, heads, dim)}, x)
	n.Tensor("weight", heads, dim)
	scaled := n.Add("multiply", "", nil, y, weight)
	n.way(scaled, "inside/wide")
	return n.Add("flatten", "", Args{Int("startDim", 2)}, scaled)
}
