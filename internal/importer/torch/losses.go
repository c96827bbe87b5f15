package torch

import (
	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/importer/torch/interp"
)

// pairLosses are losses that compare two tensors of one shape, element by element.
var pairLosses = map[string]string{
	"mse_loss": "MSELoss", "l1_loss": "L1Loss", "smooth_l1_loss": "SmoothL1Loss", "huber_loss": "HuberLoss", "kl_div": "KLDivLoss",
	"binary_cross_entropy": "BCELoss", "binary_cross_entropy_with_logits": "BCEWithLogitsLoss",
}

// classLosses are losses of logits with the class at the second axis and labels without it.
var classLosses = map[string]string{"cross_entropy": "CrossEntropyLoss", "nll_loss": "NLLLoss"}

// lossFunctions are the losses of torch.nn.functional and, as classes, of torch.nn. Their result is one number of all samples, unless
// reduction says otherwise. Arithmetic of a loss has no FLOPs, as all that is element by element.
func (r *reader) lossFunctions() map[string]interp.Value {
	out := map[string]interp.Value{}
	add := func(name string, dims func(a, b *Tensor) []interp.Value) {
		out[name] = interp.Fn(name, func(in *interp.Interp, a *interp.Args) interp.Value {
			x, okX := a.Get("input", 0)
			y, okY := a.Get("target", 1)
			if !okX || !okY {
				in.Raise("TypeError", "%s() needs an input and a target", name)
			}
			reduction, ok := a.Get("reduction", -1)
			if !ok {
				reduction = "mean"
			}
			return r.loss(name, r.tensor(name, x), r.tensor(name, y), reduction, dims)
		})
	}
	for name := range pairLosses {
		add(name, func(a, b *Tensor) []interp.Value { return r.broadcastDims(name, a.dims(), b.dims()) })
	}
	for name := range classLosses {
		add(name, func(a, _ *Tensor) []interp.Value {
			d := a.dims()
			if len(d) < 2 {
				return nil
			}
			return append(d[:1:1], d[2:]...)
		})
	}
	return out
}

func (r *reader) loss(name string, a, b *Tensor, reduction interp.Value, dims func(a, b *Tensor) []interp.Value) interp.Value {
	shape := dims(a, b)
	switch reduction {
	case "none":
		return r.declared(name, shape, 0, a, b)
	case "mean", "sum", "batchmean":
	default:
		r.in.Fault("the reduction of %s is not known", name)
	}
	if a.constant() && b.constant() {
		return &Tensor{r: r, node: -1, shape: catalog.Of(), batch: -1}
	}
	return r.together(name, catalog.Of(), a, b)
}

// lossArguments are what the constructors of the modules take.
var lossArguments = map[string]string{
	"CrossEntropyLoss":  "weight=None size_average=None ignore_index=-100 reduce=None reduction='mean' label_smoothing=0.0",
	"NLLLoss":           "weight=None size_average=None ignore_index=-100 reduce=None reduction='mean'",
	"MSELoss":           "size_average=None reduce=None reduction='mean'",
	"L1Loss":            "size_average=None reduce=None reduction='mean'",
	"SmoothL1Loss":      "size_average=None reduce=None reduction='mean' beta=1.0",
	"HuberLoss":         "reduction='mean' delta=1.0",
	"KLDivLoss":         "size_average=None reduce=None reduction='mean' log_target=False",
	"BCELoss":           "weight=None size_average=None reduce=None reduction='mean'",
	"BCEWithLogitsLoss": "weight=None size_average=None reduce=None reduction='mean' pos_weight=None",
}

// oldReduction is the reduction that size_average and reduce say, which PyTorch still takes, else the one of its own name.
func (r *reader) oldReduction(x *interp.Instance) interp.Value {
	each, average := attr(x, "reduce"), attr(x, "size_average")
	switch {
	case each == nil && average == nil:
		return attr(x, "reduction")
	case each != nil && !r.in.Truth(each):
		return "none"
	case average == nil || r.in.Truth(average):
		return "mean"
	}
	return "sum"
}

// lossClasses are the modules that call those functions.
func (r *reader) lossClasses() map[string]*interp.Class {
	functions, out := r.lossFunctions(), map[string]*interp.Class{}
	for _, table := range []map[string]string{pairLosses, classLosses} {
		for name, class := range table {
			out[class] = r.native(class, lossArguments[class], nil, func(x *interp.Instance, a *interp.Args) interp.Value {
				reduction := interp.KV{Name: "reduction", Value: r.oldReduction(x)}
				return r.in.Call(functions[name], &interp.Args{Pos: a.Pos, Kw: append(a.Kw[:len(a.Kw):len(a.Kw)], reduction)})
			})
		}
	}
	return out
}
