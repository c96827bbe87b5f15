package torch

import (
	"slices"

	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/importer/torch/interp"
	"github.com/modelverifier/verifier/internal/importer/torch/python"
)

// literal reads the default of an argument.
func literal(s string) interp.Value {
	file, err := python.Parse("", s+"\n")
	if err != nil {
		panic("torch: the default " + s + " is no Python")
	}
	switch x := file.Body[0].(*python.ExprStmt).X.(type) {
	case *python.Const:
		return x.Value
	case *python.Unary:
		switch v := x.X.(*python.Const).Value.(type) {
		case int64:
			return -v
		case float64:
			return -v
		}
	}
	panic("torch: the default " + s + " is no constant")
}

// functionals are the functions that are a layer of torch.nn with the same arguments, given with the call.
var functionals = map[string][2]string{ // function: class, arguments behind the tensor
	"max_pool1d": {"MaxPool1d", "kernel_size stride=None padding=0 dilation=1 ceil_mode=False return_indices=False"},
	"max_pool2d": {"MaxPool2d", "kernel_size stride=None padding=0 dilation=1 ceil_mode=False return_indices=False"},
	"max_pool3d": {"MaxPool3d", "kernel_size stride=None padding=0 dilation=1 ceil_mode=False return_indices=False"},
	"avg_pool1d": {"AvgPool1d", "kernel_size stride=None padding=0 ceil_mode=False count_include_pad=True"},
	"avg_pool2d": {"AvgPool2d", avgArgs}, "avg_pool3d": {"AvgPool3d", avgArgs},
	"adaptive_avg_pool1d": {"AdaptiveAvgPool1d", "output_size"}, "adaptive_avg_pool2d": {"AdaptiveAvgPool2d", "output_size"},
	"adaptive_avg_pool3d": {"AdaptiveAvgPool3d", "output_size"}, "adaptive_max_pool1d": {"AdaptiveMaxPool1d", "output_size return_indices=False"},
	"adaptive_max_pool2d": {"AdaptiveMaxPool2d", "output_size return_indices=False"}, "adaptive_max_pool3d": {"AdaptiveMaxPool3d", "output_size return_indices=False"},
	"lp_pool1d": {"LPPool1d", "norm_type kernel_size stride=None ceil_mode=False"},
	"dropout":   {"Dropout", "p=0.5 training=True inplace=False"}, "dropout1d": {"Dropout1d", "p=0.5 training=True inplace=False"},
	"dropout2d": {"Dropout2d", "p=0.5 training=True inplace=False"}, "dropout3d": {"Dropout3d", "p=0.5 training=True inplace=False"},
	"alpha_dropout": {"AlphaDropout", "p=0.5 training=False inplace=False"},
	"relu":          {"ReLU", "inplace=False"}, "relu6": {"ReLU6", "inplace=False"}, "leaky_relu": {"LeakyReLU", "negative_slope=0.01 inplace=False"},
	"elu": {"ELU", "alpha=1.0 inplace=False"}, "celu": {"CELU", "alpha=1.0 inplace=False"}, "selu": {"SELU", "inplace=False"},
	"gelu": {"GELU", "approximate='none'"}, "silu": {"SiLU", "inplace=False"}, "mish": {"Mish", "inplace=False"},
	"hardswish": {"Hardswish", "inplace=False"}, "hardsigmoid": {"Hardsigmoid", "inplace=False"},
	"hardtanh": {"Hardtanh", "min_val=-1.0 max_val=1.0 inplace=False"}, "softplus": {"Softplus", "beta=1 threshold=20"},
	"softshrink": {"Softshrink", "lambd=0.5"}, "hardshrink": {"Hardshrink", "lambd=0.5"}, "threshold": {"Threshold", "threshold value inplace=False"},
	"rrelu":         {"RReLU", "lower=0.125 upper=0.3333333333333333 training=False inplace=False"},
	"pixel_shuffle": {"PixelShuffle", "upscale_factor"}, "pixel_unshuffle": {"PixelUnshuffle", "downscale_factor"},
	"channel_shuffle": {"ChannelShuffle", "groups"}, "fold": {"Fold", "output_size kernel_size dilation=1 padding=0 stride=1"},
	"Unfold":              {"Unfold", "kernel_size dilation=1 padding=0 stride=1"},
	"local_response_norm": {"LocalResponseNorm", "size alpha=1e-4 beta=0.75 k=1.0"},
	"lp_pool2d":           {"LPPool2d", "norm_type kernel_size stride=None ceil_mode=False"},
}

