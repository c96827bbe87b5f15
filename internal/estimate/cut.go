package estimate

import "github.com/modelverifier/verifier/internal/catalog"

// keepCut is a product of matrices of which one is a part of a larger tensor, as the values of one map for queries, keys and values are:
// torch.matmul makes a copy of the part, so that the tensor is free. It reports whether there is such a matrix.
func (s *stepper) keepCut(p, i int) bool {
	n, cut := &s.res.Nodes[i], false
	for k := range n.Kept {
		if n.Kept[k].Name != catalog.KeptInput {
			return false
		}
		j := s.input(i, int(n.Kept[k].Input))
		cut = cut || j >= 0 && s.isCut(j)
	}
	if !cut {
		return false
	}
	for k := range n.Kept {
		j := s.input(i, int(n.Kept[k].Input))
		switch {
		case j < 0:
		case s.isCut(j):
			s.add(p, times(max(0, s.res.Nodes[j].Out.Size()), s.o.Batch, s.productBytes()))
		default:
			s.keepInput(p, i, j)
		}
	}
	return true
}

// isCut reports whether a result is a part of what lies in memory.
func (s *stepper) isCut(j int) bool {
	return max(0, s.res.Nodes[j].Out.Size()) < max(0, s.res.Nodes[s.source(j)].Out.Size())
}
