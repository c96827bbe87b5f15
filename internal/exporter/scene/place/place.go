// Package place finds where the items of a scene go: in layers from top to bottom, what feeds above what reads, and connections that pass
// others in lanes of their own. All arithmetic is on whole pixels, so that every machine places the same.
//
// How large a box must be for what it says is for the caller to tell; how wide a text is about, this package knows.
package place

import (
	"cmp"
	"slices"

	"github.com/modelverifier/verifier/internal/exporter/scene"
)

// Style is how much room things have, in pixels.
type Style struct {
	TitleSize  int // of a group, above what is in it
	GroupInset int // from the border of a group to what is in it
	RankGap    int // between two rows of boxes: room for an arrow and a shape
	NodeGap    int // between neighbours
	LaneWidth  int // of a connection that passes other boxes

	Box   func(it *scene.Item) (w, h int) // the size of a box
	Title func(it *scene.Item) int        // the width of a group's title
}

// Box is an item with its size and, inside its group, its place.
type Box struct {
	Item *scene.Item // nil for a port or a lane
	Lane bool        // a connection passes here
	X, Y int         // the upper left corner
	W, H int
	Kids []*Box // of a group
	Ins  []*Box // its ports
	Outs []*Box

	Wires []Wire // between the kids and the border

	rank  int
	up    []*Box // neighbours in the rank above, and below
	down  []*Box
	order int // in its rank
	mean  int // where its neighbours are, see sweep
}

// Middle is the middle of its upper and lower side.
func (b *Box) Middle() int { return b.X + b.W/2 }

// Wire is a connection: the boxes and lanes it touches, from source to target.
type Wire struct {
	Edge scene.Edge
	Path []*Box
}

// Layout places everything inside an item.
func (s *Style) Layout(it *scene.Item) *Box {
	b := &Box{Item: it}
	if !it.IsGroup() {
		b.W, b.H = s.Box(it)
		return b
	}
	for _, k := range it.Items {
		b.Kids = append(b.Kids, s.Layout(k))
	}
	for range it.Ins {
		b.Ins = append(b.Ins, &Box{W: s.LaneWidth})
	}
	for range it.Outs {
		b.Outs = append(b.Outs, &Box{W: s.LaneWidth})
	}
	ranks := b.ranks(s.LaneWidth)
	sweep(ranks)
	s.place(b, ranks)
	return b
}

// end returns the box at an end of an edge.
func (b *Box) end(e scene.End, ports []*Box) *Box {
	if e.Item == scene.Border {
		return ports[e.Port]
	}
	return b.Kids[e.Item]
}

// maxLanes bounds what a tangle of long connections costs; beyond it they are drawn straight.
const maxLanes = 10000

// ranks puts every box one rank below the lowest of its sources, and a lane into every rank that a connection passes.
func (b *Box) ranks(laneWidth int) [][]*Box {
	top := 0
	if len(b.Ins) > 0 {
		top = 1
	}
	into := make([][]int, len(b.Kids)) // by the item that it leads to, the items that it comes from
	for _, e := range b.Item.Edges {
		if e.To.Item != scene.Border && e.From.Item != scene.Border {
			into[e.To.Item] = append(into[e.To.Item], e.From.Item)
		}
	}
	for i, k := range b.Kids { // in the order of the items, so that sources come first
		k.rank = max(k.rank, top)
		for _, from := range into[i] {
			k.rank = max(k.rank, b.Kids[from].rank+1)
		}
	}
	b.sink(top)
	last := top
	for _, k := range b.Kids {
		last = max(last, k.rank)
	}
	if len(b.Outs) > 0 {
		last++
	}
	ranks := make([][]*Box, last+1)
	ranks[0] = append(ranks[0], b.Ins...)
	for _, k := range b.Kids {
		ranks[k.rank] = append(ranks[k.rank], k)
	}
	for _, o := range b.Outs {
		o.rank = last
		ranks[last] = append(ranks[last], o)
	}
	lanes := 0
	for _, e := range b.Item.Edges {
		from, to := b.end(e.From, b.Ins), b.end(e.To, b.Outs)
		w := Wire{e, []*Box{from}}
		for r := from.rank + 1; r < to.rank && lanes < maxLanes; r++ {
			lanes++
			lane := &Box{W: laneWidth, rank: r, Lane: true}
			ranks[r] = append(ranks[r], lane)
			w.Path = append(w.Path, lane)
		}
		w.Path = append(w.Path, to)
		w.join()
		b.Wires = append(b.Wires, w)
	}
	return ranks
}

