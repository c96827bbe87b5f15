package families

import (
	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/importer/hf/stack"
	"github.com/modelverifier/verifier/internal/transformers"
)

var _ = family.Define(family.Family{Type: "fnet", Default: "FNetForMaskedLM",
	Classes: stack.Encoder{Prefix: "fnet", Model: fnet, Pool: stack.BertPool, Pooled: true,
		Words: stack.BertWords}.Classes("FNet", stack.MaskedLM, stack.TokenClassification)})

// fnet mixes the positions by a Fourier transform of both axes, of which it keeps the real part.
func fnet(b *Build) (x, table Node) {
	s := Bert{Enter: "embeddings.projection", Always: true, Late: true, Single: true}
	length, dim := b.Length(s.longest(b)), b.Size("hidden_size")
	s.Layer = func(l *Build, x, _ Node, _ int64) Node {
		y := l.Add("customModule", "fourier.self",
			Args{build.Ints("outShape", length, dim), build.Int("numParams", 0)}, x)
		l.As(y, transformers.Opaque{Linear: true})
		x = l.LayerNorm(l.Residual(x, y), "fourier.output.LayerNorm", dim, true)
		return l.LayerNorm(l.Residual(x, l.Drop(bertFeed(l, x), hiddenDropout)), "output.LayerNorm", dim, true)
	}
	table = tokens(b, s.longest(b), "embeddings.word_embeddings", dim)
	return s.encode(b, b.Scope("embeddings").Drop(s.embed(b, table), hiddenDropout)), table
}
