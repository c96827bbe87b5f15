package main

// tokens turns the input into a sequence of features, of a width that is drawn.
func (d *design) tokens(width int) {
	switch {
	case d.set.Name == "cancer":
		n := d.num("token", 1, 3, 5)
		d.put("reshape shape=[%d,%d]", 30/n, n)
		d.dim = []int{30 / n, n}
		d.linear(width)
	case len(d.dim) == 1:
		n := d.num("token", 1, 4, 8, 16)
		d.put("reshape shape=[%d,%d]", 64/n, n)
		d.dim = []int{64 / n, n}
		d.linear(width)
	default:
		patch := d.num("patch", 2, 4, 4, 7, 14)
		if d.dim[1] == 32 {
			patch = d.num("patch", 2, 4, 4, 8, 16)
		}
		d.put("patchEmbed inChannels=%d patchSize=%d embedDim=%d", d.dim[0], patch, width)
		d.dim = []int{(d.dim[1] / patch) * (d.dim[2] / patch), width}
	}
}

// collect turns a sequence into features.
func (d *design) collect(kinds ...string) {
	switch d.pick("collect", kinds...) {
	case "mean":
		d.put("mean dim=1")
		d.dim = d.dim[1:]
	case "first":
		d.put("select dim=1 index=0")
		d.dim = d.dim[1:]
	case "last":
		d.put("select dim=1 index=-1")
		d.dim = d.dim[1:]
	default:
		d.flatten()
	}
}

// mixer draws linear layers over tokens and over features in turn.
func mixer(d *design) {
	s := d.drawStyle()
	w := d.num("width", 4, 8, 16, 32, 64, 128)
	d.tokens(w)
	shortcut := d.pick("shortcut", "yes", "yes", "yes", "yes", "no")
	for range d.num("blocks", 1, 2, 3, 4, 6) {
		d.mix(s, shortcut == "yes", true)
		d.mix(s, shortcut == "yes", false)
	}
	d.normalise(s.norm)
	d.collect("mean", "mean", "flatten", "first")
	d.classify()
}

func (d *design) mix(s style, shortcut, tokens bool) {
	from := d.at
	d.normalise(s.norm)
	if tokens {
		d.put("transpose dim0=1 dim1=2")
		d.dim[0], d.dim[1] = d.dim[1], d.dim[0]
	}
	w := d.features()
	d.linear(w * 2)
	d.activate(s.act)
	if s.drop > 0 {
		d.put("dropout p=%g", s.drop)
	}
	d.linear(w)
	if tokens {
		d.put("transpose dim0=1 dim1=2")
		d.dim[0], d.dim[1] = d.dim[1], d.dim[0]
	}
	if shortcut {
		d.join([]string{from, d.at}, "add")
	}
}

// transformer draws a small encoder over patches or groups of features.
func transformer(d *design) {
	w := d.num("width", 8, 16, 32, 64, 128)
	d.tokens(w)
	d.encode(d.num("blocks", 1, 2, 3, 4, 6, 8), d.num("heads", 1, 2, 4))
	d.classify()
}

// encode draws positions, blocks and what collects their result.
func (d *design) encode(blocks, heads int) {
	w := d.features()
	token := d.pick("class token", "no", "no", "yes") == "yes"
	if token {
		d.put("classToken embedDim=%d", w)
		d.dim[0]++
	}
	switch d.pick("positions", "learned", "learned", "sinusoid", "none") {
	case "learned":
		d.put("learnedPositionalEmbedding maxLen=%d embedDim=%d", d.dim[0], w)
	case "sinusoid":
		d.put("positionalEncoding maxLen=%d embedDim=%d", d.dim[0], w)
	}
	drop := d.share("drop", 0, 0, 0, 0.1, 0.5)
	kind := d.pick("block", "pre", "pre", "pre", "post", "post", "bare", "no shortcut")
	ff, act := d.num("ff", 1, 2, 4)*w, d.pick("act", "gelu", "relu")
	for range blocks {
		if kind == "pre" || kind == "post" {
			d.put("transformerBlock embedDim=%d numHeads=%d ffDim=%d activation=%s normFirst=%t dropout=%g",
				w, heads, ff, act, kind == "pre", drop)
			continue
		}
		d.bareBlock(kind == "bare", heads, ff, act)
	}
	if kind == "pre" && d.pick("last norm", "yes", "yes", "no") == "yes" {
		d.normalise("layer")
	}
	if token {
		d.collect("first")
	} else {
		d.collect("mean", "mean", "mean", "flatten", "first")
	}
}