// join tells the boxes and lanes of a connection which are their neighbours. A lane has one above and one below, and shares the list of the
// connection.
func (w *Wire) join() {
	last := len(w.Path) - 1
	for i, x := range w.Path {
		switch {
		case x.Lane:
			x.up, x.down = w.Path[i-1:i:i], w.Path[i+1:i+2:i+2]
		case i == 0:
			x.down = append(x.down, w.Path[1])
		case i == last:
			x.up = append(x.up, w.Path[last-1])
		}
	}
}

// sink moves boxes that nothing feeds down to just above what reads them.
func (b *Box) sink(top int) {
	fed := make([]bool, len(b.Kids))
	next := make([]int, len(b.Kids)) // the rank above the first reader, 0 where there is none
	for _, e := range b.Item.Edges {
		if e.To.Item != scene.Border {
			fed[e.To.Item] = true
			if e.From.Item != scene.Border {
				if r := b.Kids[e.To.Item].rank; next[e.From.Item] == 0 || r < next[e.From.Item] {
					next[e.From.Item] = r
				}
			}
		}
	}
	for i, k := range b.Kids {
		if !fed[i] && next[i]-1 > top {
			k.rank = next[i] - 1
		}
	}
}

// sweep orders the boxes of each rank so that few connections cross: each goes to the middle of its neighbours, from above and from
// below in turn. Equal ones keep their order.
func sweep(ranks [][]*Box) {
	renumber(ranks)
	for turn := range 6 {
		for r := range ranks {
			boxes, near := ranks[r], above
			if turn%2 == 1 {
				boxes, near = ranks[len(ranks)-1-r], below
			}
			if len(boxes) < 2 {
				continue
			}
			for _, x := range boxes {
				x.mean = mean(x, near(x))
			}
			slices.SortStableFunc(boxes, func(x, y *Box) int { return cmp.Compare(x.mean, y.mean) })
			for i, x := range boxes {
				x.order = i
			}
		}
	}
}

func above(x *Box) []*Box { return x.up }
func below(x *Box) []*Box { return x.down }

func renumber(ranks [][]*Box) {
	for _, boxes := range ranks {
		for i, x := range boxes {
			x.order = i
		}
	}
}

// mean is the mean place of the neighbours, in thousandths.
func mean(x *Box, near []*Box) int {
	if len(near) == 0 {
		return x.order * 1000
	}
	sum := 0
	for _, y := range near {
		sum += y.order * 1000
	}
	return sum / len(near)
}

// place gives every box its corner, and the group its size.
func (s *Style) place(b *Box, ranks [][]*Box) {
	s.columns(ranks)
	inset, head := 0, 0
	if b.Item.Title != "" || b.Item.Times > 1 || b.Item.Ins+b.Item.Outs > 0 {
		inset, head = s.GroupInset, s.TitleSize
	}
	left, right := 1<<30, -1<<30
	for _, boxes := range ranks {
		for _, x := range boxes {
			left, right = min(left, x.X), max(right, x.X+x.W)
		}
	}
	b.W = right - left + 2*inset
	shift := inset - left
	if need := s.Title(b.Item) + 24; head > 0 {
		for _, p := range b.Ins { // what enters must not cross the title
			extra := max(0, need-p.Middle()-shift)
			shift, b.W = shift+extra, b.W+extra
		}
		b.W = max(b.W, need)
	}
	y := head
	for r, boxes := range ranks {
		tall := 0
		for _, x := range boxes {
			tall = max(tall, x.H)
		}
		if r == 0 && len(b.Ins) > 0 {
			y, tall = 0, 0
		}
		for _, x := range boxes {
			x.X += shift
			x.Y = y + (tall-x.H)/2
			if x.Item == nil {
				x.Y, x.H = y, tall // a lane goes through
			}
		}
		y += tall + s.RankGap
		if r == 0 && len(b.Ins) > 0 {
			y = head + s.RankGap/2
		}
	}
	b.H = y - s.RankGap
	switch {
	case len(b.Outs) > 0:
	case inset > 0:
		b.H += inset
	}
}
