package op

// Stored is how the weight of a linear layer lies in memory, where it is not in floats. Such a weight is not trained.
type Stored uint8

// The kinds, as bitsandbytes has them (functional.quantize_4bit of 0.50).
const (
	InFloats  Stored = iota
	NF4              // 4 bits, and a 32-bit scale for every 64 of them; FP4 takes the same
	NF4Double        // the same with 8-bit scales, for every 256 of which there is a 32-bit one, and their mean
	Int8             // 8 bits, and a 32-bit scale for every row (LLM.int8)
)

// What has a scale together, and what the allocator rounds a small tensor up to. A 4-bit weight has a table of 16 floats of its own.
const (
	scaledNF4  = 64
	scaledTwo  = 256
	smallBlock = 512
)

// Bytes is what a weight of such a shape takes with its scales, each of which is a tensor of its own.
func (q Stored) Bytes(shape []int64) int64 {
	n := elems(shape)
	blocks := over(n, scaledNF4)
	switch q {
	case NF4:
		return blocked(over(n, 2)) + blocked(4*blocks) + smallBlock
	case NF4Double:
		return blocked(over(n, 2)) + blocked(blocks) + blocked(4*over(blocks, scaledTwo)) + 2*smallBlock
	case Int8:
		return blocked(n) + blocked(4*shape[0])
	}
	return 4 * n
}

func over(n, by int64) int64 { return (n + by - 1) / by }

func blocked(bytes int64) int64 { return over(bytes, smallBlock) * smallBlock }

// linear4 is matmul_4bit of bitsandbytes: the weight is brought back to 16 bits for the product, and again in the backward pass. Nothing but the
// weight is saved. Below some hundred rows a kernel multiplies without that copy, which is not followed.
var linear4 = &Op{
	Name: "matmul_4bit",
	Backward: func(s *Step, g *Gradients) {
		if g.Needs(0) {
			g.Holds(s.N[1]*s.N[2], Float16, true)
			g.New(0)
		}
	},
	Workspace: func(s *Step, _, _ int64) int64 { return 2 * s.N[1] * s.N[2] },
	FLOPs:     linear.FLOPs,
	Fits:      fitsLinear,
	Bound:     ByProduct,
	Matrix:    rowsByWeight,
	Before: func(s *Step, _, _ int64, _ bool) int64 { // dequantize_4bit reads the one and writes the other
		w := s.input(1)
		return w.Stored.Bytes(w.Shape) + 2*s.N[1]*s.N[2]
	},
	Forward: 1, Back: 1,
}

// scalesKernels are those that bring 8-bit scales back, and add their mean; dequantizeKernels the one that brings a weight back.
const (
	dequantizeKernels = 1
	scalesKernels     = 2
)

// linear8 is matmul of bitsandbytes (MatMul8bitLt with has_fp16_weights=False): rows of x are scaled to 8 bits, the product of integers is brought back
// to floats, and x stays in ctx.tensors. For the gradient of x the weight is brought back to floats as wide as x. Columns of x with a value of 6 or more
// are multiplied in floats beside it and stay too (subA): how many there are follows from the values, and none are counted.
var linear8 = &Op{
	Name: "matmul_8bit",
	Pins: true,
	Backward: func(s *Step, g *Gradients) {
		if g.Needs(0) {
			g.Holds(s.N[1]*s.N[2], Float, true)
			g.New(0)
		}
	},
	Workspace: workspace8,
	FLOPs:     linear.FLOPs,
	Fits:      fitsLinear,
	Bound:     ByProduct,
	Matrix:    rowsByWeight,
	Integers:  true,
	Waits:     true, // outliers.any()
	Before:    before8,
	Forward:   1, Back: 1,
}

// kernels8 is what the forward pass starts beside the product: casts, abs, a comparison, any, the scaling to 8 bits, and back.
const kernels8 = 7

// workspace8 is what the forward pass has beside its result. x in 16 bits and in 8, its absolutes in 16 and truth values are there at once
// (int8_vectorwise_quant); then x in 8 bits, the product in 32 and in 16 (int8_mm_dequant).
func workspace8(s *Step, batch, width int64) int64 {
	x, y := s.N[0]*s.N[1]*batch, s.N[0]*s.N[2]*batch
	return max(6*x-width*y, x+6*y)
}

// before8 is the bytes that are moved around the product of integers, and to bring the weight back in the backward pass.
func before8(s *Step, batch, width int64, back bool) int64 {
	if back {
		return (1 + 3*width) * s.N[1] * s.N[2]
	}
	x, y := s.N[0]*s.N[1]*batch, s.N[0]*s.N[2]*batch
	return (width+2+4+3+1+3)*x + (4+2+2+width)*y
}

// LinearStored is Linear with a weight that is not in floats. bitsandbytes' Linear4bit computes in 16 bits, and gives what it reads the width of.
func LinearStored(p *Program, x, weight, bias Value, q Stored) Value {
	p.Tensors[weight].Stored = q
	own := p.Width(x)
	if q != Int8 {
		x = To(p, x, 2)
	}
	shape, w := p.Shape(x), p.Shape(weight)
	in := []Value{x, weight, bias}
	if bias == None {
		in = in[:2]
	}
	o := linear4
	if q == Int8 {
		o = linear8
	}
	s := p.do(o, Tensor{Shape: p.dimensions(shape[:len(shape)-1], w[0]), DType: floatOf(p.Width(x))}, in...)
	s.N = [5]int64{p.Elems(x) / max(1, w[1]), w[1], w[0]}
	switch q {
	case Int8:
		s.Beside = kernels8
	case NF4Double:
		s.Beside = dequantizeKernels + scalesKernels
	default:
		s.Beside = dequantizeKernels
	}
	return To(p, s.Out, own)
}
