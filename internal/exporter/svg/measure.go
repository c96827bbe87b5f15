package svg

import (
	"github.com/modelverifier/verifier/internal/exporter/scene"
	"github.com/modelverifier/verifier/internal/exporter/scene/place"
	"github.com/modelverifier/verifier/internal/quantity"
)

// measured is the size of a box, and where the columns of its rows begin.
type measured struct {
	w, h    int
	columns [3]int
}

// measure finds the size of a box from its text.
func measure(it *scene.Item) (m measured) {
	if it.Like != "" {
		m.w = place.BoldWidth(groupName(it)+"  like "+it.Like, 12) + columnGap + place.TextWidth(it.Weights(), 12) + 2*textInset
		m.h = rowHeight + 2*boxPadding
		return m
	}
	var name, kind, shape, weights int
	for i, r := range it.Rows {
		name = max(name, place.BoldWidth(r.Name, 12))
		kind = max(kind, place.TextWidth(kindText(r), 12))
		if r.Changes && i < len(it.Rows)-1 {
			shape = max(shape, place.TextWidth(r.Shape, 12)+columnGap)
		}
		if r.Params > 0 {
			weights = max(weights, place.TextWidth(quantity.Short(r.Params), 12)+columnGap)
		}
	}
	if name > 0 {
		name += columnGap
	}
	m.columns = [3]int{textInset + name, textInset + name + kind, 0}
	m.columns[2] = m.columns[1] + shape
	m.w = m.columns[2] + weights + textInset
	m.h = len(it.Rows)*rowHeight + 2*boxPadding
	if it.Times > 1 {
		m.w += place.TextWidth(timesText(it.Times), 12) + columnGap
	}
	return m
}
