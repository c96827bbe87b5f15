package torch

import (
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/importer/torch/interp"
)

const blockArgs = "d_model nhead dim_feedforward=2048 dropout=0.1 activation='relu' layer_norm_eps=1e-5 batch_first=False norm_first=False bias=True device=None dtype=None"

// makeBlock builds TransformerEncoderLayer and TransformerDecoderLayer, which the catalogue has as one component each.
func (r *reader) makeBlock(class, typ string, norms int) *interp.Class {
	return r.native(class, blockArgs, func(x *interp.Instance) { r.blockParts(x, norms) }, func(x *interp.Instance, a *interp.Args) interp.Value {
		var inputs []*Tensor
		for _, v := range a.Pos {
			if t, ok := v.(*Tensor); ok && len(inputs) < norms-1 {
				inputs = append(inputs, t)
			}
		}
		for _, kw := range a.Kw {
			if t, ok := kw.Value.(*Tensor); ok && (kw.Name == "src" || kw.Name == "tgt" || kw.Name == "memory") {
				inputs = append(inputs, t)
			}
		}
		if len(inputs) != norms-1 {
			r.in.Fault("%s gets %d tensors", class, len(inputs))
		}
		r.blockMasks(x, inputs, a)
		return r.runBlock(class, typ, x, inputs)
	})
}

// blockMasks holds the masks of attention against the lengths of the sequences: those of the block's own and, of a decoder, those of the memory.
func (r *reader) blockMasks(x *interp.Instance, inputs []*Tensor, a *interp.Args) {
	axis := 0
	if r.attrTrue(x, "batch_first") {
		axis = 1
	}
	var long []int64
	for _, t := range inputs {
		n := int64(-1)
		if t.rank() == 3 {
			n, _ = t.size(axis).(int64)
		}
		if n <= 0 {
			return // what is not a batch of sequences is judged elsewhere
		}
		long = append(long, n)
	}
	names := []string{"src_mask"}
	if len(inputs) == 2 {
		names = []string{"tgt_mask", "memory_mask"}
	}
	for i, name := range names {
		if mask, given := a.Get(name, len(inputs)+i); given {
			r.fitsMask(mask, r.attrInt(x, "nhead"), long[0], long[i])
		}
	}
}

// blockParts makes the parts of a block, under PyTorch's names.
func (r *reader) blockParts(x *interp.Instance, norms int) {
	d, f := r.attrInt(x, "d_model"), r.attrInt(x, "dim_feedforward")
	bias := interp.KV{Name: "bias", Value: attr(x, "bias")}
	nn := r.in.Natives["torch.nn"].Attrs
	part := func(name, class string, pos ...interp.Value) {
		kw := []interp.KV{bias}
		if class == "MultiheadAttention" {
			kw = append(kw, interp.KV{Name: "dropout", Value: attr(x, "dropout")}, interp.KV{Name: "batch_first", Value: attr(x, "batch_first")})
		}
		x.Set(name, r.in.Call(nn[class], &interp.Args{Pos: pos, Kw: kw}))
	}
	part("self_attn", "MultiheadAttention", d, attr(x, "nhead"))
	if norms == 3 {
		part("multihead_attn", "MultiheadAttention", d, attr(x, "nhead"))
	}
	part("linear1", "Linear", d, f)
	part("linear2", "Linear", f, d)
	for i := 1; i <= norms; i++ {
		part("norm"+index(i), "LayerNorm", d, attr(x, "layer_norm_eps"))
		x.Set("dropout"+index(i), r.in.Call(nn["Dropout"], &interp.Args{Pos: []interp.Value{attr(x, "dropout")}}))
	}
	// A class that derives from the block finds modules and functions where the arguments were.
	x.Set("_dropout", attr(x, "dropout"))
	x.Set("dropout", r.in.Call(nn["Dropout"], &interp.Args{Pos: []interp.Value{attr(x, "dropout")}}))
	if name, ok := attr(x, "activation").(string); ok && (name == "relu" || name == "gelu") {
		x.Set("activation", r.in.Attr(r.in.Natives["torch.nn.functional"], name))
	}
}

func (r *reader) runBlock(class, typ string, x *interp.Instance, inputs []*Tensor) interp.Value {
	batchAt := 1
	if r.attrTrue(x, "batch_first") {
		batchAt = 0
	}
	for i, t := range inputs {
		if t.batch < 0 && t.rank() == 3 && t.shape[batchAt] == 1 {
			inputs[i] = r.squeezeBatch(t, batchAt)
			t = inputs[i]
		}
		if t = r.batched(t, batchAt); t != inputs[i] {
			inputs[i] = t
		}
		if (t.rank() != 3 || t.batch != batchAt) && !misplaced(inputs, batchAt) {
			r.in.Fault("%s gets %s, where the batch is not at axis %d: samples would attend to each other", class, r.describe(t), batchAt)
		}
	}
	params := []graph.Param{
		{Name: "embedDim", Value: r.value("d_model", attr(x, "d_model"))}, {Name: "numHeads", Value: r.value("nhead", attr(x, "nhead"))},
		{Name: "ffDim", Value: r.value("dim_feedforward", attr(x, "dim_feedforward"))}, param("normFirst", r.attrTrue(x, "norm_first")),
	}
	var weights []child
	for _, m := range r.modules(x) {
		weights = append(weights, r.own(m.value.(*interp.Instance))...)
	}
	activation, known := r.activationName(attr(x, "activation"))
	if !known {
		return r.opaque(class, inputs[0].shape, weights, inputs...)
	}
	params = append(params, param("activation", activation))
	if attr(x, "bias") == false {
		params = append(params, param("bias", false))
	}
	if d, ok := interp.AsFloat(attr(x, "_dropout")); ok && d != 0 {
		params = append(params, param("dropout", d))
	}
	if misplaced(inputs, batchAt) {
		return r.across(class, typ, params, weights, inputs, batchAt)
	}
	return r.weighted(typ, params, weights, inputs, nil)
}

// activationName is the activation of a block as the catalogue spells it.
func (r *reader) activationName(v interp.Value) (string, bool) {
	switch x := v.(type) {
	case string:
		return x, x == "relu" || x == "gelu"
	case *interp.Builtin:
		return x.Name, x.Name == "relu" || x.Name == "gelu"
	case *interp.Instance:
		name := map[string]string{"ReLU": "relu", "GELU": "gelu"}[x.Class.Name]
		return name, name != ""
	}
	return "", false
}
