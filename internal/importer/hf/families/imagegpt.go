package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/transformers"
)

var _ = family.Define(family.Family{Type: "imagegpt", Default: "ImageGPTForImageClassification",
	Classes: map[string]func(*Build){
		"ImageGPTForImageClassification": func(b *Build) {
			x := imageGPT(b.Scope("transformer"))
			b.Output(b.Linear(b.Mean(x, "", 1), "score", b.Size("n_embd"), b.NumLabels(), false))
		},
		"ImageGPTModel": func(b *Build) { b.Output(imageGPT(b)) },
	}})

// imageGPT is GPT-2 over the colours of pixels, with norms by the root mean square.
func imageGPT(b *Build) Node {
	dim, heads, rows := b.Size("n_embd"), b.Size("n_head"), b.Size("n_positions")
	b.Divides("n_embd", "n_head")
	inner := b.Or("n_inner", 4*dim)
	x := b.Embedding(b.Root().Tokens("input_ids", rows), "wte", b.Size("vocab_size"), dim)
	x = b.Drop(b.Positions(x, "wpe", rows, dim), "embd_pdrop")
	for i := range b.Int("n_layer") {
		l := b.Scope("h.%d", i)
		a, m := l.Scope("attn"), l.Scope("mlp")
		y := nn.Conv1D(a, imageNorm(l, x, "ln_1", dim), "c_attn", dim, 3*dim)
		y = a.Core(a.Slice(y, 0, dim), a.Slice(y, dim, 2*dim), a.Slice(y, 2*dim, 3*dim), heads, heads, true)
		x = l.Residual(x, a.Drop(nn.Conv1D(a, y, "c_proj", dim, dim), "resid_pdrop"))
		if b.Bool("add_cross_attention") {
			unusedCross(l, x, dim)
		}
		y = m.Activation(nn.Conv1D(m, imageNorm(l, x, "ln_2", dim), "c_fc", dim, inner), "activation_function")
		x = l.Residual(x, m.Drop(nn.Conv1D(m, y, "c_proj", inner, dim), "resid_pdrop"))
	}
	return imageNorm(b, x, "ln_f", dim)
}

// imageNorm is its norm, in the width of the input.
func imageNorm(b *Build, x Node, name string, dim int64) Node {
	n := b.RMSNorm(x, name, dim)
	b.As(n, transformers.RMSNorm{Scaling: transformers.NoCast})
	return n
}

// unusedCross are the weights of attention to an encoder, which a model of images alone leaves alone.
func unusedCross(b *Build, x Node, dim int64) {
	for _, t := range []build.Tensor{build.T("c_attn.weight", dim, 2*dim), build.T("c_attn.bias", 2*dim),
		build.T("q_attn.weight", dim, dim), build.T("q_attn.bias", dim),
		build.T("c_proj.weight", dim, dim), build.T("c_proj.bias", dim)} {
		build.Unused(b, x, "crossattention."+t.Name, t.Shape...)
	}
	build.Unused(b, x, "ln_cross_attn.weight", dim)
}
