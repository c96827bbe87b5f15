package place

import (
	"cmp"
	"slices"

	"github.com/modelverifier/verifier/internal/exporter/scene"
)

// Point is a place in a group, from its upper left corner.
type Point struct{ X, Y int }

// nearly is how far a source may be to the side and still be right above.
const nearly = 12

// Lines are the points through which the connections of a group go, one list for each wire. What passes a lane does so upright.
func (b *Box) Lines() [][]Point {
	shifts := b.spread()
	out := make([][]Point, len(b.Wires))
	for i := range b.Wires {
		out[i] = b.line(&b.Wires[i], shifts[i])
	}
	return out
}

func (b *Box) line(w *Wire, shift int) []Point {
	from, to := w.Path[0], w.Path[len(w.Path)-1]
	x := from.Middle()
	if from.Item != nil && from.Item.IsGroup() {
		x = portOf(from, from.Outs, w.Edge.From.Port)
	}
	out := []Point{{x, from.Y + from.H}}
	for _, k := range w.Path[1 : len(w.Path)-1] {
		out = append(out, Point{k.Middle(), k.Y}, Point{k.Middle(), k.Y + k.H})
	}
	end := Point{to.Middle() + shift, to.Y}
	switch {
	case to.Item == nil:
		end.Y = b.H // the lower border
	case to.Item.IsGroup():
		end.X = portOf(to, to.Ins, w.Edge.To.Port)
	}
	return append(out, end)
}

// spread gives the connections into one box places beside one another, in the order in which they come.
func (b *Box) spread() []int {
	into := map[*Box][]int{}
	for i, w := range b.Wires {
		to := w.Path[len(w.Path)-1]
		into[to] = append(into[to], i)
	}
	out := make([]int, len(b.Wires))
	from := func(i int) *Box { p := b.Wires[i].Path; return p[len(p)-2] }
	for i, w := range b.Wires {
		to := w.Path[len(w.Path)-1]
		list := into[to]
		if to.Item == nil || to.Item.IsGroup() || list[0] != i {
			continue
		}
		slices.SortStableFunc(list, func(x, y int) int { return cmp.Compare(from(x).Middle(), from(y).Middle()) })
		step := max(1, min(18, (to.W-12)/len(list)))
		first := step * (1 - len(list)) / 2
		for k, j := range list {
			if dx := from(j).Middle() - to.Middle(); !from(j).Lane && dx >= -nearly && dx <= nearly {
				first = dx - k*step // the one right above comes straight down
			}
		}
		for k, j := range list {
			out[j] = first + k*step
		}
	}
	return out
}

// portOf returns where on the border of a group a result enters or leaves.
func portOf(b *Box, ports []*Box, port int) int {
	if port < len(ports) {
		return b.X + ports[port].Middle()
	}
	return b.Middle()
}

// Path is a connection from box to box, through the borders of the groups that they are in.
type Path struct {
	From, To *Box
	Points   []Point // from the upper left corner of the outermost group
	Shape    string
}

// add goes on to a point. One that lies between two others, straight above each other, is left out.
func (p *Path) add(next Point) {
	n := len(p.Points)
	switch {
	case n > 0 && p.Points[n-1] == next:
	case n > 1 && p.Points[n-1].X == next.X && p.Points[n-2].X == next.X:
		p.Points[n-1] = next
	default:
		p.Points = append(p.Points, next)
	}
}

// tracer puts the lines of groups together.
type tracer struct {
	around map[*Box]*Box // the group that something is in
	at     map[*Box]Point
	place  map[*Box]int // among the kids of its group
	lines  map[*Box][][]Point
	starts map[*Box]map[scene.End][]int // the wires of a group, by where they begin
	out    []Path
}

// Paths are the connections of everything inside a group, from box to box.
func (b *Box) Paths() []Path {
	t := &tracer{map[*Box]*Box{}, map[*Box]Point{}, map[*Box]int{}, map[*Box][][]Point{}, map[*Box]map[scene.End][]int{}, nil}
	t.visit(b, Point{})
	t.begin(b)
	return t.out
}

func (t *tracer) visit(group *Box, at Point) {
	t.at[group], t.lines[group], t.starts[group] = at, group.Lines(), map[scene.End][]int{}
	for i, w := range group.Wires {
		t.starts[group][w.Edge.From] = append(t.starts[group][w.Edge.From], i)
	}
	for i, k := range group.Kids {
		t.around[k], t.place[k] = group, i
		if k.Item.IsGroup() {
			t.visit(k, Point{at.X + k.X, at.Y + k.Y})
		}
	}
}

// begin follows every wire that begins at a box.
func (t *tracer) begin(group *Box) {
	for i := range group.Wires {
		if e := &group.Wires[i].Edge; e.From.Item != scene.Border && !group.Kids[e.From.Item].Item.IsGroup() {
			t.follow(group, i, &Path{From: group.Kids[e.From.Item], Shape: e.Shape})
		}
	}
	for _, k := range group.Kids {
		if k.Item.IsGroup() {
			t.begin(k)
		}
	}
}

// follow goes along a wire, and from there on inside or outside of the group that it leads to.
func (t *tracer) follow(group *Box, wire int, so *Path) {
	path := Path{From: so.From, Points: slices.Clone(so.Points), Shape: so.Shape}
	for _, p := range t.lines[group][wire] {
		p.X, p.Y = p.X+t.at[group].X, p.Y+t.at[group].Y
		path.add(p)
	}
	var next *Box
	start := group.Wires[wire].Edge.To
	switch {
	case start.Item == scene.Border:
		next, start = t.around[group], scene.End{Item: t.place[group], Port: start.Port}
	case group.Kids[start.Item].Item.IsGroup():
		next, start = group.Kids[start.Item], scene.End{Item: scene.Border, Port: start.Port}
	default:
		path.To = group.Kids[start.Item]
		t.out = append(t.out, path)
		return
	}
	for _, w := range t.starts[next][start] {
		t.follow(next, w, &path)
	}
}
