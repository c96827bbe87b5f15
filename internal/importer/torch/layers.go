package torch

import (
	"slices"
	"strings"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/importer/torch/interp"
)

// layer says how a class of torch.nn is called and which component it is. Args are its arguments in PyTorch's order, with their
// defaults; those that the component has, under its own spelling, become its parameters.
type layer struct {
	class   string
	typ     string
	args    string
	weights func(*reader, *interp.Instance) []weight
	// spatial is the number of spatial axes where the component takes exactly (batch, channels, *spatial); -1 where it takes
	// (batch, *shape) of any rank; 0 where it works on the last axis or on each element, whatever comes before.
	spatial int
}

// weight is a trained tensor of a layer. A nil shape is a name that is None.
type weight struct {
	name  string
	shape catalog.Shape
}

const (
	convArgs  = "in_channels out_channels kernel_size stride=1 padding=0 dilation=1 groups=1 bias=True padding_mode='zeros' device=None dtype=None"
	convTArgs = "in_channels out_channels kernel_size stride=1 padding=0 output_padding=0 groups=1 bias=True dilation=1 padding_mode='zeros' device=None dtype=None"
	bnArgs    = "num_features eps=1e-5 momentum=0.1 affine=True track_running_stats=True device=None dtype=None"
	inArgs    = "num_features eps=1e-5 momentum=0.1 affine=False track_running_stats=False device=None dtype=None"
	maxArgs   = "kernel_size stride=None padding=0 dilation=1 return_indices=False ceil_mode=False"
	avgArgs   = "kernel_size stride=None padding=0 ceil_mode=False count_include_pad=True divisor_override=None"
)

