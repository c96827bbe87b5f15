package op

import "math"

// Heads is the sizes of an attention.
type Heads struct {
	Queries, Keys int64 // positions
	Count         int64 // heads
	KV            int64 // heads of keys and values, for which enable_gqa is asked; 0: as many
	Features      int64 // of a head of queries and keys
	Values        int64 // of a head of values
	Dropout       float64
	Causal        bool
	Broadcast     bool // keys and values of one head meet all, and torch.matmul repeats them
	HeadFirst     bool // queries lie head by head in memory, each with all its positions
}

// Kernel is what torch.nn.functional.scaled_dot_product_attention runs.
type Kernel uint8

// The kernels, in the order in which PyTorch asks on a card of compute capability 9 (priority_order of sdp_utils.cpp).
const (
	CuDNN Kernel = iota
	Flash
	Efficient
	Math
)

// The sizes of heads that the kernels take (sdp_utils.cpp).
const (
	cudnnFeatures = 128
	flashFeatures = 256
	headAlignment = 16 // bytes
	cudnnDropout  = 16 // the probability is a multiple of 1/16
)

// Kernel is the first that takes such heads, of floats so many bytes wide.
func (h *Heads) Kernel(width int64, masked bool) Kernel {
	fits := func(features int64) bool { return features > 0 && features*width%headAlignment == 0 }
	aligned := fits(h.Features) && fits(h.Values)
	small := h.Features <= cudnnFeatures && h.Values <= cudnnFeatures || h.Features == 192 && h.Values == 128
	steps := h.Dropout * cudnnDropout
	switch {
	case width == 2 && aligned && small && h.Keys != 1 && steps == math.Trunc(steps) &&
		(h.Dropout == 0 || h.Queries != 1):
		return CuDNN
	case width == 2 && !masked && h.Features == h.Values && h.Features > 0 && h.Features <= flashFeatures &&
		(!h.Causal || h.Queries == h.Keys):
		return Flash
	case aligned && !h.grouped():
		return Efficient
	}
	return Math
}

// grouped reports whether heads of queries share those of keys and values, which the kernel for any width does not know (use_mem_efficient_attention).
func (h *Heads) grouped() bool { return h.KV > 0 && h.KV < h.Count }

func (h *Heads) flops() int64 {
	return countOf(2, h.Count, h.Queries, h.Keys, sumOf(h.Features, h.Values))
}

// savesAttention is what the fused kernels save: what arrives, the result, and one number for each head and query.
func savesAttention(s *Step, save *Saved) {
	for k := range s.In {
		save.Input(k)
	}
	save.Output()
	save.Further()
}

// fitsHeads holds queries and keys to whole heads.
func fitsHeads(s *Step) bool {
	head := s.N[1] * s.N[3]
	return head > 0 && s.input(0).Elems() == s.N[2]*head && s.input(1).Elems()%s.N[3] == 0
}

// queriesByHead is the queries of each head of each sample, with as many features.
func queriesByHead(s *Step, batch int64) Matrix {
	return Matrix{s.N[1] * batch, s.N[2], s.N[3], s.N[3]}
}

func flopsOfAttention(s *Step) int64 { return s.N[0] }

// cudnnAttention gives its result as the queries lie, and gradients as queries, keys and values do.
var cudnnAttention = &Op{
	Name:     "_scaled_dot_product_cudnn_attention",
	Autocast: Lowers,
	Saves:    savesAttention,
	Fits:     fitsHeads,
	FLOPs:    flopsOfAttention,
	Bound:    ByAttention,
	Matrix:   queriesByHead,
	Forward:  1, Back: 3,
}

// cudnnOfHeads is the same of queries that lie head by head. So does the result, and a gradient that lies otherwise is copied
// (permute_to_matching_layout of MHA.cpp).
var cudnnOfHeads = &Op{
	Name:     "_scaled_dot_product_cudnn_attention",
	Autocast: Lowers,
	Saves:    savesAttention,
	Backward: func(s *Step, g *Gradients) {
		g.Holds(s.output().Elems(), Float, false)
		for k := range 3 {
			g.New(k)
		}
	},
	Fits:    fitsHeads,
	FLOPs:   flopsOfAttention,
	Bound:   ByAttention,
	Matrix:  queriesByHead,
	Forward: 1, Back: 4,
}

