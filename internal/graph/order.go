package graph

import "slices"

// peel takes away, again and again, the first component in the list that has nothing left on the near side, and returns
// them in that order, appended to order. What is on or behind a cycle stays.
func peel(near, far half, order []int) []int {
	n := near.count()
	if near.sorted() {
		for i := range n {
			order = append(order, i)
		}
		return order
	}
	open, ready := make([]int32, n), make(minHeap, 0, n)
	for i := range int32(n) {
		open[i] = int32(len(near.nodes(i)))
		if open[i] == 0 {
			ready = append(ready, i) // in rising order, which is a heap
		}
	}
	for len(ready) > 0 {
		i := ready.pop()
		order = append(order, int(i))
		for _, j := range far.nodes(i) {
			if open[j]--; open[j] == 0 {
				ready.push(j)
			}
		}
	}
	return order
}

// sorted reports whether every component comes behind those at the other ends of its connections.
func (h *half) sorted() bool {
	for i := range int32(h.count()) {
		for _, j := range h.nodes(i) {
			if j >= i {
				return false
			}
		}
	}
	return true
}

// minHeap is a heap of component indices, the smallest on top.
type minHeap []int32

func (h *minHeap) push(v int32) {
	s := append(*h, v)
	i := len(s) - 1
	for i > 0 && s[(i-1)/2] > v {
		s[i] = s[(i-1)/2]
		i = (i - 1) / 2
	}
	s[i], *h = v, s
}

func (h *minHeap) pop() int32 {
	s := *h
	top, last := s[0], s[len(s)-1]
	s = s[:len(s)-1]
	for i := 0; len(s) > 0; {
		child := 2*i + 1
		if child+1 < len(s) && s[child+1] < s[child] {
			child++
		}
		if child >= len(s) || s[child] >= last {
			s[i] = last
			break
		}
		s[i] = s[child]
		i = child
	}
	*h = s
	return top
}

// onCycles returns the components that lie on a cycle, in rising order: those in a strongly connected part of two or more,
// and those that feed themselves. It is Tarjan's algorithm (1972) without recursion; done are components known to be on none.
func onCycles(out half, done []int) []int {
	n := out.count()
	t := tarjan{out: out, index: make([]int32, n), low: make([]int32, n)}
	for _, i := range done {
		t.index[i] = closed
	}
	for i := range int32(n) {
		if t.index[i] == 0 {
			t.visit(i)
		}
	}
	slices.Sort(t.cyclic)
	return t.cyclic
}

// closed marks a component whose part is complete.
const closed = -1

type tarjan struct {
	out        half
	index, low []int32 // index: 0 not seen, closed, or when it was seen, from 1
	seen       int32
	open       []int32 // seen, part not complete
	path       []step
	cyclic     []int
}

// step is a component on the way down and how many of its outputs have been followed.
type step struct{ node, followed int32 }

func (t *tarjan) enter(i int32) {
	t.seen++
	t.index[i], t.low[i] = t.seen, t.seen
	t.open = append(t.open, i)
	t.path = append(t.path, step{node: i})
}

func (t *tarjan) visit(root int32) {
	for t.enter(root); len(t.path) > 0; {
		s := &t.path[len(t.path)-1]
		i, outputs := s.node, t.out.nodes(s.node)
		if int(s.followed) == len(outputs) {
			t.leave(i)
			continue
		}
		j := outputs[s.followed]
		s.followed++
		switch {
		case t.index[j] == 0:
			t.enter(j)
		case t.index[j] > 0:
			t.low[i] = min(t.low[i], t.index[j])
		}
	}
}

// leave goes back up, and closes the part that a component is the first of.
func (t *tarjan) leave(i int32) {
	t.path = t.path[:len(t.path)-1]
	if len(t.path) > 0 {
		above := t.path[len(t.path)-1].node
		t.low[above] = min(t.low[above], t.low[i])
	}
	if t.low[i] != t.index[i] {
		return
	}
	first := len(t.open) - 1
	for t.open[first] != i {
		first--
	}
	part := t.open[first:]
	for _, j := range part {
		t.index[j] = closed
		if len(part) > 1 || slices.Contains(t.out.nodes(j), j) {
			t.cyclic = append(t.cyclic, int(j))
		}
	}
	t.open = t.open[:first]
}
