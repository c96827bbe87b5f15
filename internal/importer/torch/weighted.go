package torch

import (
	"slices"

	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/importer/torch/interp"
)

// Functions that take their weights as arguments. Where those are weights of the model that nothing has used yet, the function is
// the layer that owns them; where they are computed, a component of declared shape stands for it.

// fresh reports whether a value is a weight of the model, as it is.
func fresh(v interp.Value) (*Tensor, bool) {
	t, ok := v.(*Tensor)
	return t, ok && t.param != nil && t.param.tensor.node < 0
}

// ownedBy lists weights for weighted, leaving None out.
func ownedBy(names []string, values ...interp.Value) ([]child, bool) {
	var out []child
	for i, v := range values {
		if v == nil || isMissing(v) {
			continue
		}
		t, ok := fresh(v)
		if !ok {
			return nil, false
		}
		out = append(out, child{names[i], t})
	}
	return out, true
}

var weightAndBias = []string{"weight", "bias"}

func linearOp(r *reader, t *Tensor, a *interp.Args) interp.Value {
	b := a.Bind(r.in, "linear", "weight", "bias")
	bias := interp.Or(b[1], nil)
	w := r.tensor("linear", b[0])
	if len(w.shape) == 2 && w.batch < 0 {
		if own, ok := ownedBy(weightAndBias, w, bias); ok {
			params := []graph.Param{param("inFeatures", w.shape[1]), param("outFeatures", w.shape[0])}
			if bias == nil {
				params = append(params, param("bias", false))
			}
			return r.attach("linear", 0, params, own, []*Tensor{t})
		}
	}
	out := r.matmul(t, r.swap(w, w.rank()-2, w.rank()-1))
	if bias != nil {
		return r.merge("add", out, r.tensor("linear", bias))
	}
	return out
}

func convOp(typ string, n int) operation {
	transposed := typ[:4] == "tran"
	return func(r *reader, t *Tensor, a *interp.Args) interp.Value {
		names := []string{"weight", "bias", "stride", "padding", "dilation", "groups"}
		if transposed {
			names = []string{"weight", "bias", "stride", "padding", "output_padding", "groups", "dilation"}
		}
		b := a.Bind(r.in, typ, names...)
		w := r.tensor(typ, b[0])
		bias := interp.Or(b[1], nil)
		groups, _ := interp.AsInt(interp.Or(b[slices.Index(names, "groups")], int64(1)))
		if len(w.shape) != n+2 || w.batch >= 0 {
			r.in.Fault("the weight of %s is %s", typ, r.describe(w))
		}
		params := []graph.Param{param("inChannels", w.shape[1]*groups), param("outChannels", w.shape[0]), param("kernelSize", []int64(w.shape[2:]))}
		if transposed {
			params[0], params[1] = param("inChannels", w.shape[0]), param("outChannels", w.shape[1]*groups)
		}
		for i, name := range names[2:] {
			if v := interp.Or(b[2+i], nil); v != nil {
				params = append(params, graph.Param{Name: camel(name), Value: r.value(name, v)})
			}
		}
		params = append(params, param("bias", bias != nil))
		if own, ok := ownedBy(weightAndBias, w, bias); ok {
			return r.attach(typ, n, params, own, []*Tensor{t})
		}
		return r.computed(typ, params, t, w, bias)
	}
}

// computed is a layer whose weight is the result of something.
func (r *reader) computed(typ string, params []graph.Param, t, w *Tensor, bias interp.Value) *Tensor {
	lead := t.pre + t.post // axes of the graph in front of the channels
	if t.batch < 0 {
		lead = 1
	}
	if t.batch > 0 || len(t.shape) <= lead {
		r.in.Fault("%s with a computed weight gets %s, which is not followed", typ, r.describe(t))
	}
	times := product(t.shape[:lead])
	res := r.evaluate(typ, params, []*Tensor{{shape: t.shape[lead:], isInt: t.isInt}})
	if res.Err != nil {
		r.refuse(t, typ, res.Err.Message)
	}
	inputs := []*Tensor{t, w}
	if bt, ok := bias.(*Tensor); ok {
		inputs = append(inputs, bt)
	}
	return r.custom(typ, slices.Concat(t.shape[:lead], res.Out), res.FLOPs*times, inputs...)
}

func layerNormOp(r *reader, t *Tensor, a *interp.Args) interp.Value {
	b := a.Bind(r.in, "layer_norm", "normalized_shape", "weight", "bias", "eps")
	shape := r.intList("normalized_shape", b[0])
	weight, bias := interp.Or(b[1], nil), interp.Or(b[2], nil)
	params := []graph.Param{param("normalizedShape", shape)}
	if v := interp.Or(b[3], nil); v != nil {
		params = append(params, graph.Param{Name: "eps", Value: r.value("eps", v)})
	}
	own, ok := ownedBy(weightAndBias, weight, bias)
	switch {
	case ok && weight != nil && bias != nil:
		return r.attach("layerNorm", 0, params, own, []*Tensor{t})
	case ok && weight != nil:
		return r.attach("layerNorm", 0, append(params, param("bias", false)), own, []*Tensor{t})
	}
	out := r.attach("layerNorm", 0, append(params, param("elementwiseAffine", false)), nil, []*Tensor{t})
	return r.scaleShift(out, weight, bias)
}

