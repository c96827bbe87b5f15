package bench

// decoder is a language model that generates tokens, in the form of Llama or of GPT-2.
type decoder struct {
	vocabulary, tokens       int
	dim, heads, kv, headDim  int
	ffn, layers              int
	rotary                   bool   // rotary positions and root-mean-square norms, else learned positions and layer norms
	mixer                    string // the type of the feed-forward network
	experts, topK, expertDim int    // of each layer, where it has experts
}

func drawDecoder(r *rng) architecture {
	d := decoder{vocabulary: 512 * r.from(2, 16), tokens: 32 * r.from(2, 8), heads: pick(r, 4, 6, 8), headDim: pick(r, 16,
		32), layers: r.from(2, 5), rotary: r.chance(65)}
	d.kv = pick(r, 1, 2, d.heads)
	return d.filled(r)
}

// drawLarge draws a decoder of the size that is served.
func drawLarge(r *rng) decoder {
	d := decoder{vocabulary: pick(r, 32000, 50304, 65536, 128256), tokens: pick(r, 1024, 2048), heads: pick(r, 16, 24,
		32), headDim: pick(r, 64, 128), layers: r.from(8, 24), rotary: true}
	d.kv = pick(r, 4, 8, d.heads)
	return d.filled(r)
}

func (d decoder) filled(r *rng) decoder {
	d.dim = d.heads * d.headDim
	d.mixer = "feedForward"
	if d.rotary {
		d.mixer = pick(r, "swiglu", "swiglu", "geglu")
	}
	d.ffn = multiple(d.dim, pick(r, 200, 267, 300, 400), 16)
	return d
}

func (d decoder) words() string {
	if d.rotary {
		return "a decoder language model in the form of Llama"
	}
	return "a decoder language model in the form of GPT-2"
}

// scaled keeps the heads, and changes how many features each has.
func (d decoder) scaled(percent int) architecture {
	d.headDim = multiple(d.headDim, percent, 2)
	d.dim = d.heads * d.headDim
	d.ffn = multiple(d.ffn, percent, 8)
	if d.experts > 0 {
		d.expertDim = multiple(d.expertDim, percent, 8)
	}
	return d
}

func (d decoder) norm() (string, string) {
	if d.rotary {
		return "rmsNorm", "ropeAttention"
	}
	return "layerNorm", "groupedQueryAttention"
}

func (d decoder) build() *design {
	g := newDesign("decoder", int64(d.tokens))
	norm, attention := d.norm()
	at := g.put("tokens", "embedding", []string{"x"}, arg{"numEmbeddings", d.vocabulary}, arg{"embeddingDim", d.dim})
	if !d.rotary {
		at = g.put("positions", "learnedPositionalEmbedding", []string{at}, arg{"maxLen", d.tokens}, arg{"embedDim", d.dim})
	}
	for range d.layers {
		inner := g.add("norm", norm, at, arg{"normalizedShape", d.dim})
		inner = g.add("attention", attention, inner, arg{"embedDim", d.dim}, arg{"numHeads", d.heads}, arg{"numKVHeads",
			d.kv})
		at = g.merge("add", "add", []string{at, inner})
		inner = g.add("norm", norm, at, arg{"normalizedShape", d.dim})
		inner = d.mix(g, inner)
		at = g.merge("add", "add", []string{at, inner})
	}
	at = g.put("last", norm, []string{at}, arg{"normalizedShape", d.dim})
	return g.end(g.put("head", "lmHead", []string{at}, arg{"embedDim", d.dim}, arg{"vocabSize", d.vocabulary}))
}

// mix adds the feed-forward network of a layer.
func (d decoder) mix(g *design, at string) string {
	switch {
	case d.experts > 0:
		return g.add("mixer", "moeLayer", at, arg{"embedDim", d.dim}, arg{"numExperts", d.experts}, arg{"topK", d.topK},
			arg{"expertDim", d.expertDim}, arg{"auxLossCoef", 0.01})
	case d.mixer == "feedForward":
		return g.add("mixer", "feedForward", at, arg{"embedDim", d.dim}, arg{"ffDim", d.ffn}, arg{"activation", "gelu"})
	}
	return g.add("mixer", d.mixer, at, arg{"embedDim", d.dim}, arg{"intermediateSize", d.ffn})
}
