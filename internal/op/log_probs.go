package op

// logProbs is the logarithm of the probability of one class of each row, as preference losses take it: log_softmax and gather of each sample by
// itself, and what they give stacked (selective_log_softmax of TRL for 16-bit logits). Autograd saves the logarithms of all classes, in the width of the
// logits. Going back, the gradients of the samples take the place of these one by one, and are put together in a tensor of their own.
var logProbs = &Op{
	Name:  "log_softmax",
	Saves: savesFurther,
	Backward: func(s *Step, g *Gradients) {
		g.Holds(s.input(0).Elems(), floatOf(s.Program.Width(s.In[0])), true) // what gather gives back of one sample
		g.New(0)
	},
	Fits:    func(s *Step) bool { return s.output().Elems() == 1 },
	Forward: 3, Back: 4,
}

// LogProbs is a loss of the log-probabilities of targets.
func LogProbs(p *Program, logits, targets Value) Value {
	s := p.do(logProbs, Tensor{Shape: []int64{}, Shared: true}, logits, targets)
	p.keep(s, floatOf(p.Width(logits)), false, p.Shape(logits)...)
	return s.Out
}
