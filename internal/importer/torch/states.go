package torch

import "github.com/modelverifier/verifier/internal/importer/torch/interp"

// fitsStates raises where the first states of a recurrent layer do not have its shape: (layers and directions, batch, features).
func (r *reader) fitsStates(class string, x *interp.Instance, state interp.Value) {
	n := r.attrInt(x, "num_layers")
	if r.attrTrue(x, "bidirectional") {
		n *= 2
	}
	hidden := r.attrInt(x, "hidden_size")
	first := hidden
	if v, ok := x.Get("proj_size"); ok && v != int64(0) {
		first = r.attrInt(x, "proj_size")
	}
	switch s := state.(type) {
	case *Tensor:
		if class != "LSTM" {
			r.fitsState("hidden", s, n, first)
		}
	case *interp.Tuple:
		if class != "LSTM" || len(s.Items) != 2 {
			return
		}
		for i, item := range s.Items {
			if t, ok := item.(*Tensor); ok {
				r.fitsState([]string{"hidden[0]", "hidden[1]"}[i], t, n, []int64{first, hidden}[i])
			}
		}
	}
}

func (r *reader) fitsState(what string, t *Tensor, n, features int64) {
	if t.rank() != 3 {
		r.in.Raise("RuntimeError", "For batched 3-D input, hx should also be 3-D but got (%d-D) tensor", t.rank())
	}
	layers, fixed := t.size(0).(int64)
	width, alsoFixed := t.size(2).(int64)
	if !fixed || !alsoFixed || layers != n || width != features {
		r.in.Raise("RuntimeError", "Expected %s size (%d, B, %d), got %s", what, n, features, r.describe(t))
	}
}

// fitsCell raises where the input or the state of a cell does not have its features.
func (r *reader) fitsCell(class string, x *interp.Instance, t *Tensor, state interp.Value) {
	if n, ok := t.size(1).(int64); ok && n != r.attrInt(x, "input_size") {
		r.in.Raise("RuntimeError", "input has inconsistent input_size: got %d expected %d", n, r.attrInt(x, "input_size"))
	}
	states := []interp.Value{state}
	if pair, ok := state.(*interp.Tuple); ok && class == "LSTMCell" {
		states = pair.Items
	}
	for _, v := range states {
		s, ok := v.(*Tensor)
		if !ok || s.rank() != 2 {
			continue
		}
		if n, ok := s.size(1).(int64); ok && n != r.attrInt(x, "hidden_size") {
			r.in.Raise("RuntimeError", "hidden has inconsistent hidden_size: got %d, expected %d", n, r.attrInt(x, "hidden_size"))
		}
	}
}

// fitsMask raises where the mask of attention does not have the lengths of query and key.
func (r *reader) fitsMask(mask interp.Value, heads, long, steps int64) {
	m, ok := mask.(*Tensor)
	if !ok {
		return
	}
	rank := m.rank()
	if rank != 2 && rank != 3 {
		r.in.Raise("RuntimeError", "attn_mask's dimension %d is not supported", rank)
	}
	rows, fixed := m.size(rank - 2).(int64)
	cols, alsoFixed := m.size(rank - 1).(int64)
	if rank == 2 && fixed && alsoFixed && (rows != long || cols != steps) {
		r.in.Raise("RuntimeError", "The shape of the 2D attn_mask is %s, but should be (%d, %d)", r.describe(m), long, steps)
	}
	if s, isSym := m.size(0).(sym); rank == 3 && (!isSym || s.times != heads || rows != long || cols != steps) {
		r.in.Doubt("RuntimeError", "The shape of the 3D attn_mask is %s, but should be (B*%d, %d, %d)", r.describe(m), heads, long, steps)
	}
}
