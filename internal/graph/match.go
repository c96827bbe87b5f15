package graph

import (
	"cmp"
	"slices"
)

// match says which node of one graph is which node of another. It grows by steps, each of which pairs nodes that are still
// free, from the surest evidence to the weakest; none of them takes a pair back.
type match struct {
	a, b     *Structure
	to, from []int32 // node of a to node of b and back; free where there is none
	pairs    []pair  // in the order in which they were found
	most     int     // how many pairs there can be
	keys     *matchKeys
	was, is  []Param // of the components that change compares
	differ   []ParamChange
}

type pair struct{ a, b int32 }

const free = -1

// matchKeys are what nodes are compared by, for both graphs, computed once for all ways of matching.
type matchKeys struct {
	a, b   nodeKeys
	sorted []sorted // what runs have compared by
	as, bs []keyed  // those of both that are free
}

type nodeKeys struct {
	kind  []uint64 // type
	name  []uint64 // type and name
	down  []uint64 // label and readers, down to the ends
	place []uint64 // full and the places of the inputs: a third pass, which tells apart what the fingerprint need not
}

func newMatch(a, b *Structure) *match {
	k := &matchKeys{a: keysOf(a), b: keysOf(b)}
	m := &match{a: a, b: b, to: make([]int32, a.nodes), from: make([]int32, b.nodes), keys: k, most: min(a.live(), b.live())}
	for i := range m.to {
		m.to[i] = free
	}
	for j := range m.from {
		m.from[j] = free
	}
	return m
}

func (m *match) clone() *match {
	out := *m
	out.to, out.from, out.pairs = slices.Clone(m.to), slices.Clone(m.from), slices.Clone(m.pairs)
	return &out
}

func keysOf(s *Structure) nodeKeys {
	k := nodeKeys{
		kind:  make([]uint64, s.nodes),
		name:  make([]uint64, s.nodes),
		down:  s.pass(s.against, s.label, s.downOf),
		place: s.pass(s.order, s.full, s.placeOf),
	}
	for i := range s.graph.Components {
		c := &s.graph.Components[i]
		k.kind[i] = mixString(8, c.Type)
		k.name[i] = mixString(k.kind[i], c.Name)
	}
	return k // the kind of a stand-in is zero, which no type has
}

// id is the id of a component or of what stands in for it.
func (s *Structure) id(i int32) string {
	if n := len(s.graph.Components); int(i) >= n {
		return s.standIns[int(i)-n].id
	}
	return s.graph.Components[i].ID
}

// sameID returns the node of b that has the id of a node of a, or a number below zero.
func (m *match) sameID(i int32) int32 {
	if j, ok := m.b.ids[m.a.id(i)]; ok {
		return j
	}
	return free
}

// full reports whether one of the graphs has no free node left.
func (m *match) full() bool { return len(m.pairs) == m.most }

// pair matches two nodes, unless one of them is taken. Notes are never matched.
func (m *match) pair(i, j int32) {
	if m.to[i] == free && m.from[j] == free && !m.a.isNote(i) && !m.b.isNote(j) {
		m.to[i], m.from[j] = j, i
		m.pairs = append(m.pairs, pair{i, j})
	}
}

// matchStructures matches what stands in the same place of the same whole. If something is left, ids and structure can
// disagree: ids are kept by an editor, and shift when an importer numbers the components anew. Both ways are gone, and the
// one that finds less changed is taken, ids where they are equal.
func matchStructures(a, b *Structure) *match {
	m := newMatch(a, b)
	m.exact()
	byID := m.clone()
	byID.ids()
	byID.follow(a.label, b.label)
	byID.alone(a.up, b.up)
	byID.alone(m.keys.a.down, m.keys.b.down)
	byID.rest()
	if c := byID.cost(); c.moved == 0 {
		return byID
	}
	byStructure := m
	byStructure.alone(a.up, b.up)
	byStructure.alone(m.keys.a.down, m.keys.b.down)
	byStructure.follow(a.label, b.label)
	byStructure.ids()
	byStructure.rest()
	if byStructure.cost().all() < byID.cost().all() {
		return byStructure
	}
	return byID
}

// rest tries the weaker evidence: names, then types next to what is matched, then ids alone.
func (m *match) rest() {
	m.follow(m.a.label, m.b.label)
	m.names()
	m.follow(m.a.label, m.b.label)
	m.follow(m.keys.a.kind, m.keys.b.kind)
	for i := range m.a.graph.Components {
		if j := m.sameID(int32(i)); j >= 0 && int(j) < len(m.b.graph.Components) {
			m.pair(int32(i), j)
		}
	}
}

