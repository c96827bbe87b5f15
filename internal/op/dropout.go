package op

// dropout is torch.nn.functional.dropout in training: it saves a byte for each element.
var dropout = &Op{Name: "dropout", Saves: savesFurther, Pointwise: true, Forward: 1, Back: 1}

func savesFurther(_ *Step, save *Saved) { save.Further() }

// Dropout drops elements at random.
func Dropout(p *Program, x Value) Value {
	if p.Eval {
		return x
	}
	s := p.do(dropout, Tensor{Shape: p.Shape(x)}, x)
	p.keep(s, Byte, p.Tensors[x].Shared, p.Shape(x)...)
	return s.Out
}

// noise multiplies by numbers that are drawn, as the dropouts of channels and those in place do. It saves them.
var (
	noise        = noiseOp("mul", false, nil, 3)
	noiseInPlace = noiseOp("mul_", true, nil, 3)
	alphaNoise   = noiseOp("alpha_dropout", false, shiftSpace, 7)
	alphaInPlace = noiseOp("alpha_dropout_", true, shiftSpace, 7)
)

func noiseOp(name string, inPlace bool, workspace func(*Step, int64, int64) int64, kernels int64) *Op {
	o := &Op{Name: name, View: inPlace, Pointwise: true, Saves: savesFurther, Forward: kernels, Back: 1}
	o.Workspace = workspace
	return o
}

// shiftSpace is what alpha_dropout adds behind the product: as large as the noise.
func shiftSpace(s *Step, batch, width int64) int64 {
	n := &s.Program.Tensors[s.Kept[0]]
	if n.Shared {
		batch = 1
	}
	return n.Elems() * batch * width
}

// Noise is what is drawn for a dropout.
type Noise struct {
	Shape   []int64
	Shared  bool // one for all samples
	InPlace bool
	Alpha   bool // something is added, too, so that mean and variance stay
}

// MulNoise multiplies by it.
func MulNoise(p *Program, x Value, n Noise) Value {
	if p.Eval {
		return x
	}
	o := [...]*Op{noise, noiseInPlace, alphaNoise, alphaInPlace}[flag(n.InPlace)+2*flag(n.Alpha)]
	s := p.do(o, Tensor{Shape: p.Shape(x)}, x)
	p.keep(s, Float, n.Shared, n.Shape...)
	return s.Out
}
