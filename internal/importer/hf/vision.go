package hf

import "github.com/modelverifier/verifier/internal/graph"

// Image is an image in the graph, channels first, with its size.
type Image struct {
	Node
	C, H, W int64
}

// unknownImage is the height and width of an image whose config has none: convolutional networks take any.
const unknownImage = 224

// Pixels is the input of an image, as large as image_size says.
func (b *Build) Pixels() Image {
	h, w := int64(unknownImage), int64(unknownImage)
	if b.Has("image_size") {
		h, w = b.Pair("image_size")
		b.bounded("image_size", max(h, w))
	}
	return b.PixelsOf(b.Size("num_channels"), h, w)
}

// PixelsOf is the input of an image of a known size.
func (b *Build) PixelsOf(channels, height, width int64) Image {
	return Image{(&Build{Config: b.Config, state: b.state}).Input("pixel_values", channels, height, width), channels, height, width}
}

// Two is a height and a width.
type Two [2]int64

// square is an equal height and width.
func square(n int64) Two { return Two{n, n} }

// PairOf is Pair as one value.
func (c *Config) PairOf(key string) Two {
	h, w := c.Pair(key)
	return Two{h, w}
}

// Conv is a convolution over an image.
type Conv struct {
	Out, In                       int64 // In where the class does not take it from the layer before
	Kernel, Stride, Pad, Dilation Two   // stride and dilation 1 where 0
	Groups                        int64 // 1 where 0
	Bias, Same                    bool  // Same keeps the size, whatever the kernel
}

// Conv adds a convolution with the tensors of torch.nn.Conv2d.
func (b *Build) Conv(x Image, name string, c Conv) Image {
	for i := range 2 {
		c.Stride[i], c.Dilation[i] = max(c.Stride[i], 1), max(c.Dilation[i], 1)
	}
	c.Groups = max(c.Groups, 1)
	if c.In == 0 {
		c.In = x.C
	}
	args := Args{Int("inChannels", c.In), Int("outChannels", c.Out), sides("kernelSize", c.Kernel)}
	if c.Stride != square(1) {
		args = append(args, sides("stride", c.Stride))
	}
	if c.Same {
		args = append(args, Text("padding", "same"))
	} else if c.Pad != square(0) {
		args = append(args, sides("padding", c.Pad))
	}
	if c.Dilation != square(1) {
		args = append(args, sides("dilation", c.Dilation))
	}
	if c.Groups != 1 {
		args = append(args, Int("groups", c.Groups))
	}
	n := b.Add("conv2d", name, append(args, Flag("bias", c.Bias)), x.Node)
	b.weights(name, c.Bias, c.Out, c.In/c.Groups, c.Kernel[0], c.Kernel[1])
	if c.Same {
		return Image{n, c.Out, x.H, x.W}
	}
	return Image{n, c.Out, slid(x.H, c.Kernel[0], c.Stride[0], c.Pad[0], c.Dilation[0]), slid(x.W, c.Kernel[1], c.Stride[1], c.Pad[1], c.Dilation[1])}
}

// Depthwise is a convolution of each channel by itself that keeps the size.
func (b *Build) Depthwise(x Image, name string, kernel int64, bias bool) Image {
	return b.Conv(x, name, Conv{Out: x.C, Kernel: square(kernel), Pad: square(kernel / 2), Groups: x.C, Bias: bias})
}

// Pointwise is a convolution of size 1.
func (b *Build) Pointwise(x Image, name string, out int64, bias bool) Image {
	return b.Conv(x, name, Conv{Out: out, Kernel: square(1), Bias: bias})
}

// slid is how many places a window has on an axis, as PyTorch counts them.
func slid(size, kernel, stride, pad, dilation int64) int64 {
	covered := dilation*(kernel-1) + 1
	if size+2*pad < covered {
		return 0
	}
	return (size+2*pad-covered)/stride + 1
}

func sides(name string, v Two) graph.Param {
	if v[0] == v[1] {
		return Int(name, v[0])
	}
	return Ints(name, v[0], v[1])
}

// BatchNorm normalises the channels over the batch.
func (b *Build) BatchNorm(x Image, name string) Image { return b.BatchNormOf(x, name, x.C) }

