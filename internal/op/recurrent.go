package op

// cudnnRNN is torch._cudnn_rnn, a recurrent layer of all steps. It saves the sequence, the weights, the result,
// the states that it began with and cuDNN's reserve. cuDNN takes the steps in front of the batch: both passes
// copy what lies otherwise.
var cudnnRNN = &Op{
	Name:     "_cudnn_rnn",
	Autocast: Lowers,
	Half:     true, // _cudnn_rnn_cast_reflatten in aten/src/ATen/cudnn/AutocastRNN.cpp
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
		for k := 1; k < len(s.In); k++ {
			g.New(k)
		}
		g.Passing(rnnSpace(s, g.Batch, g.Width, true))
	},
	Workspace: func(s *Step, batch, width int64) int64 {
		return s.input(0).Elems()*batch*width + rnnSpace(s, batch, width, false)
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

// What cuDNN takes while either pass of a layer runs beside a copy of the sequence, in results of all steps: read off 933 layers of
// LSTM, GRU and plain RNN on an H200 with cuDNN 9.19, within 1 to 4 % of most (truth/workspaces-rnn.jsonl.gz).
const (
	rnnDirection    = 8 << 20 // bytes for each direction
	rnnStandard     = 3
	rnnShort        = 256 // steps of an LSTM that takes the results once more: seen with 16 to 256, and not with 400 or 500
	rnnTwoWays      = 6   // of an LSTM, and one less of the others
	rnnKeptLSTM     = 21
	rnnKeptGRU      = 17
	rnnKeptPlain    = 12
	rnnKeptTwoWays  = 14 // of an LSTM; 12 of the others
	gatesLSTM       = 4
	gatesPlain      = 1
	rnnStaticMost   = 1024 // features of a layer whose weights stay in registers,
	rnnStaticOf     = 128  // which have to be a multiple of this,
	rnnStaticBatch  = 8    // and its batch of this,
	rnnStaticImages = 128  // up to so many
)

// rnnLayer is a recurrent layer as cuDNN's choice depends on it.
type rnnLayer struct {
	features, in, gates, directions, layers, batch int64
	steps                                          int64
	half                                           bool // it runs in fp16, as autocast has it run whatever its own type
	width                                          int64
}

// static reports whether PyTorch asks for CUDNN_RNN_ALGO_PERSIST_STATIC (use_persist_common_heuristics and
// use_persist_device_heuristics in aten/src/ATen/native/cudnn/RNN.cpp).
func (r *rnnLayer) static() bool {
	common := r.layers == 1 && r.directions == 1 && r.features <= rnnStaticMost && r.features%rnnStaticOf == 0 && r.in%rnnStaticOf == 0
	return r.half && common && (r.gates == gatesLSTM || r.gates == gatesPlain) && r.batch%rnnStaticBatch == 0 && r.batch <= rnnStaticImages
}

// small reports whether it asks for CUDNN_RNN_ALGO_PERSIST_STATIC_SMALL_H (use_rnn_persist_small_h), which bf16 does not have.
func (r *rnnLayer) small(back bool) bool {
	most := int64(192)
	if back {
		most = 128
	}
	if r.gates == gatesPlain {
		most *= 2
	}
	return (r.half || r.width == 4) && r.gates > 0 && r.features <= most
}

// space is the bytes that a pass takes, of a sequence, results and weights of so many.
func (r *rnnLayer) space(back bool, x, results, weights int64) int64 {
	persistent := r.static() || r.small(back)
	lstm := r.gates == gatesLSTM
	times, further := int64(rnnStandard), 2*x+max(results, x)
	switch {
	case r.directions > 1:
		times, further = rnnTwoWays, x+max(results, 2*x)
		if persistent {
			times = rnnKeptTwoWays
		}
		if !lstm && persistent {
			times -= 2
		} else if !lstm {
			times--
		}
	case persistent && lstm:
		times, further = rnnKeptLSTM, x
	case persistent && r.gates == gatesPlain:
		times = rnnKeptPlain
	case persistent:
		times = rnnKeptGRU
	case lstm && r.steps <= rnnShort:
		further = max(further, 2*results+x)
	}
	return times*results + further + weights + r.directions*rnnDirection
}

// rnnSpace is what a pass of a step takes.
func rnnSpace(s *Step, batch, width int64, back bool) int64 {
	weights, matrices := int64(0), int64(0)
	for k := 1; k < len(s.In); k++ {
		w := s.input(k)
		if weights += w.Elems(); len(w.Shape) > 2 {
			matrices += w.Shape[0]
		}
	}
	directions := max(1, s.N[1])
	r := rnnLayer{features: max(1, s.N[2]), in: s.input(0).Shape[1], gates: s.N[3], directions: directions,
		layers: matrices / 2 / directions, batch: batch, steps: s.N[0], half: s.N[4] == 1, width: width}
	return r.space(back, s.input(0).Elems()*batch*width, s.output().Elems()*batch*width, weights*width)
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
	gates := int64(0)
	if w := p.Shape(weights[0]); len(w) > 2 && w[1]%max(1, features) == 0 {
		gates = w[1] / max(1, features)
	}
	s.N = [5]int64{steps, directions, features, gates, flag(p.Precision.Autocast)}
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
