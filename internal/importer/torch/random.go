package torch

import (
	"slices"

	"github.com/modelverifier/verifier/internal/importer/torch/interp"
)

// Random numbers: drawn into a tensor, drawn by the probabilities in one, and made anew.
func init() {
	registerEach(same, "poisson", "exponential", "cauchy", "geometric", "log_normal", "random")
	register(map[string]operation{"multinomial": multinomialOp})
}

// multinomialOp is torch.multinomial.
func multinomialOp(r *reader, t *Tensor, a *interp.Args) interp.Value {
	b := a.Bind(r.in, "multinomial", "num_samples", "replacement", "generator")
	n, ok := r.in.Int(b[0])
	if !ok {
		r.in.Fault("how many samples are drawn is not known")
	}
	d := t.dims()
	return r.integers(r.declared("multinomial", append(d[:len(d)-1:len(d)-1], n), 0, t))
}

// randomFunctions adds torch.normal.
func (r *reader) randomFunctions(torch *interp.Module) {
	setDefault(torch, "normal", func(in *interp.Interp, a *interp.Args) interp.Value {
		if size, ok := a.Get("size", 2); ok {
			return r.filled(in.Iterate(size), false)
		}
		for _, v := range append(slices.Clone(a.Pos), values(a.Kw)...) {
			if t, ok := v.(*Tensor); ok {
				return r.declared("normal", t.dims(), 0, t)
			}
		}
		return r.filled(nil, false)
	})
}
