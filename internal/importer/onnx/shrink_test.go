package onnx

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"flag"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/modelverifier/verifier/internal/graph"
)

// Files with random weights do not compress. To keep them in the repository, elements that the importer does not load are set
// to zero, and so is what the dynamo exporter notes of the source. A test below shows that no result depends on
// them. To shrink a folder with files and an index.jsonl:
//
//	go test ./internal/importer/onnx -run Shrink -files FOLDER -into ../../../truth/onnx.tgz
var (
	files = flag.String("files", "", "folder of ONNX files to shrink")
	into  = flag.String("into", "", "archive to write them to")
)

var archives = []string{"onnx.tgz", "onnx-more.tgz"}

// noted are the keys of what the dynamo exporter notes about a node, apart from the path of its module: source lines, mostly.
var noted = regexp.MustCompile(`pkg\.torch\.onnx\.(stack_trace|fx_node|class_hierarchy)|namespace`)

// untouched returns the ranges of a file that hold elements which the importer does not load.
func untouched(data []byte) ([]span, error) {
	im := &reading{opt: Options{Limits: graph.LocalLimits}, src: &source{ctx: context.Background(), r: bytes.NewReader(data), size: int64(len(data))}, batch: 1}
	loaded := map[int64]int64{} // where a tensor starts, and the bytes that are read of it
	im.loaded = func(t *tensor, n int64) { loaded[t.raw.at] = max(loaded[t.raw.at], n*t.elem.bits()/8) }
	d := &decoder{source: im.src}
	if err := d.readModel(); err != nil {
		return nil, err
	}
	im.proto = &d.model
	if _, err := im.model(); err != nil {
		return nil, err
	}
	var out []span
	for _, t := range d.model.graph.initializers {
		if rest := (span{t.raw.at + loaded[t.raw.at], t.raw.end}); t.hasRaw && rest.size() > 0 {
			out = append(out, rest)
		}
	}
	return out, nil
}

func shrink(data []byte) ([]byte, error) {
	spans, err := untouched(data)
	if err != nil {
		return nil, err
	}
	out := bytes.Clone(data)
	for _, s := range spans {
		clear(out[s.at:s.end])
	}
	for _, key := range noted.FindAllIndex(out, -1) {
		num, typ, n := protowire.ConsumeTag(out[key[1]:])
		if n < 0 || num != 2 || typ != protowire.BytesType {
			continue
		}
		value, m := protowire.ConsumeBytes(out[key[1]+n:])
		for i := range value {
			if m > 0 {
				value[i] = ' '
			}
		}
	}
	return out, nil
}

func TestShrink(t *testing.T) {
	if *files == "" {
		t.Skip("no -files: nothing to shrink")
	}
	names, err := filepath.Glob(filepath.Join(*files, "*"))
	if err != nil {
		t.Fatal(err)
	}
	sort.Strings(names)
	var buf bytes.Buffer
	zip, err := gzip.NewWriterLevel(&buf, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	archive := tar.NewWriter(zip)
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if filepath.Ext(name) == ".onnx" {
			if data, err = shrink(data); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		if err := archive.WriteHeader(&tar.Header{Name: filepath.Base(name), Mode: 0o644, Size: int64(len(data))}); err != nil {
			t.Fatal(err)
		}
		if _, err := archive.Write(data); err != nil {
			t.Fatal(err)
		}
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	if err := zip.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(*into, buf.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// unpack calls f for every file of an archive of measured files.
func unpack(t testing.TB, name string, f func(name string, data []byte)) {
	t.Helper()
	file, err := os.Open(filepath.Join("../../../truth", name))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	zip, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	for archive := tar.NewReader(zip); ; {
		h, err := archive.Next()
		if err == io.EOF {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(archive)
		if err != nil {
			t.Fatal(err)
		}
		if filepath.Ext(h.Name) == ".onnx" {
			f(h.Name, data)
		}
	}
}

// TestNoResultDependsOnTheWeights imports every measured file twice, the second time with other weights.
func TestNoResultDependsOnTheWeights(t *testing.T) {
	changed := 0
	for _, archive := range archives {
		unpack(t, archive, func(name string, data []byte) {
			want := imported(t, name, data)
			spans, err := untouched(data)
			if err != nil {
				t.Fatal(err)
			}
			other := bytes.Clone(data)
			for _, s := range spans {
				for i := s.at; i < s.end; i++ {
					other[i] = byte(i*7 + 3)
				}
				changed++
			}
			if got := imported(t, name, other); !slices.Equal(got, want) {
				t.Errorf("%s: the graph depends on the weights", name)
			}
		})
	}
	if changed < 1000 {
		t.Errorf("only %d tensors were changed", changed)
	}
}

// imported is the result of an import as bytes.
func imported(t testing.TB, name string, data []byte) []byte {
	t.Helper()
	m, err := Import(context.Background(), bytes.NewReader(data), int64(len(data)), Options{})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	out, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return out
}
