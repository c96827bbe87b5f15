package torch

import (
	"slices"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/importer/torch/interp"
)

// Attention, transformer layers and recurrent layers that take the batch for the sequence: (batch, sequence, features) given to one
// that was made without batch_first, or a tensor of two axes. PyTorch runs that, and so samples attend to each other. The shape stays;
// the FLOPs depend on how many samples there are.

// misplaced reports whether a layer would take the batch of one of its inputs for the sequence.
func misplaced(inputs []*Tensor, batchAt int) bool {
	return slices.ContainsFunc(inputs, func(t *Tensor) bool {
		moved := t.batch >= 0 && t.batch != batchAt && t.batch < 2 && t.pre+t.post == 0
		return t.rank() == 2 || t.rank() == 3 && (moved || t.ofAll())
	})
}

// across runs a layer over the samples of a batch.
func (r *reader) across(class, typ string, params []graph.Param, weights []child, inputs []*Tensor, batchAt int) *Tensor {
	columns := int64(1)
	var given []*Tensor
	for _, t := range inputs {
		if t.rank() != 2 && t.rank() != 3 || t.rank() != inputs[0].rank() {
			r.in.Fault("%s gets %s, where the batch is not at axis %d", class, r.describe(t), batchAt)
		}
		d := r.concrete(t.dims())
		sequence, features := d[0].(int64), d[len(d)-1].(int64)
		if len(d) == 3 {
			sequence, columns = d[1-batchAt].(int64), d[batchAt].(int64)
		}
		given = append(given, &Tensor{r: r, shape: catalog.Of(sequence, features), isInt: t.isInt})
	}
	res := r.evaluate(typ, params, given)
	if res.Err != nil && r.options.every {
		r.in.Raise("RuntimeError", "%s gets %s: %s", class, r.describe(inputs[0]), res.Err.Message)
	}
	if res.Err != nil || res.Out == nil {
		r.in.Fault("%s gets %s: what comes out is not known", class, r.describe(inputs[0]))
	}
	t := inputs[0]
	if t.batch >= 0 && t.batch == t.rank()-1 {
		r.in.Fault("%s works on the batch axis", class)
	}
	shape := slices.Clone(t.shape)
	shape[len(shape)-1] = res.Out[len(res.Out)-1]
	return r.opaqueJoint(typ, shape, false, res.FLOPs*columns, weights, inputs)
}

// recurAcross is a recurrent layer over the samples of a batch, with its last states.
func (r *reader) recurAcross(class, typ string, x *interp.Instance, t *Tensor, params []graph.Param, batchAt int) *interp.Tuple {
	out := r.across(class, typ, params, r.own(x), []*Tensor{t}, batchAt)
	n, hidden := r.attrInt(x, "num_layers"), r.attrInt(x, "hidden_size")
	if r.attrTrue(x, "bidirectional") {
		n *= 2
	}
	last := func(cell bool) interp.Value {
		size := hidden
		if v, ok := x.Get("proj_size"); ok && v != int64(0) && !cell {
			size = r.attrInt(x, "proj_size")
		}
		return &state{n: n, later: later{make: func() interp.Value {
			shape := catalog.Of(n, size)
			if t.rank() == 3 {
				d := r.concrete(t.dims())
				shape = catalog.Of(n, d[batchAt].(int64), size)
			}
			return r.together("lastState", shape, out)
		}}}
	}
	if class == "LSTM" {
		return interp.NewTuple(out, interp.NewTuple(last(false), last(true)))
	}
	return interp.NewTuple(out, last(false))
}

// attendAcross is attention over the samples of a batch.
func (r *reader) attendAcross(x *interp.Instance, params []graph.Param, weights []child, inputs []*Tensor, batchAt int) *Tensor {
	q, k, v := inputs[0], inputs[1], inputs[2]
	if r.attrTrue(x, "add_bias_kv") || r.attrTrue(x, "add_zero_attn") || attr(x, "kdim") != nil || !k.shape.Equal(v.shape) {
		r.in.Fault("attention of this kind across the samples of a batch is not followed")
	}
	if q == k {
		return r.across("attention", "multiHeadAttention", params, weights, inputs[:1], batchAt)
	}
	return r.across("attention", "crossAttention", params, weights, inputs[:2], batchAt)
}
