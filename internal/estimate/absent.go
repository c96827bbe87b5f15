package estimate

import "github.com/modelverifier/verifier/internal/infer"

// countUnwalked adds the weights of the components that do not run in the step: PyTorch constructs them all the same. Those of a call with
// text alone that reads no picture or sound get no gradients, and so the optimizer keeps nothing of them. Those that are refused, or
// stand behind what is, are to be trained.
func (s *stepper) countUnwalked(size int64) {
	for i := range s.res.Nodes {
		n := &s.res.Nodes[i]
		if s.at[i] >= 0 || n.Type == nil {
			continue
		}
		s.fixed = plus(s.fixed, bufferBytes(n, size))
		if n.State == infer.Absent {
			s.weights = plus(s.weights, s.weightBytes(i, n, size))
			continue
		}
		all, trained, states := s.weigh(i, size)
		s.weights, s.gradients, s.states = plus(s.weights, all), plus(s.gradients, trained), plus(s.states, states)
		if s.o.Optimizer == "adafactor" {
			s.stepExtra = max(s.stepExtra, largestStep(trainedNode(n, s.shares[i], s.o.Adapt), size))
		}
	}
}
