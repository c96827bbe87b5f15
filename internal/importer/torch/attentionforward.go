package torch

import (
	"github.com/modelverifier/verifier/internal/importer/torch/interp"
)

// attentionForward is torch.nn.functional.multi_head_attention_forward, which gets its weights as arguments: the projections, the product
// of queries and keys, that of its softmax and the values, and the projection behind. Sequences come first.
func (r *reader) attentionForward(a *interp.Args) interp.Value {
	b := a.Bind(r.in, "multi_head_attention_forward", "query", "key", "value", "embed_dim_to_check", "num_heads", "in_proj_weight", "in_proj_bias", "bias_k", "bias_v",
		"add_zero_attn", "dropout_p", "out_proj_weight", "out_proj_bias", "training", "key_padding_mask", "need_weights", "attn_mask", "use_separate_proj_weight",
		"q_proj_weight", "k_proj_weight", "v_proj_weight", "static_k", "static_v", "average_attn_weights", "is_causal")
	arg := func(i int) interp.Value { return interp.Or(b[i], nil) }
	heads, ok := interp.AsInt(arg(4))
	if !ok || heads < 1 || arg(7) != nil || arg(8) != nil || r.in.Truth(interp.Or(b[9], false)) || arg(21) != nil || arg(22) != nil {
		r.in.Fault("multi_head_attention_forward of this kind is not followed")
	}
	var parts [3]*Tensor
	for i := range parts {
		parts[i] = r.tensor("multi_head_attention_forward", b[i])
		if parts[i].rank() != 3 {
			r.in.Fault("multi_head_attention_forward gets %s", r.describe(parts[i]))
		}
		parts[i] = r.projected(parts[i], i, arg(18+i), arg(5), arg(6))
	}
	q := r.headed(parts[0], heads)
	k, v := r.headed(parts[1], heads), r.headed(parts[2], heads)
	weights := operations["softmax"](r, r.matmul(q, r.swap(k, k.rank()-2, k.rank()-1)), &interp.Args{Pos: []interp.Value{int64(-1)}}).(*Tensor)
	out := r.matmul(weights, v) // (batch, heads, sequence, features of a head)
	out = r.permute(out, []int{2, 0, 1, 3})
	d := out.dims()
	out = r.view(out, []interp.Value{d[0], d[1], r.in.Binary("*", d[2], d[3])})
	res := linearOp(r, out, &interp.Args{Pos: []interp.Value{b[11], arg(12)}})
	if !r.in.Truth(interp.Or(b[15], true)) {
		return interp.NewTuple(res, nil)
	}
	if r.in.Truth(interp.Or(b[23], true)) {
		weights = r.reduced("mean", weights, []interp.Value{int64(1)}, false)
	}
	return interp.NewTuple(res, weights)
}

// projected is the query, key or value (which is i) behind its projection: a weight of its own, or a third of one for all three.
func (r *reader) projected(t *Tensor, i int, own, all, bias interp.Value) *Tensor {
	third := func(v interp.Value) interp.Value {
		x, ok := v.(*Tensor)
		if !ok || len(x.shape) == 0 || x.shape[0]%3 != 0 {
			return nil
		}
		n := x.shape[0] / 3
		return r.sliced(x, 0, &interp.Slice{Lo: int64(i) * n, Hi: int64(i+1) * n})
	}
	if own == nil {
		own = third(all)
	}
	if own == nil {
		r.in.Fault("multi_head_attention_forward has no weight for one of its inputs")
	}
	return linearOp(r, t, &interp.Args{Pos: []interp.Value{own, third(bias)}}).(*Tensor)
}

// headed is (sequence, batch, features) as (batch, heads, sequence, features of a head).
func (r *reader) headed(t *Tensor, heads int64) *Tensor {
	d := t.dims()
	n, ok := d[2].(int64)
	if !ok || n%heads != 0 {
		r.in.Fault("multi_head_attention_forward has %d heads for %s", heads, r.describe(t))
	}
	return r.permute(r.view(t, []interp.Value{d[0], d[1], heads, n / heads}), []int{1, 2, 0, 3})
}
