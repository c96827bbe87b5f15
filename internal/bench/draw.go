package bench

// What families begin with: architectures of the usual kinds with sizes that fit each other. An architecture is a
// value, so that a family can build it a second time with other sizes.

// architecture is a design before it is built.
type architecture interface {
	build() *design
	scaled(percent int) architecture // with widths of so many percent, and everything else as it is
	words() string                   // what a user would call it
}

// drawVision draws an image or table classifier.
func drawVision(r *rng) architecture {
	switch n := r.below(100); {
	case n < 22:
		return drawPerceptron(r)
	case n < 72:
		return drawConvnet(r)
	}
	return drawPatches(r)
}

// drawAny draws an architecture of any kind, small enough to be run anywhere.
func drawAny(r *rng) architecture {
	switch n := r.below(100); {
	case n < 60:
		return drawVision(r)
	case n < 85:
		return drawDecoder(r)
	}
	return drawReader(r)
}

// multiple is a width of so many percent, at least one step and a multiple of it.
func multiple(width, percent, step int) int { return max(1, (width*percent/100+step/2)/step) * step }

// perceptron is linear layers behind each other.
type perceptron struct {
	shape   []int64
	widths  []int
	act     string
	norm    bool
	drop    float64
	classes int
}

func drawPerceptron(r *rng) architecture {
	p := perceptron{shape: []int64{int64(r.from(12, 96))}, act: pick(r, "relu", "gelu", "silu", "tanh"),
		norm: r.chance(60), classes: pick(r, 2, 5, 10, 20)}
	if r.chance(40) {
		side := int64(pick(r, 8, 12, 16, 28))
		p.shape = []int64{int64(pick(r, 1, 3)), side, side}
	}
	if r.chance(40) {
		p.drop = pick(r, 0.1, 0.2, 0.3)
	}
	for range r.from(3, 6) {
		p.widths = append(p.widths, 8*r.from(5, 40))
	}
	return p
}

func (p perceptron) words() string {
	if len(p.shape) == 1 {
		return "a perceptron for rows of a table"
	}
	return "a perceptron for small images"
}

func (p perceptron) scaled(percent int) architecture {
	widths := make([]int, len(p.widths))
	for i, w := range p.widths {
		widths[i] = multiple(w, percent, 4)
	}
	p.widths = widths
	return p
}

func (p perceptron) build() *design {
	d, at, in := newDesign("perceptron", p.shape...), "x", int(p.shape[0])
	if len(p.shape) == 3 {
		in *= int(p.shape[1] * p.shape[2])
		at = d.add("flat", "flatten", at)
	}
	for _, width := range p.widths {
		at = d.add("fc", "linear", at, arg{"inFeatures", in}, arg{"outFeatures", width})
		if p.norm {
			at = d.add("norm", "layerNorm", at, arg{"normalizedShape", width})
		}
		at = d.add("act", p.act, at)
		if p.drop > 0 {
			at = d.add("drop", "dropout", at, arg{"p", p.drop})
		}
		in = width
	}
	return d.end(d.put("head", "linear", []string{at}, arg{"inFeatures", in}, arg{"outFeatures", p.classes}))
}

// convnet is stages of convolutions, each half the size of the one before.
type convnet struct {
	channels, side int
	widths         []int
	kernel         int
	blocks         int // of each stage
	residual       bool
	separable      bool
	act, pool      string
	classes        int
}

func drawConvnet(r *rng) architecture {
	c := convnet{channels: pick(r, 1, 3, 3), side: pick(r, 28, 32, 48, 64), kernel: pick(r, 3, 3, 5), blocks: r.from(1,
		2), residual: r.chance(50), separable: r.chance(25),
		act: pick(r, "relu", "gelu", "silu", "leakyRelu"), pool: pick(r, "maxpool2d", "avgpool2d"), classes: pick(r, 10, 20,
			43, 100)}
	width := 8 * r.from(2, 6)
	for range r.from(2, 3) {
		c.widths = append(c.widths, width)
		width = width * pick(r, 3, 4) / 2
	}
	return c
}

func (c convnet) words() string {
	switch {
	case c.residual:
		return "a small residual network for images"
	case c.separable:
		return "a small network of separable convolutions for images"
	}
	return "a small convolutional network for images"
}

func (c convnet) scaled(percent int) architecture {
	widths := make([]int, len(c.widths))
	for i, w := range c.widths {
		widths[i] = multiple(w, percent, 4)
	}
	c.widths = widths
	return c
}

