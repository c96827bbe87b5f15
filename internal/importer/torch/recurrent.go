package torch

import (
	"slices"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/importer/torch/interp"
	"github.com/modelverifier/verifier/internal/quantity"
)

// makeRecurrent builds nn.LSTM, nn.GRU and nn.RNN, which have gates times as many rows in their weights as hidden features.
func (r *reader) makeRecurrent(class, typ string, gates int64) *interp.Class {
	args := "input_size hidden_size num_layers=1 bias=True batch_first=False dropout=0.0 bidirectional=False proj_size=0 device=None dtype=None"
	if class == "RNN" {
		args = "input_size hidden_size num_layers=1 nonlinearity='tanh' bias=True batch_first=False dropout=0.0 bidirectional=False device=None dtype=None"
	}
	c := r.native(class, args, func(x *interp.Instance) { r.recurrentWeights(x, gates) }, func(x *interp.Instance, a *interp.Args) interp.Value {
		b := a.Bind(r.in, "forward", "input", "hx")
		return r.recur(class, typ, x, b[0], interp.Or(b[1], nil))
	})
	c.Method("flatten_parameters", func(*interp.Interp, *interp.Args) interp.Value { return nil })
	return c
}

func (r *reader) recurrentWeights(x *interp.Instance, gates int64) {
	in, hidden, n := r.attrInt(x, "input_size"), r.attrInt(x, "hidden_size"), r.attrInt(x, "num_layers")
	proj := int64(0)
	if _, ok := x.Get("proj_size"); ok {
		proj = r.attrInt(x, "proj_size")
	}
	if n > 10_000 {
		r.in.Fault("%d recurrent layers", n)
	}
	out, ways := hidden, []string{""}
	if proj > 0 {
		out = proj
	}
	if r.attrTrue(x, "bidirectional") {
		ways = append(ways, "_reverse")
	}
	for l := range n {
		from := in
		if l > 0 {
			from = out * int64(len(ways))
		}
		for _, way := range ways {
			s := "_l" + index(int(l)) + way
			r.setWeight(x, weight{"weight_ih" + s, catalog.Of(gates*hidden, from)})
			r.setWeight(x, weight{"weight_hh" + s, catalog.Of(gates*hidden, out)})
			if r.attrTrue(x, "bias") {
				r.setWeight(x, weight{"bias_ih" + s, catalog.Of(gates * hidden)})
				r.setWeight(x, weight{"bias_hh" + s, catalog.Of(gates * hidden)})
			}
			if proj > 0 {
				r.setWeight(x, weight{"weight_hr" + s, catalog.Of(proj, hidden)})
			}
		}
	}
}

// recur puts a recurrent layer behind its input. Its last states are results of their own.
func (r *reader) recur(class, typ string, x *interp.Instance, input, state interp.Value) interp.Value {
	first := r.attrTrue(x, "batch_first")
	if p, ok := input.(*packed); ok { // which has the batch first, whatever the layer says
		out := r.recurTensor(class, typ, x, p.t, state, true)
		out.Items[0] = &packed{out.Items[0].(*Tensor)}
		return out
	}
	return r.recurTensor(class, typ, x, r.tensor(class, input), state, first)
}

// recurTensor runs the layer on a tensor whose batch is first or second.
func (r *reader) recurTensor(class, typ string, x *interp.Instance, t *Tensor, state interp.Value, first bool) *interp.Tuple {
	want := 1
	if first {
		want = 0
	}
	if n := t.rank(); n != 2 && n != 3 {
		r.in.Raise("ValueError", "%s: Expected input to be 2D or 3D, got %dD instead", class, n)
	}
	t = r.batched(t, want)
	over := misplaced([]*Tensor{t}, want)
	if !over && (t.rank() != 3 || t.batch != want) {
		r.in.Fault("%s gets %s, where the batch is not at axis %d", class, r.describe(t), want)
	}
	if t.pre+t.post > 0 {
		r.in.Fault("%s over a folded batch is not followed", class)
	}
	var params []graph.Param
	for _, n := range []string{"input_size", "hidden_size", "num_layers", "bidirectional", "dropout", "nonlinearity", "proj_size"} {
		if v, ok := x.Get(n); ok && v != nil && v != false && !(n == "proj_size" && v == int64(0)) && !(n == "num_layers" && v == int64(1)) {
			if f, isFloat := v.(float64); isFloat && f == 0 {
				continue
			}
			if n == "nonlinearity" && v == "tanh" {
				continue
			}
			params = append(params, graph.Param{Name: camel(n), Value: r.value(n, asNumber(n, v))})
		}
	}
	if attr(x, "bias") == false {
		params = append(params, param("bias", false))
	}
	r.fitsStates(class, x, state)
	if over {
		return r.recurAcross(class, typ, x, t, params, want)
	}
	if states := r.stateInputs(state); len(states) > 0 {
		shape := slices.Clone(t.shape)
		shape[len(shape)-1] = r.recurrentWidth(x)
		out := r.recurFrom(typ, shape, params, x, t, states)
		return interp.NewTuple(out, r.lastStates(class, x, out))
	}
	out := r.weighted(typ, params, r.own(x), []*Tensor{t}, nil)
	return interp.NewTuple(out, r.lastStates(class, x, out))
}

