package transformers

import (
	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/op"
)

// Mamba2 is the mixer of Mamba 2 as it runs where no kernel is installed: Mamba2Mixer.forward. The parameter chunkSize says how many positions the
// recurrence computes at once.
type Mamba2 struct{}

var (
	_ = register("Mamba2Mixer", "a recurrence in chunks", Mamba2{}, "mamba2")
	_ = register("Mamba2Mixer", "a recurrence in chunks", ChunkScan{}, "customModule")
)

// Lower is the maps, the convolution and the norm around the recurrence.
func (Mamba2) Lower(l *catalog.Lowering) op.Value {
	if l.Int("chunkSize") < 1 {
		return Same{}.Lower(l)
	}
	p, s, n, f, g := l.P, l.In[0][0], l.Int("stateDim"), l.Int("headDim"), l.Int("numGroups")
	h, wide := p.Shape(l.W("A_log"))[0], p.Shape(l.W("conv1d.weight"))[0]
	d := h * f
	parts := op.Split(p, l.Map(l.X[0], "in_proj"), []int64{s, d}, []int64{s, wide}, []int64{s, h})
	a := op.Scale(p, op.WideOfOutput(p, op.To(p, l.W("A_log"), 4)))
	mixed := op.Transposed(p, convolved(l, op.View(p, parts[1], wide, s)), s, wide)
	xbc := op.Split(p, mixed, []int64{s, d}, []int64{s, g * n}, []int64{s, g * n})
	scan := chunkScan{length: s, chunk: l.Int("chunkSize"), heads: h, features: f, state: n}
	y := op.View(p, scan.lower(p, xbc, parts[2], a, l.W("D"), l.W("dt_bias")), s, d)

	gated := op.Mul(p, op.To(p, y, 4), op.OfInput(p, op.To(p, parts[0], 4)))
	root := op.WideOfOutput(p, op.Scale(p, op.Mean(p, op.Pow(p, gated), s, 1)))
	normed := op.To(p, op.Mul(p, gated, root), p.Width(y))
	y = op.Mul(p, normed, l.W("norm.weight"))
	return l.Map(op.To(p, y, p.Width(l.X[0])), "out_proj")
}

// ChunkScan is the recurrence of Mamba 2 alone.
type ChunkScan struct{}

// Lower is mamba2_chunk_scan of what was convolved, features beside both matrices of the state, and the steps of each head.
func (ChunkScan) Lower(l *catalog.Lowering) op.Value {
	if !recurs(l) || len(l.X) != 2 || l.Int("chunkSize") < 1 || l.Int("stateSize") < 1 {
		return op.None
	}
	p, s, d, h := l.P, l.Out[0], l.Out[1], l.In[1].At(-1)
	matrix := (l.In[0].At(-1) - d) / 2
	xbc := op.Split(p, l.X[0], []int64{s, d}, []int64{s, matrix}, []int64{s, matrix})
	all := l.W("weight")
	a := op.Scale(p, op.WideOfOutput(p, op.To(p, op.View(p, all, h), 4)))
	scan := chunkScan{length: s, chunk: l.Int("chunkSize"), heads: h, features: d / max(1, h), state: l.Int("stateSize")}
	return op.To(p, op.View(p, scan.lower(p, xbc, l.X[1], a, op.View(p, all, h), op.View(p, all, h)), s, d), p.Width(l.X[0]))
}

// chunkScan is the sizes of the recurrence.
type chunkScan struct{ length, chunk, heads, features, state int64 }

// lower is mamba2_chunk_scan. A contraction is written as a product of all pairs and its sum.
func (r chunkScan) lower(p *op.Program, xbc []op.Value, dt, a, direct, dtBias op.Value) op.Value {
	s, c, h, f, n := r.length, max(1, r.chunk), r.heads, r.features, r.state
	q := (s + c - 1) / c
	dt = op.WideOfInput(p, op.Add(p, dt, op.To(p, dtBias, p.Width(dt))))
	dt = op.OfInput(p, dt) // clamp
	x := op.To(p, op.View(p, xbc[0], s, h, f), 4)
	b, cs := op.Copied(p, op.To(p, xbc[1], 4), s, h, n), op.Copied(p, op.To(p, xbc[2], 4), s, h, n)
	residual := op.Mul(p, op.Padded(p, x, q*c, h, f), op.View(p, direct, h, 1))
	step := op.To(p, dt, 4)
	x = op.View(p, op.Padded(p, op.Mul(p, x, op.View(p, step, s, h, 1)), q*c, h, f), q, c, h, f)
	decay := op.View(p, op.Padded(p, op.Mul(p, step, a), q*c, h), h, q, c)
	b, cs = op.View(p, op.Padded(p, b, q*c, h, n), q, c, h, n), op.View(p, op.Padded(p, cs, q*c, h, n), q, c, h, n)
	sums := op.CumSum(p, decay)

	inside := op.WideOfOutput(p, segmentSum(p, decay, h*q, c)) // (heads * chunks, chunk, chunk)
	g := op.Sum(p, op.Mul(p, op.View(p, cs, q, c, 1, h, n), op.View(p, b, q, 1, c, h, n)), q, c, c, h)
	m := op.Sum(p, op.Mul(p, op.View(p, g, q, c, c, h), op.View(p, inside, q, c, c, h)), q, c, c, h)
	diagonal := op.Sum(p, op.Mul(p, op.View(p, m, q, c, c, h, 1), op.View(p, x, q, 1, c, h, f)), q, c, h, f)

	last := op.WideOfOutput(p, op.Sub(p, sums, op.View(p, sums, h, q, 1)))
	decayed := op.Mul(p, b, op.View(p, last, q, c, h, 1))
	states := op.Sum(p, op.Mul(p, op.View(p, decayed, q, c, h, 1, n), op.View(p, x, q, c, h, f, 1)), q, h, f, n)
	states = op.Concatenate(p, []int64{q + 1, h, f, n}, op.Constant(p, op.Float32, false, 1, h, f, n), states)
	between := op.WideOfOutput(p, segmentSum(p, op.Padded(p, op.View(p, sums, h, q), h, q+1), h, q+1))
	after := op.Sum(p, op.Mul(p, op.View(p, states, q+1, 1, h, f, n), op.View(p, between, q+1, q+1, h, 1, 1)), q+1, h, f, n)
	before := op.View(p, after, q, h, f, n)
	out := op.WideOfOutput(p, sums)
	pairs := op.Mul(p, op.View(p, cs, q, c, h, 1, n), op.View(p, before, q, 1, h, f, n))
	off := op.Mul(p, op.Sum(p, pairs, q, c, h, f), op.View(p, out, q, c, h, 1))
	y := op.Add(p, op.View(p, op.Add(p, diagonal, off), q*c, h, f), residual)
	for _, v := range []op.Value{sums, inside, g, m, diagonal, decayed, states, after, pairs, off, residual, x, b, cs} {
		named(p, v)
	}
	return op.View(p, y, s, h, f)
}

// segmentSum is segment_sum: the sums of all stretches, of an axis that is expanded first.
func segmentSum(p *op.Program, x op.Value, rows, length int64) op.Value {
	mask := op.Constant(p, op.Byte, true, length, length)
	square := []int64{rows, length, length}
	filled := op.MaskedFill(p, op.View(p, x, square...), mask)
	sums := op.CumSum(p, filled)
	named(p, filled)
	y := op.MaskedFill(p, sums, mask)
	named(p, sums)
	return y
}
