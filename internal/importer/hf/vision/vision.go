// Package vision has what families that read images share: convolutions and norms over images, patches, the towers of
// CLIP and SigLIP, and layers whose images get smaller.
package vision

import (
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/importer/hf/build"
	"github.com/modelverifier/verifier/internal/importer/hf/config"
)

// Image is an image in the graph, channels first, with its size.
type Image struct {
	build.Node
	C, H, W int64
}

// DefaultImageSize is the height and width of an image whose config has none: convolutional networks take any.
const DefaultImageSize = 224

// Pixels is the input of an image, as large as image_size says.
func Pixels(b *build.Build) Image {
	h, w := int64(DefaultImageSize), int64(DefaultImageSize)
	if b.Has("image_size") {
		h, w = b.Pair("image_size")
		b.Bounded("image_size", max(h, w))
	}
	return PixelsOf(b, b.Size("num_channels"), h, w)
}

// PixelsOf is the input of an image of a known size.
func PixelsOf(b *build.Build, channels, height, width int64) Image {
	return Image{b.Root().Input("pixel_values", channels, height, width), channels, height, width}
}

// Conv is a convolution over an image.
type Conv struct {
	Out, In                       int64      // In where the class does not take it from the layer before
	Kernel, Stride, Pad, Dilation config.Two // stride and dilation 1 where 0
	Groups                        int64      // 1 where 0
	Bias, Same                    bool       // Same keeps the size, whatever the kernel
}

// Conv2d adds a convolution with the tensors of torch.nn.Conv2d.
func Conv2d(b *build.Build, x Image, name string, c Conv) Image {
	for i := range 2 {
		c.Stride[i], c.Dilation[i] = max(c.Stride[i], 1), max(c.Dilation[i], 1)
	}
	c.Groups = max(c.Groups, 1)
	if c.In == 0 {
		c.In = x.C
	}
	args := build.Args{build.Int("inChannels", c.In), build.Int("outChannels", c.Out), Sides("kernelSize", c.Kernel)}
	if c.Stride != config.Square(1) {
		args = append(args, Sides("stride", c.Stride))
	}
	if c.Same {
		args = append(args, build.Text("padding", "same"))
	} else if c.Pad != config.Square(0) {
		args = append(args, Sides("padding", c.Pad))
	}
	if c.Dilation != config.Square(1) {
		args = append(args, Sides("dilation", c.Dilation))
	}
	if c.Groups != 1 {
		args = append(args, build.Int("groups", c.Groups))
	}
	n := b.Add("conv2d", name, append(args, build.Flag("bias", c.Bias)), x.Node)
	b.Weights(name, c.Bias, c.Out, c.In/c.Groups, c.Kernel[0], c.Kernel[1])
	if c.Same {
		return Image{n, c.Out, x.H, x.W}
	}
	return Image{n, c.Out, slid(x.H, c.Kernel[0], c.Stride[0], c.Pad[0], c.Dilation[0]),
		slid(x.W, c.Kernel[1], c.Stride[1], c.Pad[1], c.Dilation[1])}
}

// Depthwise is a convolution of each channel by itself that keeps the size.
func Depthwise(b *build.Build, x Image, name string, kernel int64, bias bool) Image {
	return Conv2d(b, x, name, Conv{Out: x.C, Kernel: config.Square(kernel), Pad: config.Square(kernel / 2),
		Groups: x.C, Bias: bias})
}

// Pointwise is a convolution of size 1.
func Pointwise(b *build.Build, x Image, name string, out int64, bias bool) Image {
	return Conv2d(b, x, name, Conv{Out: out, Kernel: config.Square(1), Bias: bias})
}

// slid is how many places a window has on an axis, as PyTorch counts them.
func slid(size, kernel, stride, pad, dilation int64) int64 {
	covered := dilation*(kernel-1) + 1
	if size+2*pad < covered {
		return 0
	}
	return (size+2*pad-covered)/stride + 1
}

// Sides is a parameter of a height and a width: one integer where they are equal.
func Sides(name string, v config.Two) graph.Param {
	if v[0] == v[1] {
		return build.Int(name, v[0])
	}
	return build.Ints(name, v[0], v[1])
}

// BatchNorm normalises the channels over the batch.
func BatchNorm(b *build.Build, x Image, name string) Image { return BatchNormOf(b, x, name, x.C) }

// BatchNormOf is BatchNorm for a number of channels that the class does not take from the layer before.
func BatchNormOf(b *build.Build, x Image, name string, channels int64) Image {
	n := b.Add("batchNorm", name, build.Args{build.Int("numFeatures", channels)}, x.Node)
	b.Weights(name, true, channels)
	return x.As(n)
}

// Pad adds zeros at the left, right, upper and lower edge.
func Pad(b *build.Build, x Image, left, right, top, bottom int64) Image {
	return Image{b.Add("pad", "", build.Args{build.Ints("padding", left, right, top, bottom)}, x.Node), x.C,
		x.H + top + bottom, x.W + left + right}
}

// As is an image of the same size.
func (x Image) As(n build.Node) Image { return Image{n, x.C, x.H, x.W} }

// Plus is the sum of two images.
func Plus(b *build.Build, x, y Image) Image { return x.As(b.Residual(x.Node, y.Node)) }