var flashAttention = &Op{
	Name:     "_scaled_dot_product_flash_attention",
	Autocast: Lowers,
	Saves:    savesAttention,
	Backward: func(s *Step, g *Gradients) {
		for k := range 3 {
			g.New(k)
		}
		if all := s.N[1] * s.N[2] * s.N[3]; s.input(1).Elems() < all && s.N[2] > 1 { // dk_expanded and dv_expanded, which are summed
			g.Holds(all, Float, false)
			g.Holds(all, Float, false)
		}
		rows := roundUp(s.N[2], 128) * s.N[1]
		g.Holds(rows, Float32, false)                     // softmax_d of mha_bwd
		g.Holds(rows*roundUp(s.N[3], 32), Float32, false) // dq_accum
	},
	Fits:    fitsHeads,
	FLOPs:   flopsOfAttention,
	Bound:   ByAttention,
	Matrix:  queriesByHead,
	Forward: 1, Back: 3,
}

// efficientAttention is CUTLASS' kernel. Its result and its gradients have the positions in front of the heads,
// whatever arrives. For 32-bit floats PyTorch multiplies the result with its gradient itself (kKernelComputesDelta of
// kernel_backward.h).
var efficientAttention = &Op{
	Name:     "_scaled_dot_product_efficient_attention",
	Autocast: Lowers,
	Saves:    savesAttention,
	Backward: func(s *Step, g *Gradients) {
		out := s.output()
		for k := range 3 {
			g.New(k)
		}
		if len(s.In) > 3 && g.Needs(3) { // written for every score, in rows of a multiple of sixteen, and summed
			keys := s.input(1).Elems() / (s.N[1] * s.N[3])
			g.Holds(s.N[1]*s.N[2]*roundUp(keys, 16), Float, false)
			g.New(3)
		}
		if out.Width == 4 {
			g.Holds(out.Elems(), Float32, false)
			g.Holds(s.N[1]*s.N[2], Float32, false)
			g.Drops()
			g.Drops()
		}
		g.Holds(s.N[1]*s.N[2], Float32, false)
		if out.Width == 2 { // sums in 32 bits of the gradient of the queries (workspace_elements_gq)
			g.Holds((roundUp(s.N[2], 128)+128)*s.N[1]*s.N[3], Float32, false)
		}
	},
	Fits:    fitsHeads,
	FLOPs:   flopsOfAttention,
	Bound:   ByAttention,
	Matrix:  queriesByHead,
	Forward: 1, Back: 4,
}

// Attention is torch.nn.functional.scaled_dot_product_attention of queries, keys and values by a fused kernel, behind
// a mask where there is one.
func Attention(p *Program, q, k, v, mask Value, h Heads) Value {
	width := p.Width(q)
	if p.Precision.Autocast {
		width = 2
	}
	if p.Eval {
		h.Dropout = 0
	}
	kernel := h.Kernel(width, mask != None)
	if kernel == Math {
		return MathAttention(p, q, k, v, mask, h)
	}
	if kernel == Flash && h.Features%8 != 0 {
		return paddedAttention(p, q, k, v, h)
	}
	in := []Value{q, k, v}
	if mask != None {
		in = append(in, aligned(p, mask, kernel))
	}
	o, queries := cudnnAttention, h.Queries
	if h.HeadFirst {
		o = cudnnOfHeads
	}
	switch kernel {
	case Flash:
		o = flashAttention
	case Efficient:
		o, queries = efficientAttention, roundUp(h.Queries, 32) // kAlignLSE of kernel_forward.h
	}
	s := p.do(o, Tensor{Shape: []int64{h.Queries, h.Count * h.Values}}, in...)
	s.N, s.Causal = [5]int64{h.flops(), h.Count, h.Queries, h.Features}, h.Causal && mask == None
	p.keep(s, Float32, false, h.Count, queries)
	return s.Out
}

// paddedAttention is flash attention of heads that are padded to a multiple of eight features (pad_last_dim of
// attention.cpp).
func paddedAttention(p *Program, q, k, v Value, h Heads) Value {
	n := roundUp(h.Features, 8)
	wide := h
	wide.Features, wide.Values = n, n
	q = Padded(p, q, h.Count, h.Queries, n)
	k, v = Padded(p, k, h.Count, h.Keys, n), Padded(p, v, h.Count, h.Keys, n)
	all := Attention(p, q, k, v, None, wide)
	return View(p, all, h.Queries, h.Count*h.Values)
}

// aligned is a mask with rows of a multiple of eight numbers, which the efficient kernel wants (pad_bias of
// attention.cpp).
func aligned(p *Program, mask Value, kernel Kernel) Value {
	shape := p.Shape(mask)
	last := len(shape) - 1
	if kernel != Efficient || shape[last]%8 == 0 {
		return mask
	}
	padded := append([]int64{}, shape...)
	padded[last] = roundUp(shape[last], 8)
	return Padded(p, mask, padded...)
}

