package estimate

import "github.com/modelverifier/verifier/internal/catalog"

// unbatched finds the components of transformers' models whose results are computed of weights and constants alone, as tables of angles
// and vectors of distances: there is one for all samples.
func (s *stepper) unbatched() []bool {
	out := s.room.bools.Make(len(s.res.Nodes))
	for _, i := range s.order {
		if s.res.Nodes[i].Type.Has(catalog.IsTensor) {
			out[i] = s.how[i].has(transformers)
			continue
		}
		seen := false
		for j := range s.inputs(i) {
			out[i], seen = out[j] && (out[i] || !seen), true
		}
		out[i] = out[i] && s.how[i].has(transformers)
	}
	return out
}

// batch is how many of a component's results a step has.
func (s *stepper) batch(i int) int64 {
	if s.alone[i] {
		return 1
	}
	return s.o.Batch
}

// isFactor reports whether a product needs one of its inputs: the gradient of the other does, where that has one.
func (s *stepper) isFactor(i, input int) bool {
	n := &s.res.Nodes[i]
	if n.Type.ID != "multiply" || len(n.In) != 2 {
		return true
	}
	other := s.input(i, 1-input)
	return other < 0 || s.trains[other]
}
