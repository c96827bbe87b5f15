package estimate

import "github.com/modelverifier/verifier/internal/infer"

// isAbsent reports whether a component does not run in a training step: it reads pictures or sounds, or is such an input, where none are
// given.
func (s *stepper) isAbsent(i int) bool {
	if s.how == nil {
		return false
	}
	if s.res.Nodes[i].Type.ID != infer.InputID {
		return s.how[i].has(absent)
	}
	readers := s.res.Wiring.Outputs(i)
	for _, j := range readers {
		if !s.how[j].has(absent) {
			return false
		}
	}
	return len(readers) > 0
}

// countAbsent adds the weights of what does not run. They get no gradients, and so the optimizer keeps nothing of them.
func (s *stepper) countAbsent(size int64) {
	for i := range s.res.Nodes {
		if n := &s.res.Nodes[i]; s.how[i].has(absent) && known(n) {
			s.weights = plus(s.weights, s.weightBytes(i, n, size))
			s.fixed = plus(s.fixed, bufferBytes(n, size))
		}
	}
}
