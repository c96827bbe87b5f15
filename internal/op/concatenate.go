package op

// concatenate is torch.cat: the gradient of each input is a view of a part of the result's.
var concatenate = &Op{
	Name: "cat",
	Backward: func(s *Step, g *Gradients) {
		for k := range s.In {
			g.Same(k)
		}
	},
	Fits: func(s *Step) bool {
		n, last := int64(0), int64(0)
		for k := range s.In {
			last = s.input(k).Elems()
			n += last
		}
		return n == s.output().Elems() || last == 0 && n < s.output().Elems() // the rest is joined in steps before
	},
	Forward: 1,
}

// some is a part of what a step reads that joins more than one can: it makes nothing, and hands the gradient of the whole on.
var some = &Op{Name: "cat", Backward: concatenate.Backward, Fits: fitsAny}

// mostJoined is how many tensors a step joins.
const mostJoined = 60

// Concatenate joins tensors to one of a shape.
func Concatenate(p *Program, shape []int64, in ...Value) Value {
	result := Tensor{Shape: shape}
	for len(in) > mostJoined && !p.ints(in) {
		part := p.do(some, Tensor{Shape: []int64{0}}, in[:mostJoined]...).Out
		in = append(append([]Value(nil), in[mostJoined:]...), part)
	}
	if p.ints(in) {
		result.DType = Int64
	}
	return p.do(concatenate, result, in...).Out
}
