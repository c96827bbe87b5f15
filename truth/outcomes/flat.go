package main

// families draw a design of each kind.
var families = map[string]func(*design){
	"mlp": mlp, "residual-mlp": residualMLP, "autoencoder": autoencoder, "cnn": cnn, "residual-cnn": residualCNN,
	"separable-cnn": separableCNN, "branched-cnn": branchedCNN, "mixer": mixer, "transformer": transformer,
	"recurrent": recurrent, "hybrid": hybrid,
}

// familiesFor lists the families that are drawn for a dataset: those that read images only where there are some.
func familiesFor(set *Dataset) []string {
	flat := []string{"mlp", "residual-mlp", "autoencoder", "mixer", "transformer", "recurrent"}
	if set.Name == "cancer" {
		return flat
	}
	return append(flat, "cnn", "residual-cnn", "separable-cnn", "branched-cnn", "hybrid")
}

// small is what a design with few features has fewer of.
func (d *design) small() bool { return len(d.set.Shape) == 1 }

func (d *design) flatWidth() int {
	if d.small() {
		return d.num("width", 2, 4, 8, 16, 32, 64, 128, 256)
	}
	return d.num("width", 4, 8, 16, 32, 64, 128, 256, 512)
}

// mlp draws a chain of linear layers.
func mlp(d *design) {
	s := d.drawStyle()
	layers := d.num("layers", 0, 1, 1, 2, 2, 3, 4, 6, 8, 12, 16)
	d.flatten()
	for _, w := range d.widths(layers, d.flatWidth(), 512) {
		d.linear(w)
		d.finish(s)
	}
	d.classify()
}

// residualMLP draws linear layers with shortcuts around them, at times with the shortcut left out, or the branch badly scaled.
func residualMLP(d *design) {
	s := d.drawStyle()
	blocks, w := d.num("blocks", 1, 2, 3, 4, 6, 8, 12), d.flatWidth()
	place := d.pick("place", "pre", "pre", "post", "after-add")
	scale := d.pick("scale", "", "", "", "", "0.01", "0.1", "3", "10")
	shortcut := d.pick("shortcut", "yes", "yes", "yes", "yes", "no")
	d.flatten()
	d.linear(w)
	for range blocks {
		from := d.at
		d.residualBranch(s, place, scale, w)
		if shortcut == "yes" {
			d.join([]string{from, d.at}, "add")
		}
		if place == "after-add" {
			d.normalise(s.norm)
			d.activate(s.act)
		}
	}
	if place == "pre" {
		d.normalise(s.norm)
		d.activate(s.act)
	}
	d.classify()
}

func (d *design) residualBranch(s style, place, scale string, w int) {
	if place == "pre" {
		d.normalise(s.norm)
	}
	d.linear(w * d.num("expansion", 1, 2))
	if place == "post" {
		d.normalise(s.norm)
	}
	d.activate(s.act)
	if s.drop > 0 {
		d.put("dropout p=%g", s.drop)
	}
	d.linear(w)
	if scale != "" {
		d.put("layerScale dim=%d initValue=%s", w, scale)
	}
}

// autoencoder draws an encoder with a narrow code and a classifier on the code or on what is decoded from it.
func autoencoder(d *design) {
	s := d.drawStyle()
	wide, code := d.flatWidth(), d.num("code", 1, 2, 3, 4, 8, 16, 32, 64)
	if !d.small() && d.pick("encoder", "linear", "conv") == "conv" {
		c := d.num("channels", 4, 8, 16, 32)
		for range d.num("convs", 1, 2, 3) {
			d.conv(c, 3, 2, 1)
			d.finish(s)
			c *= 2
		}
	}
	d.flatten()
	for i := range d.num("encode", 1, 2, 3) {
		d.linear(max(code, wide>>i))
		d.finish(s)
	}
	d.linear(code)
	if d.pick("code activation", "none", "act") == "act" {
		d.activate(s.act)
	}
	for i := range d.num("decode", 0, 0, 1, 2, 3) {
		d.linear(max(code, min(wide, code<<(2*i+2))))
		d.finish(s)
	}
	d.classify()
}
