package torch

import (
	"slices"

	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/importer/torch/interp"
)

// native makes a class of torch.nn by hand: args as in a layer, made runs at the end of __init__, forward on the call.
func (r *reader) native(class, args string, made func(*interp.Instance), forward func(*interp.Instance, *interp.Args) interp.Value) *interp.Class {
	sig := parseArgs(args)
	sig.cast = &r.cast
	c := interp.NewClass(class, r.moduleClass)
	c.Lacks = lacking("layer")
	c.Method("__init__", func(in *interp.Interp, a *interp.Args) interp.Value {
		x := r.begin(a)
		for i, v := range sig.bind(in, class, rest(a)) {
			x.Set(sig.names[i], v)
		}
		if made != nil {
			made(x)
		}
		return nil
	})
	c.Method("forward", func(in *interp.Interp, a *interp.Args) interp.Value { return forward(self(a), rest(a)) })
	c.Method("reset_parameters", func(*interp.Interp, *interp.Args) interp.Value { return nil })
	c.Method("_reset_parameters", func(*interp.Interp, *interp.Args) interp.Value { return nil })
	return c
}

func attr(x *interp.Instance, name string) interp.Value {
	v, _ := x.Get(name)
	return v
}

// through makes a class whose forward is an operation with arguments from its attributes.
func (r *reader) through(class, args, op string, attrs ...string) *interp.Class {
	return r.native(class, args, nil, func(x *interp.Instance, a *interp.Args) interp.Value {
		if len(a.Pos) == 0 {
			r.in.Raise("TypeError", "forward() of %s is missing its input", class)
		}
		call := &interp.Args{}
		for _, n := range attrs {
			r.noBool(class, n, attr(x, n))
			call.Kw = append(call.Kw, interp.KV{Name: n, Value: attr(x, n)})
		}
		return operations[op](r, r.tensor(class, a.Pos[0]), call)
	})
}

func (r *reader) moreLayers() map[string]*interp.Class {
	out := map[string]*interp.Class{
		"Softmax":    r.through("Softmax", "dim=None", "softmax", "dim"),
		"LogSoftmax": r.through("LogSoftmax", "dim=None", "log_softmax", "dim"),
		"Softmin":    r.through("Softmin", "dim=None", "softmin", "dim"),
		"GLU":        r.through("GLU", "dim=-1", "glu", "dim"),
		"Flatten":    r.through("Flatten", "start_dim=1 end_dim=-1", "flatten", "start_dim", "end_dim"),
		"Unflatten": r.native("Unflatten", "dim unflattened_size", nil, func(x *interp.Instance, a *interp.Args) interp.Value {
			r.noBool("Unflatten", "sizes", attr(x, "unflattened_size"))
			return operations["unflatten"](r, r.tensor("Unflatten", a.Pos[0]), &interp.Args{Pos: []interp.Value{attr(x, "dim"), attr(x, "unflattened_size")}})
		}),
		"UpsamplingBilinear2d": r.native("UpsamplingBilinear2d", "size=None scale_factor=None", nil, func(x *interp.Instance, a *interp.Args) interp.Value {
			return interpolateOp(r, r.tensor("Upsample", a.Pos[0]), &interp.Args{Pos: []interp.Value{attr(x, "size"), attr(x, "scale_factor"), "bilinear", true}})
		}),
		"CosineSimilarity": r.native("CosineSimilarity", "dim=1 eps=1e-8", nil, func(x *interp.Instance, a *interp.Args) interp.Value {
			return r.cosine(r.tensor("cosine", a.Pos[0]), r.tensor("cosine", a.Pos[1]), attr(x, "dim"))
		}),
		"MultiheadAttention":      r.makeAttention(),
		"TransformerEncoderLayer": r.makeBlock("TransformerEncoderLayer", "transformerBlock", 2),
		"TransformerDecoderLayer": r.makeBlock("TransformerDecoderLayer", "transformerDecoderBlock", 3),
		"LSTM":                    r.makeRecurrent("LSTM", "lstm", 4), "GRU": r.makeRecurrent("GRU", "gru", 3), "RNN": r.makeRecurrent("RNN", "rnn", 1),
		"LSTMCell": r.makeCell("LSTMCell", 4), "GRUCell": r.makeCell("GRUCell", 3), "RNNCell": r.makeCell("RNNCell", 1),
	}
	for _, mode := range []struct{ prefix, mode string }{{"ZeroPad", "constant"}, {"ConstantPad", "constant"}, {"ReflectionPad", "reflect"}, {"ReplicationPad", "replicate"}, {"CircularPad", "circular"}} {
		for n := 1; n <= 3; n++ {
			name := mode.prefix + index(n) + "d"
			args := "padding"
			if mode.prefix == "ConstantPad" {
				args = "padding value"
			}
			out[name] = r.native(name, args, nil, func(x *interp.Instance, a *interp.Args) interp.Value {
				pad := attr(x, "padding")
				r.noBool(name, "pad", pad)
				if i, ok := interp.AsInt(pad); ok {
					pad = interp.NewTuple(slices.Repeat([]interp.Value{i}, 2*n)...)
				}
				return padOp(r, r.tensor(name, a.Pos[0]), &interp.Args{Pos: []interp.Value{pad, mode.mode}})
			})
		}
	}
	for name, c := range r.lossClasses() {
		out[name] = c
	}
	for _, loss := range []string{"CTCLoss"} {
		out[loss] = r.native(loss, "*", nil, func(*interp.Instance, *interp.Args) interp.Value {
			return r.in.Unknown("a loss is not part of the graph")
		})
	}
	return out
}

