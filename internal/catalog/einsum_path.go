package catalog

import (
	"math"
	"math/bits"
	"slices"
)

// maxPathFactors is the most factors whose every order is tried. opt_einsum, which PyTorch asks where there are more than
// two, prunes its search beyond that; we then go from left to right.
const maxPathFactors = 6

// path is the cheapest order of pairs, as positions among the factors left, with each product behind the others; nil for
// left to right.
func (e *einsum) path() [][2]int {
	if len(e.factors) < 3 || len(e.factors) > maxPathFactors {
		return nil
	}
	s := pathSearch{size: e.size, result: 1<<e.out - 1, best: math.Inf(1)}
	var axes []uint64
	for _, f := range e.factors {
		axes = append(axes, f.axes)
	}
	s.try(axes, nil, 0)
	return s.path
}

// pathSearch tries every order, as opt_einsum's optimal does: of equally cheap ones the first found stays.
type pathSearch struct {
	size   []int64
	result uint64
	best   float64
	path   [][2]int
}

func (s *pathSearch) try(factors []uint64, path [][2]int, spent float64) {
	if len(factors) == 1 {
		s.best, s.path = spent, slices.Clone(path)
		return
	}
	for i := range factors {
		for j := i + 1; j < len(factors); j++ {
			var rest []uint64
			needed := s.result
			for k, f := range factors {
				if k != i && k != j {
					rest, needed = append(rest, f), needed|f
				}
			}
			a, b := factors[i], factors[j]
			cost := s.volume(a | b)
			if a&b&^needed != 0 { // a sum costs an addition for each multiplication
				cost *= 2
			}
			if total := spent + float64(cost); total < s.best {
				s.try(append(rest, (a|b)&needed), append(path, [2]int{i, j}), total)
			}
		}
	}
}

// volume is the product of the sizes of some axes.
func (s *pathSearch) volume(axes uint64) float64 {
	v := 1.0
	for ; axes != 0; axes &= axes - 1 {
		v *= float64(s.size[bits.TrailingZeros64(axes)])
	}
	return v
}
