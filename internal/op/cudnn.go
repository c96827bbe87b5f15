package op

// conv is a convolution as far as the workspaces of cuDNN depend on it. Sizes are elements of a whole batch.
type conv struct {
	in, out, weight int64
	from, to        int64 // channels of the input and of the result
	groups, batch   int64
	taps            int64 // elements of the kernel
	reach           int64 // its longest axis
	pixels          int64 // of the larger of the two images
	side            int64 // its longest axis
	strided         bool
	depthwise       bool // PyTorch's own kernels run it
}

// convolved reads it from a step.
func convolved(s *Step, batch int64) conv {
	x, w, y := s.input(0), s.input(1), s.output()
	c := conv{in: x.Elems() * batch, out: y.Elems() * batch, weight: w.Elems(), batch: batch, taps: 1}
	c.from, c.to, c.groups = max(1, x.Shape[0]), max(1, y.Shape[0]), max(1, s.N[0])
	for _, k := range w.Shape[2:] {
		c.taps, c.reach = c.taps*k, max(c.reach, k)
	}
	c.pixels = max(x.Elems()/c.from, y.Elems()/c.to)
	for k := 1; k < len(x.Shape); k++ {
		a, b := x.Shape[k], y.Shape[k]
		c.side = max(c.side, a, b)
		c.strided = c.strided || 2*b <= a+1 && a > 1 || 2*a <= b+1 && b > 1
	}
	c.depthwise = c.groups > 1 && c.groups == c.from && s.N[1] == 0
	return c
}

// What cuDNN takes on an NVIDIA H200 with PyTorch 2.11 for CUDA 13.0, read off what measured runs had allocated. Of
// truth/memory-*.jsonl.gz 604 runs without adapters have convolutions. Their backward peak is off by 0.21 % in the
// median and 3.8 % at the 95th percentile: by 0.18 % and 1.9 % in the 343 of the first sets, 0.58 % and 4.2 % in the 71
// that were sealed, 0.19 % and 15 % in the 73 of autumn, and 0.23 % and 7.4 % in the 117 of November. cuDNN does not
// document its heuristics: another card or version may choose otherwise.
const (
	fewPixels    = 256     // a 1x1 kernel reads images of up to so many pixels channels last, and larger ones as they are
	splits       = 14      // how often the sum of a small weight's gradient is split where channels do not fill the tiles,
	splitPixels  = 128     // each part of at least so many pixels of the result,
	splitBytes   = 1 << 19 // for weights of at most this size
	tile         = 64      // channels
	wideSplits   = 32      // in fp32, of a 1x1 kernel over few pixels
	tinyPixels   = 64      // a 1x1 kernel over images of 2 to so many pixels has a gradient for each image,
	tinyBytes    = 1 << 21 // where it gives more channels than it reads, does not fill the tiles and is no larger than this:
	tinyAll      = 4096    // the peak of 9 runs of up to 2,352 pixels in all, and not seen in one of 6,272,
	tinyAllWide  = 784     // in fp32 of 4 of up to 784, and not in 2 of 1,568;
	foldBytes    = 7 << 19 // and where it gives half of the channels that it reads or fewer (or as many, of small weights): the peak of 17 runs with up to 3 MiB, not
	foldAllWide  = 256     // seen in 32 with 4 MiB or more; in fp32 of 2 of up to 144 pixels in all, and not in one of 576
	groupSplits  = 25      // of a grouped convolution; in fp32, no more than there are images
	fewInGroup   = 16      // channels of a group that a strided 3x3 kernel copies twice: the peak of 5 runs, and not seen with 64 of them
	pixelBytes   = 16      // of the channels of a pixel, at the least
	fourierBytes = 6912    // of a 32x32 tile after a Fourier transform: 6.7 to 7.1 KiB in three runs
	fourierSide  = 32
)

// forwardSpace is what a convolution takes while it runs. The kernels of current cards want channels last: input,
// result and weight are copied. Those of groups have each group's channels padded to a power of two, and read a
// second copy. A 1x1 kernel is a matrix product and takes nothing.
func (c *conv) forwardSpace(width int64) int64 {
	switch {
	case c.depthwise:
		return 0
	case c.groups > 1:
		in, out, weight := c.padded()
		return (2*in + out + 2*weight) * width
	case c.taps == 1:
		return 0
	}
	space := (c.in + c.out + c.weight) * width
	if c.from*width < pixelBytes {
		space += c.unrolled(width)
	}
	return space
}

// unrolled is what a convolution of an image's few colours takes beside the copies: the channels of its input are
// padded, and what a strided 5x5 kernel reads for each pixel of the result is written out, as im2col does.
func (c *conv) unrolled(width int64) int64 {
	if c.reach == 5 && c.taps == 25 && c.strided {
		return c.out / c.to * c.taps * pixelBytes
	}
	if width == 2 {
		return c.in/c.from*pixelBytes - c.in*width
	}
	return 0
}