// cosine is the cosine similarity along an axis.
func (r *reader) cosine(a, b *Tensor, dim interp.Value) *Tensor {
	prod := r.merge("multiply", a, b)
	return r.reduced("sum", prod, []interp.Value{dim}, false)
}

// makeAttention builds nn.MultiheadAttention.
func (r *reader) makeAttention() *interp.Class {
	const args = "embed_dim num_heads dropout=0.0 bias=True add_bias_kv=False add_zero_attn=False kdim=None vdim=None batch_first=False device=None dtype=None"
	return r.native("MultiheadAttention", args, r.attentionWeights, func(x *interp.Instance, a *interp.Args) interp.Value {
		b := a.Bind(r.in, "forward", "query", "key", "value", "key_padding_mask", "need_weights", "attn_mask", "average_attn_weights", "is_causal")
		q, k, v := r.tensor("attention", b[0]), r.tensor("attention", b[1]), r.tensor("attention", b[2])
		out := r.attend(x, q, k, v, b[3], b[5])
		return interp.NewTuple(out, r.in.Unknown("the weights of attention are not followed"))
	})
}

func (r *reader) attentionWeights(x *interp.Instance) {
	e := r.attrInt(x, "embed_dim")
	k, v := e, e
	if attr(x, "kdim") != nil {
		k = r.attrInt(x, "kdim")
	}
	if attr(x, "vdim") != nil {
		v = r.attrInt(x, "vdim")
	}
	if h := r.attrInt(x, "num_heads"); h < 1 || e%h != 0 {
		r.in.Raise("AssertionError", "embed_dim must be divisible by num_heads")
	}
	bias := r.attrTrue(x, "bias")
	if k == e && v == e {
		r.setWeight(x, weight{"in_proj_weight", []int64{3 * e, e}})
	} else {
		r.setWeight(x, weight{"q_proj_weight", []int64{e, e}})
		r.setWeight(x, weight{"k_proj_weight", []int64{e, k}})
		r.setWeight(x, weight{"v_proj_weight", []int64{e, v}})
	}
	if bias {
		r.setWeight(x, weight{"in_proj_bias", []int64{3 * e}})
	}
	if r.attrTrue(x, "add_bias_kv") {
		r.setWeight(x, weight{"bias_k", []int64{1, 1, e}})
		r.setWeight(x, weight{"bias_v", []int64{1, 1, e}})
	}
	linear := r.in.Natives["torch.nn"].Attrs["Linear"]
	x.Set("out_proj", r.in.Call(linear, &interp.Args{Pos: []interp.Value{e, e}, Kw: []interp.KV{{Name: "bias", Value: bias}}}))
	x.Set("head_dim", e/r.attrInt(x, "num_heads"))
}

