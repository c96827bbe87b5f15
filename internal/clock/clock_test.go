package clock

import (
	"testing"

	"github.com/modelverifier/verifier/internal/hardware"
	"github.com/modelverifier/verifier/internal/op"
	"github.com/modelverifier/verifier/internal/tape"
)

func on(t *testing.T, name, precision string) *Card {
	t.Helper()
	g := hardware.Lookup(name)
	if g == nil {
		t.Fatalf("%s is not known", name)
	}
	c := On(g, precision)
	return &c
}

// Each rate says the rows that it rests on, and is marked where they are three or fewer.
func TestEveryRateSaysItsRows(t *testing.T) {
	table := Measured()
	if table.Card != "H200" || table.Library == "" || table.Rows < 100 {
		t.Errorf("the rates are of %q, %q, %d rows", table.Card, table.Library, table.Rows)
	}
	for _, e := range table.Entries {
		if e.Few != (e.Rows <= 3) || e.Value <= 0 || Most(e.Name) > 0 && e.Value > Most(e.Name) {
			t.Errorf("%+v", e)
		}
	}
}

// A large product takes its arithmetic, a small one what starting it takes; an odd size is slow in 16 bits and not in 32.
func TestAProductTakesWhatItsSizeSays(t *testing.T) {
	r := &Measured().Rates
	product := func(width uint8, columns int64, precision string) float64 {
		c := tape.Call{Bound: op.ByProduct, Width: width, Matrix: op.Matrix{Count: 1, Rows: 1 << 14, Inner: 4096, Columns: columns}, Kernels: 1, Calls: 1}
		c.FLOPs = 2 * (1 << 14) * 4096 * columns
		return r.card(&c, on(t, "H200", precision))
	}
	narrow, wide := product(2, 4096, "bf16"), product(4, 4096, "fp32")
	if narrow < 2*(1<<14)*4096*4096/989.4e6 || wide < 8*narrow {
		t.Errorf("16 bits take %.0f µs, 32 bits %.0f", narrow, wide)
	}
	if odd := product(2, 4095, "bf16"); odd < 3*narrow {
		t.Errorf("an odd size takes %.0f µs, an even one %.0f", odd, narrow)
	}
	if odd := product(4, 4095, "fp32"); odd > wide {
		t.Errorf("in 32 bits an odd size takes %.0f µs, an even one %.0f", odd, wide)
	}
	if tf32 := product(4, 4096, "tf32"); tf32 > wide/3 || tf32 < narrow {
		t.Errorf("TF32 takes %.0f µs", tf32)
	}
}

// What moves elements is as fast as the memory of its card.
func TestAnotherCardIsScaledByItsDataSheet(t *testing.T) {
	r, call := &Measured().Rates, &tape.Call{Bytes: 1 << 33, Kernels: 1}
	fast, slow := r.card(call, on(t, "H200", "bf16")), r.card(call, on(t, "L4", "bf16"))
	want := hardware.Lookup("H200").BandwidthGBs / hardware.Lookup("L4").BandwidthGBs
	if ratio := slow / fast; ratio < 0.95*want || ratio > want {
		t.Errorf("an L4 takes %.1f times as long, its memory is %.1f times as slow", ratio, want)
	}
}

// The card waits for the host where kernels are small, and the host for nobody.
func TestAStepTakesAsLongAsTheSlowerOfHostAndCard(t *testing.T) {
	r, c := &Measured().Rates, on(t, "H200", "bf16")
	step := func(bytes int64, times float64) float64 {
		var w Work
		w.Add(&tape.Call{Bytes: bytes, Kernels: 1, Calls: 1}, times, r, c)
		return w.Micros(Counts{}, OptimizerOf("sgd"), r, c)
	}
	if few, many := step(1<<10, 1000), step(1<<10, 2000); many-few < 990*(r.CallMicros+r.LaunchMicros) {
		t.Errorf("a thousand small kernels more take %.0f µs", many-few)
	}
	if small, large := step(1<<30, 1000), step(1<<31, 1000); large < 1.9*small {
		t.Errorf("twice the bytes take %.0f µs, the bytes %.0f", large, small)
	}
}
