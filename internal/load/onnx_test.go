package load

import (
	"archive/tar"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/hub"
)

func TestAnONNXFileIsAModel(t *testing.T) {
	packed, err := os.Open("../../truth/onnx.tgz")
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	zip, err := gzip.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	archive := tar.NewReader(zip)
	var data []byte
	for {
		h, err := archive.Next()
		if err != nil {
			t.Fatal(err)
		}
		if h.Name == "mlp-dynamo-101-1.onnx" {
			if data, err = io.ReadAll(archive); err != nil {
				t.Fatal(err)
			}
			break
		}
	}
	dir := write(t, map[string][]byte{"model.onnx": data})
	for _, ref := range []string{dir, filepath.Join(dir, "model.onnx")} {
		m, err := open(ref)
		if err != nil {
			t.Fatal(err)
		}
		if m.Kind != hub.ONNX || m.Params != 50095 || !strings.HasPrefix(m.Type, "pytorch 2.11") || len(m.Tensors) != 10 || m.Edges.Total != len(m.Graph.Components)-1 {
			t.Errorf("%s: %v with %d parameters of %s, %d tensors, %+v", ref, m.Kind, m.Params, m.Type, len(m.Tensors), m.Edges)
		}
	}
	broken := write(t, map[string][]byte{"model.onnx": data[:1000]})
	if _, err := open(broken); err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("a truncated file: %v", err)
	}
}
