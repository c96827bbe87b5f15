package torch

import (
	"os"
	"testing"
)

// TestReadsFeaturesAsPyTorchRunsThem compares a module for each feature of PyTorch and Python that public repositories use with what
// PyTorch 2.15 gave: testdata/features.txt is written like beside.txt, and beside.py runs it.
func TestReadsFeaturesAsPyTorchRunsThem(t *testing.T) {
	data, err := os.ReadFile("testdata/features.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	real := besideRows(t, data)
	for _, c := range besideCases(t, "testdata/features.txt") {
		t.Run(c.name, func(t *testing.T) { compareBeside(t, c, real[c.name]) })
	}
}