// BatchNormOf is BatchNorm for a number of channels that the class does not take from the layer before.
func (b *Build) BatchNormOf(x Image, name string, channels int64) Image {
	n := b.Add("batchNorm", name, Args{Int("numFeatures", channels)}, x.Node)
	b.weights(name, true, channels)
	return x.as(n)
}

// Pad adds zeros at the left, right, upper and lower edge.
func (b *Build) Pad(x Image, left, right, top, bottom int64) Image {
	return Image{b.Add("pad", "", Args{Ints("padding", left, right, top, bottom)}, x.Node), x.C, x.H + top + bottom, x.W + left + right}
}

// as is an image of the same size.
func (x Image) as(n Node) Image { return Image{n, x.C, x.H, x.W} }

// Plus is the sum of two images.
func (b *Build) Plus(x, y Image) Image { return x.as(b.Residual(x.Node, y.Node)) }

// MaxPool takes the largest value in a window.
func (b *Build) MaxPool(x Image, kernel, stride, pad int64) Image {
	n := b.Add("maxpool2d", "pooler", Args{Int("kernelSize", kernel), Int("stride", stride), Int("padding", pad)}, x.Node)
	return Image{n, x.C, slid(x.H, kernel, stride, pad, 1), slid(x.W, kernel, stride, pad, 1)}
}

// GlobalPool is the mean of each channel.
func (b *Build) GlobalPool(x Image) Node { return b.Add("globalAvgPool2d", "pooler", nil, x.Node) }

// ChannelsLast and ChannelsFirst move the channels of an image.
func (b *Build) ChannelsLast(x Node) Node {
	return b.Add("permute", "", Args{Ints("dims", 0, 2, 3, 1)}, x)
}

// ChannelsFirst is the reverse of ChannelsLast.
func (b *Build) ChannelsFirst(x Node) Node {
	return b.Add("permute", "", Args{Ints("dims", 0, 3, 1, 2)}, x)
}

// ImageNorm is a layer norm over the channels of an image.
func (b *Build) ImageNorm(x Image, name string) Image {
	return x.as(b.ChannelsFirst(b.LayerNorm(b.ChannelsLast(x.Node), name, x.C, true)))
}

// Sequence lays an image out as a sequence of its positions.
func (b *Build) Sequence(x Image) Node {
	return b.Add("transpose", "", Args{Int("dim0", 1), Int("dim1", 2)}, b.Add("flatten", "", Args{Int("startDim", 2)}, x.Node))
}

// Picture is the reverse of Sequence.
func (b *Build) Picture(x Node, channels, height, width int64) Image {
	n := b.Reshape(b.Add("transpose", "", Args{Int("dim0", 1), Int("dim1", 2)}, x), channels, height, width)
	return Image{n, channels, height, width}
}

// Reshape gives the same elements another shape.
func (b *Build) Reshape(x Node, shape ...int64) Node {
	return b.Add("reshape", "", Args{Ints("shape", shape...)}, x)
}

// Mean is the mean over an axis, counting the batch.
func (b *Build) Mean(x Node, name string, dim int64) Node {
	return b.Add("mean", name, Args{Int("dim", dim)}, x)
}

// First is the first position of a sequence.
func (b *Build) First(x Node) Node { return b.Add("select", "", Args{Int("index", 0)}, x) }

// ChannelScale multiplies the channels of an image by trained factors; shape is that of the tensor.
func (b *Build) ChannelScale(x Image, name string, shape ...int64) Image {
	return x.as(b.Add("multiply", "", nil, b.Reshape(b.Param(x.Node, name, shape...), x.C, 1, 1), x.Node))
}

// GroupNorm normalises groups of channels.
func (b *Build) GroupNorm(x Image, name string, groups, channels int64) Image {
	n := b.Add("groupNorm", name, Args{Int("numGroups", groups), Int("numChannels", channels)}, x.Node)
	b.weights(name, true, channels)
	return x.as(n)
}

