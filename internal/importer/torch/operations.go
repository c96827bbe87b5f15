package torch

import "github.com/modelverifier/verifier/internal/importer/torch/interp"

// operation is a function of torch, torch.nn.functional or Tensor that takes a tensor first.
type operation func(r *reader, t *Tensor, a *interp.Args) interp.Value

// operations by name. A method x.f(…), torch.f(x, …) and F.f(x, …) are one.
var operations = map[string]operation{}

// register adds operations to the table. Each has one definition: a second one is a fault of this package.
func register(table map[string]operation) {
	for name, op := range table {
		if operations[name] != nil {
			panic("torch: the operation " + name + " is defined twice")
		}
		operations[name] = op
	}
}

// registerEach adds the operations that one constructor makes of their names.
func registerEach(make func(name string) operation, names ...string) {
	for _, n := range names {
		register(map[string]operation{n: make(n)})
	}
}
