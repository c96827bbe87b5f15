package op

import "testing"

// TestKernelIsPyTorchsChoice holds the choice to the checks of sdp_utils.cpp on a card of compute capability 9.
func TestKernelIsPyTorchsChoice(t *testing.T) {
	plain := Heads{Queries: 64, Keys: 64, Count: 8, Features: 64, Values: 64}
	with := func(change func(*Heads)) Heads { h := plain; change(&h); return h }
	of := func(features, values int64) Heads {
		return with(func(h *Heads) { h.Features, h.Values = features, values })
	}
	for _, c := range []struct {
		name   string
		heads  Heads
		width  int64
		masked bool
		want   Kernel
	}{
		{"16 bits", plain, 2, false, CuDNN},
		{"16 bits behind a mask", plain, 2, true, CuDNN},
		{"32 bits", plain, 4, false, Efficient},
		{"32 bits behind a mask", plain, 4, true, Efficient},
		{"larger heads than cuDNN's", of(192, 192), 2, false, Flash},
		{"those behind a mask", of(192, 192), 2, true, Efficient},
		{"those of DeepSeek", of(192, 128), 2, false, CuDNN},
		{"larger heads than flash attention's", of(512, 512), 2, false, Efficient},
		{"heads that are no multiple of 16 bytes", of(20, 20), 2, false, Flash},
		{"those in 32 bits", of(20, 20), 4, false, Efficient},
		{"an odd number of features", of(9, 9), 4, false, Math},
		{"odd heads behind a mask", of(9, 9), 2, true, Math},
		{"a single key", with(func(h *Heads) { h.Keys = 1 }), 2, false, Flash},
		{"a dropout that cuDNN cannot count", with(func(h *Heads) { h.Dropout = 0.1 }), 2, false, Flash},
		{"one that it can", with(func(h *Heads) { h.Dropout = 0.125 }), 2, false, CuDNN},
	} {
		if got := c.heads.Kernel(c.width, c.masked); got != c.want {
			t.Errorf("%s: kernel %d, but PyTorch runs %d", c.name, got, c.want)
		}
	}
}

// TestRMSNormRunsItsKernelOnOneWidth: a weight of another width than what arrives is multiplied by single operations.
func TestRMSNormRunsItsKernelOnOneWidth(t *testing.T) {
	for _, c := range []struct {
		precision Precision
		arrives   int64
		want      int
	}{
		{Precision{}, 4, 1},
		{Precision{Weights: 2}, 2, 1},
		{Precision{Weights: 4, Autocast: true}, 4, 1},
		{Precision{Weights: 4, Autocast: true}, 2, 7},
	} {
		p := &Program{Precision: c.precision}
		x := p.Input([]int64{5, 8}, Float)
		p.Tensors[x].Width = uint8(c.arrives)
		p.Out = RMSNorm(p, x, p.Weight(0, 8), 8)
		if err := p.Check(); err != nil || len(p.Steps) != c.want || p.Width(p.Out) != c.arrives {
			t.Errorf("%+v, %d bytes arrive: %d steps give %d bytes (%v), want %d steps",
				c.precision, c.arrives, len(p.Steps), p.Width(p.Out), err, c.want)
		}
	}
}
