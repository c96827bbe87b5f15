package estimate

import (
	"slices"

	"github.com/modelverifier/verifier/internal/catalog"
)

// kind is what components have in common that are alike in type, parameters and inputs, in whose module they are and in what of them
// is trained, and whose results are equally wide. Large models repeat a few layers, so that it is computed once for many. What else
// depends on the components around one, as the width of what arrives under autocast, is no part of it.
type kind struct {
	first int   // the component that it is computed of
	count int64 // how many there are

	own    int64 // bytes of one's weights that are trained
	tied   bool  // whether it multiplies with the weight of another
	conv   int64 // what its forward pass needs for itself, as cuDNN for a convolution,
	back   int64 // and for the gradients of it
	copies int64 // kept beside what the module keeps: 16-bit copies of weights, and what is between the matrices of adapters
	made   int64 // new tensors that PyTorch's own module keeps
	inner  int64 // what its backward pass needs for itself
	sum    int64 // of that, what is for the sum of a bias's gradient

	kernels   int64 // that it starts, forward and backward
	scattered int64 // bytes of gradients that are laid out in full for a part

	copied, tensors []int64 // the large ones of copies and made
}

func (s *stepper) kind(i int) *kind { return &s.kinds[s.of[i]] }

// findKinds sorts the components by what infer found to be alike.
func (s *stepper) findKinds() {
	s.of = s.room.int32s.Make(len(s.res.Nodes))
	count, sorted, waiting := 0, s.room.bools.Make(len(s.res.Nodes)), s.room.ints.Make(len(s.order))[:0]
	for _, i := range s.order {
		for at := i; at >= 0 && s.at[at] >= 0 && !sorted[at]; at = int(s.res.Nodes[at].Like) - 1 {
			waiting, sorted[at] = append(waiting, at), true
		}
		for _, j := range slices.Backward(waiting) { // what one is like may run behind it
			if like := int(s.res.Nodes[j].Like) - 1; like >= 0 && s.alike(j, like) {
				s.of[j] = s.of[like]
				continue
			}
			s.of[j] = int32(count)
			count++
		}
		waiting = waiting[:0]
	}
	s.kinds = s.room.kinds.Make(count)
	for _, i := range s.order {
		k := s.kind(i)
		if k.count++; k.count == 1 {
			k.first = i
		}
	}
}

// alike reports whether two components are of one kind whose parameters and inputs are the same. One of them may have got its weight
// from another component.
func (s *stepper) alike(i, j int) bool {
	return s.at[j] >= 0 && s.how[i] == s.how[j] && s.shares[i] == s.shares[j] && s.narrow[i] == s.narrow[j] && s.alone[i] == s.alone[j] && (s.unitOf(i) > 0) == (s.unitOf(j) > 0) &&
		s.res.Nodes[i].Params == s.res.Nodes[j].Params
}

// countKinds computes what the components of each kind have in common, and sums what all of them hold and start.
func (s *stepper) countKinds(size int64) {
	for k := range s.kinds {
		c := &s.kinds[k]
		n := &s.res.Nodes[c.first]
		all, trained, states := s.weigh(c.first, size)
		c.own, c.tied = trained, tied(n)
		c.conv, c.back = blockSpace(n, s.o.Batch, s.productBytes())
		if s.how[c.first].has(spread) {
			c.conv = s.spreadBytes(n)
		}
		c.copies = plus(s.castBytes(c.first), s.adapterBytes(c.first))
		if s.how[c.first].has(remade) && !autocasts(s.o.Precision) {
			c.copies = plus(c.copies, block(weightBytes(n, weightSize(s.o.Precision))))
		}
		c.copied = s.room.notes.Take()
		c.made, c.inner, c.sum = s.makes(c.first), s.inner(c.first), s.lastSum(c.first)
		c.tensors = s.room.notes.Take()
		s.weights, s.gradients, s.states = plus(s.weights, times(c.count, all)), plus(s.gradients, times(c.count, trained)), plus(s.states, times(c.count, states))
		wide := size
		if s.how[c.first].has(flags) {
			wide = 1
		}
		s.fixed = plus(s.fixed, times(c.count, bufferBytes(n, wide)))
		c.kernels, c.scattered = s.starts(c.first), s.scatters(c.first)
		if s.o.Optimizer == "adafactor" {
			s.stepExtra = max(s.stepExtra, largestStep(trainedNode(n, s.shares[c.first], s.o.Adapt), size))
		}
	}
}

// attend changes the kind of attention.
func (s *stepper) attend(attention string) {
	s.o.Attention = attention
	for k := range s.kinds {
		if c := &s.kinds[k]; s.res.Nodes[c.first].Type.Has(catalog.IsAttention) {
			c.made, c.inner = s.makes(c.first), s.inner(c.first)
			c.tensors = s.room.notes.Take()
		}
	}
}
