package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "gptj", Default: "GPTJForCausalLM",
	Classes: stack.NamedClasses("GPTJForCausalLM", "GPTJModel", gptj,
		stack.ScoreHead("GPTJForSequenceClassification"),
		stack.Head{Class: "GPTJForQuestionAnswering", Layer: "qa_outputs", Count: (*Build).NumLabels, Bias: true})})

// gptj has one norm for attention and network, which stand side by side, and no bias in its attention.
func gptj(b *Build) stack.Decoder {
	d := stack.GPT(b, func(b *Build, x Node, _ int64) Node {
		return jLayer(b, x, func(h Node, a nn.Attention) Node {
			if a.RotaryDim > a.HeadDim {
				m := b.Scope("attn")
				q := m.Linear(h, "q_proj", a.Dim, a.Dim, false)
				return jTooWide(m, q, m.Linear(h, "k_proj", a.Dim, a.Dim, false),
					m.Linear(h, "v_proj", a.Dim, a.Dim, false), a)
			}
			return nn.Attend(b, h, "attn", a)
		})
	})
	d.HeadBias = true
	return d
}

// jLayer is a layer of GPT-J and CodeGen. rotary_dim features of each head are rotated.
func jLayer(b *Build, x Node, attend func(h Node, a nn.Attention) Node) Node {
	dim, heads := b.Size("n_embd"), b.Size("n_head")
	a := nn.Attention{Dim: dim, Heads: heads, KV: heads, HeadDim: dim / heads, Rotary: true, Causal: true,
		O: "out_proj", RotaryDim: b.Size("rotary_dim")}
	h := b.LayerNorm(x, "ln_1", dim, true)
	attended := attend(h, a)
	fed := nn.MLP(b.Scope("mlp"), h, "fc_in", "fc_out", dim, b.SizeOr("n_inner", 4*dim), true, "activation_function")
	return stack.ParallelResidual(b, x, attended, fed)
}

// jTooWide is attention with more angles than a head has features: transformers builds it, and it fails when it is
// called.
func jTooWide(b *Build, q, k, v Node, a nn.Attention) Node {
	turn := func(x Node) Node {
		x = b.Unflatten(x, a.Heads, a.HeadDim)
		angles := b.Constant(x, "embed_positions", 1, 1, a.RotaryDim)
		return b.Flat(b.Add("multiply", "", nil, x, angles))
	}
	return b.Linear(b.Core(turn(q), turn(k), v, a.Heads, a.KV, true), a.O, a.Dim, a.Dim, false)
}
