package op

import (
	"fmt"
	"slices"
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
			sum += s.Op.FLOPs(s)
		}
	}
	return sum
}

// Keeps is what autograd saves of a program in 32-bit floats where all floats that arrive need gradients, each
// storage once.
type Keeps struct {
	In  []bool // by input: whether its storage is saved
	Out bool   // whether the result's storage is
	New int64  // bytes of what is neither, nor a weight or a buffer
}

// Keeps counts for a batch.
func (p *Program) Keeps(batch int64) Keeps {
	keeps := Keeps{In: make([]bool, len(p.In))}
	needs, seen := make([]bool, len(p.Tensors)), make([]bool, len(p.Tensors))
	for v := range p.Tensors {
		t := &p.Tensors[v]
		needs[v] = t.Role == Weight || t.Role == Arrives && t.DType == Float
	}
	save := func(v Value) {
		base := p.Tensors[v].Base
		if seen[base] {
			return
		}
		seen[base] = true
		switch t := &p.Tensors[base]; {
		case t.Role == Arrives:
			keeps.In[t.Index] = true
		case base == p.Tensors[p.Out].Base:
			keeps.Out = true
		case t.Role == Made:
			keeps.New += t.Bytes(batch)
		}
	}
	for k := range p.Steps {
		p.Steps[k].keeps(needs, save)
	}
	return keeps
}

// keeps calls save with what autograd saves of a step, and notes whether its result needs a gradient.
func (s *Step) keeps(needs []bool, save func(Value)) {
	bits := uint64(0)
	for k, v := range s.In {
		if needs[v] {
			bits |= 1 << k
		}
	}
	if s.Op.Detaches {
		bits = 0
	}
	needs[s.Out] = bits != 0 && s.output().DType.IsFloat()
	if bits == 0 || s.Op.Saves == nil {
		return
	}
	var saved Saved
	saved.Begin(bits)
	s.Op.Saves(s, &saved)
	for k, v := range s.In {
		if saved.In>>k&1 == 1 {
			save(v)
		}
	}
	if saved.Out {
		save(s.Out)
	}
	if saved.Kept {
		for _, v := range s.Kept {
			save(v)
		}
	}
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
