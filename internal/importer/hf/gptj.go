package hf

var _ = define(Family{Type: "gptj", Default: "GPTJForCausalLM", Classes: topped("GPTJForCausalLM", "GPTJModel", gptj,
	scored("GPTJForSequenceClassification"), head{"GPTJForQuestionAnswering", "qa_outputs", (*Build).NumLabels, true})})

// gptj has one norm for attention and network, which stand side by side, and no bias in its attention.
func gptj(b *Build) Decoder {
	d := gpt(b, func(b *Build, x Node, _ int64) Node {
		return b.jLayer(x, func(h Node, a Attention) Node {
			if a.Turned > a.HeadDim {
				m := b.Scope("attn")
				q := m.Linear(h, "q_proj", a.Dim, a.Dim, false)
				return m.jTooWide(q, m.Linear(h, "k_proj", a.Dim, a.Dim, false), m.Linear(h, "v_proj", a.Dim, a.Dim, false), a)
			}
			return b.Attend(h, "attn", a)
		})
	})
	d.HeadBias = true
	return d
}

// jLayer is a layer of GPT-J and CodeGen. rotary_dim features of each head turn.
func (b *Build) jLayer(x Node, attend func(h Node, a Attention) Node) Node {
	dim, heads := b.Size("n_embd"), b.Size("n_head")
	a := Attention{Dim: dim, Heads: heads, KV: heads, HeadDim: dim / heads, Rotary: true, Causal: true, O: "out_proj", Turned: b.Size("rotary_dim")}
	h := b.LayerNorm(x, "ln_1", dim, true)
	attended := attend(h, a)
	fed := b.Scope("mlp").MLP(h, "fc_in", "fc_out", dim, b.SizeOr("n_inner", 4*dim), true, "activation_function")
	return b.parallel(x, attended, fed)
}

// jTooWide is attention with more angles than a head has features: transformers builds it, and it fails when it is called.
func (b *Build) jTooWide(q, k, v Node, a Attention) Node {
	turn := func(x Node) Node {
		x = b.Unflatten(x, a.Heads, a.HeadDim)
		angles := b.Add("parameter", "embed_positions", Args{Ints("shape", 1, 1, a.Turned), Flag("trainable", false)}, x)
		return b.Flat(b.Add("multiply", "", nil, x, angles))
	}
	return b.Linear(b.Core(turn(q), turn(k), v, a.Heads, a.KV, true), a.O, a.Dim, a.Dim, false)
}
