package infer

import "github.com/modelverifier/verifier/internal/catalog"

// WithoutGradients says of each component whether no gradient comes to its result: it stops gradients, or all that reads it does or has none
// itself. It is nil where no component stops gradients.
func (r *Result) WithoutGradients() []bool {
	var out []bool
	for k := len(r.Wiring.Order) - 1; k >= 0; k-- {
		i := r.Wiring.Order[k]
		if r.Nodes[i].Type.Has(catalog.StopsGradient) {
			if out == nil {
				out = make([]bool, len(r.Nodes))
			}
			out[i] = true
			continue
		}
		if out == nil {
			continue
		}
		readers := r.Wiring.Outputs(i)
		out[i] = len(readers) > 0
		for _, j := range readers {
			out[i] = out[i] && out[j]
		}
	}
	return out
}
