package op

// batchNorm is torch.batch_norm in training, which gives the dtype of its input, whatever that of its weight. It
// saves the input, save_mean and save_invstd of each channel, and of its further inputs all but the bias.
var batchNorm = &Op{
	Name:     "batch_norm",
	Autocast: Follows,
	Saves: func(s *Step, save *Saved) {
		save.Input(0)
		save.Further()
		for k := 1; k < len(s.In); k++ {
			if k != int(s.N[0]) {
				save.Input(k)
			}
		}
	},
	Bound:   ByReduction,
	Forward: 1, Back: 2,
}

// Affine is the weight and the bias of a normalisation, or None.
type Affine struct{ Weight, Bias Value }

// BatchNorm normalises so many channels: over the batch, or of each sample where they are not shared.
func BatchNorm(p *Program, x Value, channels int64, shared bool, a Affine, running ...Value) Value {
	in, bias := append(make([]Value, 0, 5), x), 0 // as many as there can be, so that they need no memory of their own
	if a.Weight != None {
		in, bias = append(in, a.Weight, a.Bias), 2
	}
	s := p.do(batchNorm, Tensor{Shape: p.Shape(x)}, append(in, running...)...)
	s.N[0] = int64(bias)
	if p.Eval { // running statistics
		return s.Out
	}
	p.keep(s, Float32, shared, channels)
	p.keep(s, Float32, shared, channels)
	return s.Out
}
