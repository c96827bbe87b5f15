package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/nn"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
)

var _ = family.Define(family.Family{Type: "xmod", Default: "XmodForMaskedLM",
	Classes: stack.Encoder{Prefix: "roberta", Model: xmod, Pool: stack.BertPool, Words: stack.RobertaWords,
		Whole: stack.FrontClass("tanh")}.
		Classes("Xmod", robertaHeads...)})

// xmod is RoBERTa with an adapter for each language behind the feed-forward network of a layer.
func xmod(b *Build) (x, table Node) {
	s := Bert{Padded: true, Pre: b.Bool("pre_norm")}
	if s.Pre {
		s.Last = "encoder.LayerNorm"
	}
	s.Layer = func(l *Build, x, memory Node, _ int64) Node {
		const norm = "output.LayerNorm"
		dim := l.Size("hidden_size")
		x = s.looked(l, x, memory)
		y := x
		if s.Pre {
			y = l.LayerNorm(x, norm, dim, true)
		}
		x = l.Residual(x, bertFeed(l, y))
		ahead, before := x, l.Bool("ln_before_adapter")
		switch {
		case l.Bool("adapter_layer_norm"):
			x = l.LayerNorm(x, "output.adapter_layer_norm", dim, true)
		case l.Bool("adapter_reuse_layer_norm") && s.Pre:
			x = l.Again().LayerNorm(x, norm, dim, true)
		case l.Bool("adapter_reuse_layer_norm"):
			x = l.LayerNorm(x, norm, dim, true)
		}
		if before {
			ahead = x
		}
		x = l.Residual(ahead, adapt(l.Scope("output"), x))
		switch {
		case s.Pre:
			return x
		case l.Bool("adapter_reuse_layer_norm") && !l.Bool("adapter_layer_norm"):
			return l.Again().LayerNorm(x, norm, dim, true)
		}
		return l.LayerNorm(x, norm, dim, true)
	}
	return s.model(b)
}

// adapt runs a text through the adapter of its language. Of several languages each has weights, and one is used.
func adapt(b *Build, x Node) Node {
	dim, languages := b.Size("hidden_size"), b.Strs("languages")
	narrow := dim / b.Size("adapter_reduction_factor")
	if len(languages) == 1 {
		m := b.Scope("adapter_modules.%s", languages[0])
		return nn.MLP(m, x, "dense1", "dense2", dim, narrow, true, "hidden_act")
	}
	var all []build.Tensor
	for _, l := range languages {
		all = append(all, build.T(l+".dense1.weight", narrow, dim), build.T(l+".dense1.bias", narrow),
			build.T(l+".dense2.weight", dim, narrow), build.T(l+".dense2.bias", dim))
	}
	length := b.Length(Bert{Padded: true}.longest(b))
	n := b.Opaque(x, "adapter_modules", []int64{length, dim}, length, all...)
	b.Set(n, "flops", build.Int("", 4*length*dim*narrow).Value)
	return n
}