// recurFrom is a recurrent layer with first states that are computed: the FLOPs are those of one that begins with zeros.
func (r *reader) recurFrom(typ string, shape catalog.Shape, params []graph.Param, x *interp.Instance, t *Tensor, states []*Tensor) *Tensor {
	res := r.evaluate(typ, params, []*Tensor{t})
	if res.Err != nil || res.Out == nil {
		return r.opaque(typ, shape, r.own(x), append([]*Tensor{t}, states...)...)
	}
	count, weights := int64(0), r.own(x)
	for _, w := range weights {
		if p := w.value.(*Tensor).param; !p.counted {
			count += w.value.(*Tensor).shape.Size()
		}
	}
	given := []graph.Param{param("outShape", shape), param("code", typ), param("numParams", count), param("flops", res.FLOPs)}
	return r.opaqueWith(typ, shape, given, weights, append([]*Tensor{t}, states...))
}

// stateInputs are first states that are computed; zeros and constants change no shape.
func (r *reader) stateInputs(v interp.Value) []*Tensor {
	var out []*Tensor
	switch x := v.(type) {
	case *Tensor:
		if !x.constant() {
			out = append(out, x)
		}
	case *interp.Tuple:
		for _, s := range x.Items {
			out = append(out, r.stateInputs(s)...)
		}
	case *interp.Unknown:
		r.in.Fault("a first state is not known: %s", x.Reason())
	}
	return out
}

func (r *reader) recurrentWidth(x *interp.Instance) int64 {
	n := r.attrInt(x, "hidden_size")
	if v, ok := x.Get("proj_size"); ok && v != int64(0) {
		n = r.attrInt(x, "proj_size")
	}
	if r.attrTrue(x, "bidirectional") {
		n *= 2
	}
	return n
}

// lastStates are h_n, and c_n of an LSTM: (layers and directions, batch, features).
func (r *reader) lastStates(class string, x *interp.Instance, out *Tensor) interp.Value {
	h := r.lastState(x, out, false)
	if class != "LSTM" {
		return h
	}
	return interp.NewTuple(h, r.lastState(x, out, true))
}

// lastState is read from the sequence where that is exact: of one layer in one direction, the last step. Else, and for the cell
// state, a component of declared shape stands for it. It is made only if it is used.
func (r *reader) lastState(x *interp.Instance, out *Tensor, cell bool) interp.Value {
	n := r.attrInt(x, "num_layers")
	ways := int64(1)
	if r.attrTrue(x, "bidirectional") {
		ways = 2
	}
	hidden := r.attrInt(x, "hidden_size")
	if v, ok := x.Get("proj_size"); ok && v != int64(0) && !cell {
		hidden = r.attrInt(x, "proj_size")
	}
	make := func() interp.Value {
		name := "lastState"
		if cell {
			name = "lastCell"
		}
		var t *Tensor
		if n*ways == 1 && !cell {
			s := r.apply("slice", name, []graph.Param{param("dim", 1), param("start", -1)}, out)
			t = s
		} else {
			t = r.custom(name, catalog.Of(n*ways, hidden), 0, out)
		}
		t.batch, t.pre, t.post = 1, 0, 0
		return t
	}
	return &state{later: later{make: make}, n: n * ways}
}

// state is a last state that most programs index or throw away.
type state struct {
	later
	n    int64
	made *Tensor
}

func (s *state) tensor() *Tensor {
	if s.made == nil {
		s.made = s.make().(*Tensor)
	}
	return s.made
}

// Item indexes the state.
func (s *state) Item(in *interp.Interp, i interp.Value) interp.Value { return in.Item(s.tensor(), i) }

// Iterate goes over layers and directions.
func (s *state) Iterate(in *interp.Interp) []interp.Value { return in.Iterate(s.tensor()) }

// Attr reads an attribute of the state.
func (s *state) Attr(in *interp.Interp, name string) (interp.Value, bool) {
	return in.FindAttr(s.tensor(), name)
}

