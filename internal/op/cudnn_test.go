package op

import (
	"math"
	"testing"
)

// cudnnCase is a convolution and what a run held more than its tensors at its peak, in KiB. 0 stands for no more
// than them, and a negative number for what was not seen.
type cudnnCase struct {
	in, out, weight []int64
	groups          int64
	batch, width    int64
	forward, back   float64
}

// TestWorkspacesAreThoseOfMeasuredRuns holds the workspaces of cuDNN to what was seen on an H200.
func TestWorkspacesAreThoseOfMeasuredRuns(t *testing.T) {
	for _, c := range []cudnnCase{
		{[]int64{128, 15, 15}, []int64{128, 15, 15}, []int64{128, 128, 3, 3}, 1, 32, 2, 3888, 3888},
		{[]int64{128, 500}, []int64{256, 250}, []int64{256, 128, 3}, 1, 8, 2, 2192, 2192},
		{[]int64{96, 8, 8}, []int64{96, 8, 8}, []int64{96, 96, 3, 3}, 1, 16, 4, -1, 3684},
		{[]int64{48, 64, 64}, []int64{96, 32, 32}, []int64{96, 6, 3, 3}, 8, 24, 2, 30756, -1},
		{[]int64{96, 23, 23}, []int64{192, 12, 12}, []int64{192, 12, 3, 3}, 8, 32, 4, 21824, -1},
		{[]int64{256, 8, 8}, []int64{512, 4, 4}, []int64{512, 32, 5, 5}, 8, 8, 2, 2240, -1},
		{[]int64{2048, 10, 10}, []int64{512, 10, 10}, []int64{512, 2048, 1, 1}, 1, 16, 2, 0, 8000},
		{[]int64{384, 28, 28}, []int64{64, 28, 28}, []int64{64, 384, 1, 1}, 1, 16, 2, 0, 0},
		{[]int64{768, 6, 6}, []int64{128, 6, 6}, []int64{128, 768, 1, 1}, 1, 16, 4, 0, 2400},
		{[]int64{320, 7, 7}, []int64{1280, 7, 7}, []int64{1280, 320, 1, 1}, 1, 8, 2, 0, 12452},
		{[]int64{320, 7, 7}, []int64{1280, 7, 7}, []int64{1280, 320, 1, 1}, 1, 4, 4, 0, 6517},
		{[]int64{320, 7, 7}, []int64{1280, 7, 7}, []int64{1280, 320, 1, 1}, 1, 48, 2, 0, 75829},
		{[]int64{1536, 4, 4}, []int64{256, 4, 4}, []int64{256, 1536, 1, 1}, 1, 24, 2, 0, 36965},
		{[]int64{1536, 5, 5}, []int64{384, 5, 5}, []int64{384, 1536, 1, 1}, 1, 32, 2, 0, 73808},
		{[]int64{1024, 7, 7}, []int64{384, 7, 7}, []int64{384, 1024, 1, 1}, 1, 16, 2, 0, 24824},
		{[]int64{256, 8, 8}, []int64{256, 8, 8}, []int64{256, 256, 1, 1}, 1, 16, 2, 0, 4110},
		{[]int64{2304, 3, 3}, []int64{384, 3, 3}, []int64{384, 2304, 1, 1}, 1, 16, 4, 0, 55407},
		{[]int64{64, 28, 28}, []int64{64, 28, 28}, []int64{64, 1, 3, 3}, 64, 16, 2, 0, 0},
		{[]int64{48, 20, 20}, []int64{48, 20, 20}, []int64{48, 48, 5, 5}, 1, 8, 4, -1, 20480},
		{[]int64{64, 250}, []int64{64, 125}, []int64{64, 64, 9}, 1, 16, 2, -1, 822},
		{[]int64{64, 1000}, []int64{64, 500}, []int64{64, 64, 9}, 1, 16, 4, -1, 8288},
		{[]int64{48, 30, 30}, []int64{96, 15, 15}, []int64{96, 48, 3, 3}, 1, 16, 2, -1, 3289},
		{[]int64{64, 64, 64}, []int64{128, 32, 32}, []int64{128, 8, 3, 3}, 8, 8, 2, -1, 10260},
		{[]int64{192, 4, 4}, []int64{192, 4, 4}, []int64{192, 24, 3, 3}, 8, 24, 4, -1, 7478},
		{[]int64{192, 8, 8}, []int64{192, 8, 8}, []int64{192, 24, 3, 3}, 8, 8, 4, -1, 2934},
		{[]int64{3, 160, 160}, []int64{64, 80, 80}, []int64{64, 3, 5, 5}, 1, 64, 4, 281600, -1},
	} {
		p := &Program{}
		x := p.Input(c.in, Float)
		p.Out = Convolution(p, x, p.Weight(0, c.weight...), None, Geometry{Groups: c.groups}, c.out[1:]...)
		if err := p.Check(); err != nil {
			t.Fatal(err)
		}
		k := convolved(&p.Steps[0], c.batch)
		c.near(t, "forward", k.forwardSpace(c.width), c.forward)
		c.near(t, "back", k.backwardSpace(c.width), c.back)
	}
}

// near allows for what the allocator rounds up.
func (c *cudnnCase) near(t *testing.T, way string, bytes int64, want float64) {
	t.Helper()
	const rounded = 96
	if got := float64(bytes) / 1024; want >= 0 && math.Abs(got-want) > 0.04*want+rounded {
		t.Errorf("%v with %v times %d takes %.1f KiB %s, measured %.1f", c.in, c.weight, c.batch, got, way, want)
	}
}
