package catalog

import (
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/graph"
)

// TestNoTensorHasMoreThan64Axes holds PyTorch's limit for whatever makes axes, from parameters and from what arrives.
func TestNoTensorHasMoreThan64Axes(t *testing.T) {
	ones := func(n int) []int64 {
		out := make([]int64, n)
		for i := range out {
			out[i] = 1
		}
		return out
	}
	list := func(n int) graph.Value { return graph.IntsValue(ones(n)...) }
	for _, c := range []struct {
		typ, param string
		value      func(axes int) graph.Value
		in         func(axes int) []Shape
	}{
		{"input", "shape", list, func(int) []Shape { return nil }},
		{"parameter", "shape", list, func(int) []Shape { return []Shape{ones(1)} }},
		{"customModule", "outShape", list, func(int) []Shape { return []Shape{ones(1)} }},
		{"reshape", "shape", list, func(int) []Shape { return []Shape{ones(1)} }},
		{"unflatten", "unflattenedSize", list, func(int) []Shape { return []Shape{ones(1)} }},
		{"unsqueeze", "dim", func(int) graph.Value { return graph.IntValue(1) }, func(axes int) []Shape { return []Shape{ones(axes - 1)} }},
		{"stack", "dim", func(int) graph.Value { return graph.IntValue(1) }, func(axes int) []Shape { return []Shape{ones(axes - 1), ones(axes - 1)} }},
	} {
		for axes, legal := range map[int]bool{MaxAxes: true, MaxAxes + 1: false} {
			params := []graph.Param{{Name: c.param, Value: c.value(axes)}}
			if c.typ == "unflatten" {
				params = append(params, graph.Param{Name: "dim", Value: graph.IntValue(1)})
			}
			r := Lookup(c.typ).Evaluate(params, c.in(axes), nil)
			switch {
			case legal && (r.Err != nil || len(r.Out) != axes):
				t.Errorf("%s with %d axes: %v %v", c.typ, axes, r.Out, r.Err)
			case !legal && (r.Err == nil || r.Err.Rule != RankMismatch || r.Out != nil || !strings.Contains(r.Err.Message, "more than 64")):
				t.Errorf("%s with %d axes: %v %v", c.typ, axes, r.Out, r.Err)
			}
		}
	}
}
