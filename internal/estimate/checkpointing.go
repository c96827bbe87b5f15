package estimate

import (
	"strings"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/infer"
)

// layerOf is the path of the layer that a module belongs to: up to its first number. Empty where there is none.
func layerOf(scope string) string {
	for at := 0; at < len(scope); {
		end := strings.IndexByte(scope[at:], '.')
		if end < 0 {
			end = len(scope) - at
		}
		if part := scope[at : at+end]; part != "" && strings.Trim(part, "0123456789") == "" {
			return scope[:at+end]
		}
		at += end + 1
	}
	return ""
}

// recomputes reports whether checkpointing covers a component of PyTorch's.
func recomputes(n *infer.Node) bool {
	return n.Type.Has(catalog.IsAttention) || n.Type.Group == catalog.Blocks
}