func init() {
	for name := range functionals {
		if name != "Unfold" {
			register(map[string]operation{name: func(r *reader, t *Tensor, a *interp.Args) interp.Value { return r.functionalLayer(name, t, a) }})
		}
	}
	register(map[string]operation{
		"softmax": axisOp("softmax"), "log_softmax": axisOp("logSoftmax"), "softmin": axisOp("softmin"), "cumsum": axisOp("cumsum"),
		"glu": func(r *reader, t *Tensor, a *interp.Args) interp.Value {
			b := a.Bind(r.in, "glu", "dim")
			return r.apply("glu", "glu", []graph.Param{param("dim", r.sampleAxis(t, interp.Or(b[0], int64(-1)), "glu"))}, t)
		},
		"pad": padOp, "interpolate": interpolateOp, "upsample": interpolateOp,
		"linear": linearOp, "conv1d": convOp("conv1d", 1), "conv2d": convOp("conv2d", 2), "conv3d": convOp("conv3d", 3),
		"conv_transpose2d": convOp("transposeConv2d", 2), "conv_transpose1d": convOp("transposeConv1d", 1),
		"layer_norm": layerNormOp, "batch_norm": batchNormOp, "group_norm": groupNormOp, "rms_norm": rmsNormOp, "instance_norm": instanceNormOp,
		"embedding": embeddingOp, "scaled_dot_product_attention": attentionOp,
		"masked_fill": func(r *reader, t *Tensor, a *interp.Args) interp.Value {
			out := r.masked("masked_fill", t, a.Pos[0])
			if t.isInt {
				r.integers(out)
			}
			return out
		},
	})
}

// axisOp is an operation along one axis that keeps the shape, such as softmax.
func axisOp(typ string, more ...string) operation {
	return func(r *reader, t *Tensor, a *interp.Args) interp.Value {
		b := a.Bind(r.in, typ, append([]string{"dim", "_stacklevel", "dtype"}, more...)...)
		d := interp.Or(b[0], nil)
		if d == nil { // the axis that PyTorch takes where none is given
			d = int64(1)
			if n := t.rank(); n == 0 || n == 1 || n == 3 {
				d = int64(0)
			}
		}
		if t.axis(r.dim(d, t.rank())) < 0 {
			return r.acrossBatch(typ, r.toFloat(t))
		}
		if typ == "cumsum" && t.countable() && len(t.shape) == 1 {
			return r.sumsOf(t)
		}
		out := r.apply(typ, typ, []graph.Param{param("dim", r.sampleAxis(t, d, typ))}, r.toFloat(t))
		if to := interp.Or(b[2], nil); to != nil {
			out.width = widthOf(to)
		}
		return out
	}
}

// functionalLayer is a layer of torch.nn whose arguments come with the call.
func (r *reader) functionalLayer(name string, t *Tensor, a *interp.Args) interp.Value {
	entry := functionals[name]
	var l *layer
	for i := range layers {
		if layers[i].class == entry[0] {
			l = &layers[i]
		}
	}
	sig := parseArgs(entry[1])
	x := interp.NewInstance(r.moduleClass)
	for i, v := range sig.bind(r.in, name, a) {
		x.Set(sig.names[i], v)
	}
	if v, ok := x.Get("training"); ok && slices.Contains(sig.names, "training") && v == false {
		return t
	}
	return r.runLayer(l, &sig, x, []*Tensor{t})
}

// padOp is F.pad.
func padOp(r *reader, t *Tensor, a *interp.Args) interp.Value {
	b := a.Bind(r.in, "pad", "pad", "mode", "value")
	list := r.intList("pad", b[0])
	if len(list)%2 != 0 || len(list)/2 > t.rank() {
		r.in.Raise("RuntimeError", "Padding length must be divisible by 2 and at most twice the number of dimensions")
	}
	for len(list) >= 2 && list[len(list)-1] == 0 && list[len(list)-2] == 0 {
		list = list[:len(list)-2]
	}
	if len(list) == 0 {
		return t
	}
	mode, _ := interp.Or(b[1], "constant").(string)
	if t.plain() && len(list)/2 <= len(t.shape) {
		return r.apply("pad", "pad", []graph.Param{param("padding", list), param("mode", mode)}, t)
	}
	shape := slices.Clone(t.shape)
	for i := range len(list) / 2 {
		g := t.axis(t.rank() - 1 - i)
		if g < 0 {
			r.in.Fault("the batch is padded")
		}
		shape[g] += list[2*i] + list[2*i+1]
	}
	return r.custom("pad", shape, 0, t)
}

// interpolateOp is F.interpolate.
func interpolateOp(r *reader, t *Tensor, a *interp.Args) interp.Value {
	b := a.Bind(r.in, "interpolate", "size", "scale_factor", "mode", "align_corners", "recompute_scale_factor", "antialias")
	var params []graph.Param
	for i, n := range []string{"size", "scaleFactor", "mode", "alignCorners"} {
		if v := interp.Or(b[i], nil); v != nil {
			params = append(params, graph.Param{Name: n, Value: r.value(n, v)})
		}
	}
	return r.attach("interpolate", -1, params, nil, []*Tensor{t})
}

// masked is x with some entries replaced: the shape that broadcasting gives.
func (r *reader) masked(name string, t *Tensor, mask interp.Value) *Tensor {
	m := r.tensor(name, mask)
	if m.constant() { // a constant mask changes values only
		aligned := r.align(name, 0, t, m)
		if r.broadcastShapes(name, aligned[0].shape, aligned[1].shape).Equal(aligned[0].shape) && aligned[0].shape.Equal(t.shape) {
			return r.custom(name, t.shape, 0, t)
		}
	}
	return r.elementwise(name, t, m)
}
