package graph

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestFewInputsAreArrangedStepByStep compares with the insertion of each input where it may stand.
func TestFewInputsAreArrangedStepByStep(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := execution{depth: make([]int32, 12), source: make([]int32, 12)}
		for i := range x.depth {
			x.depth[i], x.source[i] = int32(rapid.IntRange(0, 5).Draw(t, "depth")), int32(rapid.IntRange(0, 3).Draw(t, "source"))
		}
		inputs := rapid.SliceOfN(rapid.Int32Range(0, 11), 0, 100).Draw(t, "inputs")
		want := slices.Clone(inputs)
		for k := 1; k < len(want); k++ {
			for m := k; m > 0 && x.waits(want[m-1], want[m]); m-- {
				want[m-1], want[m] = want[m], want[m-1]
			}
		}
		if x.arrange(inputs); !slices.Equal(inputs, want) {
			t.Fatalf("got %v, want %v", inputs, want)
		}
	})
}

// TestTowersAreArrangedByDepth has more inputs than are brought to their places step by step.
func TestTowersAreArrangedByDepth(t *testing.T) {
	n := 2000
	x := execution{depth: make([]int32, n), source: make([]int32, n)}
	inputs := make([]int32, n)
	for i := range inputs {
		x.depth[i], x.source[i], inputs[i] = int32(1+i/2), int32(i), int32(i)
	}
	x.arrange(inputs)
	for k := 1; k < n; k++ {
		if a, b := inputs[k-1], inputs[k]; x.depth[a] < x.depth[b] || x.depth[a] == x.depth[b] && a > b {
			t.Fatalf("%d is before %d", a, b)
		}
	}
}
