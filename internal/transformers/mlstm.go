package transformers

import (
	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/op"
)

// MatrixMemory is the matrix memory of an mLSTM as it runs where no kernel is installed: mlstm_chunkwise_native_autograd, and position by position
// what is left behind whole chunks.
type MatrixMemory struct{}

var _ = register("xLSTMBackend", "the memory of an mLSTM in chunks", MatrixMemory{}, "customModule")

// Lower reads queries, keys, values and gates. Each head writes its matrix and reads it once for every position, so that the heads follow from the
// FLOPs.
func (MatrixMemory) Lower(l *catalog.Lowering) op.Value {
	chunk := l.Int("chunkSize")
	if len(l.X) < 4 || l.Out.Rank() != 2 || l.Int("flops") < 1 || chunk < 1 {
		return op.None
	}
	p, s, keys, values := l.P, l.Out[0], l.In[0].At(-1), l.Out[1]
	each := l.Int("flops") / max(1, 4*s) // elements of the matrices of all heads
	h := keys * values / max(1, each)
	if h < 1 || keys%h != 0 || values%h != 0 || s/chunk > mostChunks {
		return op.None
	}
	var parts []op.Value
	q := s / chunk
	if whole := q * chunk; whole > 0 {
		c := matrixChunks{heads: h, chunks: q, chunk: chunk, key: keys / h, value: values / h}
		parts = append(parts, op.View(p, c.lower(l), whole, values))
	}
	if rest := s % chunk; rest > 0 {
		kept := []op.Kept{{Elems: rest * each, DType: op.Float32}, {Elems: rest * each, DType: op.Float}, {Elems: rest * each, DType: op.Float}}
		parts = append(parts, op.Loop(p, []int64{rest, values}, op.Float, nil, l.X[:3], kept...))
		op.Loops(p, rest, 30)
	}
	return op.Concatenate(p, l.Out, parts...)
}

// matrixChunks is the sizes of its whole chunks.
type matrixChunks struct{ heads, chunks, chunk, key, value int64 }

func (m matrixChunks) lower(l *catalog.Lowering) op.Value {
	p, h, n, c, k, v := l.P, m.heads, m.chunks, m.chunk, m.key, m.value
	query := op.Contiguous(p, op.View(p, l.X[0], h, n*c, k), h*n, c, k)
	key := op.Contiguous(p, op.View(p, l.X[1], h, n*c, k), h*n, c, k)
	value := op.Contiguous(p, op.View(p, l.X[2], h, n*c, v), h*n, c, v)
	in, forget := op.View(p, l.X[3], h*n, c), op.View(p, l.X[len(l.X)-1], h*n, c)
	sums := op.CumSum(p, op.WideOfInput(p, forget))
	op.Beside(p, 23*n) // what is set up for each chunk
	steps := op.WideOfOutput(p, op.Add(p, op.Sub(p, op.View(p, sums, h*n, 1), sums), in))
	fades := op.WideOfOutput(p, op.View(p, sums, h*n, 1))

	state := op.Constant(p, op.Float32, false, h, k, v)
	states := op.ConstantLike(p, key, n+1, h, k, v)
	p.Tensors[states].Shared = false
	for range n {
		states = op.SetPart(p, states, state)
		gated := op.Mul(p, op.View(p, key, h, c, k), op.View(p, steps, h, c, 1))
		added := op.MatMul(p, op.View(p, gated, h, k, c), op.View(p, value, h, c, v))
		state = op.Add(p, op.Mul(p, state, op.View(p, fades, h, 1, 1)), added)
	}
	states = op.View(p, op.SetPart(p, states, state), h*n, k, v)

	pairs := op.Sub(p, op.View(p, sums, h*n, c, 1), op.View(p, sums, h*n, 1, c))
	pairs = op.Add(p, op.Where(p, op.Constant(p, op.Byte, true, c, c), pairs, op.ConstantLike(p, pairs, 1)), op.View(p, in, h*n, 1, c))
	most, _ := op.TopK(p, pairs, h*n, c, 1)
	decay := op.WideOfOutput(p, op.Sub(p, pairs, most))
	inside := op.Mul(p, op.Scale(p, op.MatMul(p, query, op.View(p, key, h*n, k, c))), decay)
	far := op.WideOfOutput(p, op.Sub(p, op.View(p, sums, h*n, c, 1), most))
	scaled := op.Scale(p, op.Mul(p, query, far))
	sum := op.Add(p, op.MatMul(p, scaled, states), op.MatMul(p, inside, value))
	weight := op.Add(p, op.MatMul(p, scaled, op.View(p, states, h*n, k, 1)), op.Sum(p, inside, h*n, c, 1))
	y := op.Div(p, sum, weight)
	for _, x := range []op.Value{pairs, decay, inside, scaled, sum} {
		named(p, x)
	}
	return y
}
