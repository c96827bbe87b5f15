package scene

import (
	"slices"
	"strings"
	"unicode"

	"github.com/modelverifier/verifier/internal/infer"
)

// item makes the item of a piece, and counts what it has.
func (b *builder) item(p *piece, s *Scene) *Item {
	title := p.title
	if max(p.times, p.opened) > 1 && title != "" {
		dot := strings.LastIndexByte(title, '.') + 1
		title = Clip(title, maxLabel) + "…" + strings.TrimPrefix(p.until, title[:dot])
	}
	it := &Item{Title: Clip(title, 2*maxLabel), Times: max(p.times, 1), Like: Clip(p.like, maxLabel), Opened: p.opened > 0}
	p.item = it
	for k := p.first; k < p.first+p.n && p.parent != nil; k++ {
		it.Params, it.Lacks = it.Params+b.node(k).Params, it.Lacks || b.node(k).LacksWeights
	}
	if p.parent != nil {
		it.ID = b.id(p)
		b.hide(p)
	}
	p.ins, p.outs, p.drawn = map[int]int{}, map[int]int{}, map[Edge]bool{}
	for i, k := range p.kids {
		k.parent, k.place = p, i
		it.Items = append(it.Items, b.item(k, s))
	}
	if len(p.kids) > 0 || p.parent == nil {
		return it
	}
	s.Boxes++
	b.own(p)
	if p.like != "" {
		s.Rows++
		return it
	}
	for k := range p.n {
		it.Rows = append(it.Rows, b.row(p, p.first+k))
		s.Rows++
	}
	return it
}

// hide notes which components a piece stands for and does not show.
func (b *builder) hide(p *piece) {
	first := p.first + p.n
	if p.like != "" {
		first = p.first
	}
	p.item.Hidden = slices.Clone(b.order[first : p.first+p.n*max(p.times, 1)])
}

// own notes which piece draws each position.
func (b *builder) own(p *piece) {
	if b.leaf == nil {
		b.leaf = make([]*piece, len(b.order))
	}
	for k := p.first; k < p.first+p.n; k++ {
		b.leaf[k] = p
	}
}

func (b *builder) row(p *piece, at int) Row {
	node := b.node(at)
	r := Row{
		Name: Clip(shortName(node.Component.Title(), p), maxLabel), Type: Clip(node.Component.Type, maxLabel), Params: node.Params,
		Refused: node.State == infer.Refused, Detail: Clip(detail(node), maxDetail), Node: b.order[at],
	}
	if node.Type != nil {
		r.Virtual = node.Type.ID == infer.InputID || node.Type.ID == "output"
	}
	if node.Out != nil {
		r.Shape = ShapeText(node.Out)
		r.Changes = len(node.In) == 0 || !node.Out.Equal(node.In[0])
	}
	return r
}

// shortName leaves out what the title of the block says already; nothing is left of a component that is called as its block.
func shortName(label string, p *piece) string {
	for ; p != nil; p = p.parent {
		if p.title != "" && (label == p.title || strings.HasPrefix(label, p.title+"#")) {
			return "" // importers number those that share a scope: model.layers.0#2
		}
		if rest, ok := strings.CutPrefix(label, p.title); p.title != "" && ok && len(rest) > 1 && strings.ContainsRune("_./", rune(rest[0])) {
			return rest[1:]
		}
	}
	return label
}

const maxLabel, maxDetail = 40, 48

// Clip makes text of a caller fit for a picture: no control or invisible characters, and not endless.
func Clip(s string, limit int) string {
	var b strings.Builder
	n := 0
	for _, r := range s {
		if n++; n > limit {
			return b.String() + "…"
		}
		if !unicode.IsPrint(r) || r == unicode.ReplacementChar {
			r = '?'
		}
		b.WriteRune(r)
	}
	return b.String()
}

// representative follows a position to the one that is drawn.
func (b *builder) representative(p int) int {
	for b.shown[p] != p {
		p = b.shown[p]
	}
	return p
}

// connect draws every connection into a component that is drawn itself: up from its source to the group that both are in, and down
// from there.
func (b *builder) connect(root *piece) {
	for p := range b.order {
		if b.shown[p] != p {
			continue
		}
		for _, j := range b.in[p] {
			if from := b.representative(j); b.leaf[from] != b.leaf[p] {
				b.draw(from, p)
			}
		}
	}
}

func (b *builder) draw(from, to int) {
	shape := ""
	if out := b.node(from).Out; out != nil {
		shape = ShapeText(out)
	}
	up, down := b.leaf[from], b.leaf[to]
	above := map[*piece]bool{}
	for p := down; p != nil; p = p.parent {
		above[p] = true
	}
	start := End{up.place, 0}
	for ; !above[up.parent]; up = up.parent {
		out := port(up.parent.outs, from)
		up.parent.draw(Edge{start, End{Border, out}, shape})
		start = End{up.parent.place, out}
	}
	var path []*piece // from the target up to the group that has both
	for p := down; p.parent != up.parent; p = p.parent {
		path = append(path, p)
	}
	for i := len(path) - 1; i >= 0; i-- {
		group := path[i].parent
		in := port(group.ins, from)
		group.parent.draw(Edge{start, End{group.place, in}, shape})
		start = End{Border, in}
	}
	down.parent.draw(Edge{start, End{down.place, 0}, shape})
}

// port returns the number of the port of a result.
func port(ports map[int]int, from int) int {
	n, ok := ports[from]
	if !ok {
		n = len(ports)
		ports[from] = n
	}
	return n
}

func (p *piece) draw(e Edge) {
	if p.drawn[e] {
		return
	}
	p.drawn[e] = true
	p.item.Edges = append(p.item.Edges, e)
	p.item.Ins, p.item.Outs = len(p.ins), len(p.outs)
}