// bareBlock draws attention and a feed-forward network without normalisation, or without shortcuts.
func (d *design) bareBlock(shortcut bool, heads, ff int, act string) {
	w := d.features()
	for _, part := range []string{"attention", "network"} {
		from := d.at
		if !shortcut {
			d.put("layerNorm normalizedShape=%d", w)
		}
		if part == "attention" {
			d.put("selfAttention embedDim=%d numHeads=%d", w, heads)
		} else {
			d.put("feedForward embedDim=%d ffDim=%d activation=%s", w, ff, act)
		}
		if shortcut {
			d.join([]string{from, d.at}, "add")
		}
	}
}

// recurrent draws a reader of the rows of an image, or of groups of features.
func recurrent(d *design) {
	if len(d.dim) == 1 {
		n := d.num("step", 1, 2, 8)
		if d.set.Name == "cancer" {
			n = d.num("step", 1, 3, 10)
		}
		d.put("reshape shape=[%d,%d]", d.dim[0]/n, n)
		d.dim = []int{d.dim[0] / n, n}
	} else {
		c, h, w := d.dim[0], d.dim[1], d.dim[2]
		d.put("permute dims=[0,2,1,3]")
		d.put("reshape shape=[%d,%d]", h, c*w)
		d.dim = []int{h, c * w}
	}
	if d.pick("embed", "no", "no", "yes") == "yes" {
		d.linear(d.num("embed width", 8, 32, 64))
		d.activate("relu")
	}
	d.read(d.num("width", 4, 8, 16, 32, 64, 128, 256))
	d.classify()
}

// read draws recurrent layers and what collects their result.
func (d *design) read(hidden int) {
	cell := d.pick("cell", "lstm", "lstm", "gru", "gru", "rnn", "rnn")
	layers, both := d.num("layers", 1, 1, 2, 3), d.pick("both ways", "no", "no", "yes") == "yes"
	drop := 0.0
	if layers > 1 {
		drop = d.share("drop", 0, 0, 0.2, 0.6)
	}
	d.put("%s inputSize=%d hiddenSize=%d numLayers=%d bidirectional=%t dropout=%g", cell, d.features(), hidden, layers, both, drop)
	d.dim[1] = hidden
	if both {
		d.dim[1] *= 2
	}
	if d.pick("norm", "none", "none", "layer") == "layer" {
		d.normalise("layer")
	}
	d.collect("last", "last", "mean", "first", "flatten")
}

// hybrid draws convolutions whose result is read as a sequence.
func hybrid(d *design) {
	s := d.drawStyle()
	d.image()
	w := d.num("width", 8, 16, 32, 64)
	for i := range d.num("convs", 1, 2, 3) {
		d.conv(w, d.num("kernel", 3, 3, 5), 2-i%2, 1)
		d.finish(s)
	}
	if d.dim[1] > 16 {
		d.shrink("maxpool2d")
	}
	d.put("reshape shape=[%d,%d]", w, d.dim[1]*d.dim[2])
	d.put("transpose dim0=1 dim1=2")
	d.dim = []int{d.dim[1] * d.dim[2], w}
	if d.pick("reader", "encoder", "encoder", "recurrent") == "recurrent" {
		d.read(d.num("hidden", 8, 32, 64))
	} else {
		d.encode(d.num("blocks", 1, 2, 3), d.num("heads", 1, 2, 4))
	}
	d.classify()
}