// MaxPool takes the largest value in a window.
func MaxPool(b *build.Build, x Image, kernel, stride, pad int64) Image {
	n := b.Add("maxpool2d", "pooler", build.Args{build.Int("kernelSize", kernel), build.Int("stride", stride),
		build.Int("padding", pad)}, x.Node)
	return Image{n, x.C, slid(x.H, kernel, stride, pad, 1), slid(x.W, kernel, stride, pad, 1)}
}

// GlobalPool is the mean of each channel.
func GlobalPool(b *build.Build, x Image) build.Node {
	return b.Add("globalAvgPool2d", "pooler", nil, x.Node)
}

// ChannelsLast and ChannelsFirst move the channels of an image.
func ChannelsLast(b *build.Build, x build.Node) build.Node {
	return b.Add("permute", "", build.Args{build.Ints("dims", 0, 2, 3, 1)}, x)
}

// ChannelsFirst is the reverse of ChannelsLast.
func ChannelsFirst(b *build.Build, x build.Node) build.Node {
	return b.Add("permute", "", build.Args{build.Ints("dims", 0, 3, 1, 2)}, x)
}

// ImageNorm is a layer norm over the channels of an image.
func ImageNorm(b *build.Build, x Image, name string) Image {
	return x.As(ChannelsFirst(b, b.LayerNorm(ChannelsLast(b, x.Node), name, x.C, true)))
}

// Sequence lays an image out as a sequence of its positions.
func Sequence(b *build.Build, x Image) build.Node {
	return b.Swap(b.Flat(x.Node))
}

// Picture is the reverse of Sequence.
func Picture(b *build.Build, x build.Node, channels, height, width int64) Image {
	n := b.Reshape(b.Swap(x), channels, height,
		width)
	return Image{n, channels, height, width}
}

// ChannelScale multiplies the channels of an image by trained factors; shape is that of the tensor.
func ChannelScale(b *build.Build, x Image, name string, shape ...int64) Image {
	return x.As(b.Add("multiply", "", nil, b.Reshape(b.Param(x.Node, name, shape...), x.C, 1, 1), x.Node))
}

// GroupNorm normalises groups of channels.
func GroupNorm(b *build.Build, x Image, name string, groups, channels int64) Image {
	n := b.Add("groupNorm", name, build.Args{build.Int("numGroups", groups), build.Int("numChannels", channels)},
		x.Node)
	b.Weights(name, true, channels)
	return x.As(n)
}

// Excite scales the channels by what two convolutions of size 1 make of their means.
func Excite(b *build.Build, x Image, down, up string, middle int64, act, gate string) Image {
	y := Image{b.Add("adaptiveAvgPool2d", "", build.Args{build.Int("outputSize", 1)}, x.Node), x.C, 1, 1}
	y = Pointwise(b, y, down, middle, true)
	y = Pointwise(b, y.As(b.Act(y.Node, act, "hidden_act")), up, x.C, true)
	return x.As(b.Add("multiply", "", nil, x.Node, b.Add(gate, "", nil, y.Node)))
}

// Activate applies the activation of hidden_act.
func Activate(b *build.Build, x Image) Image { return x.As(b.Activation(x.Node, "hidden_act")) }

// Scale multiplies the last axis by trained factors; name is the tensor's.
func Scale(b *build.Build, x build.Node, name string, dim int64) build.Node {
	n := b.Add("layerScale", name, build.Args{build.Int("dim", dim)}, x)
	b.Tensor(name, dim)
	return n
}

// Labels adds the classes of a pooled image. Without any, the features are the result.
func Labels(b *build.Build, x build.Node, name string, dim int64) {
	if !b.Given("num_labels") || b.Int("num_labels") != 0 {
		x = b.Linear(x, name, dim, b.NumLabels(), true)
	}
	b.Output(x)
}

// Classes are the bare model, and with a head for the classes of images on top of it, at a path. model gives the pooled
// features and how many they are.
func Classes(name, prefix string, model func(b *build.Build) (x build.Node, dim int64)) map[string]func(*build.Build) {
	return map[string]func(*build.Build){
		name + "ForImageClassification": func(b *build.Build) {
			x, dim := model(b.Scope("%s", prefix))
			Labels(b, x, "classifier", dim)
		},
		name + "Model": func(b *build.Build) {
			x, _ := model(b)
			b.Output(x)
		},
	}
}

// HeadsDivide refuses heads that hidden_size cannot be shared among, as many classes do.
func HeadsDivide(b *build.Build) {
	if !b.Given("embedding_size") {
		b.Divides("hidden_size", "num_attention_heads")
	}
}

// Ratio is a size that is a fraction of another, rounded down as Python's int does.
func Ratio(factor float64, size int64) int64 { return Truncated(factor * float64(size)) }

// Truncated rounds towards zero, as Python's int does, and refuses what is no size.
func Truncated(f float64) int64 {
	if !(f > -config.MaxSize && f < config.MaxSize) {
		config.Fail(config.CodeConfig, "config", "gives a layer a size of %g", f)
	}
	return int64(f)
}

// MakeDivisible rounds a number of channels to a multiple, at least low, that is no more than a tenth below it.
func MakeDivisible(value float64, divisor, low int64) int64 {
	n := max(low, Truncated(value+float64(divisor)/2)/divisor*divisor)
	if float64(n) < 0.9*value {
		n += divisor
	}
	return n
}
