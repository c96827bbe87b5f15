package run

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/modelverifier/verifier/internal/fence"
	"github.com/modelverifier/verifier/internal/importer"
	"github.com/modelverifier/verifier/internal/importer/onnx"
	"github.com/modelverifier/verifier/internal/quantity"
	"github.com/modelverifier/verifier/internal/training"
)

// readBack reads the file that a trainer wrote, and says why it is not what was asked for, if it is not.
func readBack(ctx context.Context, task training.Task, said event) (path, reason string) {
	if said.ONNX == nil {
		return "", said.Reason
	}
	f, err := fence.Open(filepath.Clean(*said.ONNX))
	if err != nil {
		return "", "the exported file cannot be read: " + err.Error()
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", "the exported file cannot be read: " + err.Error()
	}
	stored, err := onnx.Stored(ctx, f, info.Size())
	if err != nil {
		return "", "the exported file cannot be read back: " + err.Error()
	}
	if reason := compare(task, said.Weights, stored); reason != "" {
		return "", "the exported file does not hold the model: " + reason
	}
	return *said.ONNX, ""
}

// compare holds three lists against each other: the weights of the verified model, those that PyTorch trained, and those in the file.
// The first knows shapes and how many, the second names for them, and each of those must be in the file once with its shape.
func compare(task training.Task, trained []training.Weight, stored []importer.Tensor) string {
	want, got := shapes(task.Weights), shapes(trained)
	if !slices.Equal(want, got) {
		return fmt.Sprintf("the model has %d weights, PyTorch trained %d, and their shapes differ from %s on", len(want), len(got), firstDifference(want, got))
	}
	inFile := map[string]importer.Tensor{}
	for _, t := range stored {
		if _, twice := inFile[t.Name]; twice {
			return fmt.Sprintf("it holds %s twice", t.Name)
		}
		inFile[t.Name] = t
	}
	var total int64
	for _, w := range trained {
		t, ok := inFile[w.Name]
		switch n, fits := t.Elements(); {
		case !ok:
			return w.Name + " is not in it"
		case !slices.Equal(t.Shape, w.Shape):
			return fmt.Sprintf("%s is %s in it, and %s in the model", w.Name, importer.ShapeText(t.Shape), importer.ShapeText(w.Shape))
		case !fits || t.Bytes != 4*n:
			return fmt.Sprintf("%s has %d bytes in it, and 32-bit floats of %s need %d", w.Name, t.Bytes, importer.ShapeText(w.Shape), 4*n)
		default:
			total += n
		}
	}
	if total != task.Params {
		return fmt.Sprintf("its weights hold %s numbers, and the model has %s parameters", quantity.Grouped(total), quantity.Grouped(task.Params))
	}
	return ""
}

// shapes lists shapes as texts, in order.
func shapes(weights []training.Weight) []string {
	out := make([]string, len(weights))
	for i, w := range weights {
		out[i] = importer.ShapeText(w.Shape)
	}
	slices.Sort(out)
	return out
}

func firstDifference(a, b []string) string {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return a[i] + " and " + b[i]
		}
	}
	return "the end"
}
