package safetensors

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"os"
	"reflect"
	"testing"
	"testing/fstest"

	"github.com/modelverifier/verifier/internal/importer"
)

// TestVerdictsAreThoseOfTheLibrary compares with what safetensors 0.8.0 made of files with one or two random changes.
func TestVerdictsAreThoseOfTheLibrary(t *testing.T) {
	f, err := os.Open("testdata/library.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	text, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(text)
	rows, taken := 0, 0
	for ; lines.Scan(); rows++ {
		var row struct {
			Header  string
			Data    int
			Tensors map[string][]any
			Error   string
		}
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			t.Fatal(err)
		}
		h, err := read(file(row.Header, row.Data))
		if (err == nil) != (row.Tensors != nil) {
			t.Errorf("%s\nthe library says %q, we say %v", row.Header, row.Error, err)
		}
		if err != nil || row.Tensors == nil {
			continue
		}
		taken++
		got := map[string][]any{}
		for _, x := range h.Tensors {
			shape := []any{}
			for _, n := range x.Shape {
				shape = append(shape, float64(n))
			}
			got[x.Name] = []any{x.DType, shape}
		}
		if !reflect.DeepEqual(got, row.Tensors) {
			t.Errorf("%s\ngot  %v\nwant %v", row.Header, got, row.Tensors)
		}
	}
	if lines.Err() != nil || rows < 5000 || taken < 100 {
		t.Errorf("%d rows, of which %d are taken: %v", rows, taken, lines.Err())
	}
}

// TestWhatTransformersSavesIsRead reads a small Llama that transformers saved in three files; zeros stand for its weights.
func TestWhatTransformersSavesIsRead(t *testing.T) {
	data, err := os.ReadFile("testdata/sharded.json")
	if err != nil {
		t.Fatal(err)
	}
	var saved map[string]struct {
		Text, Header string
		Data         int
	}
	if err := json.Unmarshal(data, &saved); err != nil {
		t.Fatal(err)
	}
	files := fstest.MapFS{}
	for name, s := range saved {
		if files[name] = (&fstest.MapFile{Data: []byte(s.Text)}); s.Header != "" {
			files[name].Data = file(s.Header, s.Data)
		}
	}
	m, err := ReadModel(files, "model.safetensors.index.json")
	if err != nil {
		t.Fatal(err)
	}
	// 2 layers of 4 heads, 2 of them for keys, 32 wide, 48 inside, a vocabulary of 100, the head of its own.
	const layer = 32*32*2 + 32*16*2 + 3*32*48 + 2*32
	const want = 2*100*32 + 2*layer + 32
	if total, ok := importer.Sum(m.Tensors); !ok || total != (importer.Total{Tensors: 21, Elements: want, Bytes: 2 * want}) || m.Notes != nil {
		t.Errorf("%+v %v, want %d elements", total, m.Notes, want)
	}
}
