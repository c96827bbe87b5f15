package torch

import "github.com/modelverifier/verifier/internal/importer/torch/interp"

// Operations with a data-dependent output shape.
func init() {
	registerEach(withheld, "nonzero", "unique", "unique_consecutive", "masked_select", "argwhere", "bincount")
}

// withheld is an operation whose result has a size that depends on values.
func withheld(name string) operation {
	return func(r *reader, t *Tensor, _ *interp.Args) interp.Value {
		r.in.Fault("the size of what %s gives depends on values", name)
		return nil
	}
}