var layers = []layer{
	{"Linear", "linear", "in_features out_features bias=True device=None dtype=None", linearWeights, 0},
	{"Bilinear", "bilinear", "in1_features in2_features out_features bias=True device=None dtype=None", bilinearWeights, 0},
	{"Identity", "identity", "*", nil, 0},
	{"Conv1d", "conv1d", convArgs, convWeights, 1},
	{"Conv2d", "conv2d", convArgs, convWeights, 2},
	{"Conv3d", "conv3d", convArgs, convWeights, 3},
	{"ConvTranspose1d", "transposeConv1d", convTArgs, convTWeights, 1},
	{"ConvTranspose2d", "transposeConv2d", convTArgs, convTWeights, 2},
	{"ConvTranspose3d", "transposeConv3d", convTArgs, convTWeights, 3},
	{"BatchNorm1d", "batchNorm", bnArgs, normWeights("num_features"), -1},
	{"BatchNorm2d", "batchNorm", bnArgs, normWeights("num_features"), 2},
	{"BatchNorm3d", "batchNorm", bnArgs, normWeights("num_features"), 3},
	{"SyncBatchNorm", "batchNorm", "num_features eps=1e-5 momentum=0.1 affine=True track_running_stats=True process_group=None device=None dtype=None", normWeights("num_features"), -1},
	{"InstanceNorm1d", "instanceNorm", inArgs, normWeights("num_features"), 1},
	{"InstanceNorm2d", "instanceNorm", inArgs, normWeights("num_features"), 2},
	{"InstanceNorm3d", "instanceNorm", inArgs, normWeights("num_features"), 3},
	{"LayerNorm", "layerNorm", "normalized_shape eps=1e-5 elementwise_affine=True bias=True device=None dtype=None", layerNormWeights, 0},
	{"RMSNorm", "rmsNorm", "normalized_shape eps=None elementwise_affine=True device=None dtype=None", layerNormWeights, 0},
	{"GroupNorm", "groupNorm", "num_groups num_channels eps=1e-5 affine=True device=None dtype=None", normWeights("num_channels"), -1},
	{"LocalResponseNorm", "localResponseNorm", "size alpha=1e-4 beta=0.75 k=1.0", nil, -1},
	{"MaxPool1d", "maxpool1d", maxArgs, nil, 1},
	{"MaxPool2d", "maxpool2d", maxArgs, nil, 2},
	{"MaxPool3d", "maxpool3d", maxArgs, nil, 3},
	{"AvgPool1d", "avgpool1d", "kernel_size stride=None padding=0 ceil_mode=False count_include_pad=True", nil, 1},
	{"AvgPool2d", "avgpool2d", avgArgs, nil, 2},
	{"AvgPool3d", "avgpool3d", avgArgs, nil, 3},
	{"LPPool1d", "lpPool1d", "norm_type kernel_size stride=None ceil_mode=False", nil, 1},
	{"LPPool2d", "lpPool2d", "norm_type kernel_size stride=None ceil_mode=False", nil, 2},
	{"AdaptiveAvgPool1d", "adaptiveAvgPool1d", "output_size", nil, 1},
	{"AdaptiveAvgPool2d", "adaptiveAvgPool2d", "output_size", nil, 2},
	{"AdaptiveAvgPool3d", "adaptiveAvgPool3d", "output_size", nil, 3},
	{"AdaptiveMaxPool1d", "adaptiveMaxPool1d", "output_size return_indices=False", nil, 1},
	{"AdaptiveMaxPool2d", "adaptiveMaxPool2d", "output_size return_indices=False", nil, 2},
	{"AdaptiveMaxPool3d", "adaptiveMaxPool3d", "output_size return_indices=False", nil, 3},
	{"Fold", "fold", "output_size kernel_size dilation=1 padding=0 stride=1", nil, -1},
	{"Unfold", "unfold", "kernel_size dilation=1 padding=0 stride=1", nil, 2},
	{"Upsample", "upsample", "size=None scale_factor=None mode='nearest' align_corners=None recompute_scale_factor=None", nil, -1},
	{"UpsamplingNearest2d", "upsample", "size=None scale_factor=None", nil, 2},
	{"PixelShuffle", "pixelShuffle", "upscale_factor", nil, -1},
	{"PixelUnshuffle", "pixelUnshuffle", "downscale_factor", nil, -1},
	{"ChannelShuffle", "channelShuffle", "groups", nil, -1},
	{"ReLU", "relu", "inplace=False", nil, 0},
	{"ReLU6", "relu6", "inplace=False", nil, 0},
	{"LeakyReLU", "leakyRelu", "negative_slope=0.01 inplace=False", nil, 0},
	{"PReLU", "prelu", "num_parameters=1 init=0.25 device=None dtype=None", preluWeights, -1},
	{"RReLU", "rrelu", "lower=0.125 upper=0.3333333333333333 inplace=False", nil, 0},
	{"ELU", "elu", "alpha=1.0 inplace=False", nil, 0},
	{"CELU", "celu", "alpha=1.0 inplace=False", nil, 0},
	{"SELU", "selu", "inplace=False", nil, 0},
	{"GELU", "gelu", "approximate='none'", nil, 0},
	{"SiLU", "silu", "inplace=False", nil, 0},
	{"Mish", "mish", "inplace=False", nil, 0},
	{"Sigmoid", "sigmoid", "", nil, 0},
	{"Tanh", "tanh", "", nil, 0},
	{"Hardswish", "hardSwish", "inplace=False", nil, 0},
	{"Hardsigmoid", "hardSigmoid", "inplace=False", nil, 0},
	{"Hardtanh", "hardtanh", "min_val=-1.0 max_val=1.0 inplace=False", nil, 0},
	{"Hardshrink", "hardShrink", "lambd=0.5", nil, 0},
	{"Softshrink", "softShrink", "lambd=0.5", nil, 0},
	{"Softplus", "softplus", "beta=1 threshold=20", nil, 0},
	{"Softsign", "softsign", "", nil, 0},
	{"Tanhshrink", "tanhShrink", "", nil, 0},
	{"LogSigmoid", "logSigmoid", "", nil, 0},
	{"Threshold", "threshold", "threshold value inplace=False", nil, 0},
	{"Softmax2d", "softmax2d", "", nil, 2},
	{"Dropout", "dropout", "p=0.5 inplace=False", nil, 0},
	{"Dropout1d", "dropout1d", "p=0.5 inplace=False", nil, -1},
	{"Dropout2d", "dropout2d", "p=0.5 inplace=False", nil, -1},
	{"Dropout3d", "dropout3d", "p=0.5 inplace=False", nil, -1},
	{"AlphaDropout", "alphaDropout", "p=0.5 inplace=False", nil, 0},
	{"FeatureAlphaDropout", "featureAlphaDropout", "p=0.5 inplace=False", nil, -1},
	{"Embedding", "embedding", "num_embeddings embedding_dim padding_idx=None max_norm=None norm_type=2.0 scale_grad_by_freq=False sparse=False _weight=None _freeze=False device=None dtype=None", embeddingWeights, 0},
	{"EmbeddingBag", "embeddingBag", "num_embeddings embedding_dim max_norm=None norm_type=2.0 scale_grad_by_freq=False mode='mean' sparse=False _weight=None include_last_offset=False padding_idx=None device=None dtype=None", embeddingWeights, -1},
}

