package transformers

import (
	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/op"
)

// TimeMix is RwkvSelfAttention as it runs where no kernel is installed.
type TimeMix struct{}

var (
	_ = usual(TimeMix{}, "rwkvTimeMix")
	_ = register("RwkvSelfAttention", "a recurrence position by position", TimeMix{}, "rwkvTimeMix")
)

// Lower mixes each position with the one before, and takes the running mean of rwkv_linear_attention_cpu, whose states have 32 bits.
func (TimeMix) Lower(l *catalog.Lowering) op.Value {
	p, s, e := l.P, l.In[0][0], l.Int("embedDim")
	last := op.Copied(p, l.X[0], s, e)
	mixed := func(name string) op.Value {
		mix := op.View(p, l.W("time_mix_"+name), e)
		return l.Map(op.Add(p, op.Mul(p, l.X[0], mix), op.Mul(p, last, op.Scale(p, mix))), name)
	}
	k, v, r := mixed("key"), mixed("value"), mixed("receptance")
	w := op.Scale(p, op.WideOfOutput(p, l.W("time_decay")))
	const kept = 11 // maxima, exponentials, sums and both sides of the division, at each position
	dtype := op.Float32
	if p.Width(k) == 2 {
		dtype = op.Float16
	}
	y := op.Loop(p, []int64{s, e}, dtype, []op.Value{k, v}, []op.Value{w, l.W("time_first")}, op.Kept{Elems: kept * s * e, DType: op.Float32})
	op.Loops(p, s, 28) // of rwkv_linear_attention_cpu: two maxima, four exponentials, and what is made of them
	return l.Map(op.Mul(p, op.OfOutput(p, r), y), "output")
}
