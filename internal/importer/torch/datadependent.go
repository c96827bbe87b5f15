package torch

import "github.com/modelverifier/verifier/internal/importer/torch/interp"

// Operations with a data-dependent output shape.
func init() {
	registerEach(withheld, "masked_select")
}

// withheld is an operation whose result has a size that depends on values.
func withheld(name string) operation {
	return func(r *reader, t *Tensor, _ *interp.Args) interp.Value {
		return r.dependent("the size of what "+name+" gives depends on values", t)
	}
}