// exact pairs nodes that stand in the same place: first those that are alone with theirs, then one by one those that share it, by
// id and then in the order of the lists, each time following the connections, so that two equal branches are not crossed.
func (m *match) exact() {
	a, b := m.keys.a.place, m.keys.b.place
	m.alone(a, b)
	m.follow(a, b)
	pairAndFollow := func(i, j int32) {
		before := len(m.pairs)
		m.pair(i, j)
		m.followFrom(before, a, b)
	}
	m.runs(a, b, func(as, bs []keyed) {
		for _, x := range as {
			if j := m.sameID(x.node); j >= 0 && b[j] == x.key {
				pairAndFollow(x.node, j)
			}
		}
		for _, x := range as {
			for len(bs) > 0 && m.to[x.node] == free {
				pairAndFollow(x.node, bs[0].node)
				bs = bs[1:]
			}
		}
	})
}

// ids pairs nodes with equal ids and equal types.
func (m *match) ids() {
	for i := range int32(m.a.nodes) {
		if m.to[i] != free {
			continue
		}
		if j := m.sameID(i); j >= 0 && m.keys.a.kind[i] == m.keys.b.kind[j] {
			m.pair(i, j)
		}
	}
}

// names pairs nodes of equal types that alone have a name.
func (m *match) names() {
	m.runs(m.keys.a.name, m.keys.b.name, func(as, bs []keyed) {
		if i := as[0].node; len(as) == 1 && len(bs) == 1 && int(i) < len(m.a.graph.Components) && m.a.graph.Components[i].Name != "" {
			m.pair(i, bs[0].node)
		}
	})
}

// alone pairs free nodes whose key no other free node of their graph has.
func (m *match) alone(a, b []uint64) {
	m.runs(a, b, func(as, bs []keyed) {
		if len(as) == 1 && len(bs) == 1 {
			m.pair(as[0].node, bs[0].node)
		}
	})
}

// keyed is a node and what it is compared by.
type keyed struct {
	key  uint64
	node int32
}

func compareKeyed(x, y keyed) int {
	if c := cmp.Compare(x.key, y.key); c != 0 {
		return c
	}
	return cmp.Compare(x.node, y.node)
}

// runs calls visit with the free nodes of both graphs that share a key, for every key that both have.
func (m *match) runs(a, b []uint64, visit func(as, bs []keyed)) {
	if m.full() {
		return
	}
	k := m.keys
	k.as, k.bs = freeNodes(k.as[:0], k.sort(a), m.to), freeNodes(k.bs[:0], k.sort(b), m.from)
	meetSorted(k.as, k.bs, visit)
}

// sorted is all nodes of a graph by keys.
type sorted struct {
	by    []uint64
	nodes []keyed
}

// sort is all nodes of a graph by their keys. Most keys are compared by more than once.
func (k *matchKeys) sort(keys []uint64) []keyed {
	for _, s := range k.sorted {
		if sameList(s.by, keys) {
			return s.nodes
		}
	}
	nodes := make([]keyed, len(keys))
	for i, key := range keys {
		nodes[i] = keyed{key, int32(i)}
	}
	slices.SortFunc(nodes, compareKeyed)
	k.sorted = append(k.sorted, sorted{keys, nodes})
	return nodes
}

// sameList reports whether two lists are one in memory.
func sameList(a, b []uint64) bool { return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0]) }

func freeNodes(out, nodes []keyed, taken []int32) []keyed {
	for _, x := range nodes {
		if taken[x.node] == free {
			out = append(out, x)
		}
	}
	return out
}

// meet sorts two lists and calls visit for every key that both have.
func meet(as, bs []keyed, visit func(as, bs []keyed)) {
	slices.SortFunc(as, compareKeyed)
	slices.SortFunc(bs, compareKeyed)
	meetSorted(as, bs, visit)
}

func meetSorted(as, bs []keyed, visit func(as, bs []keyed)) {
	for len(as) > 0 && len(bs) > 0 {
		switch {
		case as[0].key < bs[0].key:
			as = as[1:]
		case as[0].key > bs[0].key:
			bs = bs[1:]
		default:
			n, k := runLength(as), runLength(bs)
			visit(as[:n], bs[:k])
			as, bs = as[n:], bs[k:]
		}
	}
}

func runLength(list []keyed) int {
	n := 1
	for n < len(list) && list[n].key == list[0].key {
		n++
	}
	return n
}
