// Package svg draws a model as one SVG file that a README or a pull request can show: no script, no font and no file but itself,
// light and dark with the reader's system, and a title and description for those who do not see it.
//
// All arithmetic is on whole pixels, so that every machine draws the same bytes. What to show is decided in package scene.
package svg

import (
	"fmt"
	"strings"

	"github.com/modelverifier/verifier/internal/exporter/scene"
	"github.com/modelverifier/verifier/internal/exporter/scene/place"
	"github.com/modelverifier/verifier/internal/quantity"
)

// Sizes in pixels.
const (
	margin     = 16
	rowHeight  = 22
	boxPadding = 4  // above the first and below the last row
	textInset  = 10 // from the border of a box to its text
	columnGap  = 14
	headHeight = 40 // of the title of the picture
)

var style = place.Style{TitleSize: 24, GroupInset: 14, RankGap: 34, NodeGap: 28, LaneWidth: 10,
	Box:   func(it *scene.Item) (w, h int) { m := measure(it); return m.w, m.h },
	Title: func(it *scene.Item) int { return place.BoldWidth(groupTitle(it), 12) },
}

// sheet holds the colours, for light and for dark. Names are short: they stand in every element.
const sheet = `<style>
text{font:12px Helvetica,Arial,"Liberation Sans","DejaVu Sans",sans-serif;fill:#1f2328}
.h{font-size:16px;font-weight:600}.n{font-weight:600}.m{fill:#59636e}.s{font-size:11px;fill:#59636e;paint-order:stroke;stroke:#fff;stroke-width:4px;stroke-linejoin:round}
.bg{fill:#fff}.b{fill:#f6f8fa;stroke:#8c959f}.v{fill:#ddf4ff;stroke:#54aeff}.x{fill:#ffebe9;stroke:#cf222e}.g{fill:none;stroke:#8c959f;stroke-dasharray:5 4}
.t{fill:#6639ba;font-weight:600}.e{fill:none;stroke:#57606a;stroke-width:1.3}.a{fill:#57606a}
@media(prefers-color-scheme:dark){text{fill:#e6edf3}.m,.s{fill:#9198a1}.s{stroke:#0d1117}.bg{fill:#0d1117}.b{fill:#161b22;stroke:#6e7681}
.v{fill:#0c2d6b;stroke:#388bfd}.x{fill:#490202;stroke:#f85149}.g{stroke:#6e7681}.t{fill:#d2a8ff}.e{stroke:#9198a1}.a{fill:#9198a1}}
</style>
`

// Draw writes a scene as SVG.
func Draw(s *scene.Scene) string {
	root := style.Layout(s.Root)
	head := title(s)
	width := max(root.W, place.BoldWidth(head, 16)) + 2*margin
	height := root.H + headHeight + 2*margin
	d := &drawing{}
	d.f(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img" aria-labelledby="t d">`+"\n", width, height, width, height)
	d.f("<title id=\"t\">%s</title>\n<desc id=\"d\">%s</desc>\n", escape(head), escape(describe(s)))
	d.WriteString(sheet)
	d.WriteString(`<defs><marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path class="a" d="M0 0 8 4 0 8z"/></marker></defs>` + "\n")
	d.f(`<rect class="bg" width="%d" height="%d" rx="8"/>`+"\n", width, height)
	d.f(`<text class="h" x="%d" y="%d">%s</text>`+"\n", margin, margin+18, escape(head))
	d.group(root, (width-root.W)/2, margin+headHeight)
	d.WriteString("</svg>\n")
	return d.String()
}

// title is what stands above the picture.
func title(s *scene.Scene) string {
	name := s.Name
	if strings.TrimSpace(name) == "" {
		name = "Model"
	}
	return name + " · " + s.AtLeast() + quantity.Short(s.Params) + " parameters"
}

// describe says in words what is in the picture.
func describe(s *scene.Scene) string {
	var parts []string
	for _, it := range s.Root.Items {
		parts = append(parts, summary(it))
	}
	return fmt.Sprintf("%s%s parameters. From top to bottom: %s.", s.AtLeast(), quantity.Grouped(s.Params), strings.Join(parts, "; "))
}

func summary(it *scene.Item) string {
	name := it.Title
	switch {
	case it.Like != "":
		name = fmt.Sprintf("%s, like %s", it.Title, it.Like)
	case it.IsGroup() && name == "":
		name = "a block"
	case !it.IsGroup():
		names := make([]string, 0, len(it.Rows))
		for _, r := range it.Rows {
			names = append(names, r.Type)
		}
		name = strings.Join(names, ", ")
	}
	if it.Times > 1 {
		name = fmt.Sprintf("%s, %d times", name, it.Times)
	}
	return name
}

// escape writes text for XML.
func escape(s string) string { return escaper.Replace(s) }

var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&#39;")
