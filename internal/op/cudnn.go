package op

import (
	_ "embed"
	"encoding/json"
	"sync"
)

// conv is a convolution as far as the workspaces of cuDNN depend on it.
type conv struct {
	batch, groups       int64
	from, to            int64 // channels of the input and of the result
	pixelsIn, pixelsOut int64 // of one image
	taps, weights       int64 // elements of the kernel, and of the weight
	squares             int64 // of 4x4 pixels of the result
	reach, side         int64 // the longest axis of the kernel, and of either image
	stride, dilation    int64
	axes                int64
	transposed, line    bool // line: a kernel of two axes that is no square
	own                 bool // PyTorch's own kernels run it, as it is depthwise
}

// convolved reads it from a step.
func convolved(s *Step, batch int64) conv {
	x, w, y := s.input(0), s.input(1), s.output()
	c := conv{batch: max(1, batch), groups: max(1, s.N[0]), from: max(1, x.Shape[0]), to: max(1, y.Shape[0]), weights: w.Elems(),
		taps: 1, squares: 1, stride: 1, dilation: max(1, s.N[3]), axes: int64(len(x.Shape) - 1), transposed: s.N[1] == 1}
	c.pixelsIn, c.pixelsOut = x.Elems()/c.from, y.Elems()/c.to
	for _, k := range w.Shape[2:] {
		c.taps, c.reach = countOf(c.taps, k), max(c.reach, k)
	}
	for k := 1; k < len(x.Shape); k++ {
		least, most := max(1, min(x.Shape[k], y.Shape[k])), max(x.Shape[k], y.Shape[k])
		c.squares = countOf(c.squares, (y.Shape[k]-1)/4+1)
		c.side, c.stride = max(c.side, most), max(c.stride, most/least+most%least/max(1, least-least/2))
	}
	c.line = len(w.Shape) == 4 && w.Shape[2] != w.Shape[3]
	c.own = c.groups > 1 && c.groups == c.from && !c.transposed
	return c
}

// convPass is one of the three passes of a convolution, each of which cuDNN chooses a kernel for.
type convPass int

const (
	convForward convPass = iota
	convInput            // the gradient of the input
	convWeight           // the gradient of the weight
)

// cudnnJSON is what cuDNN took of 103,687 convolutions on an NVIDIA H200, as decision trees: truth/workspaces_fit.py makes it of
// truth/workspaces-cudnn.jsonl.gz. cuDNN does not document how it chooses kernels, and another card or version may choose otherwise.
//
//go:embed cudnn.json
var cudnnJSON []byte

// cudnnTable is that file. A node of a tree is three numbers: a feature, the most of it with which the next node follows, and the place
// of the node that follows otherwise; or -1 and a form.
type cudnnTable struct {
	Features []string
	Forms    []convForm
	Trees    map[string][]int64

	trees [2][3][]int64 // by width and pass
}

// convForm is the bytes of a workspace as multiples of sizes. The kernels of current cards want channels last, so that input, result
// and weight are copied: with channels padded to 16 bytes, or those of each group to a power of two. The gradient of the weight is summed
// in parts of 32 bits: some, or one for each image.
type convForm struct {
	X, Y, W                   float64
	XPadded, YPadded, WPadded float64
	XGroups, YGroups, WGroups float64
	Sums, SumsPadded, Images  float64 // the weight in 32 bits, with its channels padded, and for each image
	Tiles                     float64 // of 64 KiB
	Pixels                    float64 // 16 bytes for each element of the kernel at each pixel of the result
	Unrolled                  float64 // what im2col makes of the input
	Winograd                  float64 // squares of 4x4 pixels and the weight, transformed to 6x6 in 32 bits
	Fourier                   float64 // 32x32 tiles after a Fourier transform
	Rows, Columns             int64   // of the tiles of the last wave, which are split so that they fill the card
	Less                      int64   // parts of each tile that are elsewhere
}

var cudnn = sync.OnceValue(func() *cudnnTable {
	t := &cudnnTable{}
	if err := json.Unmarshal(cudnnJSON, t); err != nil {
		panic("op: cudnn.json: " + err.Error())
	}
	for k, bits := range []string{"16", "32"} {
		for pass, name := range []string{"forward", "input", "weight"} {
			t.trees[k][pass] = t.Trees[name+bits]
		}
	}
	return t
})

// space is the bytes that a pass takes while it runs.
func (c *conv) space(pass convPass, width int64) int64 {
	if c.own {
		return 0
	}
	t, wide := cudnn(), 0
	if width == 4 {
		wide = 1
	}
	features, tree, k := c.features(), t.trees[wide][pass], 0
	for tree[k] >= 0 {
		if features[tree[k]] <= tree[k+1] {
			k += 3
		} else {
			k = 3 * int(tree[k+2])
		}
	}
	f := &t.Forms[tree[k+1]]
	return int64(min(c.bytes(f, width)+c.split(pass, f), 1<<62))
}

// convFeatures are the names of the features, in the order of the file.
var convFeatures = [...]string{"batch", "groups", "channelsIn", "channelsOut", "groupIn", "groupOut", "taps", "reach", "stride",
	"dilation", "axes", "transposed", "line", "side", "pixelsIn", "pixelsOut", "allIn", "allOut", "weights", "elemsIn", "elemsOut", "tilesOut",
	"tilesIn", "tilesWeight",
	"in8", "out8", "in32", "out32", "in64", "out64", "depth", "widens", "multiplications"}

