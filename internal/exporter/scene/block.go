package scene

import (
	"slices"
	"strings"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/infer"
)

// piece is a stretch of the order of a graph: a group, or the components of one box.
type piece struct {
	first, n int
	title    string
	times    int    // 0 is once
	until    string // the title of the last of them
	like     string
	kids     []*piece
	item     *Item
	parent   *piece
	place    int // among its parent's kids
	ins      map[int]int
	outs     map[int]int
	drawn    map[Edge]bool
}

// builder has the graph by its order: position 0 is the first component that is drawn.
type builder struct {
	res     *infer.Result
	order   []int   // components
	in      [][]int // positions that each position reads; those that come later, on a cycle, are left out
	readers [][]int
	shown   []int // the position that is drawn in place of this one
	leaf    []*piece
}

func newBuilder(res *infer.Result) *builder {
	b := &builder{res: res}
	seen := make([]bool, len(res.Nodes))
	add := func(i int) {
		if !seen[i] && res.Nodes[i].State != infer.Note {
			seen[i] = true
			b.order = append(b.order, i)
		}
	}
	for _, i := range res.Wiring.Order {
		add(i)
	}
	for i := range res.Nodes { // those on a cycle have no place in the order
		add(i)
	}
	at := make([]int, len(res.Nodes))
	for p, i := range b.order {
		at[i] = p
	}
	b.in, b.readers, b.shown = make([][]int, len(b.order)), make([][]int, len(b.order)), make([]int, len(b.order))
	for p, i := range b.order {
		b.shown[p] = p
		for _, j := range res.Wiring.Inputs(i) {
			if from := at[j]; seen[j] && from < p {
				b.in[p] = append(b.in[p], from)
				b.readers[from] = append(b.readers[from], p)
			}
		}
	}
	return b
}

func (b *builder) node(p int) *infer.Node { return &b.res.Nodes[b.order[p]] }

// blocks cuts the order into blocks and single components. A block is a run of at least two components of one scope.
func (b *builder) blocks() []*piece {
	var out []*piece
	for p := 0; p < len(b.order); {
		key, end := b.scope(p), p+1
		for key != "" && end < len(b.order) && b.scope(end) == key {
			end++
		}
		single := make([]*piece, end-p)
		for i := range single {
			single[i] = &piece{first: p + i, n: 1}
		}
		if len(single) > 1 {
			out = append(out, &piece{first: p, n: end - p, title: key, kids: single})
		} else {
			out = append(out, single...)
		}
		p = end
	}
	return out
}

// scope names the block that a component belongs to, or is empty. With a scope from an importer, or an id that is such a path, that is the
// path up to its first number, model.layers.0; else what the label has before its first separator, if there is a number in it: h0 of h0_attn.
func (b *builder) scope(p int) string {
	c := b.node(p).Component
	path := c.Scope()
	if path == "" {
		path, _, _ = strings.Cut(c.ID, "#")
	}
	for m := range graph.Modules(path) {
		if graph.IsNumbered(m) {
			return m
		}
	}
	if c.Scope() != "" {
		return ""
	}
	label := c.Label()
	cut := strings.IndexAny(label, "_./")
	if cut <= 0 || !strings.ContainsAny(label[:cut], "0123456789") || strings.EqualFold(label[:cut], c.Type) {
		return ""
	}
	return label[:cut]
}

// likes marks a block whose layers are those of an earlier one, but for their sizes. It is drawn as one row.
func (b *builder) likes(items []*piece) {
	kinds := map[string]string{}
	for _, it := range items {
		if len(it.kids) == 0 || it.title == "" || it.n < 4 {
			continue
		}
		kind := b.kind(it)
		if first, ok := kinds[kind]; ok {
			it.like, it.kids = first, nil
		} else {
			kinds[kind] = it.title
		}
	}
}

// kind names the types and the wiring inside a block.
func (b *builder) kind(it *piece) string {
	var s []byte
	for p := it.first; p < it.first+it.n; p++ {
		s = append(append(s, b.node(p).Component.Type...), 0)
		for _, j := range b.in[p] {
			s = graph.IntValue(int64(max(j-it.first, -1))).AppendJSON(append(s, ' '))
		}
	}
	return string(s)
}

