package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "gpt2", Also: []string{"gpt-sw3"}, Default: "GPT2LMHeadModel",
	Classes: stack.NamedClasses("GPT2LMHeadModel", "GPT2Model", gpt2, stack.GPTHeads("GPT2")...)})

// gpt2 has learned positions, and linear layers that are stored the other way round.
func gpt2(b *Build) stack.Decoder { return gptWithMemory(b, nn.Conv1D) }

// gptWithMemory is GPT-2 with either kind of linear layer. Each layer may also attend to an encoder.
func gptWithMemory(b *Build, linear func(b *Build, x Node, name string, in, out int64) Node) stack.Decoder {
	dim := b.Size("n_embd")
	var memory Node
	if b.Bool("add_cross_attention") {
		memory = b.Input("encoder_hidden_states", b.TextLength(), dim)
	}
	d := stack.GPT(b, func(b *Build, x Node, _ int64) Node {
		a := nn.Attention{Dim: dim, Heads: b.Size("n_head"), Causal: true, HeadDim: dim / b.Size("n_head")}
		a.KV = a.Heads
		if knows := b.Declares("multi_query"); knows && b.Bool("multi_query") {
			a.KV = 1
		}
		x = b.Residual(x, attendStored(b.Scope("attn"), b.LayerNorm(x, "ln_1", dim, true), a, linear))
		if b.Bool("add_cross_attention") {
			h := b.LayerNorm(x, "ln_cross_attn", dim, true)
			x = b.Residual(x, attendMemory(b.Scope("crossattention"), h, memory, a, linear))
		}
		h, inner := b.LayerNorm(x, "ln_2", dim, true), b.SizeOr("n_inner", 4*dim)
		m := b.Scope("mlp")
		h = m.Activation(linear(m, h, "c_fc", dim, inner), "activation_function")
		return b.Residual(x, linear(m, h, "c_proj", inner, dim))
	})
	d.Embedded = func(b *Build, x Node) Node { return b.Positions(x, "wpe", b.Size("n_positions"), dim) }
	return d
}

// attendStored is attention with one projection for queries, keys and values.
func attendStored(b *Build, x Node, a nn.Attention,
	linear func(b *Build, x Node, name string, in, out int64) Node) Node {
	kv := a.KV * a.HeadDim
	all := linear(b, x, "c_attn", a.Dim, a.Dim+2*kv)
	y := b.Core(b.Slice(all, 0, a.Dim), b.Slice(all, a.Dim, a.Dim+kv), b.Slice(all, a.Dim+kv, a.Dim+2*kv), a.Heads,
		a.KV, true)
	return linear(b, y, "c_proj", a.Dim, a.Dim)
}

// attendMemory is attention to what an encoder gave.
func attendMemory(b *Build, x, memory Node, a nn.Attention,
	linear func(b *Build, x Node, name string, in, out int64) Node) Node {
	both := linear(b, memory, "c_attn", a.Dim, 2*a.Dim)
	q := linear(b, x, "q_attn", a.Dim, a.Dim)
	y := b.Core(q, b.Slice(both, 0, a.Dim), b.Slice(both, a.Dim, 2*a.Dim), a.Heads, a.Heads, false)
	return linear(b, y, "c_proj", a.Dim, a.Dim)
}
