package catalog

import "testing"

// TestEinsumTakesTheCheapestOrder holds chains of three to the order that opt_einsum finds.
func TestEinsumTakesTheCheapestOrder(t *testing.T) {
	for _, e := range []Example{
		{In: "[5,1] [1,20] [20,3]", Args: `equation="bij,bjk,bkl->bil"`, Out: "[5,3]", FLOPs: 2 * 20 * 3},
		{In: "[5,10] [10,20] [20,3]", Args: `equation="bij,bjk,bkl->bil"`, Out: "[5,3]", FLOPs: 2 * (10*20*3 + 5*10*3)},
		{In: "[2,10] [10,20] [20,30]", Args: `equation="bij,bjk,bkl->bil"`, Out: "[2,30]", FLOPs: 2 * (2*10*20 + 2*20*30)},
		{In: "[4] [4] [4]", Args: `equation="bi,bi,bi->bi"`, Out: "[4]"},
		{In: "[3,4,6] [3,4,6]", Args: `equation="b...d,b...d->b..."`, Out: "[3,4]", FLOPs: 2 * 3 * 4 * 6},
		{In: "[1,4] [3,4]", Args: `equation="bij,bij->bi"`, Out: "[3]", FLOPs: 2 * 3 * 4},
	} {
		_, r := e.run(t, Lookup("einsum"))
		if r.Err != nil || r.Out.String() != e.Out || r.FLOPs != e.FLOPs {
			t.Errorf("%s %s: want %s and %d FLOPs, got %v and %d (%v)", e.In, e.Args, e.Out, e.FLOPs, r.Out, r.FLOPs, r.Err)
		}
	}
}

// TestEinsumSavesCopiesWhereAxesLieApart: c and d of the first operand are summed together but do not lie behind each other.
func TestEinsumSavesCopiesWhereAxesLieApart(t *testing.T) {
	e := Example{In: "[3,4,5] [3,5,6]", Args: `equation="bcxd,bcdy->bxy"`}
	if got := saved(t, &e, "einsum"); got.In[0] || !got.In[1] || got.New != 4*60 {
		t.Errorf("got %+v", got)
	}
}
