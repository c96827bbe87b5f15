package catalog

import (
	"slices"

	"github.com/modelverifier/verifier/internal/op"
)

// What weightNorm and spectralNorm share: the layer whose weight is reparametrised.

// normedParams have no ranges where only the convolutions read them: PyTorch does not look at them for a linear layer.
var normedParams = []Param{
	{Name: "layer", Kind: String, Default: "linear", Values: []string{"linear", "conv1d", "conv2d"}, Doc: "the layer whose weight is normalised"},
	{Name: "inFeatures", Kind: Int, Aliases: []string{"inChannels"}, Doc: "features or channels of the input"},
	{Name: "outFeatures", Kind: Int, Aliases: []string{"outChannels"}, Doc: "features or channels of the result"},
	{Name: "kernelSize", Kind: Ints, Default: 1, Negative: true, Doc: "size of the convolution's kernel: a number, or a list for each axis"},
	{Name: "stride", Kind: Ints, Default: 1, Negative: true, Doc: "step of the convolution: a number, or a list for each axis"},
	{Name: "padding", Kind: Ints, Default: 0, Negative: true, Values: []string{"same", "valid"}, Doc: "zeros at each side: a number, a list for each axis, same or valid"},
	{Name: "bias", Kind: Bool, Default: true, Doc: "whether a bias is added"},
}

const (
	normedTorch = `normed_layer({{layer}}, {{inFeatures}}, {{outFeatures}}, {{bias}}, {{kernelSize}}, {{stride}}, {{padding}})`

	normedModule = `def normed_layer(layer, features, out, bias, *geometry):
    if layer == "linear":
        return nn.Linear(features, out, bias=bias)
    return {"conv1d": nn.Conv1d, "conv2d": nn.Conv2d}[layer](features, out, *geometry, bias=bias)
`

	normedKernelFormula = `((layer == "linear") + (layer == "conv1d")*kernelSize[0] + (layer == "conv2d")*kernelSize[0]*kernelSize[-1])`
)

// normedAxes is the number of axes that the convolution moves along, 0 for a linear layer.
func normedAxes(c *Call) int {
	switch c.Str("layer") {
	case "conv1d":
		return 1
	case "conv2d":
		return 2
	}
	return 0
}

// normedList returns a list parameter with a value for each of n axes. A single value stands for all; whether a list of one
// does depends on who reads it.
func (c *Call) normedList(name string, n int, least int64, oneForAll bool) ([]int64, error) {
	list := c.Ints(name)
	if len(list) == 1 && (oneForAll || !c.IsList(name)) {
		for len(list) < n {
			list = append(list, list[0])
		}
	}
	if len(list) != n {
		return nil, c.Errorf(BadParam, "%s is %v but %s moves along %d axes", name, c.arg(name), c.Str("layer"), n)
	}
	for _, v := range list {
		if v < least {
			return nil, c.Errorf(BadParam, "%s is %v but must be at least %d", name, c.arg(name), least)
		}
	}
	return list, nil
}

func normedShape(c *Call) (Shape, error) {
	n := normedAxes(c)
	if n == 0 {
		if c.In[0].Rank() == 0 {
			return nil, c.Errorf(RankMismatch, "takes (…, features), got a scalar per sample")
		}
		return c.In[0].With(-1, c.Int("outFeatures")), normedMatch(c, LinearInMismatch, -1, "feature")
	}
	if err := c.Ranks(n+1, n+1, []string{"(channels, length)", "(channels, height, width)"}[n-1]); err != nil {
		return nil, err
	}
	kernel, err := c.normedList("kernelSize", n, 1, false)
	if err != nil {
		return nil, err
	}
	stride, err := c.normedList("stride", n, 1, true)
	if err != nil {
		return nil, err
	}
	out := Of(c.Int("outFeatures"))
	for i := range kernel {
		m, err := normedAxis(c, i, n, kernel[i], stride)
		if err != nil {
			return nil, err
		}
		out = append(out, m)
	}
	return out, normedMatch(c, ChannelMismatch, 0, "channel")
}

// normedAxis is the size that one axis of the image becomes.
func normedAxis(c *Call, i, n int, kernel int64, stride []int64) (int64, error) {
	size := c.In[0][i+1]
	switch c.Str("padding") {
	case "same":
		for _, s := range stride {
			if s != 1 {
				return 0, c.Errorf(SamePaddingStride, "padding same needs stride 1, got %v", c.arg("stride"))
			}
		}
		return size, nil
	case "":
		padding, err := c.normedList("padding", n, 0, true)
		if err != nil {
			return 0, err
		}
		size = c.Add(size, padding[i], padding[i])
	}
	if kernel > size {
		return 0, c.Errorf(KernelExceedsInput, "the kernel spans %d but the padded axis has %d", kernel, size)
	}
	return (size-kernel)/stride[i] + 1, nil
}

// normedMatch compares inFeatures with the axis that the layer reads; which one it is depends on the layer.
func normedMatch(c *Call, rule string, axis int, what string) error {
	if want, got := c.Int("inFeatures"), c.In[0].At(axis); want != got {
		return c.Errorf(rule, "inFeatures is %d but %s", want, arrive(got, what)).SetInt("inFeatures", got).Wants(0, At(axis), want)
	}
	return nil
}

// normedWeight is the shape of the weight, a new slice each time.
func normedWeight(c *Call) Shape {
	shape := Of(c.Int("outFeatures"), c.Int("inFeatures"))
	if n := normedAxes(c); n > 0 {
		kernel, err := c.normedList("kernelSize", n, 1, false)
		if err != nil {
			c.LacksWeights()
		}
		shape = append(shape, kernel...)
	}
	return shape
}

func normedFLOPs(c *Call) int64 {
	return c.MatMul(1, c.Size(c.Out), c.Size(normedWeight(c)[1:]), 1)
}

// lowerNormed is the layer with a weight that was computed.
func (l *Lowering) lowerNormed(weight op.Value) op.Value {
	x, bias := l.X[0], l.W("bias")
	if normedAxes(&l.Call) == 0 {
		return op.Linear(l.P, x, weight, bias)
	}
	padded, odd := slices.Clone(l.In[0]), false
	for i, k := range l.P.Shape(weight)[2:] { // padding same of an even kernel adds one element more behind
		if l.Str("padding") == "same" && k%2 == 0 {
			padded[i+1], odd = padded[i+1]+1, true
		}
	}
	if odd {
		x = op.Resample(l.P, x, padded...)
	}
	return op.Convolution(l.P, x, weight, bias, op.Geometry{Groups: 1}, l.Out[1:]...)
}