// Excite scales the channels by what two convolutions of size 1 make of their means.
func (b *Build) Excite(x Image, down, up string, middle int64, act, gate string) Image {
	y := Image{b.Add("adaptiveAvgPool2d", "", Args{Int("outputSize", 1)}, x.Node), x.C, 1, 1}
	y = b.Pointwise(y, down, middle, true)
	y = b.Pointwise(y.as(b.Act(y.Node, act, "hidden_act")), up, x.C, true)
	return x.as(b.Add("multiply", "", nil, x.Node, b.Add(gate, "", nil, y.Node)))
}

// Activate applies the activation of hidden_act.
func (b *Build) Activate(x Image) Image { return x.as(b.Activation(x.Node, "hidden_act")) }

// last is the last entry of a list.
func (c *Config) last(key string) int64 {
	list := c.Ints(key)
	if len(list) == 0 {
		fail(CodeConfig, c.at(key), "is empty")
	}
	return list[len(list)-1]
}

// Scale multiplies the last axis by trained factors; name is the tensor's.
func (b *Build) Scale(x Node, name string, dim int64) Node {
	n := b.Add("layerScale", name, Args{Int("dim", dim)}, x)
	b.Tensor(name, dim)
	return n
}

// Labels adds the classes of a pooled image. Without any, the features are the result.
func (b *Build) Labels(x Node, name string, dim int64) {
	if !b.Given("num_labels") || b.Int("num_labels") != 0 {
		x = b.Linear(x, name, dim, b.NumLabels(), true)
	}
	b.Output(x)
}

// Unused is a trained tensor that the class has and this use of it leaves alone. x only tells the batch.
func (b *Build) Unused(x Node, name string, shape ...int64) {
	b.Param(x, name, shape...)
}

// HeadsDivide refuses heads that hidden_size cannot be shared among, as many classes do.
func (b *Build) HeadsDivide() {
	if !b.Given("embedding_size") {
		b.divides("hidden_size", "num_attention_heads")
	}
}

// ratio is a size that is a fraction of another, rounded down as Python's int does.
func ratio(factor float64, size int64) int64 { return truncated(factor * float64(size)) }

func truncated(f float64) int64 {
	if !(f > -maxSize && f < maxSize) {
		fail(CodeConfig, "config", "gives a layer a size of %g", f)
	}
	return int64(f)
}

// maxStage is beyond the channels, heads and sides of every image, and small enough that a product of three cannot overflow.
const maxStage = 1 << 20

func (c *Config) bounded(key string, n int64) int64 {
	if n > maxStage {
		fail(CodeConfig, c.at(key), "gives %d, beyond %d", n, int64(maxStage))
	}
	return n
}

// makeDivisible rounds a number of channels to a multiple, at least low, that is no more than a tenth below it.
func makeDivisible(value float64, divisor, low int64) int64 {
	n := max(low, truncated(value+float64(divisor)/2)/divisor*divisor)
	if float64(n) < 0.9*value {
		n += divisor
	}
	return n
}

// entry reads an entry of a list, whose length the class does not check.
func entry[T any](c *Config, key string, list []T, i int64) T {
	if i >= int64(len(list)) {
		fail(CodeContradiction, c.at(key), "has %d entries, but %d stages need one each", len(list), i+1)
	}
	return list[i]
}

// Nth reads the number of a stage, at least 0, from a list.
func (c *Config) Nth(key string, i int64) int64 {
	n := entry(c, key, c.Ints(key), i)
	if n < 0 {
		fail(CodeConfig, c.at(key), "has %d for stage %d but takes integers of at least 0", n, i)
	}
	return c.bounded(key, n)
}

// NthSize reads the number of a stage, at least 1, from a list.
func (c *Config) NthSize(key string, i int64) int64 {
	n := c.Nth(key, i)
	if n < 1 {
		fail(CodeConfig, c.at(key), "has %d for stage %d but takes integers of at least 1", n, i)
	}
	return n
}

// Floats reads a list of numbers.
func (c *Config) Floats(key string) []float64 {
	items := c.list(key)
	out := make([]float64, len(items))
	for i, v := range items {
		out[i] = (&Config{values: map[string]any{key: v}, path: c.path}).Float(key)
	}
	return out
}
