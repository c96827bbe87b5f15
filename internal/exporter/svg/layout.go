package svg

import (
	"sort"

	"github.com/modelverifier/verifier/internal/exporter/scene"
	"github.com/modelverifier/verifier/internal/quantity"
)

// box is an item with its size and, inside its group, its place.
type box struct {
	item    *scene.Item // nil for a port or a lane
	lane    bool        // a connection passes here
	x, y    int         // the upper left corner
	w, h    int
	rank    int
	columns [3]int // where the columns of the rows begin
	kids    []*box // of a group
	ins     []*box // its ports
	outs    []*box
	wires   []wire
	up      []*box // neighbours in the rank above, and below
	down    []*box
	order   int // in its rank
}

func (b *box) middle() int { return b.x + b.w/2 }

// wire is a connection: the boxes and lanes it touches, from source to target.
type wire struct {
	edge scene.Edge
	path []*box
}

// layout places everything inside an item.
func layout(it *scene.Item) *box {
	b := &box{item: it}
	if !it.IsGroup() {
		b.measure()
		return b
	}
	for _, k := range it.Items {
		b.kids = append(b.kids, layout(k))
	}
	for range it.Ins {
		b.ins = append(b.ins, &box{w: laneWidth})
	}
	for range it.Outs {
		b.outs = append(b.outs, &box{w: laneWidth})
	}
	ranks := b.ranks()
	b.sweep(ranks)
	b.place(ranks)
	return b
}

// measure finds the size of a box from its text.
func (b *box) measure() {
	it := b.item
	if it.Like != "" {
		b.w = boldWidth(groupName(it)+"  like "+it.Like) + columnGap + textWidth(it.Weights(), 12) + 2*textInset
		b.h = rowHeight + 2*boxPadding
		return
	}
	var name, kind, shape, weights int
	for i, r := range it.Rows {
		name = max(name, boldWidth(r.Name))
		kind = max(kind, textWidth(kindText(r), 12))
		if r.Changes && i < len(it.Rows)-1 {
			shape = max(shape, textWidth(r.Shape, 12)+columnGap)
		}
		if r.Params > 0 {
			weights = max(weights, textWidth(quantity.Short(r.Params), 12)+columnGap)
		}
	}
	if name > 0 {
		name += columnGap
	}
	b.columns = [3]int{textInset + name, textInset + name + kind, 0}
	b.columns[2] = b.columns[1] + shape
	b.w = b.columns[2] + weights + textInset
	b.h = len(it.Rows)*rowHeight + 2*boxPadding
	if it.Times > 1 {
		b.w += textWidth(timesText(it.Times), 12) + columnGap
	}
}

// ends returns the box at an end of an edge.
func (b *box) end(e scene.End, ports []*box) *box {
	if e.Item == scene.Border {
		return ports[e.Port]
	}
	return b.kids[e.Item]
}

// maxLanes bounds what a tangle of long connections costs; beyond it they are drawn straight.
const maxLanes = 20000

// ranks puts every box one rank below the lowest of its sources, and a lane into every rank that a connection passes.
func (b *box) ranks() [][]*box {
	top := 0
	if len(b.ins) > 0 {
		top = 1
	}
	for i, k := range b.kids {
		k.rank = max(k.rank, top)
		for _, e := range b.item.Edges { // in the order of the items, so that sources come first
			if e.To.Item == i && e.From.Item != scene.Border {
				k.rank = max(k.rank, b.kids[e.From.Item].rank+1)
			}
		}
	}
	b.sink(top)
	last := top
	for _, k := range b.kids {
		last = max(last, k.rank)
	}
	if len(b.outs) > 0 {
		last++
	}
	ranks := make([][]*box, last+1)
	ranks[0] = append(ranks[0], b.ins...)
	for _, k := range b.kids {
		ranks[k.rank] = append(ranks[k.rank], k)
	}
	for _, o := range b.outs {
		o.rank = last
		ranks[last] = append(ranks[last], o)
	}
	lanes := 0
	for _, e := range b.item.Edges {
		from, to := b.end(e.From, b.ins), b.end(e.To, b.outs)
		w := wire{e, []*box{from}}
		for r := from.rank + 1; r < to.rank && lanes < maxLanes; r++ {
			lanes++
			lane := &box{w: laneWidth, rank: r, lane: true}
			ranks[r] = append(ranks[r], lane)
			w.path = append(w.path, lane)
		}
		w.path = append(w.path, to)
		for i := range len(w.path) - 1 {
			w.path[i].down, w.path[i+1].up = append(w.path[i].down, w.path[i+1]), append(w.path[i+1].up, w.path[i])
		}
		b.wires = append(b.wires, w)
	}
	return ranks
}