// features are what the trees ask for.
func (c *conv) features() [len(convFeatures)]int64 {
	in, out := max(1, c.from/c.groups), max(1, c.to/c.groups)
	allIn, allOut := countOf(c.batch, c.pixelsIn), countOf(c.batch, c.pixelsOut)
	depth := countOf(in, c.taps)
	return [...]int64{c.batch, c.groups, c.from, c.to, in, out, c.taps, c.reach, c.stride, c.dilation, c.axes,
		flag(c.transposed), flag(c.line), c.side, c.pixelsIn, c.pixelsOut, allIn, allOut, c.weights,
		countOf(allIn, c.from), countOf(allOut, c.to),
		countOf(parts(allOut), parts(c.to)), countOf(parts(allIn), parts(c.from)), countOf(parts(c.to), parts(depth)),
		in % 8, out % 8, in % 32, out % 32, in % 64, out % 64, depth, countOf(16, c.to) / c.from, countOf(allOut, c.to, depth)}
}

// parts is how many tiles of 128 there are.
func parts(n int64) int64 { return (n-1)/128 + 1 }

const (
	tileBytes    = 64 << 10
	pixelBytes   = 16   // of the channels of a pixel, where they are padded
	fourierBytes = 6912 // of a 32x32 tile after a Fourier transform: 6.7 to 7.1 KiB in three runs
	fourierSide  = 32
	processors   = 132 // of an H200
)

// bytes is what a form comes to but for tiles that are split.
func (c *conv) bytes(f *convForm, width int64) float64 {
	in, out, w := max(1, c.from/c.groups), max(1, c.to/c.groups), float64(width)
	x, y := float64(countOf(c.batch, c.pixelsIn))*w, float64(countOf(c.batch, c.pixelsOut))*w
	padIn, padOut := roundUp(in, pixelBytes/width), out
	if c.groups == 1 {
		padOut = roundUp(out, pixelBytes/width)
	}
	g, kernels := float64(c.groups), float64(countOf(c.groups, c.taps))*w
	wideIn, wideOut := float64(powerOfTwo(in)), float64(powerOfTwo(out))
	sum := float64(0)
	for _, part := range [...][2]float64{
		{f.X, float64(x * float64(c.from))}, {f.Y, float64(y * float64(c.to))}, {f.W, float64(c.weights) * w},
		{f.XPadded, x * float64(roundUp(c.from, pixelBytes/width))}, {f.YPadded, y * float64(roundUp(c.to, pixelBytes/width))},
		{f.WPadded, kernels * float64(padIn) * float64(padOut)},
		{f.XGroups, x * g * wideIn}, {f.YGroups, y * g * wideOut}, {f.WGroups, kernels * wideIn * wideOut},
		{f.Sums, float64(c.weights) * 4}, {f.SumsPadded, kernels / w * float64(padIn) * float64(padOut) * 4},
		{f.Images, float64(c.batch) * float64(c.weights) * 4}, {f.Tiles, tileBytes},
		{f.Pixels, y / w * float64(c.taps) * pixelBytes}, {f.Unrolled, y * float64(c.from) * float64(c.taps)},
		{f.Winograd, c.winograd()}, {f.Fourier, c.fourier()},
	} {
		sum += float64(part[0] * part[1])
	}
	return sum
}

// split is the bytes of the parts of tiles, in 32 bits. Tiles are of the matrix that a pass computes, and run in waves, one on each
// multiprocessor.
func (c *conv) split(pass convPass, f *convForm) float64 {
	if f.Rows == 0 {
		return 0
	}
	in, out := max(1, c.from/c.groups), max(1, c.to/c.groups)
	rows, columns := countOf(c.batch, c.pixelsOut), out
	switch pass {
	case convInput:
		rows, columns = countOf(c.batch, c.pixelsIn), in
	case convWeight:
		rows, columns = out, countOf(in, c.taps)
	}
	tiles := countOf((rows-1)/f.Rows+1, (columns-1)/f.Columns+1, c.groups)
	left := (tiles-1)%processors + 1
	return float64(left * (processors/left - f.Less) * f.Rows * f.Columns * 4)
}

// winograd is the bytes of F(4x4, 3x3): input, result and weight, transformed.
func (c *conv) winograd() float64 {
	if c.axes != 2 || c.reach != 3 || c.taps != 9 {
		return 0
	}
	images := float64(float64(c.batch) * float64(c.squares) * float64(c.from+c.to))
	return (images + float64(float64(c.from)*float64(c.to))) * 6 * 6 * 4
}

// powerOfTwo is the smallest that is not less than n.
func powerOfTwo(n int64) int64 {
	p := int64(1)
	for p < n && p < 1<<62 {
		p *= 2
	}
	return p
}

// fourier is the bytes of 32x32 tiles after a Fourier transform: of every channel of an image, and of every pair of channels of the weight.
func (c *conv) fourier() float64 {
	if c.side+c.reach-1 > fourierSide {
		return 0
	}
	images := float64(c.batch) * float64(c.from+c.to)
	return (images + float64(float64(c.from)*float64(c.to))) * fourierBytes
}