// camel turns in_features into inFeatures.
func camel(s string) string {
	var b strings.Builder
	up := false
	for i := range len(s) {
		switch c := s[i]; {
		case c == '_':
			up = true
		case up && c >= 'a' && c <= 'z':
			b.WriteByte(c - 'a' + 'A')
			up = false
		default:
			b.WriteByte(c)
			up = false
		}
	}
	return b.String()
}

// signature is the arguments of a class, with their defaults.
type signature struct {
	names    []string
	defaults []interp.Value
	any      bool
	cast     *bool // is set where a dtype is given
}

func parseArgs(s string) signature {
	var out signature
	if s == "*" {
		out.any = true
		return out
	}
	for _, f := range strings.Fields(s) {
		name, def, has := strings.Cut(f, "=")
		out.names = append(out.names, name)
		v := interp.Value(interp.Missing{})
		if has {
			v = literal(def)
		}
		out.defaults = append(out.defaults, v)
	}
	return out
}

// newer are arguments that some releases of PyTorch know beside those of the table.
var newer = []string{"bias", "min_value", "max_value", "generator"}

// bind gives every argument its value, or its default.
func (s *signature) bind(in *interp.Interp, class string, a *interp.Args) []interp.Value {
	if s.any {
		return nil
	}
	bind := a.BindAll
	if len(s.names) == 0 || slices.ContainsFunc(a.Kw, func(kw interp.KV) bool { return slices.Contains(newer, kw.Name) && !slices.Contains(s.names, kw.Name) }) {
		bind = a.Bind
	}
	given := bind(in, class+".__init__", s.names...)
	for i := range given {
		given[i] = interp.Or(given[i], s.defaults[i])
		if s.names[i] == "dtype" && given[i] != nil && s.cast != nil {
			*s.cast = true
		}
		if _, missing := given[i].(interp.Missing); missing {
			in.Raise("TypeError", "%s.__init__() missing 1 required positional argument: '%s'", class, s.names[i])
		}
		if u, ok := given[i].(*interp.Unknown); ok && s.names[i] != "device" && s.names[i] != "dtype" {
			in.Fault("%s of %s is not known: %s", s.names[i], class, u.Reason())
		}
	}
	return given
}

// makeLayer builds a class of torch.nn from its entry.
func (r *reader) makeLayer(l *layer) *interp.Class {
	sig := parseArgs(l.args)
	sig.cast = &r.cast
	c := interp.NewClass(l.class, r.moduleClass)
	c.Lacks = lacking("layer")
	if l.class == "Embedding" || l.class == "EmbeddingBag" {
		c.SetOwn("from_pretrained", &interp.ClassMethod{Fn: interp.Fn("from_pretrained", r.fromPretrained)})
	}
	c.Method("__init__", func(in *interp.Interp, a *interp.Args) interp.Value {
		x := r.begin(a)
		for i, v := range sig.bind(in, l.class, rest(a)) {
			x.Set(sig.names[i], v)
		}
		r.spread(l, x)
		if l.weights != nil {
			for _, w := range l.weights(r, x) {
				r.setWeight(x, w)
			}
		}
		r.runningStatistics(x)
		return nil
	})
	c.Method("forward", func(in *interp.Interp, a *interp.Args) interp.Value {
		var inputs []*Tensor
		for _, v := range a.Pos[1:] {
			if l, isLater := v.(*later); isLater {
				v = l.make()
			}
			t, ok := v.(*Tensor)
			if !ok {
				if v == nil && len(inputs) > 0 {
					continue
				}
				r.notTensor(l.class, v)
			}
			inputs = append(inputs, t)
		}
		for _, kw := range a.Kw {
			if t, ok := kw.Value.(*Tensor); ok {
				inputs = append(inputs, t)
			}
		}
		if len(inputs) == 0 {
			in.Raise("TypeError", "forward() of %s is missing its input", l.class)
		}
		r.noNone(l, self(a))
		return r.runLayer(l, &sig, self(a), inputs)
	})
	c.Method("reset_parameters", func(*interp.Interp, *interp.Args) interp.Value { return nil })
	return c
}

func (r *reader) notTensor(what string, v interp.Value) {
	if u, ok := v.(*interp.Unknown); ok {
		r.in.Fault("an input of %s is not known: %s", what, u.Reason())
	}
	r.in.RaiseFor(v, "TypeError", "%s takes a tensor, not a %s", what, interp.TypeName(v))
}

