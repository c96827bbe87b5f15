package op

// opaque is a module of which nobody knows what it runs: it saves what it reads. A product is as wide as products are.
var (
	opaque        = &Op{Name: "module", Saves: savesAll, Fits: fitsAny, Forward: 1, Back: 1}
	opaqueProduct = &Op{Name: "product", Autocast: Lowers, Saves: savesAll, Fits: fitsAny, Forward: 1, Back: 1}
	moved         = &Op{Name: "moved", Fits: fitsAny, Forward: 1, Back: 1}
)

func savesAll(s *Step, save *Saved) {
	for k := range s.In {
		save.Input(k)
	}
}

// Opaque is the result of such a module.
func Opaque(p *Program, shape []int64, ints, product bool, in ...Value) Value {
	o, result := opaque, Tensor{Shape: shape}
	if product {
		o = opaqueProduct
	}
	if ints {
		result.DType = Int64
	}
	return p.do(o, result, in...).Out
}

// Moved is elements of what arrives in another order, or sums of them: it saves nothing.
func Moved(p *Program, shape []int64, in ...Value) Value {
	return p.do(moved, Tensor{Shape: shape}, in...).Out
}

// where is torch.where: it saves which of the two was taken.
var where = &Op{
	Name:    "where",
	Saves:   func(_ *Step, save *Saved) { save.Input(0) },
	Fits:    fitsBroadcast,
	Forward: 1, Back: 2,
}

// Where takes x where flags are set and y elsewhere.
func Where(p *Program, flags, x, y Value) Value {
	return p.do(where, Tensor{Shape: broadcast(p, x, y)}, flags, x, y).Out
}