func (c convnet) build() *design {
	d, at, in := newDesign("convolutional network", int64(c.channels), int64(c.side), int64(c.side)), "x", c.channels
	for stage, width := range c.widths {
		at = c.layer(d, at, in, width, stage == 0)
		for range c.blocks - 1 {
			inner := c.layer(d, at, width, width, false)
			if c.residual {
				inner = d.merge("add", "add", []string{at, inner})
			}
			at = inner
		}
		at = d.add("pool", c.pool, at, arg{"kernelSize", 2})
		in = width
	}
	at = d.put("gap", "globalAvgPool2d", []string{at})
	return d.end(d.put("head", "linear", []string{at}, arg{"inFeatures", in}, arg{"outFeatures", c.classes}))
}

// layer adds a convolution that keeps the size of the image, a normalisation and an activation.
func (c convnet) layer(d *design, at string, in, out int, first bool) string {
	typ := "conv2d"
	if c.separable && !first {
		typ = "separableConv2d"
	}
	at = d.add("conv", typ, at, arg{"inChannels", in}, arg{"outChannels", out}, arg{"kernelSize", c.kernel},
		arg{"padding", c.kernel / 2}, arg{"bias", false})
	at = d.add("norm", "batchNorm", at, arg{"numFeatures", out})
	return d.add("act", c.act, at)
}

// patches is a vision transformer without a class token.
type patches struct {
	channels, side, patch   int
	dim, heads, ffn, layers int
	classes                 int
}

func drawPatches(r *rng) architecture {
	p := patches{channels: pick(r, 1, 3), side: pick(r, 28, 32, 48), patch: 4, heads: pick(r, 2, 4), layers: r.from(2, 5),
		classes: pick(r, 10, 37, 100)}
	p.dim = p.heads * 16 * r.from(1, 3)
	p.ffn = p.dim * pick(r, 2, 3, 4)
	return p
}

func (p patches) words() string { return "a small vision transformer" }

func (p patches) scaled(percent int) architecture {
	p.dim = multiple(p.dim, percent, 4*p.heads)
	p.ffn = multiple(p.ffn, percent, 8)
	return p
}

func (p patches) build() *design {
	d := newDesign("vision transformer", int64(p.channels), int64(p.side), int64(p.side))
	at := d.put("patches", "patchEmbed", []string{"x"}, arg{"inChannels", p.channels}, arg{"patchSize", p.patch},
		arg{"embedDim", p.dim})
	length := (p.side / p.patch) * (p.side / p.patch)
	at = d.put("positions", "learnedPositionalEmbedding", []string{at}, arg{"maxLen", length}, arg{"embedDim", p.dim})
	for range p.layers {
		at = d.add("block", "transformerBlock", at, arg{"embedDim", p.dim}, arg{"numHeads", p.heads}, arg{"ffDim", p.ffn},
			arg{"activation", "gelu"})
	}
	at = d.put("norm", "layerNorm", []string{at}, arg{"normalizedShape", p.dim})
	at = d.put("mean", "mean", []string{at}, arg{"dim", 1})
	return d.end(d.put("head", "linear", []string{at}, arg{"inFeatures", p.dim}, arg{"outFeatures", p.classes}))
}

// reader is a recurrent classifier of text.
type reader struct {
	vocabulary, tokens, dim, hidden, layers, classes int
	cell                                             string
}

func drawReader(r *rng) architecture {
	return reader{vocabulary: 1000 * r.from(1, 8), tokens: 16 * r.from(2, 8), dim: 16 * r.from(2, 8),
		hidden: 16 * r.from(3, 12), layers: r.from(1, 2), classes: r.from(2, 20), cell: pick(r, "lstm", "gru")}
}

func (p reader) words() string { return "a recurrent classifier of text" }

func (p reader) scaled(percent int) architecture {
	p.dim, p.hidden = multiple(p.dim, percent, 4), multiple(p.hidden, percent, 4)
	return p
}

func (p reader) build() *design {
	d := newDesign("text classifier", int64(p.tokens))
	at := d.put("tokens", "embedding", []string{"x"}, arg{"numEmbeddings", p.vocabulary}, arg{"embeddingDim", p.dim})
	in := p.dim
	for k := range p.layers {
		at = d.add("cell", p.cell, at, arg{"inputSize", in}, arg{"hiddenSize", p.hidden}, arg{"returnSequences",
			k < p.layers-1})
		in = p.hidden
	}
	at = d.put("between", "linear", []string{at}, arg{"inFeatures", p.hidden}, arg{"outFeatures", p.hidden})
	at = d.put("act", "relu", []string{at})
	return d.end(d.put("head", "linear", []string{at}, arg{"inFeatures", p.hidden}, arg{"outFeatures", p.classes}))
}