// spread makes kernel_size and the like tuples, as convolutions keep them.
func (r *reader) spread(l *layer, x *interp.Instance) {
	if !strings.HasPrefix(l.class, "Conv") {
		return
	}
	for _, n := range []string{"kernel_size", "stride", "padding", "dilation", "output_padding"} {
		v, ok := x.Get(n)
		if i, isInt := interp.AsInt(v); ok && isInt {
			item := v // a bool stays one, which the kernel refuses
			if n == "kernel_size" {
				item = i
			}
			x.Set(n, interp.NewTuple(slices.Repeat([]interp.Value{item}, l.spatial)...))
		}
		if t, isTuple := v.(*interp.Tuple); isTuple {
			x.Set(n, behindFirst(t))
		}
	}
}

// behindFirst is a tuple with the numbers of the bools in it but the first, which is the only one whose kind a kernel looks at.
func behindFirst(t *interp.Tuple) *interp.Tuple {
	items := slices.Clone(t.Items)
	for k := 1; k < len(items); k++ {
		if i, isInt := interp.AsInt(items[k]); isInt {
			items[k] = i
		}
	}
	return interp.NewTuple(items...)
}

// noNone raises where a convolution has None in the place of a number. Its constructor takes that, and its kernel does not.
func (r *reader) noNone(l *layer, x *interp.Instance) {
	if !strings.HasPrefix(l.class, "Conv") {
		return
	}
	for _, n := range []string{"stride", "padding", "dilation", "output_padding"} {
		if v, ok := x.Get(n); ok && v == nil {
			r.in.Raise("TypeError", "%s: argument '%s' must be tuple of ints, not NoneType", l.class, n)
		}
	}
}

// setWeight makes a trained tensor of a module.
func (r *reader) setWeight(x *interp.Instance, w weight) {
	if w.shape == nil {
		x.Set(w.name, nil)
		return
	}
	x.Set(w.name, r.newParam(w.shape))
}

func (r *reader) newParam(shape catalog.Shape) *Tensor {
	for _, n := range shape {
		if n < 0 {
			r.in.Raise("RuntimeError", "Trying to create tensor with negative dimension %d", n)
		}
	}
	p := &Param{owner: -1}
	t := &Tensor{r: r, node: -1, shape: shape, batch: -1, param: p}
	p.tensor = t
	return t
}

// boolsToo are the arguments in which PyTorch takes True for 1: none of its own checks comes to them.
var boolsToo = []string{"in_features", "in_channels", "scale_factor", "hidden_size"}

// asNumber is the value of an argument, the number of a bool where PyTorch takes one for it.
func asNumber(name string, v interp.Value) interp.Value {
	if i, isInt := interp.AsInt(v); isInt && slices.Contains(boolsToo, name) {
		return i
	}
	return v
}

// noBool raises where an argument is a bool that PyTorch wants to be an int, or begins with one.
func (r *reader) noBool(class, name string, v interp.Value) {
	if t, ok := v.(*interp.Tuple); ok && len(t.Items) > 0 {
		v = t.Items[0]
	}
	if _, is := v.(bool); is {
		r.in.Raise("TypeError", "%s: argument '%s' must be int, not bool", class, name)
	}
}

// layerParams are the component's parameters from the attributes of a module.
func (r *reader) layerParams(l *layer, sig *signature, x *interp.Instance) []graph.Param {
	t := catalog.Lookup(l.typ)
	var out []graph.Param
	for i, n := range sig.names {
		name := camel(n)
		p := t.Param(name)
		if p == nil {
			continue
		}
		v, _ := x.Get(n)
		if n == "bias" {
			if _, isBool := v.(bool); !isBool {
				v = v != nil
			}
		}
		value := r.value(n, asNumber(n, v))
		if value.Kind() == graph.Null {
			continue
		}
		if !isMissing(sig.defaults[i]) && r.sameDefault(value, p) {
			continue
		}
		out = append(out, graph.Param{Name: name, Value: value})
	}
	return out
}

func isMissing(v interp.Value) bool { _, ok := v.(interp.Missing); return ok }

// sameDefault reports whether a value is what the component has anyway.
func (r *reader) sameDefault(v graph.Value, p *catalog.Param) bool {
	d := p.DefaultValue()
	if d.Kind() == graph.Null {
		return false
	}
	if v.Kind() == graph.List && d.Kind() == graph.Int {
		for _, item := range v.List() {
			if !item.Equal(d) {
				return false
			}
		}
		return len(v.List()) > 0
	}
	return v.Equal(d) || v.Kind() != graph.Bool && d.Kind() != graph.Bool && v.Kind() != graph.String && d.Kind() != graph.String &&
		v.Kind() != graph.List && d.Kind() != graph.List && v.Float() == d.Float()
}
