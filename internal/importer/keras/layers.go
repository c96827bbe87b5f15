package keras

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/modelverifier/verifier/internal/graph"
)

// layers are what is translated, by Keras' names of classes. Each takes a call whose input shapes are known.
var layers map[string]func(*call) tensor

func init() { // a table that names its own readers: wrappers look layers up in it
	layers = map[string]func(*call) tensor{
		"Dense": (*call).dense, "Embedding": (*call).embedding, "Flatten": (*call).flatten, "Reshape": (*call).reshape, "Permute": (*call).permute,
		"RepeatVector": (*call).repeatVector,
		"Conv1D":       convolution(1, false), "Conv2D": convolution(2, false), "Conv3D": convolution(3, false), "Convolution2D": convolution(2, false),
		"DepthwiseConv1D": convolution(1, true), "DepthwiseConv2D": convolution(2, true), "SeparableConv1D": separable(1), "SeparableConv2D": separable(2),
		"Conv1DTranspose": transposed(1), "Conv2DTranspose": transposed(2), "Conv3DTranspose": transposed(3),
		"MaxPooling1D": pooling(1, "maxpool1d"), "MaxPooling2D": pooling(2, "maxpool2d"), "MaxPooling3D": pooling(3, "maxpool3d"),
		"AveragePooling1D": pooling(1, "avgpool1d"), "AveragePooling2D": pooling(2, "avgpool2d"), "AveragePooling3D": pooling(3, "avgpool3d"),
		"GlobalAveragePooling1D": global(1, "Avg"), "GlobalAveragePooling2D": global(2, "Avg"), "GlobalAveragePooling3D": global(3, "Avg"),
		"GlobalMaxPooling1D": global(1, "Max"), "GlobalMaxPooling2D": global(2, "Max"), "GlobalMaxPooling3D": global(3, "Max"),
		"ZeroPadding1D": margins(1, "padding", 1), "ZeroPadding2D": margins(2, "padding", 1), "ZeroPadding3D": margins(3, "padding", 1),
		"Cropping1D": margins(1, "cropping", -1), "Cropping2D": margins(2, "cropping", -1), "Cropping3D": margins(3, "cropping", -1),
		"UpSampling1D": upsampling(1), "UpSampling2D": upsampling(2), "UpSampling3D": upsampling(3),
		"BatchNormalization": (*call).batchNorm, "LayerNormalization": (*call).layerNorm, "GroupNormalization": (*call).groupNorm,
		"LSTM": recurrent("lstm"), "GRU": recurrent("gru"), "SimpleRNN": recurrent("rnn"), "Bidirectional": (*call).bidirectional,
		"TimeDistributed": (*call).timeDistributed, "MultiHeadAttention": (*call).attention,
		"Add": merge("add"), "Subtract": merge("subtract"), "Multiply": merge("multiply"), "Maximum": merge("maximum"), "Minimum": merge("minimum"),
		"Concatenate": (*call).concatenate,
		"Activation":  func(c *call) tensor { return c.activated(c.in[0], c.word("activation", "linear")) },
		"ReLU":        (*call).relu, "Softmax": func(c *call) tensor { return c.activated(c.in[0], "softmax") },
		"LeakyReLU": same("leakyRelu"), "ELU": same("elu"), "PReLU": (*call).prelu,
		"Dropout": (*call).dropout, "SpatialDropout1D": (*call).dropout, "SpatialDropout2D": (*call).dropout, "SpatialDropout3D": (*call).dropout,
		"GaussianDropout": same("dropout"), "AlphaDropout": same("alphaDropout"),
		"Rescaling": weightless("it scales by numbers"), "Normalization": weightless("it scales by numbers that are counted in advance"),
		"GaussianNoise": weightless("it adds noise in training"), "ActivityRegularization": weightless("it adds to the loss"),
		"Masking": weightless("it marks positions"), "RandomFlip": weightless(augments), "RandomRotation": weightless(augments),
		"RandomZoom": weightless(augments), "RandomContrast": weightless(augments), "RandomTranslation": weightless(augments), "RandomBrightness": weightless(augments),
	}
}

const augments = "it changes pictures in training"

// translate finds what a layer is, and gives an open one where it cannot be told.
func (c *call) translate() tensor {
	for i := range c.in {
		if c.in[i].shape == nil && i == 0 && c.built != nil {
			c.in[i].shape = c.built
		}
	}
	read := layers[c.class]
	switch {
	case read == nil:
		return c.open("the layer is not known")
	case slices.ContainsFunc(c.in, func(x tensor) bool { return x.shape == nil }):
		return c.open("the shape that arrives is not known")
	case len(c.in) == 0:
		return c.open("nothing arrives")
	case c.word("data_format", "channels_last") != "channels_last":
		return c.open("data_format is " + c.word("data_format", "") + ", and only channels_last is read")
	}
	return read(c)
}

