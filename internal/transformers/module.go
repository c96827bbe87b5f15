// Package transformers has the modules of Hugging Face's library that are written otherwise than PyTorch's own: what operations each of them
// runs, and the registered name by which a component of a graph is one. A kind of module is one file: a typed value, its Lower, and the names
// of the classes that are written so. It knows no model, no importer and no engine.
package transformers

import (
	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/infer"
	"github.com/modelverifier/verifier/internal/op"
)

// In gives the module that a component of a model is, nil where it is PyTorch's own: the one that it names and, in a model of transformers, the
// usual one of its type. A config's dropout is 0 unless it drops.
func In(res *infer.Result, drops bool) func(n *infer.Node) catalog.Module {
	model, is := ModelOf(res)
	return func(n *infer.Node) catalog.Module {
		v := Lookup(n.Type.ID, n.Component.As())
		if v == nil && !is {
			return nil
		}
		m := Usual(n.Type.ID)
		if v != nil {
			m = v.Module
		}
		if n.Type.Has(catalog.IsDropout) && !drops {
			m = Undropped{}
		}
		if h, ok := m.(catalog.Head); ok {
			return h
		}
		return Last{m, model.PlainLoss}
	}
}

// Same is a module that runs what its type does.
type Same struct{}

// Lower is the type's own.
func (Same) Lower(l *catalog.Lowering) op.Value {
	if l.Type.Lower == nil {
		return op.None
	}
	return l.Type.Lower(l)
}

// Undropped is dropout with a probability of 0, which returns what it is given.
type Undropped struct{}

// Lower runs nothing.
func (Undropped) Lower(l *catalog.Lowering) op.Value { return l.X[0] }

// Held is a module for whose result the model's code has a name until its forward pass ends.
type Held struct{ Same }

// Spread is a product of which one side is laid out anew for each position of the other.
type Spread struct{ Same }

var (
	_ = register("DeepseekV32Indexer", "scores with one side laid out for each position of the other", Spread{}, "einsum")
	_ = register("ConvNextModel", "a result that stays until the forward pass ends", Held{}, "permute")
	_ = register("SwinEmbeddings", "a result that stays until the forward pass ends", Held{}, "reshape")
)
