package view

import (
	"github.com/modelverifier/verifier/internal/exporter/scene"
	"github.com/modelverifier/verifier/internal/exporter/scene/place"
	"github.com/modelverifier/verifier/internal/quantity"
)

// Sizes in pixels, which the style of the app has too.
const (
	rowHeight   = 26
	titleHeight = 28 // of a folded box, above its rows; a group has so much above what is in it
	border      = 1
	textInset   = 12
	textGap     = 8
	leastWidth  = 140
	mostWidth   = 420 // what is longer is cut off
)

// sizes is how much room things have in the app.
var sizes = place.Style{TitleSize: titleHeight + 10, GroupInset: 14, RankGap: 40, NodeGap: 28, LaneWidth: 12, Box: boxSize, Title: titleWidth}

func boxSize(it *scene.Item) (w, h int) {
	h = 2*border + rowHeight*len(it.Rows)
	if it.Times > 1 || it.Like != "" {
		w, h = titleWidth(it), h+titleHeight
	}
	for _, r := range it.Rows {
		row := place.BoldWidth(r.Name, 12) + textGap + place.TextWidth(r.Type+" "+r.Detail, 12) + textGap + place.TextWidth(quantity.Short(r.Params), 12) + 20
		w = max(w, row+2*textInset)
	}
	return min(max(w, leastWidth), mostWidth), h
}

// titleWidth is the width of the line above a group or a folded box: an arrow, the title, how often, and the weights.
func titleWidth(it *scene.Item) int {
	text := it.Title + "  " + it.Weights()
	if it.Times > 1 {
		text += " × " + quantity.Grouped(int64(it.Times)) + " each"
	}
	if it.Like != "" {
		text += " like " + it.Like
	}
	return min(place.BoldWidth(text, 12)+2*textInset+20, mostWidth)
}
