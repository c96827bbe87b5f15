package op

// Stored is how the weight of a linear layer lies in memory, where it is not in floats. Such a weight is not trained.
type Stored uint8

// The kinds, as bitsandbytes has them (functional.quantize_4bit of 0.50).
const (
	InFloats  Stored = iota
	NF4              // 4 bits, and a 32-bit scale for every 64 of them; FP4 takes the same
	NF4Double        // the same with 8-bit scales, for every 256 of which there is a 32-bit one, and their mean
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
	Forward:   2, Back: 2,
}

// LinearStored is Linear with a weight that is not in floats: bitsandbytes' Linear4bit, which computes in 16 bits and gives what it reads the width of.
func LinearStored(p *Program, x, weight, bias Value, q Stored) Value {
	p.Tensors[weight].Stored = q
	own := p.Width(x)
	x = To(p, x, 2)
	shape, w := p.Shape(x), p.Shape(weight)
	in := []Value{x, weight, bias}
	if bias == None {
		in = in[:2]
	}
	s := p.do(linear4, Tensor{Shape: p.dimensions(shape[:len(shape)-1], w[0]), DType: Float16}, in...)
	s.N = [5]int64{p.Elems(x) / max(1, w[1]), w[1], w[0]}
	return To(p, s.Out, own)
}
