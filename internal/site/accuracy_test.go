package site

import (
	"strings"
	"testing"

	"github.com/modelverifier/verifier/docs"
)

// TestTheAccuracyPageHasAPlotAndTheNumbersOfEveryTable looks at the page as it is published.
func TestTheAccuracyPageHasAPlotAndTheNumbersOfEveryTable(t *testing.T) {
	s := newSite(t)
	text := string(s.find("/docs/accuracy.html").content().body)
	tables := docs.Accuracy()
	if plots := strings.Count(text, `<svg class="plot"`); plots != len(tables) {
		t.Errorf("%d plots of %d tables", plots, len(tables))
	}
	lines := 0
	for _, table := range tables {
		lines += len(table.Errors)
	}
	if dots := strings.Count(text, "<circle"); dots != lines {
		t.Errorf("%d medians of %d lines are drawn", dots, lines)
	}
	if got := string(s.find(accuracyData).content().body); got != string(docs.AccuracyJSON()) {
		t.Error("the published data is not docs/accuracy.json")
	}
}

// TestErrorsLieOnTheirAxis has the ends of the axis and a point between them.
func TestErrorsLieOnTheirAxis(t *testing.T) {
	for percent, want := range map[float64]int{0: plotLabel, 0.1: plotLabel, 200: plotWidth - 24, 900: plotWidth - 24} {
		if got := errorX(percent); got != want {
			t.Errorf("%v %% lies at %d, not %d", percent, got, want)
		}
	}
	if step := errorX(10) - errorX(1); step != errorX(100)-errorX(10) && step != errorX(1)-errorX(0.1) {
		t.Error("the axis is not logarithmic")
	}
}