// scaleShift multiplies by a tensor and adds another, where they are given.
func (r *reader) scaleShift(t *Tensor, weight, bias interp.Value) *Tensor {
	if w, ok := weight.(*Tensor); ok {
		t = r.merge("multiply", t, w)
	}
	if b, ok := bias.(*Tensor); ok {
		t = r.merge("add", t, b)
	}
	return t
}

func rmsNormOp(r *reader, t *Tensor, a *interp.Args) interp.Value {
	b := a.Bind(r.in, "rms_norm", "normalized_shape", "weight", "eps")
	weight := interp.Or(b[1], nil)
	params := []graph.Param{param("normalizedShape", r.intList("normalized_shape", b[0]))}
	if own, ok := ownedBy(weightAndBias, weight); ok && weight != nil {
		return r.attach("rmsNorm", 0, params, own, []*Tensor{t})
	}
	return r.scaleShift(r.attach("rmsNorm", 0, append(params, param("elementwiseAffine", false)), nil, []*Tensor{t}), weight, nil)
}

// channelNorm is a normalisation over channels with weights that are given.
func (r *reader) channelNorm(typ string, params []graph.Param, t *Tensor, weight, bias interp.Value) interp.Value {
	if own, ok := ownedBy(weightAndBias, weight, bias); ok && weight != nil && bias != nil {
		return r.attach(typ, -1, append(params, param("affine", true)), own, []*Tensor{t})
	}
	out := r.attach(typ, -1, append(params, param("affine", false)), nil, []*Tensor{t})
	if weight == nil && bias == nil {
		return out
	}
	return r.custom("scale", out.shape, 0, r.present(out, weight, bias)...)
}

func (r *reader) present(t *Tensor, values ...interp.Value) []*Tensor {
	out := []*Tensor{t}
	for _, v := range values {
		if x, ok := v.(*Tensor); ok {
			out = append(out, x)
		}
	}
	return out
}

func batchNormOp(r *reader, t *Tensor, a *interp.Args) interp.Value {
	b := a.Bind(r.in, "batch_norm", "running_mean", "running_var", "weight", "bias", "training", "momentum", "eps")
	if len(t.shape) == 0 {
		r.in.Fault("batch_norm of a tensor without channels")
	}
	return r.channelNorm("batchNorm", []graph.Param{param("numFeatures", t.shape[0])}, t, interp.Or(b[2], nil), interp.Or(b[3], nil))
}

func instanceNormOp(r *reader, t *Tensor, a *interp.Args) interp.Value {
	b := a.Bind(r.in, "instance_norm", "running_mean", "running_var", "weight", "bias", "use_input_stats", "momentum", "eps")
	if len(t.shape) == 0 {
		r.in.Fault("instance_norm of a tensor without channels")
	}
	return r.channelNorm("instanceNorm", []graph.Param{param("numFeatures", t.shape[0])}, t, interp.Or(b[2], nil), interp.Or(b[3], nil))
}

func groupNormOp(r *reader, t *Tensor, a *interp.Args) interp.Value {
	b := a.Bind(r.in, "group_norm", "num_groups", "weight", "bias", "eps")
	if len(t.shape) == 0 {
		r.in.Fault("group_norm of a tensor without channels")
	}
	params := []graph.Param{{Name: "numGroups", Value: r.value("num_groups", b[0])}, param("numChannels", t.shape[0])}
	return r.channelNorm("groupNorm", params, t, interp.Or(b[1], nil), interp.Or(b[2], nil))
}

func embeddingOp(r *reader, t *Tensor, a *interp.Args) interp.Value {
	b := a.Bind(r.in, "embedding", "weight", "padding_idx", "max_norm", "norm_type", "scale_grad_by_freq", "sparse")
	w := r.tensor("embedding", b[0])
	if t.constant() {
		return r.rows(w, t)
	}
	own, ok := ownedBy(weightAndBias, w)
	if !ok || len(w.shape) != 2 {
		return r.custom("embedding", append(slices.Clone(t.shape), w.shape[1:]...), 0, t, w)
	}
	return r.attach("embedding", 0, []graph.Param{param("numEmbeddings", w.shape[0]), param("embeddingDim", w.shape[1])}, own, []*Tensor{t})
}

func attentionOp(r *reader, t *Tensor, a *interp.Args) interp.Value {
	b := a.Bind(r.in, "scaled_dot_product_attention", "key", "value", "attn_mask", "dropout_p", "is_causal", "scale", "enable_gqa")
	k, v := r.tensor("attention", b[0]), r.tensor("attention", b[1])
	inputs := []*Tensor{t, k, v}
	var params []graph.Param
	if r.in.Truth(interp.Or(b[4], false)) {
		params = append(params, param("causal", true))
	}
	if r.in.Truth(interp.Or(b[6], false)) {
		params = append(params, param("enableGqa", true))
	}
	if s, ok := interp.AsFloat(interp.Or(b[5], nil)); ok {
		params = append(params, param("scale", s))
	}
	if m := interp.Or(b[2], nil); m != nil {
		if mask := r.tensor("attention", m); mask.constant() {
			r.in.Note("a constant attention mask is left out: it changes no shape and no count")
		} else {
			inputs = append(inputs, mask)
		}
	}
	aligned := r.align("attention", 2, inputs...)
	out := r.apply("scaledDotProductAttention", "attention", params, aligned...)
	r.layoutOf(out, aligned)
	return out
}
