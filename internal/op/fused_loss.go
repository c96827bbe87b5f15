package op

// fusedLoss is the fused_linear_cross_entropy of Liger: the last linear layer and its loss in pieces of the rows. The gradients of what the map reads
// are computed piece by piece in the forward pass, and the backward pass hands them on. Its bytes were not measured.
var fusedLoss = &Op{
	Name:  "fused_linear_cross_entropy",
	Saves: func(_ *Step, save *Saved) { save.Further() },
	Backward: func(s *Step, g *Gradients) {
		for k := range s.Kept {
			g.Hands(k)
		}
	},
	Fits: func(s *Step) bool { return s.output().Elems() == 1 },
	Workspace: func(s *Step, batch, width int64) int64 {
		logit := 4 * width // as cross_entropy: the logit, the logarithm of its share, and the gradients of both
		if s.Program.Precision.Autocast {
			logit = 2*2 + 2*4
		}
		rows, features, classes := s.N[0]*batch, max(1, s.N[1]), s.N[2]
		pieces := max(1, (classes+features-1)/features) // the rule of Liger: a piece of the logits is as large as what the map reads
		return min((rows+pieces-1)/pieces*classes, MostElems) * logit
	},
	Forward: 1, Back: 1,
}

// FusedLoss is the cross-entropy of a linear layer of x, without its logits in memory at once. The weights have gradients where they are trained.
func FusedLoss(p *Program, x, weight, bias, targets Value, trained bool) Value {
	w := p.Shape(weight)
	in := []Value{x, weight}
	if bias != None {
		in = append(in, bias)
	}
	s := p.do(fusedLoss, Tensor{Shape: []int64{}, Shared: true}, append(in, targets)...)
	s.N = [5]int64{p.Elems(x) / max(1, w[1]), w[1], w[0]}
	p.keep(s, Float, false, p.Shape(x)...)
	if trained {
		for _, v := range in[1:] {
			p.keep(s, Float, true, p.Shape(v)...)
		}
	}
	return s.Out
}
