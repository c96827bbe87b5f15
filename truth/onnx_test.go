package truth

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/importer/onnx"
	"github.com/modelverifier/verifier/internal/infer"
)

// onnxRow is what the model behind an ONNX file has: its parameters, all of which are in the file, and the shape of its result
// with the batch. Graph is there where the model was made from one.
type onnxRow struct {
	File   string
	Graph  json.RawMessage
	Params int64
	Output []int64
}

// TestONNXFilesAreImportedExactly imports every measured file: those that came with the other rows (onnx.tgz), and those that
// onnx_more.py made with both exporters of two versions of PyTorch, for operator sets 7 to 22 (onnx-more.tgz). Their weights
// were set to zero; the importer does not read them.
func TestONNXFilesAreImportedExactly(t *testing.T) {
	for _, archive := range []string{"onnx.tgz", "onnx-more.tgz"} {
		files, rows := onnxFiles(t, archive)
		exact, plain := 0, 0
		for _, r := range rows {
			notes, err := r.compare(files[r.File])
			if err != nil {
				t.Errorf("%s: %v", r.File, err)
				continue
			}
			exact++
			if notes == 0 {
				plain++
			}
		}
		t.Logf("%s: %d of %d files exact in parameters and output shape, %d of them without a customModule or another note", archive, exact, len(rows), plain)
		if len(rows) == 0 {
			t.Errorf("%s has no rows", archive)
		}
	}
}

// onnxFiles reads an archive of files and their index.
func onnxFiles(t *testing.T, name string) (map[string][]byte, []onnxRow) {
	t.Helper()
	packed, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	zip, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for archive := tar.NewReader(zip); ; {
		h, err := archive.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if files[h.Name], err = io.ReadAll(archive); err != nil {
			t.Fatal(err)
		}
	}
	var rows []onnxRow
	for line := range strings.Lines(string(files["index.jsonl"])) {
		var r onnxRow
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		rows = append(rows, r)
	}
	return files, rows
}

// compare imports a file, and says what differs from the model that it was made from.
func (r *onnxRow) compare(data []byte) (notes int, err error) {
	m, err := onnx.Import(context.Background(), bytes.NewReader(data), int64(len(data)), onnx.Options{})
	if err != nil {
		return 0, err
	}
	got := infer.Walk(m.Graph)
	i := slices.IndexFunc(m.Graph.Components, func(c graph.Component) bool { return c.Type == "output" })
	switch {
	case m.Params != r.Params || got.Params != r.Params:
		return 0, fmt.Errorf("%d parameters, and %d in the graph, want %d", m.Params, got.Params, r.Params)
	case len(got.Refusals) > 0:
		return 0, errors.New(got.Refusals[0].Message)
	case !slices.Equal(got.Nodes[i].Out, r.Output[1:]):
		return 0, fmt.Errorf("the result is %v, want %v", got.Nodes[i].Out, r.Output[1:])
	case len(r.Graph) == 0:
		return len(m.Notes), nil
	}
	g, err := graph.Decode(r.Graph, "", graph.LocalLimits)
	if err != nil {
		return 0, err
	}
	g.Normalize(catalog.Vocabulary)
	if want := infer.Walk(g); got.FLOPs != want.FLOPs {
		return 0, fmt.Errorf("%d FLOPs, the graph that it was made from has %d", got.FLOPs, want.FLOPs)
	}
	return len(m.Notes), nil
}
