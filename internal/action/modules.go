package action

import (
	"fmt"
	"slices"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/infer"
	"github.com/modelverifier/verifier/internal/quantity"
	"github.com/modelverifier/verifier/internal/transformers"
)

// Modules are the modules of a library that the components of the model name.
func (s *Study) Modules() []transformers.Named {
	return transformers.Gather(s.Graph, func(i int) int64 { return s.Walked.Nodes[i].Params })
}

// modules says whose modules are estimated, where there is a choice, and what of them does not run or is not trained. One model has one
// structure and several implementations, and those save different tensors for backward; empty where only PyTorch's are meant.
func (s *Study) modules() string {
	named := s.Modules()
	if len(named) == 0 {
		if s.Length.Own > 0 && slices.ContainsFunc(s.Walked.Nodes, func(n infer.Node) bool { return n.Type.Has(catalog.IsAttention) }) {
			return "; modules as PyTorch has them: those of transformers, which are estimated from a config.json, save other tensors for backward"
		}
		return ""
	}
	text := "; modules as " + transformers.Library + " implements them" + s.absent() + s.withoutGradients()
	for _, v := range named {
		if v.Less {
			text += fmt.Sprintf(", %s of them %s (%s weights)", quantity.Grouped(int64(v.Components)), v.Says, quantity.Grouped(v.Weights))
		}
	}
	return text
}

// absent says how many components a call does not run that gives no pictures or sounds, empty where there are none.
func (s *Study) absent() string {
	count, weights := int64(0), int64(0)
	for i := range s.Walked.Nodes {
		if n := &s.Walked.Nodes[i]; n.State == infer.Absent && n.Type.ID != infer.InputID {
			count++
			weights += n.Params
		}
	}
	if count == 0 {
		return ""
	}
	return fmt.Sprintf(", %s of them not run in a call with text alone (%s weights)", quantity.Grouped(count), quantity.Grouped(weights))
}

// withoutGradients says how many components are computed without gradients, since all that reads them is detached; empty where there are none.
func (s *Study) withoutGradients() string {
	count, weights := int64(0), int64(0)
	for i, less := range s.Walked.WithoutGradients() {
		if less && !s.Walked.Nodes[i].Type.HasAny(catalog.StopsGradient|catalog.IsVirtual) {
			count++
			weights += s.Walked.Nodes[i].Params
		}
	}
	if count == 0 {
		return ""
	}
	return fmt.Sprintf(", %s of them computed without gradients (%s weights)", quantity.Grouped(count), quantity.Grouped(weights))
}
