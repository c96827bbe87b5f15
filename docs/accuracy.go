package docs

import (
	_ "embed"
	"encoding/json"
)

//go:embed accuracy.json
var accuracy []byte

// ErrorTable has the errors of one estimated figure over one set of measured runs. go test ./truth -run TestAccuracy -update writes
// them all into accuracy.json.
type ErrorTable struct {
	Title  string   `json:"title"`  // the set of runs
	Files  []string `json:"files"`  // the measured rows, from the root of the repository
	Figure string   `json:"figure"` // what was estimated
	Errors []Errors `json:"errors"` // by architecture; the last line is over all of them
}

// Errors sums up how far estimates are from measurements, in percent.
type Errors struct {
	Of     string  `json:"of"`
	Runs   int     `json:"runs"`
	Median float64 `json:"median"`
	P90    float64 `json:"p90"`
	P95    float64 `json:"p95"`
	Worst  float64 `json:"worst"`
	TooLow float64 `json:"tooLow"` // share of the runs that take more than was estimated
	Lowest float64 `json:"lowest"` // by how much the lowest estimate is too low
}

// Accuracy returns the measured errors of the estimates.
func Accuracy() []ErrorTable {
	var tables []ErrorTable
	if err := json.Unmarshal(accuracy, &tables); err != nil {
		panic("docs: " + err.Error()) // cannot happen: a test reads the file
	}
	return tables
}

// AccuracyJSON returns the same as it is published.
func AccuracyJSON() []byte { return accuracy }
