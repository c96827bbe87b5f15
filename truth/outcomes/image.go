package main

// image brings a table of features into the form of an image.
func (d *design) image() {
	if len(d.dim) == 1 {
		d.put("reshape shape=[1,8,8]")
		d.dim = []int{1, 8, 8}
	}
}

func (d *design) conv(c, kernel, stride, groups int) {
	pad := kernel / 2
	d.put("conv2d outChannels=%d kernelSize=%d stride=%d padding=%d groups=%d", c, kernel, stride, pad, groups)
	d.slide(c, kernel, stride, pad)
}

// slide computes what a window leaves of the image.
func (d *design) slide(c, kernel, stride, pad int) {
	d.dim = []int{c, (d.dim[1]+2*pad-kernel)/stride + 1, (d.dim[2]+2*pad-kernel)/stride + 1}
}

// shrink halves the image with a pool.
func (d *design) shrink(kind string) {
	if d.dim[1] < 2 {
		return
	}
	d.put("%s kernelSize=2", kind)
	d.slide(d.dim[0], 2, 2, 0)
}

// plan is how a convolutional network goes through its stages.
type plan struct {
	style
	stages, convs, kernel int
	widths                []int
	down, head            string
}

// drawPlan draws stem and stages.
func (d *design) drawPlan() plan {
	p := plan{style: d.drawStyle()}
	d.image()
	p.stages, p.convs = d.num("stages", 1, 2, 3, 3, 4, 5), d.num("convs", 1, 1, 2, 2, 3)
	p.kernel = d.num("kernel", 1, 3, 3, 3, 3, 5, 7)
	p.widths = d.widths(p.stages, d.num("width", 2, 4, 8, 16, 16, 32, 64), 128)
	p.down = d.pick("down", "maxpool2d", "maxpool2d", "avgpool2d", "stride", "stride", "none")
	p.head = d.pick("head", "mean", "mean", "max", "flatten", "flatten", "hidden")
	switch stem := d.pick("stem", "none", "none", "none", "conv", "stride 2", "stride 4", "pool 4"); stem {
	case "conv":
		d.conv(p.widths[0], 3, 1, 1)
		d.finish(p.style)
	case "stride 2", "stride 4":
		s := int(stem[len(stem)-1] - '0')
		d.conv(p.widths[0], s+1, s, 1)
		d.finish(p.style)
	case "pool 4":
		d.put("avgpool2d kernelSize=4")
		d.slide(d.dim[0], 4, 4, 0)
	}
	return p
}

// step returns the stride of a convolution: 2 for the first of each stage but the first, where strides shrink the image.
func (p *plan) step(d *design, stage, i int) int {
	if p.down == "stride" && i == 0 && stage > 0 && d.dim[1] > 1 {
		return 2
	}
	return 1
}

func (p *plan) endStage(d *design) {
	if p.down == "maxpool2d" || p.down == "avgpool2d" {
		d.shrink(p.down)
	}
}

// head turns an image into classes.
func (p *plan) finishHead(d *design) {
	switch {
	case p.head == "mean":
		d.put("globalAvgPool2d")
		d.put("flatten")
		d.dim = d.dim[:1]
	case p.head == "max":
		d.put("globalMaxPool2d")
		d.put("flatten")
		d.dim = d.dim[:1]
	default:
		d.flatten()
	}
	if p.head == "hidden" {
		d.linear(d.num("hidden", 8, 32, 128))
		d.finish(p.style)
	}
	d.classify()
}

// cnn draws a chain of convolutions.
func cnn(d *design) {
	p := d.drawPlan()
	for stage, w := range p.widths {
		for i := range p.convs {
			d.conv(w, p.kernel, p.step(d, stage, i), 1)
			d.finish(p.style)
		}
		p.endStage(d)
	}
	p.finishHead(d)
}

// residualCNN draws convolutions with shortcuts around pairs of them.
func residualCNN(d *design) {
	p := d.drawPlan()
	place := d.pick("place", "post", "post", "pre")
	shortcut := d.pick("shortcut", "yes", "yes", "yes", "yes", "yes", "no")
	for stage, w := range p.widths {
		for i := range p.convs {
			p.residualBlock(d, place, shortcut, w, p.step(d, stage, i))
		}
		p.endStage(d)
	}
	p.finishHead(d)
}

func (p *plan) residualBlock(d *design, place, shortcut string, w, stride int) {
	from, in := d.at, append([]int{}, d.dim...)
	if place == "pre" {
		d.normalise(p.norm)
		d.activate(p.act)
	}
	d.conv(w, p.kernel, stride, 1)
	d.normalise(p.norm)
	d.activate(p.act)
	if p.drop > 0 {
		d.put("dropout p=%g", p.drop)
	}
	d.conv(w, p.kernel, 1, 1)
	if place == "post" {
		d.normalise(p.norm)
	}
	if shortcut == "yes" {
		end, out := d.at, d.dim
		d.at, d.dim = from, in
		if in[0] != w || stride != 1 {
			d.conv(w, 1, stride, 1)
		}
		d.join([]string{d.at, end}, "add")
		d.dim = out
	}
	if place == "post" {
		d.activate(p.act)
	}
}

// separableCNN draws depthwise and pointwise convolutions.
func separableCNN(d *design) {
	p := d.drawPlan()
	d.conv(p.widths[0], 3, 1, 1)
	d.finish(p.style)
	shortcut := d.pick("shortcut", "yes", "no")
	for stage, w := range p.widths {
		for i := range p.convs {
			from, stride := d.at, p.step(d, stage, i)
			same := shortcut == "yes" && d.dim[0] == w && stride == 1
			d.conv(d.dim[0], p.kernel, stride, d.dim[0])
			d.normalise(p.norm)
			d.conv(w, 1, 1, 1)
			d.finish(p.style)
			if same {
				d.join([]string{from, d.at}, "add")
			}
		}
		p.endStage(d)
	}
	p.finishHead(d)
}

// branchedCNN draws kernels of several sizes side by side, or layers that read all that came before.
func branchedCNN(d *design) {
	p := d.drawPlan()
	dense := d.pick("branches", "sizes", "dense") == "dense"
	for stage, w := range p.widths {
		for i := range p.convs {
			p.branch(d, dense, max(1, w/2), p.step(d, stage, i))
		}
		p.endStage(d)
	}
	p.finishHead(d)
}

func (p *plan) branch(d *design, dense bool, w, stride int) {
	if dense && stride > 1 {
		d.shrink("avgpool2d")
		stride = 1
	}
	from, in := d.at, append([]int{}, d.dim...)
	d.conv(w, p.kernel, stride, 1)
	d.finish(p.style)
	first, out := d.at, append([]int{}, d.dim...)
	d.at, d.dim = from, in
	if dense {
		d.join([]string{from, first}, "concatenate dim=1")
		d.dim = []int{in[0] + w, out[1], out[2]}
		return
	}
	d.conv(w, 1, stride, 1)
	d.finish(p.style)
	d.join([]string{first, d.at}, "concatenate dim=1")
	d.dim = []int{2 * w, out[1], out[2]}
}
