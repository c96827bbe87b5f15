package dataset

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/modelverifier/verifier/internal/fit/data"
)

func samples(n int64) *int64 { return &n }

// TestFilesOfOtherPrograms reads what DuckDB, arrow-rs, hyparquet, parquetjs, NumPy and Pillow wrote; testdata/README.md says how.
func TestFilesOfOtherPrograms(t *testing.T) {
	for name, c := range map[string]struct {
		want  data.Request
		notes int
	}{
		"duckdb-numbers.parquet":      {data.Request{Features: 3, Samples: samples(7)}, 0},
		"duckdb-list.parquet":         {data.Request{Samples: samples(5)}, 0}, // a list of numbers is no column of numbers
		"duckdb-nested.parquet":       {data.Request{Samples: samples(4)}, 0},
		"duckdb-text.parquet":         {data.Request{Samples: samples(11)}, 0},
		"duckdb-index.parquet":        {data.Request{Samples: samples(11)}, 1},
		"hyparquet-described.parquet": {data.Request{NumLabels: 3, Samples: samples(3)}, 0},
		"parquetjs-dated.parquet":     {data.Request{Samples: samples(6)}, 0}, // a time is no feature
		"arrow-rs-wide.parquet":       {data.Request{Features: 20, Samples: samples(4)}, 0},
		"numpy-rows.npy":              {data.Request{Features: 5, Samples: samples(6)}, 0},
		"numpy-images.npy":            {data.Request{ImageHeight: 2, ImageWidth: 6, Channels: 3, Samples: samples(4)}, 0},
		"numpy-fortran.npy":           {data.Request{Features: 7, Samples: samples(3)}, 0},
		"numpy-version2.npy":          {data.Request{Features: 9, Samples: samples(2)}, 0},
		"numpy-labels.npy":            {data.Request{}, 0},
		"numpy-record.npy":            {data.Request{}, 0},
		"numpy-scalar.npy":            {data.Request{}, 1},
	} {
		got, err := Open(filepath.Join("testdata", name))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !reflect.DeepEqual(got.Request, c.want) || len(got.Notes) != c.notes {
			t.Errorf("%s: %+v %v, want %+v and %d notes", name, got.Request, got.Notes, c.want, c.notes)
		}
	}
}

func TestHeadsOfImages(t *testing.T) {
	files, err := os.ReadDir("testdata")
	if err != nil {
		t.Fatal(err)
	}
	channels := map[string]int64{"rgb": 3, "grey": 1, "alpha": 4, "palette": 0, "cmyk": 4}
	count := 0
	for _, f := range files {
		if !isImage(f.Name()) {
			continue
		}
		count++
		file, err := os.Open(filepath.Join("testdata", f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		got, err := readPicture(file)
		file.Close()
		kind, _, _ := strings.Cut(strings.TrimSuffix(f.Name(), filepath.Ext(f.Name())), "-")
		want := picture{7, 5, channels[kind]}
		if err != nil || got != want {
			t.Errorf("%s: %+v, want %+v: %v", f.Name(), got, want, err)
		}
	}
	if count < 19 {
		t.Errorf("only %d images", count)
	}
}

// TestTruncatedFiles cuts every file short: what is left is read, refused or empty, and never more than it was.
func TestTruncatedFiles(t *testing.T) {
	files, err := os.ReadDir("testdata")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		whole, err := os.ReadFile(filepath.Join("testdata", f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		for end := 0; end < len(whole); end += max(1, len(whole)/97) {
			got, err := Read(fstest.MapFS{f.Name(): &fstest.MapFile{Data: whole[:end]}})
			if err == nil && strings.HasSuffix(f.Name(), ".parquet") {
				t.Errorf("%s, %d of %d bytes: %+v", f.Name(), end, len(whole), got)
			}
		}
	}
}

// TestPipesAreNotRead: a pipe that nobody writes to would never end.
func TestPipesAreNotRead(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "a.csv")
	if err := makePipe(pipe); err != nil {
		t.Skip("no pipes here: ", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "b.csv"), []byte("x,label\n1,0\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if f, err := Open(dir); err != nil || *f.Samples != 1 {
		t.Errorf("%+v %v", f, err)
	}
	if _, err := Open(pipe); err == nil || !strings.Contains(err.Error(), "neither a file nor a folder") {
		t.Error(err)
	}
}

// TestLinksAreFollowedBeneathTheRoot: those of a cache's snapshot lead to its blobs, and those of a folder in a repository may lead to another
// folder of it. A link that was named is followed anywhere, one that was found is not.
func TestLinksAreFollowedBeneathTheRoot(t *testing.T) {
	top := t.TempDir()
	const text = `{"model":{"vocab":{"a":6}}}`
	for name, to := range map[string]string{
		"hub/datasets--org--name/blobs/1": "", "hub/datasets--org--name/snapshots/c/tokenizer.json": "../../blobs/1",
		"repo/.git": "", "repo/shared/tokenizer.json": "", "repo/data/tokenizer.json": "../shared/tokenizer.json", "repo/all": "../other",
		"other/tokenizer.json": "", "out/tokenizer.json": "../other/tokenizer.json",
	} {
		full := filepath.Join(top, filepath.FromSlash(name))
		err := os.MkdirAll(filepath.Dir(full), 0o755)
		if err == nil && to == "" {
			err = os.WriteFile(full, []byte(text), 0o644)
		} else if err == nil {
			if err := os.Symlink(to, full); err != nil {
				t.Skip("no links here: ", err)
			}
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"hub/datasets--org--name/snapshots/c", "hub/datasets--org--name/snapshots/c/tokenizer.json", "repo/data", "repo/data/tokenizer.json", "repo/all", "repo/all/tokenizer.json", "out/tokenizer.json"} {
		if f, err := Open(filepath.Join(top, filepath.FromSlash(name))); err != nil || f.TokenizerSize != 7 {
			t.Errorf("%s: %+v %v", name, f, err)
		}
	}
	if f, err := Open(filepath.Join(top, "out")); err == nil || !strings.Contains(err.Error(), "the first is tokenizer.json") {
		t.Errorf("a link out of the folder is followed: %+v %v", f, err)
	}
}

// TestALargeTableIsNotReadToItsEnd: its columns are told, and that its rows were not counted.
func TestALargeTableIsNotReadToItsEnd(t *testing.T) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	row := append(bytes.Repeat([]byte("0"), 1<<20), ",0\n"...)
	for i := range maxTable/len(row) + 2 {
		if i == 0 {
			row = append([]byte("x,label\n"), row...)
		}
		if _, err := z.Write(row); err != nil {
			t.Fatal(err)
		}
		row = row[max(0, bytes.IndexByte(row, '0')):]
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	f, err := Read(fstest.MapFS{"a.csv.gz": &fstest.MapFile{Data: packed.Bytes()}})
	if err != nil || f.Samples != nil || f.ClassCounts != nil || f.Features != 1 || len(f.Notes) != 1 {
		t.Errorf("%+v %v", f, err)
	}
}
