package catalog

import "github.com/modelverifier/verifier/internal/op"

// Module is a module of a library that computes what a type does and is written otherwise than PyTorch's own.
type Module interface {
	Lower(l *Lowering) op.Value
}

// Recurrence is a Module that hands a state from token to token, in 32-bit floats.
type Recurrence interface {
	Module
	// State is its elements, 0 where the component is none of its kind.
	State(c *Call) int64
}

// Head is a Module of whose result its model takes the loss itself, so that the training script has a name for the loss alone.
type Head interface {
	Module
	// Loss adds the loss of logits and targets.
	Loss(p *op.Program, logits, targets op.Value) op.Value
}