// fold replaces items that repeat one after the other by one group that says how often.
func (b *builder) fold(items []*piece) []*piece {
	var out []*piece
	for i := 0; i < len(items); {
		period, times := b.repeats(items, i)
		if times < 2 {
			out = append(out, items[i])
			i++
			continue
		}
		group := items[i]
		if period > 1 {
			last := items[i+period-1]
			group = &piece{first: items[i].first, n: last.first + last.n - items[i].first, kids: items[i : i+period : i+period]}
		}
		group.times, group.until = times, items[i+period*times-1].title
		for p := group.first + group.n; p < group.first+group.n*times; p++ {
			b.shown[p] = p - group.n
		}
		out = append(out, group)
		i += period * times
	}
	return out
}

// maxPeriod bounds the search for repeats: no block of a graph without names has more components.
const maxPeriod = 64

// repeats returns the number of items from i on that repeat, and how often, such that most is folded; 0 where nothing is.
func (b *builder) repeats(items []*piece, i int) (period, times int) {
	saved := 0
	for p := 1; p <= maxPeriod && i+2*p <= len(items); p++ {
		size := items[i+p].first - items[i].first
		t := 1
		for i+(t+1)*p <= len(items) && b.alike(items[i+(t-1)*p:i+t*p], items[i+t*p:i+(t+1)*p], size) {
			t++
		}
		for t > 1 && b.leaks(items[i].first, size, t) {
			t--
		}
		worth := t > 2 || size >= 4 || p == 1 && items[i].title != ""
		if s := size * (t - 1); t > 1 && s > saved && worth {
			period, times, saved = p, t, s
		}
	}
	return period, times
}

// alike reports whether items are equal to those a number of components behind them.
func (b *builder) alike(one, two []*piece, shift int) bool {
	for k := range one {
		if one[k].n != two[k].n || (one[k].title == "") != (two[k].title == "") || two[k].first-one[k].first != shift {
			return false
		}
	}
	for p := one[0].first; p < one[0].first+shift; p++ {
		if !b.equal(p, p+shift) {
			return false
		}
	}
	return true
}

// equal reports whether two components have one type, the same arguments and the same place in what surrounds them: each input is as
// far away, or the very same.
func (b *builder) equal(p, q int) bool {
	x, y := b.node(p), b.node(q)
	if x.Component.Type != y.Component.Type || x.State != y.State || x.Type == nil || len(b.in[p]) != len(b.in[q]) || !slices.EqualFunc(x.Args, y.Args, graph.Value.Equal) {
		return false
	}
	if x.Type.ID == infer.InputID || x.Type.ID == "output" {
		return false
	}
	for k, j := range b.in[p] {
		if i := b.in[q][k]; i != j+q-p && i != j {
			return false
		}
	}
	return true
}

// leaks reports whether something outside reads a repeat other than the last: folded, that connection would be lost.
func (b *builder) leaks(first, size, times int) bool {
	end := first + size*times
	for p := first; p < end-size; p++ {
		for _, r := range b.readers[p] {
			if r >= end {
				return true
			}
		}
	}
	return false
}

// joinChains puts components that follow one another, and nothing else, into one box.
func (b *builder) joinChains(group *piece) {
	kids := group.kids[:0:0]
	for _, k := range group.kids {
		if len(k.kids) > 0 {
			b.joinChains(k)
		} else if n := len(kids) - 1; n >= 0 && b.chained(kids[n], k) {
			kids[n].n++
			continue
		}
		kids = append(kids, k)
	}
	group.kids = kids
}

func (b *builder) chained(box, next *piece) bool {
	end := box.first + box.n - 1
	plain := func(x *piece) bool {
		return len(x.kids) == 0 && x.times == 0 && x.like == "" && !b.node(x.first).Type.Has(catalog.IsVirtual)
	}
	return plain(box) && plain(next) && next.first == end+1 && len(b.in[next.first]) == 1 && b.in[next.first][0] == end && len(b.readers[end]) == 1
}
