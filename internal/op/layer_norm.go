package op

// layerNorm is torch.nn.functional.layer_norm over the last axes: it saves what arrived, and the mean and the reciprocal root of each group.
var layerNorm = &Op{
	Name:     "layer_norm",
	Autocast: Widens,
	Saves: func(s *Step, save *Saved) {
		save.Input(0)
		save.Further()
		if len(s.In) > 1 {
			save.Input(1)
		}
	},
	Backward: func(s *Step, g *Gradients) {
		if x := s.input(0); x.Strided {
			g.Holds(x.Elems(), Float, x.Shared)
		}
		for k := range s.In {
			g.New(k)
		}
	},
	Workspace: func(s *Step, batch, width int64) int64 {
		if x := s.input(0); x.Strided { // the kernel takes a copy in the order of the axes
			return x.Elems() * batch * width
		}
		return 0
	},
	Bound:   ByReduction,
	Forward: 1, Back: 3,
}

// layerNormAsIs is the same where autocast is turned off.
var layerNormAsIs = &Op{Name: layerNorm.Name, Autocast: Follows, Saves: layerNorm.Saves, Backward: layerNorm.Backward, Workspace: layerNorm.Workspace, Bound: ByReduction, Forward: 1, Back: 3}

// LayerNormAsIs is a layer norm in the width that arrives, whatever autocast asks for.
func LayerNormAsIs(p *Program, x Value, group int64, affine ...Value) Value {
	return normalise(p, layerNormAsIs, x, group, affine)
}

// LayerNorm normalises groups of so many elements, with a weight and a bias where there are some.
func LayerNorm(p *Program, x Value, group int64, affine ...Value) Value {
	return normalise(p, layerNorm, x, group, affine)
}

func normalise(p *Program, o *Op, x Value, group int64, affine []Value) Value {
	in := [3]Value{x}
	s := p.do(o, Tensor{Shape: p.Shape(x)}, in[:1+copy(in[1:], affine)]...)
	groups := p.Elems(x) / max(1, group)
	p.keep(s, Float32, p.Tensors[x].Shared, groups)
	p.keep(s, Float32, p.Tensors[x].Shared, groups)
	return s.Out
}
