package site

import (
	"fmt"
	"html/template"
	"math"
	"strconv"
	"strings"

	"github.com/modelverifier/verifier/docs"
	"github.com/modelverifier/verifier/internal/site/markdown"
)

// accuracyData is where the errors of docs/accuracy.md are published.
const accuracyData = "/docs/accuracy.json"

// errorSet is the plots of one set of measured runs.
type errorSet struct {
	Title, ID string
	Files     string
	Figures   []errorFigure
}

// errorFigure is one plot, with its numbers.
type errorFigure struct {
	Name   string
	Plot   template.HTML
	Errors []docs.Errors
}

// addAccuracy publishes the page about accuracy, with a plot of every table of errors, and the errors themselves.
func (s *Site) addAccuracy(p page, text string) {
	s.add(accuracyData, typeJSON, docs.AccuracyJSON)
	s.addPage(p, "accuracy", func() any {
		return map[string]any{"Text": template.HTML(markdown.HTML(text, linked)), "Sets": errorSets()} // our own page, escaped by the renderer
	})
}

// errorSets groups the tables by the set of runs that they are about.
func errorSets() []errorSet {
	var sets []errorSet
	for _, t := range docs.Accuracy() {
		if len(sets) == 0 || sets[len(sets)-1].Title != t.Title {
			sets = append(sets, errorSet{Title: t.Title, ID: fmt.Sprintf("errors-%d", len(sets)+1), Files: strings.Join(t.Files, ", ")})
		}
		last := &sets[len(sets)-1]
		last.Figures = append(last.Figures, errorFigure{t.Figure, errorPlot(t), t.Errors})
	}
	return sets
}

// The measures of a plot, in pixels.
const (
	plotLabel = 260 // the names of architectures
	plotWidth = 760
	plotLine  = 20
	plotAxis  = 24
)

// errorPlot draws a line for each architecture on a logarithmic axis of errors: a dot is the median, the thick line ends at the 95th
// percentile and the thin one at the worst run.
func errorPlot(t docs.ErrorTable) template.HTML {
	height := plotAxis + plotLine*len(t.Errors)
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="plot" viewBox="0 0 %d %d" width="%d" height="%d" role="img" aria-label="%s">`, plotWidth, height, plotWidth, height,
		escape(t.Title+", "+strings.ToLower(t.Figure)+": errors in percent by architecture"))
	for _, percent := range []float64{0.1, 1, 10, 100} {
		x := errorX(percent)
		fmt.Fprintf(&b, `<path class="grid" d="M%d %dV%d"/><text x="%d" y="14" text-anchor="middle">%s %%</text>`, x, plotAxis-4, height, x,
			strconv.FormatFloat(percent, 'f', -1, 64))
	}
	for i, e := range t.Errors {
		y := plotAxis + plotLine*i + plotLine/2
		fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="end">%s (%d)</text>`, plotLabel-12, y+4, escape(e.Of), e.Runs)
		fmt.Fprintf(&b, `<path class="worst" d="M%d %dH%d"/><path class="p95" d="M%d %dH%d"/><circle cx="%d" cy="%d" r="4"/>`,
			errorX(e.Median), y, errorX(e.Worst), errorX(e.Median), y, errorX(e.P95), errorX(e.Median), y)
	}
	return template.HTML(b.String() + "</svg>")
}

// errorX is where an error lies on the axis, which goes from 0.1 to 200 percent. What is below lies at its beginning.
func errorX(percent float64) int {
	const first, last = 0.1, 200.0
	share := math.Log(min(max(percent, first), last)/first) / math.Log(last/first)
	return plotLabel + int(math.Round(share*(plotWidth-plotLabel-24)))
}
