package estimate

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"os"
	"testing"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/infer"
)

// row is a run that was measured on an H200 with PyTorch 2.11.
type row struct {
	ID            string          `json:"id"`
	Batch         int64           `json:"batch"`
	Precision     string          `json:"precision"`
	Attention     string          `json:"attention"`
	Optimizer     string          `json:"optimizer"`
	PeakBytes     int64           `json:"peakBytes"`
	ReservedBytes int64           `json:"reservedBytes"`
	StepMs        float64         `json:"stepMs"`
	Params        int64           `json:"params"`
	Graph         json.RawMessage `json:"graph"`
}

func (r *row) options() Options {
	return Options{Batch: r.Batch, Precision: r.Precision, Attention: r.Attention, Optimizer: r.Optimizer}
}

func measuredRows(t *testing.T) []row {
	t.Helper()
	file, err := os.Open("../../truth/memory.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	var rows []row
	lines := bufio.NewScanner(unzipped)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var r row
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		rows = append(rows, r)
	}
	if err := lines.Err(); err != nil || len(rows) != 64 {
		t.Fatalf("%d rows, want 64: %v", len(rows), err)
	}
	return rows
}

func walk(t *testing.T, data []byte) *infer.Result {
	t.Helper()
	g, err := graph.Decode(data, "model", graph.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	g.Normalize(catalog.Vocabulary)
	return infer.Walk(g)
}
