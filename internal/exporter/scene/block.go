package scene

import (
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
	opened   int // how many repeats it shows one by one, because that was asked for; 0 where it is not folded
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
	options Options
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

// scope names the block that a component belongs to, or is empty. Who edits a graph can say it; with a scope from an importer, or an id that is such a path, that is the
// path up to its first number, model.layers.0; else what the label has before its first separator, if there is a number in it: h0 of h0_attn.
func (b *builder) scope(p int) string {
	c := b.node(p).Component
	if group := c.Group(); group != "" {
		return group
	}
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
	label := c.Title()
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
		if first, ok := kinds[kind]; ok && b.open(it) {
			continue
		} else if ok {
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

// joinChains puts components that follow one another, and nothing else, into one box.
func (b *builder) joinChains(group *piece) {
	kids := group.kids[:0:0]
	for _, k := range group.kids {
		if len(k.kids) > 0 {
			b.joinChains(k)
		} else if n := len(kids) - 1; n >= 0 && b.chained(kids[n], k) && (b.options.RowsOfBox == 0 || kids[n].n < b.options.RowsOfBox) {
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

// id names a piece by its first component and what it is, so that it stays the same when something else changes.
func (b *builder) id(p *piece) string {
	kind := "box:"
	switch {
	case p.times > 1 || p.opened > 0:
		kind = "times:"
	case p.title != "":
		kind = "block:"
	case len(p.kids) > 0:
		kind = "part:" // one of several blocks that repeat together
	}
	return kind + b.node(p.first).Component.ID
}

// open reports whether a piece was asked to be shown in full.
func (b *builder) open(p *piece) bool { return b.options.Open != nil && b.options.Open(b.id(p)) }
