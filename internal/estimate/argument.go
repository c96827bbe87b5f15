package estimate

import (
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/infer"
)

// arg is the value of a parameter, or none where the type does not have it.
func arg(n *infer.Node, name string) graph.Value {
	for i := range n.Args {
		if n.Type.Params[i].Name == name {
			return n.Args[i]
		}
	}
	return graph.Value{}
}
