package catalog

import (
	"testing"

	"github.com/modelverifier/verifier/internal/op"
)

// TestOneSampleIsNotTurned: the axis of a batch of one can lie anywhere, so that PyTorch copies nothing to move it.
// It then saves what arrives at multi-head attention, and what the maps of grouped attention give.
func TestOneSampleIsNotTurned(t *testing.T) {
	for _, c := range []struct {
		id, args string
		eager    bool
		saves    [2]bool // what arrives: of several samples, of one
		copies   [2]int  // to lay tensors out anew: of several samples, of one
	}{
		{"multiHeadAttention", "embedDim=16 numHeads=2", false, [2]bool{false, true}, [2]int{3, 1}},
		{"groupedQueryAttention", "embedDim=16 numHeads=2", true, [2]bool{true, true}, [2]int{4, 1}},
	} {
		typ := Lookup(c.id)
		example := Example{In: "[5,16]", Args: c.args}
		call, r := example.run(t, typ)
		for k, single := range []bool{false, true} {
			p := &op.Program{Single: single}
			l := Lowering{P: p, Eager: c.eager}
			l.Begin(typ, Call{Type: typ, Args: r.Args, In: call.In, Out: r.Out}, r.Weights)
			p.Out = typ.Lower(&l)
			if err := p.Check(); err != nil {
				t.Fatal(err)
			}
			copies := 0
			for i := range p.Steps {
				if name := p.Steps[i].Op.Name; name == "contiguous" || name == "reshape" {
					copies++
				}
			}
			if saved := p.Keeps(1).In[0]; saved != c.saves[k] || copies != c.copies[k] {
				t.Errorf("%s, one sample: %v: what arrives is saved: %v, and %d copies; want %v and %d",
					c.id, single, saved, copies, c.saves[k], c.copies[k])
			}
		}
	}
}
