package op

// groupNorm is torch.group_norm: like layer_norm, but its means and roots are as wide as its result.
var groupNorm = &Op{Name: "group_norm", Autocast: Widens, Saves: layerNorm.Saves, Bound: ByReduction, Forward: 2, Back: 3}

// GroupNorm normalises so many groups of the channels of each sample, with a weight and a bias where there are some.
func GroupNorm(p *Program, x Value, groups int64, affine ...Value) Value {
	s := p.do(groupNorm, Tensor{Shape: p.Shape(x)}, append([]Value{x}, affine...)...)
	p.keep(s, Float, p.Tensors[x].Shared, groups)
	p.keep(s, Float, p.Tensors[x].Shared, groups)
	return s.Out
}
