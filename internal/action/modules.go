package action

import (
	"fmt"
	"slices"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/estimate"
	"github.com/modelverifier/verifier/internal/infer"
	"github.com/modelverifier/verifier/internal/quantity"
)

// Implementation is whose modules the model has, where an importer says so.
func (s *Study) Implementation() estimate.Implementation {
	return estimate.ImplementationOf(s.Graph, func(i int) int64 { return s.Walked.Nodes[i].Params })
}

// modules says whose modules are estimated, where there is a choice, and what of them does not run or is not trained. One model has one
// structure and several implementations, and those save different tensors for backward; empty where only PyTorch's are meant.
func (s *Study) modules() string {
	how := s.Implementation()
	if how.Library == "" {
		if s.Length.Own > 0 && slices.ContainsFunc(s.Walked.Nodes, func(n infer.Node) bool { return n.Type.Has(catalog.IsAttention) }) {
			return "; modules as PyTorch has them: those of transformers, which are estimated from a config.json, save other tensors for backward"
		}
		return ""
	}
	text := "; modules as " + how.Library + " implements them"
	for _, v := range how.Variants {
		if v.Less {
			text += fmt.Sprintf(", %s of them %s (%s weights)", quantity.Grouped(int64(v.Components)), v.Meaning, quantity.Grouped(v.Weights))
		}
	}
	return text
}
