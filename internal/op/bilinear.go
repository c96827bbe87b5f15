package op

// bilinear is torch.bilinear, which runs _trilinear on both inputs and the weight: it saves all three. Each
// gradient is a sum of products that are made of two of them and the result's.
var bilinear = &Op{
	Name: "bilinear",
	Saves: func(_ *Step, save *Saved) {
		save.Input(0)
		save.Input(1)
		save.Input(2)
	},
	Fits: func(s *Step) bool {
		w := s.input(2).Shape
		return s.input(0).Elems()/w[1] == s.output().Elems()/w[0] && s.input(1).Elems()/w[2] == s.output().Elems()/w[0]
	},
	Forward: 3, Back: 9,
}

// Bilinear is a product of two inputs with a weight of (out, first, second), and a bias where there is one.
func Bilinear(p *Program, x, y, weight, bias Value) Value {
	shape := append([]int64{}, p.Shape(x)...)
	shape[len(shape)-1] = p.Shape(weight)[0]
	out := p.do(bilinear, Tensor{Shape: shape}, x, y, weight).Out
	if bias == None {
		return out
	}
	return Add(p, out, bias)
}
