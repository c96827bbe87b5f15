package catalog

import (
	"fmt"
	"slices"

	"github.com/modelverifier/verifier/internal/op"
)

// This file holds what the convolutions share. The checks are those of torch.nn.modules.conv and of check_shape_forward
// in ATen/native/Convolution.cpp, in their order.

// axisNames names the spatial axes behind the channels, by their number.
var axisNames = [...][]string{1: {"length"}, 2: {"height", "width"}, 3: {"depth", "height", "width"}}

// imageAxes says what n spatial axes take, for messages.
var imageAxes = [...]string{1: "(channels, length)", 2: "(channels, height, width)", 3: "(channels, depth, height, width)"}

// The parameters of convolutions over n axes. A list of one stands for all axes, except for the kernel, whose length is
// the number of axes of the weight.
func inChannelsParam() Param {
	return Param{Name: "inChannels", Kind: Int, Lazy: true, Reads: At(0), Doc: "channels of the input"}
}

func outChannelsParam() Param {
	return Param{Name: "outChannels", Kind: Int, Min: 1, Writes: At(0), Aliases: []string{"filters", "outChans"}, Doc: "channels of the result"}
}

func kernelParam(n int) Param {
	return Param{Name: "kernelSize", Kind: Dims, N: n, Min: 1, Aliases: []string{"kernel", "kernelShape"}, Doc: "size of the kernel"}
}

func strideParam(n int) Param {
	return Param{Name: "stride", Kind: Dims, N: n, One: true, Min: 1, Default: 1, Aliases: []string{"strides"}, Doc: "how far the kernel moves at a time"}
}

func dilationParam(n int) Param {
	return Param{Name: "dilation", Kind: Dims, N: n, One: true, Min: 1, Default: 1, Aliases: []string{"dilationRate", "dilations"}, Doc: "distance between the points of the kernel"}
}

// paddingParam may be negative: the padding modes other than zeros then crop the input.
func paddingParam(n int) Param {
	return Param{Name: "padding", Kind: Dims, N: n, One: true, Negative: true, Values: []string{"same", "valid"}, Default: 0,
		Doc: "elements added on both sides of each axis; same keeps the size (stride 1 only), valid adds none"}
}

func biasParam() Param {
	return Param{Name: "bias", Kind: Bool, Default: true, Aliases: []string{"useBias"}, Doc: "whether a bias is added"}
}

func groupsParam() Param {
	return Param{Name: "groups", Kind: Int, Min: 1, Default: 1, Aliases: []string{"group"}, Doc: "the channels are split into this many groups that do not mix"}
}

func convParams(n int) []Param {
	return []Param{
		inChannelsParam(), outChannelsParam(), kernelParam(n), strideParam(n), paddingParam(n), dilationParam(n), groupsParam(), biasParam(),
		{Name: "paddingMode", Kind: String, Values: []string{"zeros", "reflect", "replicate", "circular"}, Default: "zeros", Doc: "what the padding is filled with"},
	}
}

// convShape is the Shape of a convolution over n axes with all of convParams.
func convShape(n int) func(*Call) (Shape, error) {
	return func(c *Call) (Shape, error) {
		out := c.Int("outChannels")
		if err := c.Ranks(n+1, n+1, imageAxes[n]); err != nil {
			return nil, err
		}
		spatial, spatialErr := convSpatial(c, n, c.Str("paddingMode"))
		if err := c.divides("outChannels", "groups"); err != nil {
			return nil, err
		}
		shape := channelsFirst(out, spatial)
		if err := c.Match(ChannelMismatch, "inChannels", "channel"); err != nil {
			return shape, err
		}
		if err := c.divides("inChannels", "groups"); err != nil {
			return shape, err
		}
		return shape, spatialErr
	}
}

// channelsFirst puts channels before spatial axes; what is not known stays unknown.
func channelsFirst(channels int64, spatial Shape) Shape {
	if spatial == nil {
		return nil
	}
	out := make(Shape, 1, 1+len(spatial))
	out[0] = channels
	return append(out, spatial...)
}

// divides refuses a call unless a parameter is a multiple of another.
func (c *Call) divides(param, by string) error {
	if n, d := c.Int(param), c.Int(by); n%d != 0 {
		return c.Errorf(GroupDivisibility, "%s is %d, which is not divisible by %s %d", param, n, by, d)
	}
	return nil
}

// convSpatial slides the kernel over the last n axes of the first input.
func convSpatial(c *Call, n int, mode string) (Shape, error) {
	pads, err := convPads(c, n, mode)
	if err != nil {
		return nil, err
	}
	in, kernel, stride, dilation := c.In[0][len(c.In[0])-n:], c.Dims("kernelSize"), c.Dims("stride"), c.Dims("dilation")
	out := make(Shape, n)
	for i := range out {
		padded, reach := c.grow(in[i], pads[i][0], pads[i][1]), c.reach(kernel[i], dilation[i])
		if padded < reach {
			return nil, c.Errorf(KernelExceedsInput, "the kernel covers %d%s but the padded %s is %d", reach, spread(kernel[i], dilation[i]), axisNames[n][i], padded)
		}
		out[i] = (padded-reach)/stride[i] + 1
	}
	return out, nil
}

// reach is how many elements a kernel covers.
func (c *Call) reach(kernel, dilation int64) int64 { return c.Add(c.Mul(dilation, kernel-1), 1) }

