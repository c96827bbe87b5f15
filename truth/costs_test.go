package truth

import (
	"math"
	"testing"
)

// TestFLOPs holds the FLOPs of every type to what torch's FlopCounterMode counted.
func TestFLOPs(t *testing.T) {
	all := rowsOf(t, "costs.jsonl.gz")
	tb := newTable("rows", "FLOPs")
	for _, typ := range sorted(all) {
		t.Run(typ, func(t *testing.T) {
			for _, r := range all[typ] {
				if r.Skipped != "" || r.FLOPs < 0 {
					continue
				}
				got := r.evaluate(t)
				ok := got.Err == nil && got.FLOPs == r.FLOPs
				tb.add(typ, 1, count(ok))
				if !ok {
					t.Errorf("%s %s %v: PyTorch counts %d FLOPs, we count %d (%v)", r.Type, r.Params, r.Inputs, r.FLOPs, got.FLOPs, got.Err)
				}
			}
		})
	}
	tb.print()
}

func (s *saved) total() [2]int64 {
	if s.NewTotal != nil {
		return [2]int64{s.NewTotal[0], s.NewTotal[1]}
	}
	var sum [2]float64
	for _, n := range s.New {
		sum[0] += float64(n[0]*2) + n[1]
		sum[1] += float64(n[0]*3) + n[1]
	}
	return [2]int64{int64(math.Round(sum[0])), int64(math.Round(sum[1]))}
}

// TestInts holds every type to what PyTorch does with integer tensors in the place of floats.
func TestInts(t *testing.T) {
	all := rowsOf(t, "ints.jsonl.gz")
	tb := newTable("rows", "integers")
	for _, typ := range sorted(all) {
		t.Run(typ, func(t *testing.T) {
			for _, r := range all[typ] {
				r.Dtypes = nil
				for range r.Inputs {
					r.Dtypes = append(r.Dtypes, "int64")
				}
				got, answer := r.evaluate(t), "refused"
				if got.Err == nil {
					answer = map[bool]string{true: "int", false: "float"}[got.OutIsInt]
				}
				tb.add(typ, 1, count(answer == r.Int))
				if answer != r.Int {
					t.Errorf("%s %s %v with integers: PyTorch %s (%s), we say %s (%v)", r.Type, r.Params, r.Inputs, r.Int, r.Error, answer, got.Err)
				}
			}
		})
	}
	tb.print()
}