// makeCell builds LSTMCell, GRUCell and RNNCell: one step, as a component of declared shape.
func (r *reader) makeCell(class string, gates int64) *interp.Class {
	args := "input_size hidden_size bias=True device=None dtype=None"
	if class == "RNNCell" {
		args = "input_size hidden_size bias=True nonlinearity='tanh' device=None dtype=None"
	}
	return r.native(class, args, func(x *interp.Instance) {
		in, hidden := r.attrInt(x, "input_size"), r.attrInt(x, "hidden_size")
		r.setWeight(x, weight{"weight_ih", catalog.Of(gates*hidden, in)})
		r.setWeight(x, weight{"weight_hh", catalog.Of(gates*hidden, hidden)})
		if r.attrTrue(x, "bias") {
			r.setWeight(x, weight{"bias_ih", catalog.Of(gates * hidden)})
			r.setWeight(x, weight{"bias_hh", catalog.Of(gates * hidden)})
		}
	}, func(x *interp.Instance, a *interp.Args) interp.Value {
		b := a.Bind(r.in, "forward", "input", "hx")
		t := r.tensor(class, b[0])
		if t = r.batched(t, 0); t.batch > 0 || t.rank() != 2 {
			r.in.Fault("%s gets %s", class, r.describe(t))
		}
		r.fitsCell(class, x, t, interp.Or(b[1], nil))
		inputs := append([]*Tensor{t}, r.stateInputs(interp.Or(b[1], nil))...)
		h := r.cell(class, gates, x, inputs)
		if class != "LSTMCell" {
			return h
		}
		return interp.NewTuple(h, r.custom("cellState", h.shape, 0, h))
	})
}

// cell is one step of a recurrent layer: two matrix products, of the input and of the state before it, which PyTorch also takes where
// that is zero.
func (r *reader) cell(class string, gates int64, x *interp.Instance, inputs []*Tensor) *Tensor {
	in, hidden := r.attrInt(x, "input_size"), r.attrInt(x, "hidden_size")
	count, weights := int64(0), r.own(x)
	for _, w := range weights {
		if p := w.value.(*Tensor).param; !p.counted {
			count += w.value.(*Tensor).shape.Size()
		}
	}
	flops, ok := quantity.Mul(2, gates, hidden, in+hidden)
	if !ok {
		r.in.Fault("%s has more FLOPs than 64 bits hold", class)
	}
	t := inputs[0]
	shape := append(append(catalog.Of(), t.shape[:len(t.shape)-1]...), hidden) // with what is folded into the batch
	if flops, ok = quantity.Mul(flops, product(t.shape[:len(t.shape)-1])); !ok {
		r.in.Fault("%s has more FLOPs than 64 bits hold", class)
	}
	if t.ofAll() {
		return r.opaqueJoint(class, shape, false, flops, weights, inputs)
	}
	params := []graph.Param{param("outShape", shape), param("code", class), param("numParams", count), param("flops", flops)}
	return r.opaqueWith(class, shape, params, weights, inputs)
}

// packed is what pack_padded_sequence gives: the sequences of a batch without their padding. Here they keep the padded length.
type packed struct{ t *Tensor }

// PackedSequence is a tuple with names (torch.nn.utils.rnn).
var packedFields = []string{"data", "batch_sizes", "sorted_indices", "unsorted_indices"}

// field is one of its tensors: how many rows they have depends on the lengths.
func (p *packed) field(in *interp.Interp) interp.Value {
	return in.Unknown("how many rows packed sequences have depends on their lengths")
}

// Attr is one of the tensors by its name.
func (p *packed) Attr(in *interp.Interp, name string) (interp.Value, bool) {
	if !slices.Contains(packedFields, name) {
		return nil, false
	}
	return p.field(in), true
}

// Item is one of the tensors by its place.
func (p *packed) Item(in *interp.Interp, index interp.Value) interp.Value {
	return in.Item(interp.NewTuple(p.Iterate(in)...), index)
}

// Iterate gives the tensors in order.
func (p *packed) Iterate(in *interp.Interp) []interp.Value {
	return slices.Repeat([]interp.Value{p.field(in)}, len(packedFields))
}

func (r *reader) packing() map[string]interp.Value {
	pack := interp.Fn("pack_padded_sequence", func(in *interp.Interp, a *interp.Args) interp.Value {
		b := a.Bind(in, "pack_padded_sequence", "input", "lengths", "batch_first", "enforce_sorted")
		t := r.tensor("pack_padded_sequence", b[0])
		if !in.Truth(interp.Or(b[2], false)) && t.rank() >= 2 {
			t = r.swap(t, 0, 1)
		}
		in.Note("sequences are packed: they are taken to have the whole length")
		return &packed{t}
	})
	pad := interp.Fn("pad_packed_sequence", func(in *interp.Interp, a *interp.Args) interp.Value {
		b := a.Bind(in, "pad_packed_sequence", "sequence", "batch_first", "padding_value", "total_length")
		p, ok := b[0].(*packed)
		if !ok {
			in.Fault("pad_packed_sequence of a %s", interp.TypeName(b[0]))
		}
		t := p.t
		if !in.Truth(interp.Or(b[1], false)) && t.rank() >= 2 {
			t = r.swap(t, 0, 1)
		}
		return interp.NewTuple(t, in.Unknown("the lengths of sequences are not known"))
	})
	return map[string]interp.Value{"pack_padded_sequence": pack, "pad_packed_sequence": pad}
}
