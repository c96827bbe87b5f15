package op

// imagesAtOnce is how many images torchvision lays out as columns at the most: kMaxParallelImgs of
// deform_conv2d_kernel.cu.
const imagesAtOnce = 32

// deformConv is torchvision.ops.deform_conv2d, which runs in 32 bits and saves all that arrives.
var deformConv = &Op{
	Name:     "deform_conv2d",
	Autocast: Widens,
	Saves: func(s *Step, save *Saved) {
		for k := range s.In {
			save.Input(k)
		}
		save.Further()
	},
	Backward: func(s *Step, g *Gradients) {
		columns := deformColumns(s, g.Batch, g.Width)
		g.New(0)
		for k := 2; k < len(s.In)-int(s.N[0]); k++ {
			g.New(k)
		}
		g.Passing(columns)
		g.New(1)
		g.Passing(columns)
		if s.N[0] == 1 {
			g.New(len(s.In) - 1)
		}
	},
	Workspace: deformColumns,
	Fits:      fitsAny,
	Forward:   2, Back: 4,
}

// deformColumns is what each pixel of the result reads, for the largest number of images that divides the batch.
func deformColumns(s *Step, batch, width int64) int64 {
	x, w, out := s.input(0), s.input(1), s.output()
	taps, images := w.Elems()/max(1, w.Shape[0]*w.Shape[1]), int64(1)
	for n := range min(batch, imagesAtOnce) {
		if batch%(n+1) == 0 {
			images = n + 1
		}
	}
	return x.Shape[0] * taps * images * (out.Elems() / max(1, out.Shape[0])) * width
}

// DeformConv convolves with a kernel whose points are moved by offsets, and multiplied by factors where there are
// some.
func DeformConv(p *Program, x, weight, bias, offsets, factors Value, shape ...int64) Value {
	in, hasBias := []Value{x, weight, offsets}, bias != None
	if factors != None {
		in = append(in, factors)
	}
	if hasBias {
		in = append(in, bias)
	}
	s := p.do(deformConv, Tensor{Shape: shape}, in...)
	s.N[0] = flag(hasBias)
	if factors == None {
		p.keep(s, Float, false, 1) // torchvision makes an empty one
	}
	if !hasBias {
		p.keep(s, Float, true, shape[0]) // and one of zeros
	}
	return s.Out
}
