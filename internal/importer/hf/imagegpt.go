package hf

var _ = define(Family{Type: "imagegpt", Default: "ImageGPTForImageClassification", Classes: map[string]func(*Build){
	"ImageGPTForImageClassification": func(b *Build) {
		x := b.Scope("transformer").imageGPT()
		b.Output(b.Linear(b.Mean(x, "", 1), "score", b.Size("n_embd"), b.NumLabels(), false))
	},
	"ImageGPTModel": func(b *Build) { b.Output(b.imageGPT()) },
}})

// imageGPT is GPT-2 over the colours of pixels, with norms by the root mean square.
func (b *Build) imageGPT() Node {
	dim, heads, rows := b.Size("n_embd"), b.Size("n_head"), b.Size("n_positions")
	b.divides("n_embd", "n_head")
	inner := b.Or("n_inner", 4*dim)
	x := b.Embedding((&Build{Config: b.Config, state: b.state}).Tokens("input_ids", rows), "wte", b.Size("vocab_size"), dim)
	x = b.drop(b.Positions(x, "wpe", rows, dim), "embd_pdrop")
	for i := range b.Int("n_layer") {
		l := b.Scope("h.%d", i)
		a, m := l.Scope("attn"), l.Scope("mlp")
		y := a.Conv1D(l.imageNorm(x, "ln_1", dim), "c_attn", dim, 3*dim)
		y = a.Core(a.Slice(y, 0, dim), a.Slice(y, dim, 2*dim), a.Slice(y, 2*dim, 3*dim), heads, heads, true)
		x = l.Residual(x, a.drop(a.Conv1D(y, "c_proj", dim, dim), "resid_pdrop"))
		if b.Bool("add_cross_attention") {
			l.unusedCross(x, dim)
		}
		y = m.Activation(m.Conv1D(l.imageNorm(x, "ln_2", dim), "c_fc", dim, inner), "activation_function")
		x = l.Residual(x, m.drop(m.Conv1D(y, "c_proj", inner, dim), "resid_pdrop"))
	}
	return b.imageNorm(x, "ln_f", dim)
}

// imageNorm is its norm, in the width that arrives.
func (b *Build) imageNorm(x Node, name string, dim int64) Node {
	n := b.RMSNorm(x, name, dim)
	b.way(n, "plain")
	return n
}

// unusedCross are the weights of attention to an encoder, which a model of images alone leaves alone.
func (b *Build) unusedCross(x Node, dim int64) {
	for _, t := range []Tensor{T("c_attn.weight", dim, 2*dim), T("c_attn.bias", 2*dim), T("q_attn.weight", dim, dim), T("q_attn.bias", dim),
		T("c_proj.weight", dim, dim), T("c_proj.bias", dim)} {
		b.Unused(x, "crossattention."+t.Name, t.Shape...)
	}
	b.Unused(x, "ln_cross_attn.weight", dim)
}