// spread explains a reach that is not the size of the kernel.
func spread(kernel, dilation int64) string {
	if dilation == 1 || kernel == 1 {
		return ""
	}
	return fmt.Sprintf(" (size %d, dilation %d)", kernel, dilation)
}

// grow adds paddings, which may be negative, to the size of an axis.
func (c *Call) grow(n int64, by ...int64) int64 {
	for _, b := range by {
		if n >= 0 && b >= 0 {
			n = c.Add(n, b)
		} else if n >= 0 || b >= 0 { // of different sign: cannot overflow
			n += b
		}
	}
	return n
}

// convPads returns the padding before and behind each of the last n axes, and refuses what the padding mode cannot do.
func convPads(c *Call, n int, mode string) ([3][2]int64, error) {
	var pads [3][2]int64
	kernel, stride, dilation, in := c.Dims("kernelSize"), c.Dims("stride"), c.Dims("dilation"), c.In[0][len(c.In[0])-n:]
	switch c.Str("padding") {
	case "valid":
	case "same":
		for i := range n {
			if stride[i] != 1 {
				return pads, c.Errorf(SamePaddingStride, "padding same needs stride 1, but stride is %d", stride[i])
			}
			if i > 0 && mode != "zeros" && len(c.arg("dilation").List()) == 1 {
				break // torch.nn pairs the kernel with the dilations as given: a list of one pads the first axis alone
			}
			total := c.Mul(dilation[i], kernel[i]-1)
			pads[i] = [2]int64{total / 2, total - total/2}
		}
	default:
		p := c.Dims("padding")
		for i := range n {
			pads[i] = [2]int64{p[i], p[i]}
		}
		if mode != "zeros" && n > 1 && len(c.arg("padding").List()) == 1 {
			return pads, c.Errorf(BadParam, "padding is a list of one, which paddingMode %s does not take for %d axes", mode, n)
		}
	}
	for i := range n {
		if mode == "zeros" && pads[i][0] < 0 {
			return pads, c.Errorf(BadParam, "padding is %d but must not be negative", pads[i][0])
		}
		if _, err := c.padAxis(mode, axisNames[n][i], in[i], pads[i][0], pads[i][1]); err != nil {
			return pads, err
		}
	}
	return pads, nil
}

// convWeight declares the weight and the bias of a convolution over n axes; per is the number of channels that one
// output channel reads, or, transposed, that one input channel writes.
func (c *Call) convWeight(name string, n int, channels, per, biases int64, bias bool) {
	kernel := c.Dims("kernelSize")
	dims := [5]int64{channels, per}
	copy(dims[2:], kernel[:n])
	c.Weight(join(name, "weight"), dims[:2+n]...)
	if bias {
		c.Weight(join(name, "bias"), biases)
	}
}

func convWeights(n int) func(*Call) {
	return func(c *Call) {
		out, groups := c.Int("outChannels"), c.Int("groups")
		c.Part(out, groups)
		c.convWeight("", n, out, c.Part(c.Int("inChannels"), groups), out, c.Bool("bias"))
	}
}

// taps is the number of points of a kernel over n axes.
func (c *Call) taps(n int) int64 {
	kernel := c.Dims("kernelSize")
	return c.Mul(kernel[:n]...)
}

func convFLOPs(n int) func(*Call) int64 {
	return func(c *Call) int64 { return c.Mul(2, c.Size(c.Out), c.Int("inChannels")/c.Int("groups"), c.taps(n)) }
}

// conv convolves with the weight and the bias of a module into an image of so many places.
func (l *Lowering) conv(x op.Value, module string, g op.Geometry, places ...int64) op.Value {
	return op.Convolution(l.P, x, l.W(join(module, "weight")), l.W(join(module, "bias")), g, places...)
}

// padded is the first input as a convolution over n axes reads it: padded in a step of its own where the kernel cannot do it.
func (l *Lowering) padded(n int, mode string) op.Value {
	pads, err := convPads(&l.Call, n, mode)
	x, shape, copied := l.X[0], slices.Clone(l.In[0]), mode != "zeros"
	if err != nil {
		return x
	}
	for i := range n {
		before, behind := pads[i][0], pads[i][1]
		copied = copied || before != behind
		if mode == "zeros" { // the kernel pads evenly by itself; only the odd element is added beforehand
			before, behind = 0, behind-before
		}
		axis := len(shape) - n + i
		shape[axis] = l.grow(shape[axis], before, behind)
	}
	switch {
	case !copied:
		return x
	case mode == "reflect" || mode == "replicate":
		return op.ResampleSaved(l.P, x, shape...)
	}
	return op.Resample(l.P, x, shape...)
}

func lowerConv(n int) func(*Lowering) op.Value {
	return func(l *Lowering) op.Value { return l.Convolve(n, l.W("weight")) }
}

// Convolve is a convolution over n axes with the parameters of the component, by a weight that may be computed of its own.
func (l *Lowering) Convolve(n int, weight op.Value) op.Value {
	x, dilation := l.padded(n, l.Str("paddingMode")), l.Dims("dilation")
	return op.Convolution(l.P, x, weight, l.W("bias"), op.Geometry{Groups: l.Int("groups"), Dilation: slices.Max(dilation[:])}, l.Out[1:]...)
}
