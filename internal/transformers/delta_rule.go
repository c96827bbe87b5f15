package transformers

import (
	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/op"
)

// DeltaRule is the gated delta rule as it runs where no kernel is installed: torch_chunk_gated_delta_rule.
type DeltaRule struct{}

var _ = register("Qwen3NextGatedDeltaNet", "the gated delta rule in chunks of 64 positions", DeltaRule{}, "gatedDeltaRule")

// ruleChunk is the positions of a chunk, mostChunks how many of them are followed.
const (
	ruleChunk  = 64
	mostChunks = 1 << 10
)

// Lower is Qwen3NextGatedDeltaNet.forward between its convolution and its norm.
func (DeltaRule) Lower(l *catalog.Lowering) op.Value {
	p, s, h, keyHeads := l.P, l.In[0][0], l.Int("numHeads"), l.Int("numKeyHeads")
	r := deltaRule{length: s, heads: h, value: l.Int("valueDim"), key: l.Int("headDim"), repeats: keyHeads < h}
	if r.chunks() > mostChunks {
		return op.None
	}
	keys := keyHeads * r.key
	parts := op.Split(p, l.X[0], []int64{s, keys}, []int64{s, keys}, []int64{s, h * r.value})
	beta := op.OfOutput(p, l.X[1])
	if l.Bool("allowNegEigval") {
		beta = op.Scale(p, beta)
	}
	rate := op.Scale(p, op.WideOfOutput(p, op.To(p, l.W("A_log"), 4)))
	decay := op.Mul(p, op.WideOfInput(p, op.Add(p, op.To(p, l.X[2], 4), l.W("dt_bias"))), rate)
	query, key := parts[0], parts[1]
	if r.repeats {
		query, key = op.Copied(p, query, s, h*r.key), op.Copied(p, key, s, h*r.key)
	}
	return op.Contiguous(p, op.To(p, op.View(p, r.lower(p, query, key, parts[2], beta, decay), s, h*r.value), p.Width(l.X[0])), l.Out...)
}

// State is the matrices of all heads.
func (DeltaRule) State(c *catalog.Call) int64 { return c.Type.State(c) }

// deltaRule is its sizes.
type deltaRule struct {
	length, heads, key, value int64
	repeats                   bool // keys have fewer heads than values, and are repeated
}

func (r deltaRule) chunks() int64 { return (r.length + ruleChunk - 1) / ruleChunk }

func (r deltaRule) lower(p *op.Program, query, key, value, beta, decay op.Value) op.Value {
	h, q, c, n := r.heads, r.chunks(), int64(ruleChunk), r.chunks()*ruleChunk
	// What has 32 bits already is not copied by Tensor.to, and unless it is filled up it lies as the convolution left it, feature by feature, or
	// position by position where it is repeated: products copy it.
	strided := p.Width(query) == 4 && n == r.length && (r.repeats && h > 1 || q > 1)
	inRows := func(x op.Value, strided bool) op.Value {
		if strided {
			return op.Contiguous(p, x, p.Shape(x)...)
		}
		return x
	}
	query, key, value = contiguous32(p, query, h, r.length, r.key), contiguous32(p, key, h, r.length, r.key), contiguous32(p, value, h, r.length, r.value)
	beta, decay = contiguous32(p, beta, h, r.length), contiguous32(p, decay, h, r.length)
	query = op.Padded(p, op.Scale(p, l2norm(p, query)), h, n, r.key)
	key = op.Padded(p, l2norm(p, key), h, n, r.key)
	value = op.Padded(p, value, h, n, r.value)
	beta = op.View(p, op.Padded(p, beta, h, n), h, n, 1)
	decay = op.View(p, op.Padded(p, decay, h, n), h*q, c)
	values := op.View(p, op.Mul(p, value, beta), h*q, c, r.value)
	keys := op.View(p, op.Mul(p, key, beta), h*q, c, r.key)
	query, key = op.View(p, query, h*q, c, r.key), op.View(p, key, h*q, c, r.key)
	sums := op.CumSum(p, decay)
	op.Beside(p, 420+13*q) // six operations for each row of a chunk, and what is set up for each chunk
	pairs := op.Sub(p, op.View(p, sums, h*q, c, 1), op.View(p, sums, h*q, 1, c))
	pairs = op.WideOfOutput(p, op.MaskedFill(p, pairs, op.Constant(p, op.Byte, true, c, c)))

	turned := op.View(p, key, h*q, r.key, c)
	system := op.Mul(p, exact(p, op.MatMul(p, inRows(keys, strided), inRows(turned, strided))), pairs)
	inside := op.Mul(p, exact(p, op.MatMul(p, inRows(query, strided), inRows(turned, strided))), pairs)
	decayed := op.Mul(p, keys, op.View(p, op.WideOfOutput(p, sums), h*q, c, 1))
	newValues := op.SolveTriangular(p, system, values)
	read := op.SolveTriangular(p, system, decayed)
	out := op.ZerosLike(p, newValues)
	query = op.Mul(p, query, op.View(p, op.WideOfOutput(p, sums), h*q, c, 1))
	written, fades := op.None, op.None
	if q > 1 { // of one chunk nobody reads the state behind it
		written = op.Mul(p, key, op.View(p, op.WideOfOutput(p, op.Sub(p, op.View(p, sums, h*q, 1), sums)), h*q, c, 1))
		fades = op.WideOfOutput(p, op.View(p, sums, h*q))
	}

	state := op.Constant(p, op.Float32, false, h, r.key, r.value)
	for i := range q {
		part := func(x op.Value, rows, columns int64) op.Value { return op.View(p, x, h, rows, columns) }
		fresh := op.Sub(p, part(newValues, c, r.value), exact(p, op.MatMul(p, part(read, c, r.key), state)))
		before := exact(p, op.MatMul(p, inRows(part(query, c, r.key), strided && r.repeats && !p.Single), state))
		both := op.Add(p, before, exact(p, op.MatMul(p, part(inside, c, c), fresh)))
		out = op.SetPart(p, out, both)
		if i < q-1 {
			added := exact(p, op.MatMul(p, inRows(part(written, r.key, c), strided && r.repeats && !p.Single), fresh))
			state = op.Add(p, op.Mul(p, state, part(fades, 1, 1)), added)
		}
	}
	for _, x := range []op.Value{query, written, newValues, read, inside, system, pairs, values, decayed, value} {
		named(p, x)
	}
	return op.View(p, out, h, r.length, r.value)
}

// contiguous32 is x.transpose(1, 2).to(torch.float32, memory_format=torch.contiguous_format), which copies what has another width alone.
func contiguous32(p *op.Program, x op.Value, shape ...int64) op.Value {
	if p.Width(x) == 4 {
		return op.View(p, x, shape...)
	}
	return op.Copied32(p, x, shape...)
}

// l2norm is x * rsqrt((x * x).sum() + eps).
func l2norm(p *op.Program, x op.Value) op.Value {
	shape := p.Shape(x)
	root := op.WideOfOutput(p, op.Scale(p, op.Sum(p, op.Mul(p, x, x), shape[0], shape[1], 1)))
	return op.Mul(p, x, root)
}