// input is an InputLayer. A picture is given with its channels in front where the model has a layer of pictures.
func (t *translation) input(l *object, has kinds) tensor {
	var c struct {
		Batch  json.RawMessage `json:"batch_shape"`
		Batch2 json.RawMessage `json:"batch_input_shape"` // of Keras 2
		DType  string          `json:"dtype"`
	}
	_ = t.parse(l.Config, &c) // what does not fit leaves the shape unknown
	if c.Batch == nil {
		c.Batch = c.Batch2
	}
	name := l.name
	if name == "" {
		name = "input"
	}
	shape, ok := t.shapeOf(c.Batch)
	if !ok {
		return t.add(name, "input", []graph.Param{word("asks", "which shape arrives?")}, nil, false)
	}
	for i, n := range shape {
		if n > 0 {
			continue
		}
		if shape[i] = t.opt.SeqLen; len(shape) > 2 {
			shape[i] = t.opt.Side
		}
		t.note(name, "axis %d is not fixed, and taken as %d", i, shape[i])
	}
	params := []graph.Param{}
	ids := has.embedding && len(shape) < 2
	if ids || strings.HasPrefix(c.DType, "int") || strings.HasPrefix(c.DType, "uint") && len(shape) < 3 {
		params = append(params, word("dtype", "int64"))
	}
	n := len(shape)
	if n < 3 || !has.dimensions[min(n-1, 3)] {
		return t.add(name, "input", append(params, ints("shape", shape...)), shape, false)
	}
	t.note(name, "the channels of a picture lie in front, as PyTorch's layers take it")
	return t.add(name, "input", append(params, ints("shape", first(shape)...)), shape, true)
}

// dimensions end the names of layers over as many axes.
var dimensions = [...]string{"", "1D", "2D", "3D"}

// first is a shape with the channels in front.
func first(shape []int64) []int64 {
	n := len(shape) - 1
	return append([]int64{shape[n]}, shape[:n]...)
}

// activations are Keras' names of functions.
var activations = map[string]string{
	"relu": "relu", "sigmoid": "sigmoid", "tanh": "tanh", "gelu": "gelu", "elu": "elu", "selu": "selu", "silu": "silu", "swish": "silu", "softplus": "softplus",
	"softsign": "softsign", "exponential": "exp", "relu6": "relu6", "hard_sigmoid": "hardSigmoid", "hard_swish": "hardSwish", "hard_silu": "hardSwish",
	"leaky_relu": "leakyRelu", "mish": "mish", "log_sigmoid": "logSigmoid", "softmax": "softmax", "log_softmax": "logSoftmax", "celu": "celu",
	"tanh_shrink": "tanhShrink", "hard_tanh": "hardtanh",
}

// activated is a tensor behind an activation, with a component of its own behind the layer's.
func (c *call) activated(x tensor, name string) tensor {
	if name == "linear" {
		return x
	}
	typ := activations[name]
	if typ == "" {
		one := *c
		one.in, one.name, one.class = []tensor{x}, c.name+"_"+name, "activation"
		out := one.open("the activation " + name + " is not known")
		c.setShape(out, x.shape)
		return tensor{out.id, x.shape, x.first}
	}
	var params []graph.Param
	if typ == "softmax" || typ == "logSoftmax" {
		if x = c.asKeras(x); len(x.shape) == 0 {
			return c.open("a softmax needs an axis")
		}
		params = []graph.Param{number("dim", -1)}
	}
	at := c.name
	if c.class != "Activation" && c.class != "Softmax" {
		at += "_" + name
	}
	return c.add(at, typ, params, x.shape, x.first, x)
}

// setShape gives an open component the shape of its input.
func (c *call) setShape(x tensor, shape []int64) {
	if x.first = false; shape != nil && !slices.Contains(shape, 0) {
		c.shaped(tensor{x.id, shape, false})
	}
}

// behind is the activation that a layer ends with.
func (c *call) behind(x tensor) tensor {
	raw := c.config["activation"]
	if len(raw) == 0 || string(raw) == "null" {
		return x
	}
	var name string
	if !c.parse(raw, &name) { // a function of its own
		var f object
		if !c.parse(raw, &f) {
			return x
		}
		if name = f.Class; name == "function" {
			name = strings.Trim(string(f.Config), `"`)
		}
	}
	return c.activated(x, c.bounds.name(name))
}

func (c *call) dense() tensor {
	x := c.asKeras(c.in[0])
	if len(x.shape) == 0 {
		return c.open("a dense layer needs an axis")
	}
	units := c.int("units", 0)
	out := append(slices.Clone(x.shape[:len(x.shape)-1]), units)
	y := c.put("linear", out, x, number("inFeatures", x.channels()), number("outFeatures", units), truth("bias", c.bool("use_bias", true)))
	return c.behind(y)
}

func (c *call) embedding() tensor {
	x := c.asKeras(c.in[0])
	width := c.int("output_dim", 0)
	return c.put("embedding", append(slices.Clone(x.shape), width), x, number("numEmbeddings", c.int("input_dim", 0)), number("embeddingDim", width))
}

func size(shape []int64) int64 {
	n := int64(1)
	for _, d := range shape {
		n *= d
	}
	return n
}