// MathAttention is _scaled_dot_product_attention_math: all in 32 bits, queries and keys scaled before their product, keys and values repeated for
// each head of queries. Autocast is through where it begins.
func MathAttention(p *Program, q, k, v, mask Value, h Heads) Value {
	width := p.Width(q)
	if p.Precision.Autocast {
		width = 2
	}
	exact := func(x Value) Value { return To(p, To(p, x, width), 4) }
	q, k, v = exact(q), exact(k), exact(v)
	scaled := Scale(p, q)
	if mask == None && h.Causal {
		mask = ConstantLike(p, scaled, h.Queries, h.Keys)
	}
	keys, values := h.repeated(p, k, h.Features), h.repeated(p, v, h.Values)
	small := Scale(p, keys)
	if h.Broadcast {
		small, values = h.stretched(p, small, h.Features), h.stretched(p, v, h.Values)
	}
	scores := ExactProduct(p, scaled, small, h.Queries, h.Features, h.Keys, h.Count)
	Alive(p, q)
	if mask != None {
		scores = addMask(p, scores, To(p, mask, 4))
	}
	weights := SafeSoftmax(p, scores)
	Alive(p, scores)
	switch {
	case h.Dropout == 1: // weights * zeros(())
		weights = MulNoise(p, weights, Noise{Shape: []int64{1}, Shared: true})
	case h.Dropout > 0:
		weights = Dropout(p, weights)
	}
	out := To(p, ExactProduct(p, weights, values, h.Queries, h.Keys, h.Values, h.Count), width)
	To(p, weights, width) // given beside the result, and read by nobody
	for _, x := range [...]Value{scaled, k, v, keys, weights} {
		Alive(p, x)
	}
	return out
}

// addMask adds a mask to scores, whose heads may be those of several windows one after the other.
func addMask(p *Program, scores, mask Value) Value {
	shape, of := p.Shape(scores), p.Shape(mask)
	if len(of) < 3 || len(of) == 3 && (of[0] == 1 || of[0] == shape[0]) {
		return AddInPlace(p, scores, mask)
	}
	last := len(of) - 2
	inner := int64(1)
	for _, n := range of[:last] {
		inner *= n
	}
	windows := append([]int64{shape[0] / max(1, inner)}, of[:last]...)
	windows = append(windows, shape[1], shape[2])
	return View(p, AddInPlace(p, View(p, scores, windows...), mask), shape...)
}

// repeated is keys or values for every head of queries (pre_process_group_query_attention_input).
func (h *Heads) repeated(p *Program, x Value, features int64) Value {
	if !h.grouped() || h.Broadcast {
		return x
	}
	return h.stretched(p, x, features)
}

// stretched is a copy for every head of queries.
func (h *Heads) stretched(p *Program, x Value, features int64) Value {
	return Contiguous(p, View(p, x, h.Count, h.Keys, features), h.Count, h.Keys, features)
}

// exactBMM is a product of matrices behind autocast: as wide as what arrives.
var exactBMM = &Op{Name: "bmm", Saves: bmm.Saves, Fits: bmm.Fits, FLOPs: bmm.FLOPs, Bound: ByProduct, Matrix: pairs, Forward: 1, Back: 2}

// ExactProduct is torch.matmul of so many pairs of matrices, in the width of what arrives.
func ExactProduct(p *Program, x, y Value, rows, inner, columns, count int64) Value {
	s := p.do(exactBMM, Tensor{Shape: []int64{count, rows, columns}}, matrices(p, x, Contiguous), matrices(p, y, Contiguous))
	s.N = [5]int64{count, rows, inner, columns}
	return s.Out
}

// Matrices is a tensor as torch.matmul reads it: a copy of what does not lie in the order of its axes, behind the cast of autocast.
func Matrices(p *Program, x Value) Value { return matrices(p, x, InRows) }

// matrices copies a tensor where its axes before the matrices cannot be one, since both of batch and heads have several entries.
func matrices(p *Program, x Value, copied func(*Program, Value, ...int64) Value) Value {
	shape := p.Shape(x)
	if !p.Tensors[x].Strided || p.Single || shape[0] == 1 {
		return x
	}
	return copied(p, x, shape...)
}

func roundUp(n, to int64) int64 { return (n + to - 1) / to * to }
