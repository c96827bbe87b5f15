package op

// fusedRMSNorm is torch's kernel: it saves what arrived and the reciprocal root of each group.
var fusedRMSNorm = &Op{Name: "_fused_rms_norm", Saves: layerNorm.Saves, Bound: ByReduction, Forward: 1, Back: 2}

// stridedRMSNorm is the same of what does not lie in order: both passes copy what arrived, and the backward pass its
// gradient.
var stridedRMSNorm = &Op{
	Name:  "_fused_rms_norm",
	Saves: layerNorm.Saves,
	Backward: func(s *Step, g *Gradients) {
		for range 2 {
			g.Holds(s.output().Elems(), Float, s.output().Shared)
		}
		for k := range s.In {
			g.New(k)
		}
	},
	Workspace: func(s *Step, batch, width int64) int64 { return s.output().Elems() * batch * width },
	Bound:     ByReduction,
	Forward:   2, Back: 4,
}

// RMSNorm is torch.nn.functional.rms_norm over groups of so many elements, with a weight where there is one. The
// kernel takes a weight as wide as what arrives; for another the norm is computed by single operations in 32 bits
// (rms_norm_symint of layer_norm.cpp).
func RMSNorm(p *Program, x, weight Value, group int64) Value {
	return rmsNorm(p, fusedRMSNorm, x, weight, group)
}

// RMSNormOfStrided is RMSNorm of a view that does not lie in order, as heads between positions. Its result does.
func RMSNormOfStrided(p *Program, x, weight Value, group int64) Value {
	return rmsNorm(p, stridedRMSNorm, x, weight, group)
}

func rmsNorm(p *Program, kernel *Op, x, weight Value, group int64) Value {
	groups := p.Elems(x) / max(1, group)
	if weight == None || p.Width(weight) == p.Width(x) {
		in := []Value{x}
		if weight != None {
			in = append(in, weight)
		}
		s := p.do(kernel, Tensor{Shape: p.Shape(x)}, in...)
		p.keep(s, Float32, p.Tensors[x].Shared, groups)
		return s.Out
	}
	wide := To(p, x, 4)
	shape := append([]int64{}, p.Shape(x)...)
	for k, n := len(shape)-1, int64(1); k >= 0 && n < group; k-- {
		n, shape[k] = n*shape[k], 1
	}
	root := WideOfOutput(p, Mean(p, Pow(p, wide), shape...))
	scaled := Mul(p, Mul(p, wide, root), weight)
	return To(p, scaled, p.Width(x))
}
