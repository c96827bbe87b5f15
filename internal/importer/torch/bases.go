package torch

import (
	"slices"

	"github.com/modelverifier/verifier/internal/importer/torch/interp"
)

// baseLayers are the private bases of torch.nn's layers that programs derive from or ask for, and a layer that is made as they are.
var baseLayers = map[string]string{"_BatchNorm": "BatchNorm2d", "_NormBase": "BatchNorm2d", "_ConvNd": "Conv2d", "_InstanceNorm": "InstanceNorm2d", "_ConvTransposeNd": "ConvTranspose2d",
	"RNNBase": "LSTM", "RNNCellBase": "LSTMCell", "_MaxPoolNd": "MaxPool2d", "_AvgPoolNd": "AvgPool2d", "_AdaptiveAvgPoolNd": "AdaptiveAvgPool2d",
	"_AdaptiveMaxPoolNd": "AdaptiveMaxPool2d", "_DropoutNd": "Dropout"}

// derived are the layers of a base.
var derived = map[string][]string{
	"_BatchNorm": {"BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "SyncBatchNorm"}, "_NormBase": {"BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "SyncBatchNorm"},
	"_ConvNd":          {"Conv1d", "Conv2d", "Conv3d", "ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d"},
	"_ConvTransposeNd": {"ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d"},
	"RNNBase":          {"LSTM", "GRU", "RNN"}, "RNNCellBase": {"LSTMCell", "GRUCell", "RNNCell"},
	"_MaxPoolNd": {"MaxPool1d", "MaxPool2d", "MaxPool3d"}, "_AvgPoolNd": {"AvgPool1d", "AvgPool2d", "AvgPool3d"},
	"_AdaptiveAvgPoolNd": {"AdaptiveAvgPool1d", "AdaptiveAvgPool2d", "AdaptiveAvgPool3d"},
	"_AdaptiveMaxPoolNd": {"AdaptiveMaxPool1d", "AdaptiveMaxPool2d", "AdaptiveMaxPool3d"},
	"_DropoutNd":         {"Dropout", "Dropout1d", "Dropout2d", "Dropout3d", "AlphaDropout", "FeatureAlphaDropout"},
	"_InstanceNorm":      {"InstanceNorm1d", "InstanceNorm2d", "InstanceNorm3d"},
}

// layerModules are torch.nn.modules and the modules in it, all of which have the classes of torch.nn.
func (r *reader) layerModules(nn *interp.Module) map[string]*interp.Module {
	lookup := func(n string) (interp.Value, bool) {
		if n == "_pair" || n == "_triple" || n == "_single" || n == "_quadruple" {
			return pairs(map[string]int{"_single": 1, "_pair": 2, "_triple": 3, "_quadruple": 4}[n]), true
		}
		if base := baseLayers[n]; base != "" {
			return r.baseLayer(nn, n, base), true
		}
		return r.in.FindAttr(nn, n)
	}
	out := map[string]*interp.Module{"torch.nn.modules": interp.Native("torch.nn.modules", nil)}
	out["torch.nn.modules"].Lookup = func(n string) (interp.Value, bool) {
		if slices.Contains(layerFiles, n) {
			return out["torch.nn.modules."+n], true
		}
		return lookup(n)
	}
	for _, part := range layerFiles {
		out["torch.nn.modules."+part] = interp.Native("torch.nn.modules."+part, nil)
		out["torch.nn.modules."+part].Lookup = lookup
	}
	return out
}

// layerFiles are the modules of torch.nn.modules.
var layerFiles = []string{"activation", "adaptive", "batchnorm", "channelshuffle", "container", "conv", "distance", "dropout", "flatten", "fold",
	"instancenorm", "lazy", "linear", "loss", "module", "normalization", "padding", "pixelshuffle", "pooling", "rnn", "sparse", "transformer",
	"upsampling", "utils"}

// baseLayer is a base of layers: a class that is constructed as they are, and that they derive from.
func (r *reader) baseLayer(nn *interp.Module, name, like string) *interp.Class {
	if c, ok := nn.Attrs[name].(*interp.Class); ok {
		return c
	}
	c := interp.NewClass(name, r.moduleClass)
	model, _ := nn.Attrs[like].(*interp.Class)
	for _, method := range []string{"__init__", "reset_parameters", "extra_repr"} {
		if m, ok := model.Own(method); ok {
			c.SetOwn(method, m)
		}
	}
	for _, method := range []string{"_check_input_dim", "reset_running_stats"} {
		c.Method(method, func(*interp.Interp, *interp.Args) interp.Value { return nil })
	}
	if f, ok := model.Own("forward"); ok {
		c.SetOwn("forward", f)
	}
	nn.Attrs[name] = c
	for _, n := range derived[name] {
		if d, ok := nn.Attrs[n].(*interp.Class); ok {
			d.Derive(c)
		}
	}
	return c
}

// functionClass is torch.autograd.Function: apply is its forward, with a context that keeps what backward needs.
func (r *reader) functionClass() *interp.Class {
	ctx := interp.NewClass("FunctionCtx")
	for _, n := range []string{"save_for_backward", "mark_dirty", "mark_non_differentiable", "set_materialize_grads"} {
		ctx.Method(n, func(_ *interp.Interp, a *interp.Args) interp.Value {
			if n == "save_for_backward" {
				self(a).Set("saved_tensors", interp.NewTuple(a.Pos[1:]...))
			}
			return nil
		})
	}
	c := interp.NewClass("Function")
	c.SetOwn("apply", &interp.ClassMethod{Fn: interp.Fn("apply", func(in *interp.Interp, a *interp.Args) interp.Value {
		return in.Call(in.Attr(a.Pos[0], "forward"), &interp.Args{Pos: append([]interp.Value{interp.NewInstance(ctx)}, a.Pos[1:]...), Kw: a.Kw})
	})})
	return c
}

// runningStatistics are the buffers of a normalisation that keeps them, which programs hand to torch.nn.functional.
func (r *reader) runningStatistics(x *interp.Instance) {
	tracks, ok := x.Get("track_running_stats")
	n, isInt := interp.AsInt(attr(x, "num_features"))
	if !ok || !isInt || n < 0 {
		return
	}
	for _, name := range []string{"running_mean", "running_var", "num_batches_tracked"} {
		if !r.in.Truth(tracks) {
			x.Set(name, nil)
			continue
		}
		t := r.constantOfShape(false, n)
		if name == "num_batches_tracked" {
			t = r.constantOfShape(true)
		}
		x.Set(name, t)
	}
}
