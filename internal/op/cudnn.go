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
// truth/memory-*.jsonl.gz 334 runs have convolutions. Their backward peak is off by 0.20 % in the median and 2.3 % at
// the 95th percentile in the 271 that are not sealed, and by 0.50 % and 4.2 % in the 63 that are. cuDNN does not
// document its heuristics: another card or version may choose otherwise.
const (
	fewPixels    = 256     // a 1x1 kernel reads images of up to so many pixels channels last, and larger ones as they are
	splits       = 14      // how often the sum of a small weight's gradient is split where channels do not fill the tiles,
	splitPixels  = 128     // each part of at least so many pixels of the result,
	splitBytes   = 1 << 19 // for weights of at most this size
	tile         = 64      // channels
	wideSplits   = 32      // in fp32, of a 1x1 kernel over few pixels
	tinyPixels   = 64      // a 1x1 kernel over images of up to so many pixels sums each so many of all images by themselves,
	tinyBytes    = 1 << 21 // for weights of at most this size that give more channels than they read and do not fill the tiles:
	tinyAll      = 4096    // seen in 13 runs of up to 2,352 pixels in all and not in one of 6,272,
	tinyAllWide  = 784     // in fp32 in 4 of up to 392 and not in 2 of 1,568
	groupSplits  = 25      // of a grouped convolution; in fp32, no more than there are images
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
// channels fill no whole 16 bytes. Groups that have to be padded read a second copy where they stride.
func (c *conv) backwardSpace(width int64) int64 {
	switch {
	case c.depthwise:
		return 0
	case c.groups > 1:
		return c.groupedSpace(width)
	case c.taps == 1 && !c.strided && (c.pixels > fewPixels && c.to%8 == 0 || c.from < 32 && width == 2):
		return 0
	case c.tiny(width):
		return (c.in+c.out)*width + (c.out/c.to+tinyPixels-1)/tinyPixels*c.weight*4
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

// tiny reports whether the gradient of a 1x1 kernel is summed over a few pixels at a time.
func (c *conv) tiny(width int64) bool {
	all, part, most := c.out/c.to, c.weight*4, int64(tinyAll)
	if width == 4 {
		most = tinyAllWide
	}
	fills := c.from%(2*tile) == 0 && c.to%(2*tile) == 0
	return c.taps == 1 && !c.strided && !fills && c.to > c.from && c.pixels <= tinyPixels && part > splitBytes && part <= tinyBytes &&
		all > splitPixels && all <= most
}

func (c *conv) groupedSpace(width int64) int64 {
	in, out, weight := c.padded()
	all := in + out + weight
	if c.strided && (in > c.in || out > c.out) {
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
