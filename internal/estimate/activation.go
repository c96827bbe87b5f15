package estimate

import "github.com/modelverifier/verifier/internal/catalog"

// keepActivation is what an activation keeps that transformers writes as single operations, and whether it is one of those.
func (s *stepper) keepActivation(p, i int) bool {
	n, from := &s.res.Nodes[i], s.input(i, 0)
	if from < 0 {
		return false
	}
	how, count := s.how[i], times(max(0, n.Out.Size()), s.o.Batch)
	w := width(&s.res.Nodes[from], s.narrow[from])
	wide := w
	if autocasts(s.o.Precision) {
		wide = 4
	}
	switch {
	case n.Type.ID == "gelu" && how.has(steps):
		s.keepSteps(p, i, from)
	case n.Type.ID == "gelu" && how.has(products): // x, three multiples of it, a sum, the hyperbolic tangent, and one more than that
		s.share(p, s.source(from))
		for range 6 {
			s.add(p, times(count, w))
		}
	case n.Type.ID == "gelu" && how.has(erf): // two multiples of x, and one more than the error function
		for range 3 {
			s.add(p, times(count, w))
		}
	case n.Type.ID == "quickGelu" && how.has(steps): // x and its share
		s.share(p, s.source(from))
		s.add(p, times(count, w))
	case n.Type.ID == "squaredRelu" && how.has(steps): // what is squared; autocast takes powers of a 32-bit copy
		s.add(p, times(count, w))
		if wide > w {
			s.add(p, times(count, wide))
		}
	case how.has(xielu): // x, its multiple by a trained number, an exponential, what that number is multiplied with, and which branch it was
		s.share(p, s.source(from))
		for range 3 {
			s.add(p, times(count, wide))
		}
		s.add(p, count)
	default:
		return false
	}
	return true
}

// keepWideNorm is a layer norm of a 32-bit copy: that copy, and of each position the mean and the root. It reports whether it is one.
func (s *stepper) keepWideNorm(p, i int) bool {
	n, from := &s.res.Nodes[i], s.input(i, 0)
	if from < 0 || !s.how[i].has(wide) || !s.narrow[from] || arg(n, "elementwiseAffine").Bool() {
		return false
	}
	count := times(max(0, n.Out.Size()), s.o.Batch)
	s.add(p, times(count, 4))
	for range 2 {
		s.add(p, times(count/lastAxes(n), 4))
	}
	return true
}

// innerSoftmax is what the backward pass of a softmax needs beside the gradients of its result and of its input: their product with the result
// (softmax_backward_data of PyTorch), and where it is taken of a 32-bit copy those gradients in 32 bits in place of theirs.
func (s *stepper) innerSoftmax(i int) int64 {
	count := times(max(0, s.res.Nodes[i].Out.Size()), s.batch(i))
	switch {
	case s.how[i].has(wide) && s.narrow[i]:
		return times(count, 8)
	case s.narrow[i]:
		return times(count, 2)
	}
	return times(count, 4)
}

// keepWideActivation is an activation of a 32-bit copy: the copy in the place of what arrives. It reports whether it is one.
func (s *stepper) keepWideActivation(p, i int) bool {
	n, from := &s.res.Nodes[i], s.input(i, 0)
	if from < 0 || !s.how[i].has(wide) || !n.Type.Has(catalog.IsActivation) || !s.narrow[from] {
		return false
	}
	for k := range n.Kept {
		if n.Kept[k].Name == catalog.KeptOutput {
			s.share(p, i)
		} else {
			s.add(p, times(max(0, n.Out.Size()), s.o.Batch, 4))
		}
	}
	return true
}

// keepWideCopies is a product, or a module without a type, of 32-bit copies of all that arrives. It reports whether it is one.
func (s *stepper) keepWideCopies(p, i int) bool {
	if !s.how[i].has(wide) || s.how[i].has(inside) {
		return false
	}
	for j := range s.inputs(i) {
		if from := s.source(j); s.narrow[j] && !s.res.Nodes[from].Type.Has(catalog.IsTensor) {
			s.add(p, times(max(0, s.res.Nodes[j].Out.Size()), s.batch(from), 4))
		} else {
			s.share(p, from)
		}
	}
	return true
}
