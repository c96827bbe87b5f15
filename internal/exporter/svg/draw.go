package svg

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/modelverifier/verifier/internal/exporter/scene"
	"github.com/modelverifier/verifier/internal/exporter/scene/place"
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
func (d *drawing) group(b *place.Box, x, y int) {
	for _, k := range b.Kids {
		if k.Item.IsGroup() {
			d.frame(k, x+k.X, y+k.Y)
		}
	}
	lines := b.Lines()
	labelled := map[scene.End]bool{}
	for i := range b.Wires {
		w := &b.Wires[i]
		d.wire(w, lines[i], x, y, !labelled[w.Edge.From])
		labelled[w.Edge.From] = true
	}
	for _, k := range b.Kids {
		if k.Item.IsGroup() {
			d.group(k, x+k.X, y+k.Y)
		} else {
			d.box(k, x+k.X, y+k.Y)
		}
	}
}

func (d *drawing) frame(b *place.Box, x, y int) {
	d.f(`<rect class="g" x="%d" y="%d" width="%d" height="%d" rx="8"/>`, x, y, b.W, b.H)
	if t := groupTitle(b.Item); t != "" {
		d.f(`<text class="t" x="%d" y="%d">%s</text>`, x+10, y+17, escape(t))
	}
	d.WriteByte('\n')
}

func (d *drawing) box(b *place.Box, x, y int) {
	it := b.Item
	class := "b"
	for _, r := range it.Rows {
		switch {
		case r.Refused:
			class = "x"
		case r.Virtual && len(it.Rows) == 1 && class == "b":
			class = "v"
		}
	}
	d.f(`<rect class="%s" x="%d" y="%d" width="%d" height="%d" rx="6"/>`+"\n", class, x, y, b.W, b.H)
	if it.Like != "" {
		d.f(`<text x="%d" y="%d"><tspan class="t">%s</tspan> <tspan class="m">like %s</tspan></text>`, x+textInset, y+boxPadding+15, escape(groupName(it)), escape(it.Like))
		d.f(`<text class="m" x="%d" y="%d" text-anchor="end">%s</text>`+"\n", x+b.W-textInset, y+boxPadding+15, it.Weights())
		return
	}
	right := x + b.W - textInset
	if it.Times > 1 {
		d.f(`<text class="t" x="%d" y="%d" text-anchor="end">%s</text>`, right, y+b.H/2+4, timesText(it.Times))
		right -= place.TextWidth(timesText(it.Times), 12) + columnGap
	}
	columns := measure(it).columns
	for i, r := range it.Rows {
		d.row(columns, r, x, y+boxPadding+i*rowHeight+15, right, i < len(it.Rows)-1)
	}
}

// row draws one component: its name, what it is, its result where that changes inside the box, and its weights.
func (d *drawing) row(columns [3]int, r scene.Row, x, y, right int, inside bool) {
	d.f(`<text class="n" x="%d" y="%d">%s</text><text x="%d" y="%d">%s`, x+textInset, y, escape(r.Name), x+columns[0], y, escape(r.Type))
	if r.Detail != "" {
		d.f(` <tspan class="m">%s</tspan>`, escape(r.Detail))
	}
	d.WriteString("</text>")
	if r.Changes && inside {
		d.f(`<text class="m" x="%d" y="%d" text-anchor="end">%s</text>`, x+columns[2], y, escape(r.Shape))
	}
	if r.Params > 0 {
		d.f(`<text class="m" x="%d" y="%d" text-anchor="end">%s</text>`, right, y, quantity.Short(r.Params))
	}
	d.WriteByte('\n')
}

// step writes a command of a path with its numbers. There may be tens of thousands, which are too many for fmt.
func (d *drawing) step(command byte, numbers ...int) {
	d.WriteByte(command)
	var digits [20]byte
	for i, n := range numbers {
		if i > 0 {
			d.WriteByte(' ')
		}
		d.Write(strconv.AppendInt(digits[:0], int64(n), 10))
	}
}

// wire draws a connection as a line that leaves and arrives upright, and its shape beside its beginning.
func (d *drawing) wire(w *place.Wire, line []place.Point, x, y int, label bool) {
	d.WriteString(`<path class="e" d="`)
	d.step('M', x+line[0].X, y+line[0].Y)
	for i, p := range line[1:] {
		before := line[i]
		if middle := (before.Y + p.Y) / 2; before.X == p.X {
			d.step('V', y+p.Y)
		} else {
			d.step('C', x+before.X, y+middle, x+p.X, y+middle, x+p.X, y+p.Y)
		}
	}
	d.WriteByte('"')
	from, to := w.Path[0], w.Path[len(w.Path)-1]
	if to.Item != nil && !to.Item.IsGroup() {
		d.WriteString(` marker-end="url(#arrow)"`)
	}
	d.WriteString("/>")
	if label && w.Edge.Shape != "" && from.Item != nil && w.Edge.To.Item != scene.Border {
		d.f(`<text class="s" x="%d" y="%d">%s</text>`, x+(line[0].X+line[1].X)/2+6, y+(line[0].Y+line[1].Y)/2+4, escape(w.Edge.Shape))
	}
	d.WriteByte('\n')
}
