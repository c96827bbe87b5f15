package op

// view looks at the storage of a tensor otherwise: view, transpose, slice, expand.
var view = &Op{
	Name: "view",
	View: true,
	Backward: func(s *Step, g *Gradients) {
		if s.input(0).Elems() == s.output().Elems() {
			g.Same(0)
		} else {
			g.New(0) // a part: zeros around it; of what was expanded: a sum
		}
	},
	Fits: func(s *Step) bool {
		in, out := s.input(0).Elems(), s.output().Elems()
		return out <= in || out%in == 0
	},
}

// fitsElems holds a result to as many elements as arrive.
func fitsElems(s *Step) bool { return s.input(0).Elems() == s.output().Elems() }

// View is a tensor of another shape in the same storage.
func View(p *Program, x Value, shape ...int64) Value {
	return p.do(view, Tensor{Shape: shape, DType: p.Tensors[x].DType}, x).Out
}

// Permuted is a view with the axes in another order, behind which what gave the tensor makes the gradient contiguous by itself.
func Permuted(p *Program, x Value, shape ...int64) Value {
	v := View(p, x, shape...)
	p.Tensors[v].Strided = true
	return v
}

// Strided reports whether a tensor does not lie in the order of its axes.
func (p *Program) Strided(v Value) bool { return p.Tensors[v].Strided }

// Lies says that a tensor lies in memory as another does.
func (p *Program) Lies(v, as Value) { p.Tensors[v].Strided = p.Tensors[as].Strided }

// alive does nothing but to read a tensor.
var alive = &Op{Name: "alive", View: true, Backward: func(*Step, *Gradients) {}, Fits: fitsElems}

// Alive keeps a tensor until here: the caller of a module has a name for its argument until the module returns. That
// matters where autograd saves nothing, as under torch.utils.checkpoint.
func Alive(p *Program, x Value) {
	p.do(alive, Tensor{Shape: p.Shape(x), DType: p.Tensors[x].DType}, x)
}

// contiguous lays a tensor out anew.
var contiguous = &Op{
	Name:     "contiguous",
	Backward: func(_ *Step, g *Gradients) { g.Same(0) },
	Fits:     func(s *Step) bool { return s.output().Elems()%s.input(0).Elems() == 0 },
	Forward:  1,
}

// Contiguous copies a view into storage of its own.
func Contiguous(p *Program, x Value, shape ...int64) Value {
	return p.do(contiguous, Tensor{Shape: shape, DType: p.Tensors[x].DType}, x).Out
}

var returned = &Op{Name: "return", View: true, Returns: true, Backward: func(*Step, *Gradients) {}, Fits: fitsElems}

// Returned is what a module returns beside its result, as the weights of attention: the layer that called it has a name for that until it returns.
// That matters in use, where autograd saves nothing.
func Returned(p *Program, x Value) {
	if p.Eval {
		p.do(returned, Tensor{Shape: p.Shape(x), DType: p.Tensors[x].DType}, x)
	}
}
