package transformers

import (
	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/op"
)

// Rotary is apply_rotary_pos_emb of queries or keys alone, with the cosines and sines that the model has computed once (LlamaRotaryEmbedding).
type Rotary struct{}

var (
	_ = usual(Rotary{}, "rope")
	_ = register("LlamaRotaryEmbedding", "angles in fp32", Rotary{}, "rope")
)

// Lower turns heads that lie side by side, or one after the other.
func (Rotary) Lower(l *catalog.Lowering) op.Value {
	in, d := l.In[0], l.Int("headDim")
	if in.Rank() != 2 || len(l.InIsInt) > 0 && l.InIsInt[0] {
		return Same{}.Lower(l)
	}
	x := ofHeads(l.P, l.X[0], in[1]/d, true)
	y := rotated(l.P, x, in[0], d)
	op.Alive(l.P, x)
	return op.View(l.P, y, in...)
}

// rotated is (x * cos) + (rotate_half(x) * sin) of so many positions. The tables are as wide as the model's embeddings, so that autocast, which
// leaves products of elements alone, has the result in 32 bits.
func rotated(p *op.Program, x op.Value, positions, features int64) op.Value {
	shape := p.Shape(x)
	half := append(append([]int64{}, shape[:len(shape)-1]...), shape[len(shape)-1]/2)
	straight := op.Mul(p, x, p.Handed("cos", op.Float, true, positions, features))
	first, second := op.View(p, x, half...), op.View(p, x, half...)
	turned := op.Concatenate(p, shape, op.Scale(p, second), first)
	return op.Add(p, straight, op.Mul(p, turned, p.Handed("sin", op.Float, true, positions, features)))
}

// ofHeads is the view of (positions, heads*features) as (heads, positions, features): x.view(hidden_shape).transpose(1, 2). Its gradient is copied
// where it comes head by head.
func ofHeads(p *op.Program, x op.Value, heads int64, copied bool) op.Value {
	shape := p.Shape(x)
	size := []int64{heads, shape[0], shape[1] / max(1, heads)}
	switch {
	case heads == 1 || shape[0] == 1:
		return op.View(p, x, size...)
	case copied && !p.Strided(x):
		return op.Transposed(p, x, size...)
	}
	return op.Permuted(p, x, size...)
}