// sink moves boxes that nothing feeds down to just above what reads them.
func (b *box) sink(top int) {
	fed := make([]bool, len(b.kids))
	next := make([]int, len(b.kids)) // the rank above the first reader, 0 where there is none
	for _, e := range b.item.Edges {
		if e.To.Item != scene.Border {
			fed[e.To.Item] = true
			if e.From.Item != scene.Border {
				if r := b.kids[e.To.Item].rank; next[e.From.Item] == 0 || r < next[e.From.Item] {
					next[e.From.Item] = r
				}
			}
		}
	}
	for i, k := range b.kids {
		if !fed[i] && next[i]-1 > top {
			k.rank = next[i] - 1
		}
	}
}

// sweep orders the boxes of each rank so that few connections cross: each goes to the middle of its neighbours, from above and from
// below in turn. Equal ones keep their order.
func (b *box) sweep(ranks [][]*box) {
	renumber(ranks)
	for turn := range 6 {
		for r := range ranks {
			boxes, near := ranks[r], func(x *box) []*box { return x.up }
			if turn%2 == 1 {
				boxes, near = ranks[len(ranks)-1-r], func(x *box) []*box { return x.down }
			}
			sort.SliceStable(boxes, func(i, j int) bool { return mean(boxes[i], near) < mean(boxes[j], near) })
			for i, x := range boxes {
				x.order = i
			}
		}
	}
}

func renumber(ranks [][]*box) {
	for _, boxes := range ranks {
		for i, x := range boxes {
			x.order = i
		}
	}
}

// mean is the mean place of the neighbours, in thousandths.
func mean(x *box, near func(*box) []*box) int {
	n := near(x)
	if len(n) == 0 {
		return x.order * 1000
	}
	sum := 0
	for _, y := range n {
		sum += y.order * 1000
	}
	return sum / len(n)
}

// place gives every box its corner, and the group its size.
func (b *box) place(ranks [][]*box) {
	b.columnsOf(ranks)
	inset, head := 0, 0
	if b.item.Title != "" || b.item.Times > 1 || b.item.Ins+b.item.Outs > 0 {
		inset, head = groupInset, titleSize
	}
	left, right := 1<<30, -1<<30
	for _, boxes := range ranks {
		for _, x := range boxes {
			left, right = min(left, x.x), max(right, x.x+x.w)
		}
	}
	b.w = right - left + 2*inset
	shift := inset - left
	if need := boldWidth(groupTitle(b.item)) + 24; head > 0 {
		for _, p := range b.ins { // what enters must not cross the title
			extra := max(0, need-p.middle()-shift)
			shift, b.w = shift+extra, b.w+extra
		}
		b.w = max(b.w, need)
	}
	y := head
	for r, boxes := range ranks {
		tall := 0
		for _, x := range boxes {
			tall = max(tall, x.h)
		}
		if r == 0 && len(b.ins) > 0 {
			y, tall = 0, 0
		}
		for _, x := range boxes {
			x.x += shift
			x.y = y + (tall-x.h)/2
			if x.item == nil {
				x.y, x.h = y, tall // a lane goes through
			}
		}
		y += tall + rankGap
		if r == 0 && len(b.ins) > 0 {
			y = head + rankGap/2
		}
	}
	b.h = y - rankGap
	switch {
	case len(b.outs) > 0:
	case inset > 0:
		b.h += inset
	}
}
