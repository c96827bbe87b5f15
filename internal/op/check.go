package op

import (
	"fmt"
	"math"
	"slices"

	"github.com/modelverifier/verifier/internal/quantity"
)

// Check says which step of a program cannot run: one that reads a tensor before it is made, or whose result has
// another shape than its inputs give.
func (p *Program) Check() error {
	made := make([]bool, len(p.Tensors))
	for v := range p.Tensors {
		made[v] = p.Tensors[v].Role != Made
	}
	for k := range p.Steps {
		s := &p.Steps[k]
		for _, v := range s.In {
			if v < 0 || int(v) >= len(made) || !made[v] {
				return fmt.Errorf("step %d, %s, reads tensor %d, which is not made yet", k, s.Op.Name, v)
			}
		}
		if !s.fits() {
			return fmt.Errorf("step %d, %s, cannot give %v of %v", k, s.Op.Name, s.output().Shape, s.shapes())
		}
		made[s.Out] = true
		for _, v := range s.Kept {
			made[v] = true
		}
	}
	if p.Out < 0 || int(p.Out) >= len(made) || !made[p.Out] {
		return fmt.Errorf("the result, tensor %d, is not made", p.Out)
	}
	return nil
}

func (s *Step) fits() bool {
	if s.Op.Fits != nil {
		return s.Op.Fits(s)
	}
	return len(s.In) > 0 && slices.Equal(s.input(0).Shape, s.output().Shape)
}

func (s *Step) shapes() (all [][]int64) {
	for k := range s.In {
		all = append(all, s.input(k).Shape)
	}
	return all
}

// FLOPs is the sum of its steps, for one sample.
func (p *Program) FLOPs() (sum int64) {
	for k := range p.Steps {
		if s := &p.Steps[k]; s.Op.FLOPs != nil {
			sum = sumOf(sum, s.Op.FLOPs(s))
		}
	}
	return sum
}

// countOf is a product of counts, and sumOf the sum of two. One that does not fit in 64 bits stops at the largest number: who reports counts has
// said before that such a one is not known.
func countOf(counts ...int64) int64 {
	n, ok := quantity.Mul(counts...)
	if !ok {
		return math.MaxInt64
	}
	return n
}

func sumOf(a, b int64) int64 {
	n, ok := quantity.Add(a, b)
	if !ok {
		return math.MaxInt64
	}
	return n
}

// Bytes is the size of a tensor for a batch, where floats have 32 bits.
func (t *Tensor) Bytes(batch int64) int64 {
	if t.Shared {
		batch = 1
	}
	return t.RoundUp(batch * t.Elems() * t.DType.Bytes())
}

// RoundUp is what so many bytes come to.
func (t *Tensor) RoundUp(n int64) int64 {
	if t.Round > 0 {
		n = (n + t.Round - 1) / t.Round * t.Round
	}
	return n
}

// Bytes is the size of an element, where floats have 32 bits.
func (d DType) Bytes() int64 {
	switch d {
	case Int64, Complex64:
		return 8
	case Float16:
		return 2
	case Byte:
		return 1
	}
	return 4
}

// IsFloat reports whether gradients are computed for such elements.
func (d DType) IsFloat() bool { return d <= Float32 || d == Complex64 }
