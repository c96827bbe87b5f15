package estimate

import (
	"slices"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/infer"
	library "github.com/modelverifier/verifier/internal/transformers"
)

// isForeign reports whether a model has modules of transformers.
func isForeign(res *infer.Result) bool { return slices.ContainsFunc(res.Nodes, isModule) }

// isModule reports whether a component names a module of the library.
func isModule(n infer.Node) bool {
	return n.Type != nil && library.Lookup(n.Type.ID, n.Component.As()) != nil
}

// dropless reports whether the config of a model of the library asks for dropout: what a component declares, or a component that drops. An output that
// names a model says of all components that they are its modules.
func dropless(res *infer.Result) bool {
	_, model := library.ModelOf(res)
	return slices.ContainsFunc(res.Nodes, func(n infer.Node) bool {
		return known(&n) && (model || isModule(n)) && (n.Type.Has(catalog.IsDropout) || arg(&n, "dropout").Float() > 0)
	})
}
