package estimate

import (
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/infer"
)

// windowHeads is attention inside the windows of an image: the heads of one window, and how many windows a batch has.
func (s *stepper) windowHeads(n *infer.Node) (h heads, windows int64) {
	area, count := int64(1), s.o.Batch
	for k, w := range pair(n, "windowSize") {
		w = max(1, w)
		area, count = times(area, w), times(count, (n.In[0][k]+w-1)/w)
	}
	h = heads{queries: area, keys: area, count: max(1, arg(n, "numHeads").Int())}
	h.kv, h.features = h.count, arg(n, "embedDim").Int()/h.count
	h.values = h.features
	return h, count
}

// shifts reports whether the windows are shifted, so that every window has a mask of its own.
func shifts(n *infer.Node) bool {
	return pair(n, "shiftSize") != [2]int64{}
}

// pair is a parameter of two numbers, or of one that stands for both.
func pair(n *infer.Node, name string) (out [2]int64) {
	v := arg(n, name)
	if v.Kind() == graph.Int {
		return [2]int64{v.Int(), v.Int()}
	}
	for k, x := range v.List() {
		if k < len(out) {
			out[k] = x.Int()
		}
	}
	return out
}

// keepWindows is attention inside windows as transformers writes it, with three maps: the windows, which are cut into a new tensor,
// queries, keys, values, the result, and the scores or the bias that the kernel reads. That has one row for each query, padded to
// whole eights (preprocess_mask of attention.cpp), and is as large as the scores where windows have masks.
func (s *stepper) keepWindows(p, i int) {
	n := &s.res.Nodes[i]
	h, windows := s.windowHeads(n)
	w, size := s.productBytes(), times(windows, h.queries, h.count, h.features)
	maps := 1
	if j := s.input(i, 0); autocasts(s.o.Precision) && j >= 0 && !s.narrow[j] {
		maps = 3
	}
	for range maps + 4 {
		s.add(p, times(size, w))
	}
	if s.windowKernel(i) == "eager" {
		s.add(p, times(windows, h.count, h.queries, h.keys, s.softmaxBytes(i)))
		if c := s.castScoreBytes(i); c > 0 {
			s.add(p, times(windows, h.count, h.queries, h.keys, c))
		}
		return
	}
	s.add(p, times(windows, h.count, h.queries, 4))
	if !shifts(n) {
		windows = 1
	}
	s.add(p, times(windows, h.count, h.queries, (h.keys+7)/8*8, w))
}

// innerWindows: with scores in memory as innerHeads; else the gradients of queries, keys and values, and that of the bias, which the
// kernel writes for every window.
func (s *stepper) innerWindows(i int) int64 {
	n := &s.res.Nodes[i]
	h, windows := s.windowHeads(n)
	rows := times(windows, h.count, h.queries)
	projected := times(3, rows, h.features, weightSize(s.o.Precision))
	if s.windowKernel(i) != "eager" {
		return plus(projected, times(rows, (h.keys+15)/16*16, s.productBytes()))
	}
	soft, cast := s.softmaxBytes(i), s.castScoreBytes(i)
	before := soft
	if s.o.Precision == "bf16" {
		before = 2
	}
	return max(projected, times(rows, h.keys, 2*soft+before-cast))
}

func (s *stepper) windowKernel(i int) string {
	if s.o.Attention == "eager" || s.how[i].has(eager) {
		return "eager"
	}
	return "fused"
}
