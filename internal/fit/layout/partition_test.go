package layout

import (
	"reflect"
	"testing"
)

// TestPartsAreThoseOfDeepSpeed compares with what partition_balanced of DeepSpeed 0.19.6 gives for these weights.
func TestPartsAreThoseOfDeepSpeed(t *testing.T) {
	for _, c := range []struct {
		weights []int64
		want    []int64
	}{
		{[]int64{4, 2, 8, 1, 7, 7, 1, 8, 5, 4}, []int64{3, 2, 2, 1, 2}},
		{[]int64{6, 1, 1, 1, 9, 1, 7, 4, 7, 1, 9, 4}, []int64{7, 5}},
		{[]int64{9, 4, 6, 4, 4, 8, 5, 1, 7, 9}, []int64{2, 2, 2, 3, 1}},
		{[]int64{1, 7, 9, 3, 9, 9, 4, 7, 1, 8, 6, 9, 4}, []int64{3, 2, 1, 3, 2, 2}},
		{[]int64{8, 6, 7, 6, 1, 9, 9, 6, 8, 1, 4}, []int64{2, 2, 2, 2, 3}},
		{[]int64{9, 3, 2, 9, 5, 1, 2, 2, 1, 8, 1, 5, 4}, []int64{3, 5, 5}},
		{[]int64{5, 5, 8, 6, 8, 8, 2, 1, 5, 7, 6}, []int64{3, 3, 5}},
		{[]int64{5, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 5}, []int64{3, 4, 4, 3}},
		{[]int64{2, 5, 2, 8, 8}, []int64{1, 1, 1, 1, 1, 0}},
		{[]int64{7, 3, 3}, []int64{1, 1, 1, 0}},
	} {
		got := partition(c.weights, len(c.want))
		want := inner(append([]int64(nil), c.want...))
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%v: %v, want %v", c.weights, got, want)
		}
	}
	if got := partition(make([]int64, 5000), 4000); len(got) != 4000 { // too much work to do exactly
		t.Errorf("%d parts", len(got))
	}
}
