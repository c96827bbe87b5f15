package truth

import (
	"fmt"
	"slices"
	"testing"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/op"
)

// TestLowered holds the operations of every type that has them to what PyTorch counted and saved: its FLOPs,
// which inputs autograd saved, whether the result, and the bytes of new tensors at a batch of two and of three.
func TestLowered(t *testing.T) {
	all := rowsOf(t, "costs.jsonl.gz")
	tb := newTable("rows", "as PyTorch")
	for _, id := range sorted(all) {
		if catalog.Lookup(id).Lower == nil {
			continue
		}
		t.Run(id, func(t *testing.T) {
			for i := range all[id] {
				r := &all[id][i]
				if r.Skipped != "" || r.Saved == nil {
					continue
				}
				diff := r.programDiffers(t)
				tb.add(id, 1, count(diff == ""))
				if diff != "" {
					t.Errorf("%s %s %v: %s", r.Type, r.Params, r.Inputs, diff)
				}
			}
		})
	}
	tb.print()
}

func (r *row) programDiffers(t *testing.T) string {
	t.Helper()
	got, typ := r.evaluate(t), catalog.Lookup(r.Type)
	if got.Err != nil {
		return got.Err.Message
	}
	p := &op.Program{}
	l := catalog.Lowering{P: p}
	l.Begin(typ, catalog.Call{
		Type: typ, Args: got.Args, In: r.Inputs, InIsInt: r.ints(typ), Out: got.Out, OutIsInt: got.OutIsInt,
	}, got.Weights)
	p.Out = typ.Lower(&l)
	if err := p.Check(); err != nil {
		return err.Error()
	}
	if flops := p.FLOPs(); r.FLOPs >= 0 && flops != r.FLOPs {
		return fmt.Sprintf("PyTorch counts %d FLOPs, the program %d", r.FLOPs, flops)
	}
	if typ.Has(catalog.IsExperts) { // counted of experts that positions visit in order, and not of those that they are routed to
		return ""
	}
	two, three := p.Keeps(2), p.Keeps(3)
	var in []int
	for k, saved := range two.In {
		if saved {
			in = append(in, k)
		}
	}
	ours := [2]int64{two.New, three.New}
	if !slices.Equal(in, r.Saved.In) || two.Out != r.Saved.Out || ours != r.Saved.total() {
		return fmt.Sprintf("PyTorch saves inputs %v, the result %v, and %v new bytes at batch 2 and 3 (%v); "+
			"the program %v, %v and %v",
			r.Saved.In, r.Saved.Out, r.Saved.total(), r.Saved.New, in, two.Out, ours)
	}
	return ""
}
