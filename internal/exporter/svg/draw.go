package svg

import (
	"fmt"
	"sort"
	"strconv"
	"strings"

	"github.com/modelverifier/verifier/internal/exporter/scene"
	"github.com/modelverifier/verifier/internal/quantity"
)

// drawing is the file as it grows.
type drawing struct{ strings.Builder }

func (d *drawing) f(format string, args ...any) { fmt.Fprintf(d, format, args...) }

func timesText(n int) string { return "× " + strconv.Itoa(n) }

func kindText(r scene.Row) string {
	if r.Detail == "" {
		return r.Type
	}
	return r.Type + " " + r.Detail
}

// groupTitle is what stands in the corner of a group.
func groupTitle(it *scene.Item) string {
	name := groupName(it)
	if it.Params == 0 || name == "" {
		return name
	}
	if it.Times > 1 {
		return name + " · " + it.Weights() + " each"
	}
	return name + " · " + it.Weights()
}

// groupName is the title of a block and how often it is there.
func groupName(it *scene.Item) string {
	if it.Times > 1 {
		return strings.TrimSpace(it.Title + " " + timesText(it.Times))
	}
	return it.Title
}

// group draws a group with its upper left corner at a place, and all that is in it.
func (d *drawing) group(b *box, x, y int) {
	for _, k := range b.kids {
		if k.item.IsGroup() {
			d.frame(k, x+k.x, y+k.y)
		}
	}
	ends := b.spread()
	labelled := map[scene.End]bool{}
	for i, w := range b.wires {
		d.wire(b, w, ends[i], x, y, !labelled[w.edge.From])
		labelled[w.edge.From] = true
	}
	for _, k := range b.kids {
		if k.item.IsGroup() {
			d.group(k, x+k.x, y+k.y)
		} else {
			d.box(k, x+k.x, y+k.y)
		}
	}
}

func (d *drawing) frame(b *box, x, y int) {
	d.f(`<rect class="g" x="%d" y="%d" width="%d" height="%d" rx="8"/>`, x, y, b.w, b.h)
	if t := groupTitle(b.item); t != "" {
		d.f(`<text class="t" x="%d" y="%d">%s</text>`, x+10, y+17, escape(t))
	}
	d.WriteByte('\n')
}

func (d *drawing) box(b *box, x, y int) {
	it := b.item
	class := "b"
	for _, r := range it.Rows {
		switch {
		case r.Refused:
			class = "x"
		case r.Virtual && len(it.Rows) == 1 && class == "b":
			class = "v"
		}
	}
	d.f(`<rect class="%s" x="%d" y="%d" width="%d" height="%d" rx="6"/>`+"\n", class, x, y, b.w, b.h)
	if it.Like != "" {
		d.f(`<text x="%d" y="%d"><tspan class="t">%s</tspan> <tspan class="m">like %s</tspan></text>`, x+textInset, y+boxPadding+15, escape(groupName(it)), escape(it.Like))
		d.f(`<text class="m" x="%d" y="%d" text-anchor="end">%s</text>`+"\n", x+b.w-textInset, y+boxPadding+15, it.Weights())
		return
	}
	right := x + b.w - textInset
	if it.Times > 1 {
		d.f(`<text class="t" x="%d" y="%d" text-anchor="end">%s</text>`, right, y+b.h/2+4, timesText(it.Times))
		right -= textWidth(timesText(it.Times), 12) + columnGap
	}
	for i, r := range it.Rows {
		d.row(b, r, x, y+boxPadding+i*rowHeight+15, right, i < len(it.Rows)-1)
	}
}

// row draws one component: its name, what it is, its result where that changes inside the box, and its weights.
func (d *drawing) row(b *box, r scene.Row, x, y, right int, inside bool) {
	d.f(`<text class="n" x="%d" y="%d">%s</text><text x="%d" y="%d">%s`, x+textInset, y, escape(r.Name), x+b.columns[0], y, escape(r.Type))
	if r.Detail != "" {
		d.f(` <tspan class="m">%s</tspan>`, escape(r.Detail))
	}
	d.WriteString("</text>")
	if r.Changes && inside {
		d.f(`<text class="m" x="%d" y="%d" text-anchor="end">%s</text>`, x+b.columns[2], y, escape(r.Shape))
	}
	if r.Params > 0 {
		d.f(`<text class="m" x="%d" y="%d" text-anchor="end">%s</text>`, right, y, quantity.Short(r.Params))
	}
	d.WriteByte('\n')
}

// nearly is how far a source may be to the side and still be right above.
const nearly = 12

// spread gives the connections into one box places beside one another, in the order in which they come.
func (b *box) spread() []int {
	into := map[*box][]int{}
	for i, w := range b.wires {
		to := w.path[len(w.path)-1]
		into[to] = append(into[to], i)
	}
	out := make([]int, len(b.wires))
	for i, w := range b.wires {
		to := w.path[len(w.path)-1]
		if to.item == nil || to.item.IsGroup() {
			continue
		}
		list := into[to]
		if list[0] != i {
			continue
		}
		from := func(i int) *box { p := b.wires[i].path; return p[len(p)-2] }
		sort.SliceStable(list, func(x, y int) bool { return from(list[x]).middle() < from(list[y]).middle() })
		step := max(1, min(18, (to.w-12)/len(list)))
		first := step * (1 - len(list)) / 2
		for k, j := range list {
			if dx := from(j).middle() - to.middle(); !from(j).lane && dx >= -nearly && dx <= nearly {
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
func portOf(b *box, ports []*box, port int) int {
	if port < len(ports) {
		return b.x + ports[port].middle()
	}
	return b.middle()
}

// wire draws a connection as a line that leaves and arrives upright, and its shape beside its beginning.
func (d *drawing) wire(b *box, w wire, shift, x, y int, label bool) {
	from, to := w.path[0], w.path[len(w.path)-1]
	px, py := from.middle(), from.y+from.h
	if from.item != nil && from.item.IsGroup() {
		px = portOf(from, from.outs, w.edge.From.Port)
	}
	d.f(`<path class="e" d="M%d %d`, x+px, y+py)
	sx, sy := px, py
	for i, k := range w.path[1:] {
		ex, ey := k.middle(), k.y
		if k == to {
			ex += shift
			if to.item != nil && to.item.IsGroup() {
				ex = portOf(to, to.ins, w.edge.To.Port)
			}
			if to.item == nil { // the lower border
				ey = b.h
			}
		}
		if i == 0 {
			sx, sy = (px+ex)/2, (py+ey)/2
		}
		middle := (py + ey) / 2
		if px == ex {
			d.f(`V%d`, y+ey)
		} else {
			d.f(`C%d %d %d %d %d %d`, x+px, y+middle, x+ex, y+middle, x+ex, y+ey)
		}
		if k != to {
			ey += k.h
			d.f(`V%d`, y+ey)
		}
		px, py = ex, ey
	}
	d.WriteByte('"')
	if to.item != nil && !to.item.IsGroup() {
		d.WriteString(` marker-end="url(#arrow)"`)
	}
	d.WriteString("/>")
	if label && w.edge.Shape != "" && from.item != nil && w.edge.To.Item != scene.Border {
		d.f(`<text class="s" x="%d" y="%d">%s</text>`, x+sx+6, y+sy+4, escape(w.edge.Shape))
	}
	d.WriteByte('\n')
}
