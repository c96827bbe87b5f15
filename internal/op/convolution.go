package op

// Geometry is how a convolution moves.
type Geometry struct {
	Groups     int64 // of channels that do not mix
	Transposed bool  // it spreads each element, as torch.nn.ConvTranspose2d does
	Permuted   bool  // the gradient of the result is not contiguous: a permute follows, or torch.cat
	Dilation   int64 // the longest distance between points of the kernel, where it is not 1
}

// convolution is torch.convolution: cuDNN's, or PyTorch's own kernels where it is depthwise. It saves input and
// weight, whichever of them needs a gradient: one formula of derivatives.yaml has all three gradients. A bias is
// added in place.
var convolution = &Op{
	Name:     "convolution",
	Autocast: Lowers,
	Saves: func(_ *Step, save *Saved) {
		save.Input(0)
		save.Input(1)
	},
	Backward: func(s *Step, g *Gradients) {
		if s.N[2] == 1 {
			g.Holds(s.output().Elems(), Float, false) // the gradient of the result, made contiguous
		}
		if s.input(0).Strided {
			g.Holds(s.input(0).Elems(), Float, false) // and so is the input
		}
		c := convolved(s, g.Batch)
		if g.Needs(0) {
			g.New(0)
			g.Passing(c.space(convInput, g.Width))
		}
		if g.Needs(1) {
			g.New(1)
			g.Passing(c.space(convWeight, g.Width))
		}
		if len(s.In) > 2 {
			g.New(2)
		}
	},
	Workspace: func(s *Step, batch, width int64) int64 {
		c := convolved(s, batch)
		space := c.space(convForward, width)
		if s.input(0).Strided {
			space += countOf(s.input(0).Elems(), batch, width)
		}
		return space
	},
	FLOPs: func(s *Step) int64 {
		w, times := s.input(1), s.output().Elems()
		if s.N[1] == 1 {
			times = s.input(0).Elems()
		}
		return countOf(2, times, w.Elems()/max(1, w.Shape[0]))
	},
	Fits:    fitsConvolution,
	Bound:   ByConvolution,
	Forward: 1, Back: 2,
}

// Convolutions that the units for matrices are of little use for: of the few channels of an image, of groups of channels, of one channel at a time.
var (
	thinConvolution      = convolutionBy(ByThinConvolution)
	groupedConvolution   = convolutionBy(ByGroupedConvolution)
	depthwiseConvolution = convolutionBy(ByDepthwiseConvolution)
)

func convolutionBy(b Bound) *Op {
	o := *convolution
	o.Bound = b
	return &o
}

// fewChannels is how many a convolution reads at the most that is thin, and groupChannels one of groups that runs as such.
const (
	fewChannels   = 4
	groupChannels = 64
)

// convolutionOf is the convolution with a weight of that shape. A window that is a line is as slow as groups are.
func convolutionOf(w []int64, g Geometry) *Op {
	line := len(w) == 4 && w[2] != w[3]
	switch {
	case g.Groups > 1 && w[1] == 1:
		return depthwiseConvolution
	case g.Groups > 1 && (w[1] <= groupChannels || len(w) == 3), line:
		return groupedConvolution
	case w[1] <= fewChannels && w[0] > 8:
		return thinConvolution
	}
	return convolution
}

// fitsConvolution holds the channels of input and result to the weight's.
func fitsConvolution(s *Step) bool {
	x, w, out := s.input(0).Shape, s.input(1).Shape, s.output().Shape
	from, to := x[0], out[0]
	if s.N[1] == 1 {
		from, to = to, from
	}
	return len(w) == len(x)+1 && len(out) == len(x) && w[0] == to && w[1]*s.N[0] == from &&
		(len(s.In) < 3 || s.input(2).Elems() == out[0])
}

// Convolution convolves (channels, …) with a weight of (out, in / groups, …), or transposed of (in, out / groups,
// …), and adds a bias where there is one. The sizes of the axes behind the channels are given.
func Convolution(p *Program, x, weight, bias Value, g Geometry, image ...int64) Value {
	w := p.Shape(weight)
	channels, in, n := w[0], [3]Value{x, weight, bias}, 2
	if g.Transposed {
		channels = w[1] * g.Groups
	}
	if bias != None {
		n = 3
	}
	s := p.do(convolutionOf(w, g), Tensor{Shape: p.dimensions([]int64{channels}, image...)}, in[:n]...)
	s.N = [5]int64{g.Groups, flag(g.Transposed), flag(g.Permuted), g.Dilation}
	return s.Out
}

func flag(b bool) int64 {
	if b {
		return 1
	}
	return 0
}
