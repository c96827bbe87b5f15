package truth

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"testing"

	"github.com/modelverifier/verifier/docs"
)

var updateAccuracy = flag.Bool("update", false, "write the measured errors into docs/accuracy.json")

// The figures that are compared, as docs/accuracy.json names them.
const (
	allocatedPeak  = "Allocated peak"
	reservedMemory = "Reserved memory (the estimate is an upper bound)"
	stepTime       = "Time of a step"
)

// accuracy collects the tables of docs/accuracy.json.
type accuracy struct{ tables []docs.ErrorTable }

// set is a set of measured runs: what the document calls it, and its files.
type set struct {
	title string
	files []string
}

// rows is a set of runs of one file of this folder.
func rows(title, file string) set { return set{title, []string{"truth/" + file}} }

func (a *accuracy) add(s set, figure string, errors []docs.Errors) {
	a.tables = append(a.tables, docs.ErrorTable{Title: s.title, Files: s.files, Figure: figure, Errors: errors})
}

// addRuns adds the errors of a figure, a line for each family and one for all.
func (a *accuracy) addRuns(s set, figure string, runs []run, ratio func(*run) float64) {
	byFamily, all := map[string][]float64{}, []float64{}
	for i := range runs {
		x := ratio(&runs[i])
		byFamily[runs[i].family], all = append(byFamily[runs[i].family], x), append(all, x)
	}
	families := make([]string, 0, len(byFamily))
	for f := range byFamily {
		families = append(families, f)
	}
	sort.Strings(families)
	var errors []docs.Errors
	for _, f := range families {
		errors = append(errors, line(f, byFamily[f]))
	}
	a.add(s, figure, append(errors, line("all", all)))
}

// line is the errors of one line, in percent with one digit.
func line(of string, ratios []float64) docs.Errors {
	e := errorsIn(ratios)
	percent := func(share float64, digits int) float64 {
		x, _ := strconv.ParseFloat(strconv.FormatFloat(100*share, 'f', digits, 64), 64) // cannot fail
		return x
	}
	return docs.Errors{
		Of: of, Runs: len(ratios), Median: percent(e.median, 1), P90: percent(e.p90, 1), P95: percent(e.p95, 1), Worst: percent(e.worst, 1),
		TooLow: percent(e.under, 0), Lowest: percent(max(0, -e.lowest), 1),
	}
}

// encode writes the tables with one line for each line of a table, so that a difference shows what changed.
func (a *accuracy) encode(t *testing.T) []byte {
	t.Helper()
	one := func(v any) string {
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		if err := e.Encode(v); err != nil {
			t.Fatal(err)
		}
		return string(bytes.TrimSpace(b.Bytes()))
	}
	var b bytes.Buffer
	for i, table := range a.tables {
		b.WriteString([...]string{"[\n", ",\n"}[min(i, 1)])
		fmt.Fprintf(&b, `{"title":%s,"files":%s,"figure":%s,"errors":[`, one(table.Title), one(table.Files), one(table.Figure))
		for k, e := range table.Errors {
			b.WriteString([...]string{"\n  ", ",\n  "}[min(k, 1)] + one(e))
		}
		b.WriteString("\n]}")
	}
	b.WriteString("\n]\n")
	return b.Bytes()
}

// compare wants docs/accuracy.json to have the errors that were found.
func (a *accuracy) compare(t *testing.T) {
	t.Helper()
	found := a.encode(t)
	path := filepath.Join("..", "docs", "accuracy.json")
	old, err := os.ReadFile(path)
	switch {
	case err != nil:
		t.Fatal(err)
	case *dir != ".": // other rows than those of the document
	case *updateAccuracy:
		if err := os.WriteFile(path, found, 0o644); err != nil {
			t.Fatal(err)
		}
	case !bytes.Equal(old, found):
		t.Errorf("%s has other errors than the rows; run go test ./truth -run TestAccuracy -update", path)
	}
}
