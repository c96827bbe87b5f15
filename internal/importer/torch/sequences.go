package torch

import (
	"math"

	"github.com/modelverifier/verifier/internal/importer/torch/interp"
)

// sequenceFunctions adds the functions of torch that make a vector of a formula: windows, torch.logspace and torch.range.
func (r *reader) sequenceFunctions(torch *interp.Module) {
	for _, n := range []string{"hann_window", "hamming_window", "blackman_window", "bartlett_window", "kaiser_window"} {
		setDefault(torch, n, func(in *interp.Interp, a *interp.Args) interp.Value {
			v, _ := a.Get("window_length", 0)
			return r.filled([]interp.Value{v}, false)
		})
	}
	setDefault(torch, "logspace", r.logspace)
	setDefault(torch, "range", r.inclusiveRange)
}

// logspace is torch.logspace.
func (r *reader) logspace(in *interp.Interp, a *interp.Args) interp.Value {
	t := r.linspace(&interp.Args{Pos: a.Pos[:min(3, len(a.Pos))], Kw: keep(a.Kw, "start", "end", "steps")}).(*Tensor)
	for i, v := range t.data {
		t.data[i] = math.Pow(10, v)
	}
	return t
}

// inclusiveRange is torch.range, which, unlike torch.arange, has its end and gives floats.
func (r *reader) inclusiveRange(in *interp.Interp, a *interp.Args) interp.Value {
	lo, hi := interp.Value(int64(0)), a.Pos[0]
	if len(a.Pos) > 1 {
		lo, hi = a.Pos[0], a.Pos[1]
	}
	return r.toFloat(r.sequence(&interp.Args{Pos: []interp.Value{lo, in.Binary("+", hi, int64(1))}}).(*Tensor))
}
