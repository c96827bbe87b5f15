package op

// cudnnRNN is torch._cudnn_rnn, a recurrent layer of all steps. It saves the sequence, the weights, the result,
// the states that it began with and cuDNN's reserve. cuDNN takes the steps in front of the batch: both passes
// copy what lies otherwise.
var cudnnRNN = &Op{
	Name:     "_cudnn_rnn",
	Autocast: Lowers,
	Saves: func(s *Step, save *Saved) {
		for k := range s.In {
			save.Input(k)
		}
		save.Output()
		save.Further()
	},
	Backward: func(s *Step, g *Gradients) {
		x, out := s.input(0), s.output()
		g.Holds(out.Elems(), Float, false)
		g.Holds(x.Elems(), Float, false)
		g.New(0)
		g.Passing(rnnSpace(s, g.Batch, g.Width))
		for k := 1; k < len(s.In); k++ {
			g.New(k)
		}
	},
	Workspace: func(s *Step, batch, width int64) int64 {
		return s.input(0).Elems()*batch*width + rnnSpace(s, batch, width)
	},
	FLOPs: func(s *Step) int64 {
		sum := int64(0)
		for k := 1; k < len(s.In); k++ {
			if w := s.input(k); len(w.Shape) > 2 { // one for each layer: a matrix, not a bias
				sum = sumOf(sum, countOf(2, s.N[0], w.Elems()))
			}
		}
		return sum
	},
	Fits:  func(s *Step) bool { return len(s.output().Shape) == 2 && s.output().Shape[0] == s.input(0).Shape[0] },
	Bound: ByStep,
	Serial: func(s *Step) int64 { // a layer has a matrix for what arrives, and one for its state
		matrices := int64(0)
		for k := 1; k < len(s.In); k++ {
			if w := s.input(k); len(w.Shape) > 2 {
				matrices += w.Shape[0]
			}
		}
		return s.N[0] * max(1, matrices/2)
	},
	Forward: 1, Back: 2,
}

// What cuDNN needs while either pass runs, as seen on an H200 with LSTM and GRU of one layer and of three: five
// times the results of all steps, and some for each direction. Its kernels for narrow layers copy the sequence
// and, where there are two directions, the results too; the sequence twice where it has more features than the
// results (three runs).
const (
	rnnResults      = 5
	rnnDirection    = 7 << 20
	narrowFeatures  = 256
	narrowDirection = 9 << 20
)

// rnnSpace is those bytes.
func rnnSpace(s *Step, batch, width int64) int64 {
	directions, hidden := s.N[1], s.N[2]
	x, results := s.input(0).Elems()*batch*width, s.output().Elems()*batch*width
	if hidden <= narrowFeatures {
		if s.input(0).Shape[1] > hidden {
			x *= 2
		}
		return (rnnResults+2*(directions-1))*results + x + directions*narrowDirection
	}
	return rnnResults*results + directions*rnnDirection
}

// Reserve is what cuDNN keeps of a recurrent layer: its parts are of floats and rounded up to so many bytes,
// and dropout has bits.
type Reserve struct {
	Floats []int64 // elements of each part
	Round  int64
	Head   int64 // bytes
	Bits   int64 // bytes of dropout's mask
}

// reserve keeps what cuDNN does in training.
func (p *Program) reserve(s *Step, r Reserve) {
	for _, n := range r.Floats {
		p.keep(s, Float, false, n)
		p.Tensors[s.Kept[len(s.Kept)-1]].Round = r.Round
	}
	if r.Bits > 0 {
		p.keep(s, Byte, false, r.Bits)
	}
	p.keep(s, Byte, true, r.Head)
}

// RNN is a recurrent layer over the steps of x, with weights of (layers, …), that gives so many features in
// each direction and begins with states of zeros.
func RNN(p *Program, x Value, features, directions int64, weights []Value, states []int64, r Reserve) Value {
	steps := p.Shape(x)[0]
	s := p.do(cudnnRNN, Tensor{Shape: []int64{steps, directions * features}}, append([]Value{x}, weights...)...)
	s.N = [5]int64{steps, directions, features}
	for _, n := range states {
		p.keep(s, Float, false, n)
	}
	if !p.Eval {
		p.reserve(s, r)
	}
	if p.Precision.Weights == 2 { // module.to(torch.bfloat16) leaves the weights apart, and cuDNN wants them in one piece
		flat := int64(0)
		for _, w := range weights {
			flat += p.Elems(w)
		}
		p.keep(s, Float, true, flat)
	}
	p.Tensors[s.Out].Strided = steps > 1
	return s.Out
}
