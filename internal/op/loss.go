package op

// logSoftmax is torch.log_softmax as cross_entropy calls it: in the width of what arrives, which it asks for itself, so that autocast does not.
var logSoftmax = &Op{Name: "log_softmax", Saves: savesOutput, Bound: ByReduction, Forward: 1, Back: 1}

// nllLoss is torch.nll_loss: it saves what arrives, and its gradient is a tensor of zeros and of one number for each target.
var nllLoss = &Op{
	Name:     "nll_loss",
	Autocast: Widens,
	Saves: func(_ *Step, save *Saved) {
		save.Input(0)
		save.Input(1)
	},
	Fits:    func(s *Step) bool { return len(s.In) == 2 && s.output().Elems() == 1 },
	Forward: 1, Back: 2,
}

// CrossEntropy is torch.nn.functional.cross_entropy of logits and targets.
func CrossEntropy(p *Program, logits, targets Value) Value {
	shares := p.do(logSoftmax, Tensor{Shape: p.Shape(logits)}, logits).Out
	return NLLLoss(p, shares, targets)
}

// NLLLoss is torch.nn.functional.nll_loss of the logarithms of probabilities.
func NLLLoss(p *Program, shares, targets Value) Value {
	return p.do(nllLoss, Tensor{Shape: []int64{}, Shared: true}, shares, targets).Out
}
