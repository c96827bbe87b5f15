package op

import "github.com/modelverifier/verifier/internal/quantity"

// Keeps is what autograd saves of a program in 32-bit floats where all floats that arrive need gradients, each storage once.
type Keeps struct {
	In  []bool // by input: whether its storage is saved
	Out bool   // whether the result's storage is
	New int64  // bytes of what is neither, nor a weight or a buffer; -1 where they do not fit in 64 bits
}

// Keeps counts for a batch.
func (p *Program) Keeps(batch int64) Keeps { return p.KeepsIn(batch, make([]bool, len(p.In))) }

// KeepsIn is the same, with a list for the inputs.
func (p *Program) KeepsIn(batch int64, in []bool) Keeps {
	keeps := Keeps{In: in}
	for _, v := range p.Saved() {
		switch t := &p.Tensors[v]; {
		case t.Role == Arrives:
			keeps.In[t.Index] = true
		case v == p.Tensors[p.Out].Base:
			keeps.Out = true
		case t.Role == Made && keeps.New >= 0:
			keeps.New = plus(keeps.New, t.exactBytes(batch))
		}
	}
	return keeps
}

// Saved is each storage that autograd saves where all floats that arrive need gradients, once: the tensor that is not a view. Weights and buffers are
// among them. The list is good until the next.
func (p *Program) Saved() []Value {
	n := len(p.Tensors)
	if cap(p.marks) < 2*n {
		p.marks = make([]bool, 2*n)
	}
	p.marks, p.saved = p.marks[:2*n], p.saved[:0]
	clear(p.marks)
	needs, seen := p.marks[:n], p.marks[n:]
	for v := range p.Tensors {
		t := &p.Tensors[v]
		needs[v] = t.Role == Weight || t.Role == Arrives && t.DType == Float
	}
	for k := range p.Steps {
		p.savedBy(&p.Steps[k], needs, seen)
	}
	return p.saved
}

// savedBy adds what autograd saves of a step, and notes whether its result needs a gradient.
func (p *Program) savedBy(s *Step, needs, seen []bool) {
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
	p.saves.Begin(bits)
	s.Op.Saves(s, &p.saves)
	for k, v := range s.In {
		if p.saves.In>>k&1 == 1 {
			p.save(v, seen)
		}
	}
	if p.saves.Out {
		p.save(s.Out, seen)
	}
	if p.saves.Kept {
		for _, v := range s.Kept {
			p.save(v, seen)
		}
	}
}

func (p *Program) save(v Value, seen []bool) {
	if base := p.Tensors[v].Base; !seen[base] {
		seen[base] = true
		p.saved = append(p.saved, base)
	}
}

// exactBytes is the size of a tensor for a batch where floats have 32 bits, -1 where it does not fit in 64 bits.
func (t *Tensor) exactBytes(batch int64) int64 {
	if t.Elems() < MostElems {
		return t.Bytes(batch)
	}
	elems, ok := quantity.Mul(t.Shape...)
	if !t.Shared && ok {
		elems, ok = quantity.Mul(elems, batch)
	}
	if n, fits := quantity.Mul(elems, t.DType.Bytes()); ok && fits {
		return n
	}
	return -1
}

// plus adds two sizes, of which either may be -1.
func plus(a, b int64) int64 {
	if sum, ok := quantity.Add(a, b); ok && b >= 0 {
		return sum
	}
	return -1
}

// Softmaxes reports whether a step is a softmax.
func (s *Step) Softmaxes() bool { return s.Op == softmax || s.Op == softmaxIn || s.Op == safeSoftmax }

// Attends reports whether a step reads queries, keys or values: a kernel of attention, or a product of as many matrices as there are heads.
func (s *Step) Attends() bool {
	switch s.Op {
	case cudnnAttention, cudnnOfHeads, flashAttention, efficientAttention, bmm, exactBMM:
		return true
	}
	return false
}
