package keras

import (
	"slices"
	"strconv"

	"github.com/modelverifier/verifier/internal/graph"
)

// axis is the one axis that a norm is over, and whether that is the last: it is written as a number or as a list of one.
func (c *call) lastAxis(rank int) bool {
	var list []int64
	at := c.int("axis", -1)
	if c.parse(c.config["axis"], &list) && len(list) > 0 {
		if len(list) > 1 {
			return false
		}
		at = list[0]
	}
	return at == -1 || at == int64(rank)
}

// affine is the factor and the summand of a norm that has one of them alone: PyTorch's has both or none.
func (c *call) affine(x tensor, scale, center bool, spatial int) tensor {
	if scale == center {
		return x
	}
	shape := append([]int64{x.channels()}, slices.Repeat([]int64{1}, spatial)...)
	typ, name := "add", "_beta"
	if scale {
		typ, name = "multiply", "_gamma"
	}
	p := c.add(c.name+name, "parameter", []graph.Param{ints("shape", shape...)}, nil, false, x)
	return c.add(c.name+name+"_"+typ, typ, nil, x.shape, x.first, x, p)
}

func (c *call) batchNorm() tensor {
	x, scale, center := c.in[0], c.bool("scale", true), c.bool("center", true)
	if len(x.shape) == 0 || !c.lastAxis(len(x.shape)) || c.same != "" && scale != center {
		return c.open("its axis is not the last")
	}
	x = c.asFirst(x)
	y := c.put("batchNorm", x.shape, x, number("numFeatures", x.channels()), truth("affine", scale && center),
		graph.Param{Name: "eps", Value: graph.FloatValue(c.float("epsilon", 1e-3))})
	return c.affine(y, scale, center, len(x.shape)-1)
}

func (c *call) layerNorm() tensor {
	x, scale, center := c.asKeras(c.in[0]), c.bool("scale", true), c.bool("center", true)
	if len(x.shape) == 0 || !c.lastAxis(len(x.shape)) {
		return c.open("its axis is not the last")
	}
	eps := graph.Param{Name: "eps", Value: graph.FloatValue(c.float("epsilon", 1e-3))}
	if c.bool("rms_scaling", false) {
		return c.put("rmsNorm", x.shape, x, number("normalizedShape", x.channels()), eps)
	}
	y := c.put("layerNorm", x.shape, x, number("normalizedShape", x.channels()), truth("elementwiseAffine", scale), truth("bias", scale && center), eps)
	if scale {
		return y
	}
	return c.affine(y, false, center, 0)
}

func (c *call) groupNorm() tensor {
	x, groups := c.in[0], c.int("groups", 32)
	if len(x.shape) < 2 || !c.lastAxis(len(x.shape)) || c.bool("scale", true) != c.bool("center", true) {
		return c.open("its axis is not the last, or it has one of factor and summand alone")
	}
	x = c.asFirst(x)
	if groups == -1 {
		groups = x.channels()
	}
	return c.put("groupNorm", x.shape, x, number("numGroups", groups), number("numChannels", x.channels()), truth("affine", c.bool("scale", true)))
}

// recurrent is a layer over a sequence. Keras has one bias of a gate where PyTorch has two, except in a GRU that resets behind the product.
func recurrent(typ string) func(*call) tensor {
	return func(c *call) tensor { return c.sequence(typ, 1) }
}

func (c *call) sequence(typ string, directions int64) tensor {
	x, units, bias := c.asKeras(c.in[0]), c.int("units", 0), c.bool("use_bias", true)
	switch {
	case len(x.shape) != 2:
		return c.open("it takes a sequence of features")
	case c.bool("return_state", false):
		return c.open("it returns its state, too")
	case typ == "gru" && !c.bool("reset_after", true):
		return c.open("a GRU that resets before the product is none of PyTorch's")
	}
	if bias && typ != "gru" {
		gates := map[string]int64{"lstm": 4, "rnn": 1}[typ]
		c.note(c.name, "PyTorch's layer has a second bias: %d parameters more than Keras'", directions*gates*units)
	}
	params := []graph.Param{number("inputSize", x.channels()), number("hiddenSize", units), truth("bias", bias)}
	shape, whole := []int64{directions * units}, c.bool("return_sequences", false)
	if whole {
		shape = []int64{x.shape[0], directions * units}
	}
	if directions == 2 {
		params = append(params, truth("bidirectional", true))
	}
	return c.put(typ, shape, x, append(params, truth("returnSequences", whole))...)
}

// inner is the layer that a wrapper holds.
func (c *call) inner() (*call, bool) {
	var l object
	one := *c
	if !c.parse(c.config["layer"], &l) || !c.parse(l.Config, &one.config) || one.config == nil {
		return nil, false
	}
	one.class = c.bounds.name(l.Class)
	return &one, true
}

func (c *call) bidirectional() tensor {
	one, ok := c.inner()
	typ := map[string]string{"LSTM": "lstm", "GRU": "gru", "SimpleRNN": "rnn"}
	if !ok || typ[one.class] == "" || c.word("merge_mode", "concat") != "concat" {
		return c.open("it runs another layer than a recurrent one both ways, or does not concatenate")
	}
	return one.sequence(typ[one.class], 2)
}

// timeDistributed applies a layer to each position: one of the last axis does so by itself.
func (c *call) timeDistributed() tensor {
	one, ok := c.inner()
	if ok && (one.class == "Dense" || one.class == "Dropout" || one.class == "Activation" || one.class == "LayerNormalization") {
		return one.translate()
	}
	return c.open("it applies a layer to each position that PyTorch's does not")
}

// attention is Keras' layer, whose heads need not divide the features.
func (c *call) attention() tensor {
	heads, key := c.int("num_heads", 0), c.int("key_dim", 0)
	value, bias := c.int("value_dim", key), c.bool("use_bias", true)
	if string(c.config["value_dim"]) == "null" {
		value = key
	}
	x, out := c.asKeras(c.in[0]), c.config["output_shape"]
	self := true
	for _, other := range c.in[1:] {
		self = self && other.id == c.in[0].id
	}
	var causal bool
	_ = c.parse(c.kwargs["use_causal_mask"], &causal) // false where it is left out
	switch {
	case len(x.shape) != 2 || value != key || len(out) > 0 && string(out) != "null":
		return c.open("it takes a sequence of features, with keys as wide as values and a result as wide as the queries")
	case self:
		return c.put("groupedQueryAttention", x.shape, x, number("embedDim", x.channels()), number("numHeads", heads), number("headDim", key),
			truth("bias", bias), truth("outBias", bias), truth("causal", causal))
	case heads*key != x.channels() || causal || len(c.in) < 2 || len(c.in) > 2 && c.in[1].id != c.in[2].id || len(c.in[1].shape) != 2:
		return c.open("attention to another sequence, with " + strconv.FormatInt(heads*key, 10) + " features in its heads")
	}
	y := c.asKeras(c.in[1])
	return c.add(c.name, "crossAttention", []graph.Param{number("embedDim", x.channels()), number("numHeads", heads), number("kvDim", y.channels()), truth("bias", bias)},
		x.shape, false, x, y)
}
