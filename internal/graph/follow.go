package graph

import "slices"

// follow walks from every pair along the connections and pairs what is next to both, in the same place and with equal keys,
// and goes on from there.
func (m *match) follow(a, b []uint64) { m.followFrom(0, a, b) }

// followFrom does so for the pairs from one on, and for those that it finds. Where several neighbours could be meant, the
// choice waits until everything that is certain has been followed.
func (m *match) followFrom(first int, a, b []uint64) {
	f := &follower{match: m, a: a, b: b, certain: first}
	for k := first; k < len(m.pairs) && !m.full(); k++ {
		f.followCertain()
		f.step(m.pairs[k], f.choose)
	}
}

// follower is one walk: the keys that it compares by, and the first pair whose certain neighbours have not been followed.
type follower struct {
	*match
	a, b    []uint64
	certain int
	readers [2][]keyed // scratch
}

func (f *follower) followCertain() {
	for f.certain < len(f.pairs) && !f.full() {
		f.certain++
		f.step(f.pairs[f.certain-1], f.only)
	}
}

// step looks at the neighbours of a pair. Inputs and ties have a place each; readers and users are left to a function.
func (f *follower) step(p pair, unordered func(as, bs []keyed)) {
	f.each(f.match.a.in.nodes(p.a), f.match.b.in.nodes(p.b))
	f.readers[0] = f.match.a.readers(f.readers[0][:0], p.a, f.a, f.to)
	f.readers[1] = f.match.b.readers(f.readers[1][:0], p.b, f.b, f.from)
	meet(f.readers[0], f.readers[1], unordered)
	if len(f.match.a.ties) > 0 && len(f.match.b.ties) > 0 {
		f.each(f.match.a.tiesOf(p.a), f.match.b.tiesOf(p.b))
		meet(keyedBy(f.a, f.match.a.users.nodes(p.a)), keyedBy(f.b, f.match.b.users.nodes(p.b)), unordered)
	}
}

func (f *follower) each(x, y []int32) {
	for k := range min(len(x), len(y)) {
		if f.a[x[k]] == f.b[y[k]] {
			f.pair(x[k], y[k])
		}
	}
}

// only pairs neighbours that are alone in their kind.
func (f *follower) only(as, bs []keyed) {
	if len(as) == 1 && len(bs) == 1 {
		f.pair(as[0].node, bs[0].node)
	}
}

// choose pairs those with the same id first and the others in the order of the lists, and follows each choice before the
// next is made.
func (f *follower) choose(as, bs []keyed) {
	as, bs = slices.Clone(as), slices.Clone(bs) // the walk uses the lists that these are parts of
	for _, x := range as {
		if j := f.sameID(x.node); j >= 0 && containsNode(bs, j) {
			f.pair(x.node, j)
			f.followCertain()
		}
	}
	for _, x := range as {
		for len(bs) > 0 && f.to[x.node] == free {
			f.pair(x.node, bs[0].node)
			f.followCertain()
			bs = bs[1:]
		}
	}
}

// containsNode reports whether a run, sorted by node, has a node.
func containsNode(run []keyed, node int32) bool {
	low, high := 0, len(run)
	for low < high {
		if middle := (low + high) / 2; run[middle].node < node {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low < len(run) && run[low].node == node
}

func keyedBy(keys []uint64, nodes []int32) []keyed {
	out := make([]keyed, len(nodes))
	for k, i := range nodes {
		out[k] = keyed{keys[i], i}
	}
	return out
}

// tiesOf returns what a node is tied to: nothing or one component.
func (s *Structure) tiesOf(i int32) []int32 {
	if len(s.ties) == 0 {
		return nil
	}
	return s.tied.nodes(i)
}

// readers appends the free readers of a node, each with its key and the places at which it reads.
func (s *Structure) readers(out []keyed, i int32, keys []uint64, taken []int32) []keyed {
	nodes, at := s.out.nodes(i), s.out.edge[s.out.start[i]:]
	for k := 0; k < len(nodes); {
		j := nodes[k]
		key := keys[j]
		for ; k < len(nodes) && nodes[k] == j; k++ {
			key = mix(key, uint64(at[k]-s.in.start[j]))
		}
		if taken[j] == free {
			out = append(out, keyed{key, j})
		}
	}
	return out
}
