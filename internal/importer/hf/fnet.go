package hf

var _ = define(Family{Type: "fnet", Default: "FNetForMaskedLM", Classes: Encoder{Prefix: "fnet", Model: fnet, Pool: bertPool, Pooled: true, Words: bertWords}.classes("FNet", masked, tokens)})

// fnet mixes the positions by a Fourier transform of both axes, of which it keeps the real part.
func fnet(b *Build) (x, table Node) {
	s := Bert{Enter: "embeddings.projection", Always: true, Late: true, Single: true}
	length, dim := b.Length(s.longest(b)), b.Size("hidden_size")
	s.Layer = func(l *Build, x, _ Node, _ int64) Node {
		y := l.Add("customModule", "fourier.self", Args{Ints("outShape", length, dim), Int("numParams", 0)}, x)
		l.way(y, "linear")
		x = l.LayerNorm(l.Residual(x, y), "fourier.output.LayerNorm", dim, true)
		return l.LayerNorm(l.Residual(x, l.drop(l.bertFeed(x), hiddenDropout)), "output.LayerNorm", dim, true)
	}
	table = b.tokens(s.longest(b), "embeddings.word_embeddings", dim)
	return s.encode(b, b.Scope("embeddings").drop(s.embed(b, table), hiddenDropout)), table
}