// attend puts attention behind query, key and value.
func (r *reader) attend(x *interp.Instance, q, k, v *Tensor, padding, mask interp.Value) *Tensor {
	batchAt := 1
	if r.attrTrue(x, "batch_first") {
		batchAt = 0
	}
	same := q == k && k == v
	inputs := []*Tensor{r.batched(q, batchAt), r.batched(k, batchAt), r.batched(v, batchAt)}
	if same {
		inputs[1], inputs[2] = inputs[0], inputs[0]
	}
	over := misplaced(inputs, batchAt)
	for _, t := range inputs {
		if !over && (t.rank() != 3 || t.batch != batchAt && t.batch >= 0) {
			r.in.Fault("attention gets %s, where the batch is not at axis %d: samples would attend to each other", r.describe(t), batchAt)
		}
	}
	for i, t := range inputs {
		if !over && t.batch < 0 && t.shape[batchAt] == 1 { // one for all samples
			inputs[i] = r.squeezeBatch(t, batchAt)
		}
	}
	q, k, v = inputs[0], inputs[1], inputs[2]
	if len(q.shape) != 2 || len(k.shape) != 2 || len(v.shape) != 2 {
		r.in.Fault("attention over a folded batch is not followed")
	}
	if k.shape[0] != v.shape[0] {
		r.in.Raise("AssertionError", "key's sequence and batch dims %s do not match value's %s", r.describe(k), r.describe(v))
	}
	r.fitsMask(interp.Or(mask, nil), r.attrInt(x, "num_heads"), q.shape[0], k.shape[0])
	params := []graph.Param{{Name: "embedDim", Value: r.value("embed_dim", attr(x, "embed_dim"))}, {Name: "numHeads", Value: r.value("num_heads", attr(x, "num_heads"))}}
	if attr(x, "bias") == false {
		params = append(params, param("bias", false))
	}
	if d, ok := interp.AsFloat(attr(x, "dropout")); ok && d > 0 {
		params = append(params, param("dropout", d))
	}
	weights := append(r.own(x), r.own(attr(x, "out_proj").(*interp.Instance))...)
	if over {
		return r.attendAcross(x, params, weights, inputs, batchAt)
	}
	special := r.attrTrue(x, "add_bias_kv") || r.attrTrue(x, "add_zero_attn")
	switch {
	case q == k && k == v && !special:
		return r.weighted("multiHeadAttention", params, weights, []*Tensor{q}, nil)
	case k == v && !special && (attr(x, "kdim") == nil || interp.Is(attr(x, "kdim"), attr(x, "vdim"))):
		if d := attr(x, "kdim"); d != nil {
			params = append(params, graph.Param{Name: "kvDim", Value: r.value("kdim", d)})
		}
		return r.weighted("crossAttention", params, weights, []*Tensor{q, k}, nil)
	}
	return r.holding("attention", "attention of "+index(len(inputs))+" inputs", q.shape, r.attentionFLOPs(x, q, k, v), weights, []*Tensor{q, k, v})
}

// attentionFLOPs are those of the projections of query, key and value, of the scores, of the sums that they weigh, and of the last projection.
func (r *reader) attentionFLOPs(x *interp.Instance, q, k, v *Tensor) int64 {
	e, long, steps := r.attrInt(x, "embed_dim"), q.shape[0], k.shape[0]
	projected := product([]int64{long, e, e}) + product(append([]int64{e}, k.shape...)) + product(append([]int64{e}, v.shape...)) + product([]int64{long, e, e})
	for _, n := range []string{"add_bias_kv", "add_zero_attn"} {
		if r.attrTrue(x, n) {
			steps++
		}
	}
	return 2 * (projected + 2*product([]int64{long, steps, e}))
}

// squeezeBatch turns an axis of size 1 into the batch.
func (r *reader) squeezeBatch(t *Tensor, at int) *Tensor {
	d := t.dims()
	d[at] = sym{1}
	return expandOp(r, t, &interp.Args{Pos: d}).(*Tensor)
}

// opaque is a component of declared shape that has weights.
func (r *reader) opaque(name string, shape []int64, weights []child, inputs ...*Tensor) *Tensor {
	count := int64(0)
	for _, w := range weights {
		if p := w.value.(*Tensor).param; !p.counted && r.registered(p) {
			count += w.value.(*Tensor).shape.Size()
		}
	}
	params := []graph.Param{param("outShape", shape), param("code", name), param("numParams", count)}
	return r.opaqueWith(name, shape, params, weights, inputs)
}

// opaqueWith is a component of declared shape with the weights and the FLOPs that its parameters say.
func (r *reader) opaqueWith(name string, shape []int64, params []graph.Param, weights []child, inputs []*Tensor) *Tensor {
	out := inputs[0].clone()
	out.node = r.component("customModule", r.leafName(name), params, inputs)
	out.shape, out.isInt = shape, false
	r.customs++
	book(weights, out.node)
	return out
}

// stochasticDepth is torchvision's: a branch is left out at random.
func (r *reader) stochasticDepth() *interp.Class {
	return r.native("StochasticDepth", "p mode", nil, func(x *interp.Instance, a *interp.Args) interp.Value {
		return r.dropPath(r.tensor("StochasticDepth", a.Pos[0]), attr(x, "p"))
	})
}

func (r *reader) dropPath(t *Tensor, p interp.Value) *Tensor {
	return r.apply("dropPath", "dropPath", []graph.Param{{Name: "p", Value: r.value("p", p)}}, t)
}