// backwardSpace is the most that the gradients of input and weight take; the runs do not tell the two apart. The
// sum of the weight's gradient is split. A 1x1 kernel copies small images, those it strides over, and those whose
// channels fill no whole 16 bytes. Groups that have to be padded read a second copy where they stride, and so do those
// of few channels.
func (c *conv) backwardSpace(width int64) int64 {
	switch {
	case c.depthwise:
		return 0
	case c.groups > 1:
		return c.groupedSpace(width)
	case c.taps == 1 && !c.strided && (c.pixels > fewPixels && c.to%8 == 0 || c.from < 32 && width == 2):
		return 0
	case c.imageByImage(width):
		return c.batch * c.weight * 4
	case c.taps == 1 && width == 2:
		return (c.in+c.out)*width + c.pointSplits()
	case c.taps == 1 && c.out/c.to <= splitPixels && !c.strided:
		return (c.in + c.out + wideSplits*c.weight) * width
	}
	space := (c.in + c.out + c.weight) * width
	if part := c.weight * 4; part <= splitBytes && c.taps > 1 {
		space += c.splits(width) * part
	}
	return max(space, c.fourier(width))
}

// imageByImage reports whether the gradient of a 1x1 kernel is computed for each image, in 32 bits, and then summed.
func (c *conv) imageByImage(width int64) bool {
	all, part := c.out/c.to, c.weight*4
	if c.taps > 1 || c.strided || c.pixels < 2 || c.pixels > tinyPixels {
		return false
	}
	mostTiny, mostFold := int64(tinyAll), all
	if width == 4 {
		mostTiny, mostFold = tinyAllWide, foldAllWide
	}
	if c.to > c.from {
		fills := c.from%(2*tile) == 0 && c.to%(2*tile) == 0
		return !fills && part > splitBytes && part <= tinyBytes && all <= mostTiny
	}
	folds := c.from >= 2*c.to && part <= foldBytes || c.from == c.to && part <= splitBytes && width == 2
	return folds && c.to%(2*tile) == 0 && all >= splitPixels && all <= mostFold
}

func (c *conv) groupedSpace(width int64) int64 {
	in, out, weight := c.padded()
	all := in + out + weight
	few := c.from/c.groups <= fewInGroup && c.taps <= 9
	if c.strided && (in > c.in || out > c.out || few) {
		all += in
	}
	if weight*width <= splitBytes {
		parts := int64(groupSplits)
		if width == 4 {
			parts = min(parts, c.batch)
		}
		all = max(all, c.in+c.out+parts*weight)
	}
	return all * width
}

// splits is into how many parts the sum of a small weight's gradient is split: the better its channels fill the
// tiles, the fewer, each of more pixels.
func (c *conv) splits(width int64) int64 {
	limit, pixels := int64(splits), int64(splitPixels)
	switch {
	case c.from%(2*tile) == 0 && c.to%(2*tile) == 0:
		return 0
	case c.from%tile == 0 && c.to%tile == 0 && width == 2:
		limit, pixels = splits/2, 8*splitPixels
	case c.from < tile || c.to < tile:
		pixels = 4 * splitPixels
	}
	if parts := min(limit, c.out/c.to/pixels); parts > 1 {
		return parts
	}
	return 0
}

// pointSplits is the bytes of the parts of a small 1x1 kernel's gradient.
func (c *conv) pointSplits() int64 {
	part, parts := c.weight*4, min(splits, c.out/c.to/splitPixels)
	if c.strided || part > splitBytes || parts < 2 {
		return 0
	}
	return parts * part
}

// padded is the elements of input, result and weight with the channels of each group padded to a power of two.
func (c *conv) padded() (in, out, weight int64) {
	from, to := max(1, c.from/c.groups), max(1, c.to/c.groups)
	wide, narrow := powerOfTwo(from), powerOfTwo(to)
	return c.in / from * wide, c.out / to * narrow, c.groups * narrow * wide * c.taps
}

// powerOfTwo is the smallest that is not less than n.
func powerOfTwo(n int64) int64 {
	p := int64(1)
	for p < n && p < 1<<62 {
		p *= 2
	}
	return p
}

// fourier is what the gradients of a 5x5 kernel take in fp32, which are computed by a Fourier transform of 32x32
// tiles: of every channel of an image, and of every pair of channels of the weight.
func (c *conv) fourier(width int64) int64 {
	reach := c.side + c.reach - 1
	square := c.reach >= 5 && c.taps == c.reach*c.reach
	if width != 4 || !square || c.strided || reach > fourierSide || reach <= fourierSide/2 {
		return 0
	}
	return ((c.in+c.out)/max(1, c.pixels) + c.from*c.to) * fourierBytes
}
