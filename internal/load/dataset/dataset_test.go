package dataset

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"image"
	"image/png"
	"os"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/modelverifier/verifier/internal/fit/data"
)

func greyPNG(t testing.TB, w, h int) string {
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, w, h))); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func idx(shape []uint32, content []byte) string {
	b := []byte{0, 0, 8, byte(len(shape))}
	for _, n := range shape {
		b = binary.BigEndian.AppendUint32(b, n)
	}
	return string(append(b, content...))
}

func npy(shape string) string {
	head := "{'descr': '<f4', 'fortran_order': False, 'shape': " + shape + ", }\n"
	return "\x93NUMPY\x01\x00" + string(binary.LittleEndian.AppendUint16(nil, uint16(len(head)))) + head
}

func zipped(t testing.TB, text string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// thrift writes the compact form by hand: a structure is its fields and a zero.
func str(s string) string { return string(binary.AppendUvarint(nil, uint64(len(s)))) + s }

func zig(n int64) string { return string(binary.AppendUvarint(nil, uint64(n<<1)^uint64(n>>63))) }

// parquetFile is a file with nothing but a footer: columns of a physical type each, rows, and metadata.
func parquetFile(rows int64, info string, columns ...[2]any) string {
	schema := "\x48" + str("schema") + "\x15" + zig(int64(len(columns))) + "\x00" // name is field 4, num_children field 5
	for _, c := range columns {
		schema += "\x15" + zig(int64(c[1].(int))) + "\x38" + str(c[0].(string)) + "\x00" // type is field 1, name field 4
	}
	footer := "\x15" + zig(2) + "\x19" + string(rune((len(columns)+1)<<4|12)) + schema + "\x16" + zig(rows)
	if len(columns)+1 >= 8 {
		panic("a list of so many is written otherwise")
	}
	footer += "\x19\x0c" // row_groups, empty
	footer += "\x19\x1c" + "\x18" + str("huggingface") + "\x18" + str(info) + "\x00" + "\x00"
	return "PAR1" + footer + string(binary.LittleEndian.AppendUint32(nil, uint32(len(footer)))) + "PAR1"
}

func folder(files map[string]string) fstest.MapFS {
	out := fstest.MapFS{}
	for name, content := range files {
		out[name] = &fstest.MapFile{Data: []byte(content)}
	}
	return out
}

func TestFolders(t *testing.T) {
	three, hundred, six := int64(3), int64(100), int64(6)
	for name, c := range map[string]struct {
		files map[string]string
		want  data.Request
		notes int
	}{
		"a tokenizer with added tokens": {map[string]string{"tokenizer.json": `{"model":{"type":"BPE","vocab":{"a":0,"b":7}},"added_tokens":[{"id":9,"content":"<x>"}]}`}, data.Request{TokenizerSize: 10}, 0},
		"a unigram tokenizer":           {map[string]string{"tokenizer.json": `{"model":{"vocab":[["a",-1.5],["b",-2]]}}`}, data.Request{TokenizerSize: 2}, 0},
		"a tokenizer's configuration":   {map[string]string{"tokenizer_config.json": `{"added_tokens_decoder":{"31":{"content":"x"}},"model_max_length":512}`}, data.Request{TokenizerSize: 32}, 1},
		"a length without end":          {map[string]string{"tokenizer_config.json": `{"model_max_length":1000000000000000019884624838656}`}, data.Request{}, 0},
		"a description":                 {map[string]string{"dataset_info.json": `{"features":{"label":{"names":["a","b"],"_type":"ClassLabel"},"text":{"dtype":"string","_type":"Value"}},"splits":{"train":{"num_examples":100},"test":{"num_examples":5}}}`}, data.Request{NumLabels: 2, Samples: &hundred}, 0},
		"a description by name":         {map[string]string{"x/dataset_info.json": `{"default":{"features":{"y":{"num_classes":4,"_type":"ClassLabel"}}}}`}, data.Request{NumLabels: 4}, 0},
		"several descriptions":          {map[string]string{"dataset_info.json": `{"a":{"features":{}},"b":{}}`}, data.Request{}, 1},
		"labels of tokens":              {map[string]string{"dataset_info.json": `{"features":{"ner_tags":{"feature":{"names":["O","B","I"],"_type":"ClassLabel"},"_type":"Sequence"},"input_ids":{"feature":{"dtype":"int32","_type":"Value"},"length":128,"_type":"Sequence"}}}`}, data.Request{NumLabels: 3, SeqLen: 128}, 0},
		"a length in words":             {map[string]string{"tokenizer_config.json": `{"model_max_length":"long","added_tokens_decoder":{"x":{},"5":{}}}`}, data.Request{TokenizerSize: 6}, 0},
		"a length with an exponent":     {map[string]string{"tokenizer_config.json": `{"model_max_length":1e30}`}, data.Request{}, 0},
		"images by class":               {map[string]string{"train/cat/1.png": greyPNG(t, 8, 6), "train/cat/2.png": greyPNG(t, 8, 6), "train/dog/1.png": greyPNG(t, 8, 6), "test/dog/9.png": greyPNG(t, 1, 1)}, data.Request{ImageWidth: 8, ImageHeight: 6, ClassCounts: []int64{2, 1}, Samples: &three}, 1},
		"images of two sizes":           {map[string]string{"cat/1.png": greyPNG(t, 8, 6), "cat/2.png": greyPNG(t, 9, 6), "dog/1.png": greyPNG(t, 8, 6)}, data.Request{ClassCounts: []int64{2, 1}, Samples: &three}, 2},
		"images below their class":      {map[string]string{"train/cat/a/1.png": greyPNG(t, 8, 6), "train/cat/b/2.png": greyPNG(t, 8, 6), "train/dog/1.png": greyPNG(t, 8, 6)}, data.Request{ImageWidth: 8, ImageHeight: 6, ClassCounts: []int64{2, 1}, Samples: &three}, 1},
		"a table":                       {map[string]string{"a.csv": "x1,x2,label\n1,2,cat\n3,,dog\n5,6,cat\n"}, data.Request{Features: 2, ClassCounts: []int64{2, 1}, Samples: &three}, 0},
		"a packed table":                {map[string]string{"a.csv.gz": zipped(t, "x1,x2,label\n1,2,0\n3,,1\n5,6,1\n")}, data.Request{Features: 2, ClassCounts: []int64{1, 2}, Samples: &three}, 0},
		"a table with an index":         {map[string]string{"a.csv": ",x,label\n0,1,0\n1,2,1\n2,3,1\n"}, data.Request{ClassCounts: []int64{1, 2}, Samples: &three}, 1},
		"labels from one":               {map[string]string{"a.csv": "x,label\n1,1\n2,2\n3,2\n"}, data.Request{Features: 1, ClassCounts: []int64{1, 2}, Samples: &three}, 1},
		"a table of texts":              {map[string]string{"a.tsv": "text\tlabel\nhello \"you\tpos\nbye\tneg\nhm\tneg\n"}, data.Request{ClassCounts: []int64{2, 1}, Samples: &three}, 1},
		"a table of measurements":       {map[string]string{"a.csv": "x,y\n1,0.5\n2,0.25\n3,1\n"}, data.Request{Features: 1, Samples: &three}, 0},
		"MNIST":                         {map[string]string{"train-images-idx3-ubyte": idx([]uint32{3, 28, 28}, nil), "train-labels-idx1-ubyte.gz": zipped(t, idx([]uint32{3}, []byte{0, 2, 2})), "t10k-images-idx3-ubyte": idx([]uint32{9, 1, 1}, nil)}, data.Request{ImageHeight: 28, ImageWidth: 28, Channels: 1, ClassCounts: []int64{1, 0, 2}, Samples: &three}, 0},
		"an array of rows":              {map[string]string{"x.npy": npy("(3, 20)"), "y.npy": npy("(3,)")}, data.Request{Features: 20, Samples: &three}, 0},
		"an array of images":            {map[string]string{"x.npy": npy("(100, 32, 64, 3)")}, data.Request{ImageHeight: 32, ImageWidth: 64, Channels: 3, Samples: &hundred}, 0},
		"an array of images, turned":    {map[string]string{"x.npy": npy("(100, 3, 32, 64)")}, data.Request{ImageHeight: 32, ImageWidth: 64, Channels: 3, Samples: &hundred}, 0},
		"an array that may be either":   {map[string]string{"x.npy": npy("(100, 3, 3, 3)")}, data.Request{Samples: &hundred}, 1},
		"Parquet":                       {map[string]string{"train-0.parquet": parquetFile(3, "{}", [2]any{"a", 5}, [2]any{"b", 2}, [2]any{"label", 2}), "train-1.parquet": parquetFile(3, "{}", [2]any{"a", 5}, [2]any{"b", 2}, [2]any{"label", 2}), "test-0.parquet": "junk"}, data.Request{Features: 2, Samples: &six}, 0},
		"Parquet with a description":    {map[string]string{"d.parquet": parquetFile(100, `{"info":{"features":{"label":{"names":["a","b","c"],"_type":"ClassLabel"}}}}`, [2]any{"text", 6}, [2]any{"label", 2})}, data.Request{NumLabels: 3, Samples: &hundred}, 0},
	} {
		got, err := Read(folder(c.files))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !reflect.DeepEqual(got.Request, c.want) || len(got.Notes) != c.notes {
			t.Errorf("%s: %+v %v, want %+v and %d notes", name, got.Request, got.Notes, c.want, c.notes)
		}
	}
}

func TestBrokenFilesAreNamed(t *testing.T) {
	whole := parquetFile(3, "{}", [2]any{"a", 5})
	for name, content := range map[string]string{
		"tokenizer.json": `{"model":{}}`, "tokenizer_config.json": `[]`, "dataset_info.json": `{"a":1}`, "a.png": "not a picture", "a.csv": "", "b.csv": "a,b\n1\n",
		"x-ubyte": "no", "y-ubyte": idx([]uint32{9}, []byte{1}), "x.npy": "no", "y.npy": npy("no")[:12], "z.npy": npy("()x"), "a.parquet": "PAR1PAR1PAR1PAR1", "b.parquet": whole[:len(whole)-9] + whole[len(whole)-8:],
	} {
		if _, err := Read(folder(map[string]string{name: content})); err == nil || !strings.Contains(err.Error(), name) {
			if name == "z.npy" && err == nil {
				continue // a single number is an array without axes
			}
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Read(folder(map[string]string{"readme.txt": "hello"})); err == nil {
		t.Error("a folder without data passed")
	}
}

// TestABooleanOfAMapTakesAByte has a map of booleans in front of the rows: what stands behind it is where it should be.
func TestABooleanOfAMapTakesAByte(t *testing.T) {
	pairs := "\x1b\x02\x11\x01\x02\x02\x01" // field 1: two pairs
	if m, err := parseFooter([]byte(pairs + "\x26" + zig(7) + "\x00")); err != nil || m.rows != 7 {
		t.Errorf("%+v, %v", m, err)
	}
	if m, err := parseFooter([]byte("\x1b\x08\x11" + strings.Repeat("\x01", 15) + "\x00")); err == nil { // the last takes the byte that ends the footer
		t.Errorf("a map that lacks a boolean was read as %+v", m)
	}
}

func TestASchemaHasNotMoreLinesThanColumnsAreKnown(t *testing.T) {
	schema := func(lines int) string {
		return "\x29\xfc" + string(binary.AppendUvarint(nil, uint64(lines))) + strings.Repeat("\x00", lines+1)
	}
	if m, err := parseFooter([]byte(schema(maxSchema))); err != nil || len(m.columns) != maxSchema-1 {
		t.Errorf("%v", err)
	}
	m, err := parseFooter([]byte(schema(8 << 20)))
	if err == nil || err.Error() != "its schema has more than 100000 lines" || len(m.columns) > maxSchema {
		t.Errorf("%v", err)
	}
}

// FuzzParquet reads any bytes as a footer. Nothing may panic, hang or grow.
func FuzzParquet(f *testing.F) {
	whole := parquetFile(3, "{}", [2]any{"a", 5}, [2]any{"label", 2})
	f.Add([]byte(whole[4 : len(whole)-8]))
	f.Add([]byte("\x1c\x1c\x1c\x1c"))
	f.Add([]byte{0x1b, 0xff, 0xff, 0xff, 0xff, 0x0f, 0x11})
	f.Fuzz(func(t *testing.T, data []byte) {
		if m, err := parseFooter(data); err == nil && len(m.columns) > len(data) {
			t.Fatalf("%d columns of %d bytes", len(m.columns), len(data))
		}
	})
}

// FuzzFiles reads any bytes as each of the formats.
func FuzzFiles(f *testing.F) {
	for _, s := range []string{npy("(3, 20)"), idx([]uint32{3, 28, 28}, nil), "a,label\n1,2\n", `{"model":{"vocab":{"a":0}}}`, zipped(f, "abc")} {
		f.Add([]byte(s))
	}
	files, err := os.ReadDir("testdata")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		data, err := os.ReadFile("testdata/" + file.Name())
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	names := []string{"a.npy", "a-ubyte", "a-ubyte.gz", "a.csv", "a.tsv", "tokenizer.json", "tokenizer_config.json", "dataset_info.json", "a.parquet", "a.csv.gz", "a.png"}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, name := range names {
			_, _ = Read(fstest.MapFS{name: &fstest.MapFile{Data: data}})
		}
	})
}

func TestItemsOfAListAreCounted(t *testing.T) {
	for list, want := range map[string]int64{`[]`: 0, `[ ]`: 0, `[1]`: 1, `[[]]`: 1, `[["a,\"]",1],["b",2]]`: 2, `[{"a":[1,2]},"x,y",3]`: 3} {
		if got := items([]byte(list)); got != want {
			t.Errorf("%s: %d, want %d", list, got, want)
		}
	}
}