func (c *call) flatten() tensor {
	x := c.in[0]
	if size(x.shape) != x.at(-1) && size(x.shape[:max(0, len(x.shape)-1)]) != 1 { // else the order of the elements is one
		x = c.asKeras(x)
	}
	return c.put("flatten", []int64{size(x.shape)}, tensor{x.id, x.shape, false})
}

// at is the size of an axis, 1 where there is none.
func (x tensor) at(i int) int64 {
	if i += len(x.shape); i < 0 {
		return 1
	}
	return x.shape[i]
}

func (c *call) reshape() tensor {
	x := c.asKeras(c.in[0])
	var to []int64
	if !c.parse(c.config["target_shape"], &to) {
		return c.open("target_shape is not a list of sizes")
	}
	left, open := size(x.shape), -1
	for i, n := range to {
		if n == -1 {
			open = i
		} else if n > 0 {
			left /= n
		}
	}
	if open >= 0 {
		to[open] = left
	}
	return c.put("reshape", to, x, ints("shape", to...))
}

func (c *call) permute() tensor {
	x := c.asKeras(c.in[0])
	var to []int64
	if !c.parse(c.config["dims"], &to) || len(to) != len(x.shape) {
		return c.open("dims is not an order of the axes")
	}
	out := make([]int64, len(to))
	for i, d := range to {
		if d < 1 || d > int64(len(to)) {
			return c.open("dims is not an order of the axes")
		}
		out[i] = x.shape[d-1]
	}
	return c.put("permute", out, x, ints("dims", append([]int64{0}, to...)...))
}

func (c *call) repeatVector() tensor {
	x, n := c.in[0], c.int("n", 1)
	if len(x.shape) != 1 {
		return c.open("it repeats a vector")
	}
	y := c.add(c.name+"_axis", "unsqueeze", []graph.Param{number("dim", 1)}, []int64{1, x.shape[0]}, false, x)
	return c.put("repeat", []int64{n, x.shape[0]}, y, ints("repeats", n, 1))
}

// merge is element by element, with all channels in one place.
func merge(typ string) func(*call) tensor {
	return func(c *call) tensor {
		in, shape := c.alike(), []int64(nil)
		for _, x := range in {
			if len(x.shape) > len(shape) {
				shape = slices.Clone(x.shape)
			}
		}
		for _, x := range in {
			for i := 1; i <= len(x.shape); i++ {
				shape[len(shape)-i] = max(shape[len(shape)-i], x.at(-i))
			}
		}
		return c.add(c.name, typ, nil, shape, in[0].first, in...)
	}
}

// alike are the inputs with the channels in one place: in front where one lies so.
func (c *call) alike() []tensor {
	in := slices.Clone(c.in)
	anyFirst := slices.ContainsFunc(in, func(x tensor) bool { return x.first })
	for i := range in {
		if anyFirst {
			in[i] = c.asFirst(in[i])
		}
	}
	return in
}

func (c *call) concatenate() tensor {
	in, axis := c.alike(), c.int("axis", -1)
	n := int64(len(in[0].shape))
	if axis < 0 {
		axis += n + 1
	}
	if axis < 1 || axis > n || slices.ContainsFunc(in, func(x tensor) bool { return int64(len(x.shape)) != n }) {
		return c.open("its axis is none of the inputs")
	}
	shape := slices.Clone(in[0].shape)
	for _, x := range in[1:] {
		shape[axis-1] += x.shape[axis-1]
	}
	if in[0].first {
		axis = axis%n + 1 // the last axis lies first, the others one place further back
	}
	return c.add(c.name, "concatenate", []graph.Param{number("dim", axis)}, shape, in[0].first, in...)
}

// same is a layer without weights that keeps the shape.
func same(typ string) func(*call) tensor {
	return func(c *call) tensor { return c.put(typ, c.in[0].shape, c.in[0]) }
}

// weightless does nothing that PyTorch has a layer for, and has no weights.
func weightless(why string) func(*call) tensor {
	return func(c *call) tensor {
		c.note(c.name, "%s, and is left out: it has no weights", why)
		return c.in[0]
	}
}

func (c *call) dropout() tensor {
	return c.put("dropout", c.in[0].shape, c.in[0], graph.Param{Name: "p", Value: graph.FloatValue(c.float("rate", 0.5))})
}

func (c *call) relu() tensor {
	switch slope, most := c.float("negative_slope", 0), c.float("max_value", -1); {
	case slope != 0:
		return c.put("leakyRelu", c.in[0].shape, c.in[0], graph.Param{Name: "negativeSlope", Value: graph.FloatValue(slope)})
	case most == 6:
		return c.put("relu6", c.in[0].shape, c.in[0])
	}
	return c.put("relu", c.in[0].shape, c.in[0])
}

// prelu has a slope for each element unless it shares axes: PyTorch's has one for each channel.
func (c *call) prelu() tensor {
	x := c.in[0]
	var shared []int64
	_ = c.parse(c.config["shared_axes"], &shared) // null shares none
	if len(shared) != len(x.shape)-1 || len(x.shape) == 0 {
		return c.open("it has a slope for each element, and PyTorch's one for each channel")
	}
	x = c.asFirst(x)
	return c.put("prelu", x.shape, x, number("numParameters", x.channels()))
}
