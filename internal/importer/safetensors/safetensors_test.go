package safetensors

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"pgregory.net/rapid"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/importer"
	_ "github.com/modelverifier/verifier/internal/seed"
)

// file builds a safetensors file around a header.
func file(header string, dataBytes int) []byte {
	out := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	return append(append(out, header...), make([]byte, dataBytes)...)
}

func read(data []byte) (*Header, error) {
	return Read(bytes.NewReader(data), int64(len(data)), "m.safetensors")
}

func TestTensorsAreListedInTheOrderOfTheirData(t *testing.T) {
	h, err := read(file(`{"__metadata__":{"format":"pt"},
		"b":{"dtype":"BF16","shape":[2,3],"data_offsets":[4,16]},
		"a":{"shape":[],"data_offsets":[0,4],"dtype":"F32","note":{"x":[1.5e3,true,null]}},
		"none":{"dtype":"I64","shape":[0,7],"data_offsets":[16,16]},
		"\u0066our":{"dtype":"F4","shape":[2,2],"data_offsets":[16,18]}}   `, 18))
	if err != nil {
		t.Fatal(err)
	}
	want := []importer.Tensor{
		{Name: "a", DType: "F32", Shape: []int64{}, Bytes: 4}, {Name: "b", DType: "BF16", Shape: []int64{2, 3}, Bytes: 12},
		{Name: "none", DType: "I64", Shape: []int64{0, 7}, Bytes: 0}, {Name: "four", DType: "F4", Shape: []int64{2, 2}, Bytes: 2},
	}
	if !reflect.DeepEqual(h.Tensors, want) {
		t.Errorf("got  %v\nwant %v", h.Tensors, want)
	}
	if !reflect.DeepEqual(h.Metadata, []Pair{{"format", "pt"}}) {
		t.Error(h.Metadata)
	}
	if total, ok := importer.Sum(h.Tensors); !ok || total != (importer.Total{Tensors: 4, Elements: 11, Bytes: 18}) {
		t.Error(total)
	}
}

func TestWhatCannotBeTrustedIsRefused(t *testing.T) {
	cases := []struct {
		name, header string
		data         int
		want         string
	}{
		{"overlap", `{"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},"b":{"dtype":"U8","shape":[4],"data_offsets":[2,6]}}`, 6, `"b" begins at byte 2 of the data, within "a", which ends at 4`},
		{"the same data twice", `{"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},"b":{"dtype":"U8","shape":[4],"data_offsets":[0,4]}}`, 4, `"b" begins at byte 0 of the data, within "a"`},
		{"hole", `{"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},"b":{"dtype":"U8","shape":[1],"data_offsets":[5,6]}}`, 6, "bytes 4 to 5 of the data belong to no tensor"},
		{"hole in front", `{"b":{"dtype":"U8","shape":[1],"data_offsets":[5,6]}}`, 6, "bytes 0 to 5 of the data belong to no tensor"},
		{"cut short", `{"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]}}`, 3, "ends at byte 4 of the data, but the file has 3: it is cut short"},
		{"more than the tensors", `{"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]}}`, 5, "end at byte 4 of the data, but the file has 5"},
		{"backwards", `{"a":{"dtype":"U8","shape":[4],"data_offsets":[4,0]}}`, 4, "ends at byte 0, before it begins at 4"},
		{"other size", `{"a":{"dtype":"F32","shape":[2,2],"data_offsets":[0,4]}}`, 4, "of shape [2,2] and type F32 takes 16 bytes, but its data_offsets span 4"},
		{"overflowing shape", `{"a":{"dtype":"U8","shape":[4294967296,4294967296],"data_offsets":[0,0]}}`, 0, "more numbers than can be counted"},
		{"overflowing bits", `{"a":{"dtype":"F64","shape":[1152921504606846976],"data_offsets":[0,0]}}`, 0, "more numbers than can be counted"},
		{"overflowing number", `{"a":{"dtype":"U8","shape":[18446744073709551616],"data_offsets":[0,0]}}`, 0, "does not fit in 63 bits"},
		{"overflowing offset", `{"a":{"dtype":"U8","shape":[1],"data_offsets":[18446744073709551615,0]}}`, 0, "does not fit in 63 bits"},
		{"half a byte", `{"a":{"dtype":"F4","shape":[3],"data_offsets":[0,2]}}`, 2, "takes 12 bits, which are no whole bytes"},
		{"negative", `{"a":{"dtype":"U8","shape":[-1],"data_offsets":[0,1]}}`, 1, "expected the size of an axis, found '-'"},
		{"fraction", `{"a":{"dtype":"U8","shape":[1.0],"data_offsets":[0,1]}}`, 1, "expected the size of an axis, found '.'"},
		{"leading zero", `{"a":{"dtype":"U8","shape":[01],"data_offsets":[0,1]}}`, 1, "expected the size of an axis"},
		{"unknown type", `{"a":{"dtype":"Q4_0","shape":[1],"data_offsets":[0,1]}}`, 1, `has type "Q4_0", which is none of BF16, BOOL, C64`},
		{"same name", `{"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"\u0061":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}}`, 2, `has "a" twice`},
		{"same member", `{"a":{"dtype":"U8","dtype":"U8","shape":[1],"data_offsets":[0,1]}}`, 1, "has dtype twice"},
		{"no shape", `{"a":{"dtype":"U8","data_offsets":[0,1]}}`, 1, `"a" has no shape`},
		{"one offset", `{"a":{"dtype":"U8","shape":[1],"data_offsets":[0]}}`, 1, "has 1 data_offsets, needs 2"},
		{"three offsets", `{"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1,2]}}`, 1, "more than 2 data_offsets"},
		{"many axes", `{"a":{"dtype":"U8","shape":[1` + strings.Repeat(",1", 64) + `],"data_offsets":[0,1]}}`, 1, "more than 64 axes"},
		{"metadata of numbers", `{"__metadata__":{"a":1}}`, 0, "expected a text"},
		{"metadata twice", `{"__metadata__":{"a":"1","a":"2"}}`, 0, `__metadata__ has "a" twice`},
		{"not an object", `["a"]`, 0, "expected { as the header's first byte"},
		{"blank in front", ` {}`, 0, "expected { as the header's first byte"},
		{"more than an object", `{}{}`, 0, "expected the end"},
		{"open", `{"a":{"dtype":"U8"`, 0, "ends too early"},
		{"not UTF-8", "{\"\xff\":1}", 0, "not UTF-8"},
		{"half a character", `{"\ud800":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}`, 1, "half a character"},
		{"control character", "{\"a\n\":1}", 0, "may stand in a string"},
		{"deep", `{"a":{"x":` + strings.Repeat("[", 99) + strings.Repeat("]", 99) + `}}`, 0, "nested more than 32 deep"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, err := read(file(c.header, c.data))
			var e *graph.Error
			if !errors.As(err, &e) || e.Code != action.CodeFile || e.Path != "m.safetensors" || !strings.Contains(e.Message, c.want) {
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
		})
	}
}

func TestAFileThatIsSomethingElseIsNamed(t *testing.T) {
	for data, want := range map[string]string{
		"":                                   "has 0 bytes",
		"\x02\x00\x00":                       "has 3 bytes",
		"PK\x03\x04 zipped":                  "it is a zip file, as PyTorch's .pt and .bin are",
		"version https://git-lfs.github.":    "Git LFS pointer",
		"<!doctype html>":                    "web page",
		"\x00\x00\x00\x00\x00\x00\x00\x00":   "the shortest, {}, has 2",
		"\x09\x00\x00\x00\x00\x00\x00\x00{}": "should have 9 bytes, but the file has 2",
		"\xff\xff\xff\xff\xff\xff\xff\xff{}": "the format allows 100000000",
	} {
		if _, err := read([]byte(data)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", data, err, want)
		}
	}
}

// shards is a model in two files with an index.
func shards() fstest.MapFS {
	return fstest.MapFS{
		"model-00001-of-00002.safetensors": {Data: file(`{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}`, 8)},
		"model-00002-of-00002.safetensors": {Data: file(`{"b":{"dtype":"F32","shape":[3],"data_offsets":[0,12]}}`, 12)},
		"model.safetensors.index.json": {Data: []byte(`{"metadata":{"total_size":20},"weight_map":{
			"b":"model-00002-of-00002.safetensors","a":"model-00001-of-00002.safetensors"}}`)},
	}
}

func TestAnIndexBringsItsFilesTogether(t *testing.T) {
	m, err := ReadModel(shards(), "model.safetensors.index.json")
	if err != nil {
		t.Fatal(err)
	}
	if total, _ := importer.Sum(m.Tensors); total != (importer.Total{Tensors: 2, Elements: 5, Bytes: 20}) || len(m.Files) != 2 || m.Notes != nil {
		t.Errorf("%+v %+v", total, m)
	}
	inFolder := fstest.MapFS{}
	for name, f := range shards() {
		inFolder["unet/"+name] = f
	}
	if m, err := ReadModel(inFolder, "unet/model.safetensors.index.json"); err != nil || len(m.Tensors) != 2 {
		t.Error(err)
	}
}

func TestAnIndexThatContradictsItsFilesIsRefused(t *testing.T) {
	index := func(text string) func(fstest.MapFS) {
		return func(m fstest.MapFS) { m["model.safetensors.index.json"] = &fstest.MapFile{Data: []byte(text)} }
	}
	cases := []struct {
		name   string
		change func(fstest.MapFS)
		want   string
	}{
		{"missing file", func(m fstest.MapFS) { delete(m, "model-00002-of-00002.safetensors") }, `lists 2 files, of which 1 are not there: "model-00002-of-00002.safetensors"`},
		{"wrong file", index(`{"weight_map":{"a":"model-00002-of-00002.safetensors","b":"model-00001-of-00002.safetensors"}}`), `"a" should be in model-00002-of-00002.safetensors, but is in model-00001-of-00002.safetensors`},
		{"no such tensor", index(`{"weight_map":{"c":"model-00001-of-00002.safetensors"}}`), `1 are in none of its files: "c"`},
		{"in both", func(m fstest.MapFS) { m["model-00002-of-00002.safetensors"] = m["model-00001-of-00002.safetensors"] }, `"a" is also in`},
		{"escape", index(`{"weight_map":{"a":"../../etc/passwd.safetensors"}}`), "no file of this folder"},
		{"absolute", index(`{"weight_map":{"a":"/etc/x.safetensors"}}`), "no file of this folder"},
		{"other system's path", index(`{"weight_map":{"a":"..\\x.safetensors"}}`), "no file of this folder"},
		{"drive", index(`{"weight_map":{"a":"c:x.safetensors"}}`), "no file of this folder"},
		{"other format", index(`{"weight_map":{"a":"pytorch_model.bin"}}`), "no safetensors file"},
		{"no map", index(`{"metadata":{}}`), "has no weight_map"},
		{"no object", index(`{"weight_map":null}`), "expected {"},
		{"same tensor", index(`{"weight_map":{"a":"x.safetensors","a":"y.safetensors"}}`), `weight_map has "a" twice`},
		{"two maps", index(`{"weight_map":{},"weight_map":{}}`), `has "weight_map" twice`},
		{"not JSON", index(`weights`), "expected {"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			files := shards()
			c.change(files)
			if _, err := ReadModel(files, "model.safetensors.index.json"); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
		})
	}
}

func TestWhatAnIndexGetsWrongWithoutHarmIsNoted(t *testing.T) {
	files := shards()
	files["model.safetensors.index.json"] = &fstest.MapFile{Data: []byte(`{"metadata":{"total_size":7,"x":{}},"weight_map":{"b":"model-00002-of-00002.safetensors"}}`)}
	files["model-00002-of-00002.safetensors"] = &fstest.MapFile{Data: file(`{"b":{"dtype":"U8","shape":[3],"data_offsets":[0,3]},"c":{"dtype":"U8","shape":[1],"data_offsets":[3,4]}}`, 4)}
	m, err := ReadModel(files, "model.safetensors.index.json")
	if err != nil || len(m.Tensors) != 2 || len(m.Notes) != 2 || !strings.Contains(m.Notes[0], "leaves out 1 of the 2") || !strings.Contains(m.Notes[1], "take 7 bytes; they take 4") {
		t.Errorf("%v %+v", err, m)
	}
	for _, size := range []string{"7.5", `"7"`, "1e99", "null", "-3"} {
		if x, err := ParseIndex([]byte(`{"metadata":{"total_size":`+size+`},"weight_map":{}}`), "i"); err != nil || x.TotalSize != 0 {
			t.Errorf("%s: %v", size, err)
		}
	}
}

func TestTheWeightsOfAFolderAreFound(t *testing.T) {
	cases := []struct{ names, want, err string }{
		{"config.json", "", ""},
		{"model.safetensors model.safetensors.index.json", "model.safetensors", ""},
		{"model-00001-of-00002.safetensors model-00002-of-00002.safetensors model.safetensors.index.json", "model.safetensors.index.json", ""},
		{"model-00002-of-00002.safetensors model-00001-of-00002.safetensors", "model-00001-of-00002.safetensors model-00002-of-00002.safetensors", ""},
		{"model-00001-of-00003.safetensors model-00002-of-00003.safetensors", "", "one of 3 files, but 2 are here"},
		{"a.safetensors b.safetensors", "", "no index"},
		{"a.safetensors consolidated.safetensors adapter_model.safetensors", "a.safetensors", ""},
	}
	for _, c := range cases {
		got, err := Find(strings.Fields(c.names))
		if strings.Join(got, " ") != c.want || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: %v, %v", c.names, got, err)
		}
	}
}

func TestFilesOfADiskAreRead(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "m.safetensors"), file(`{}`, 0), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, size, err := ReadFile(os.DirFS(dir), "m.safetensors"); err != nil || size != 10 {
		t.Error(size, err)
	}
	if _, _, err := ReadFile(os.DirFS(dir), "gone.safetensors"); err == nil || !strings.Contains(err.Error(), "gone.safetensors: cannot be opened") {
		t.Error(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "d.safetensors"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, _, err := ReadFile(os.DirFS(dir), "d.safetensors"); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Error(err)
	}
}

func TestAnyConsistentFileIsReadAsWritten(t *testing.T) {
	tensor := rapid.Custom(func(t *rapid.T) importer.Tensor {
		x := importer.Tensor{
			Name: rapid.String().Draw(t, "name"), DType: rapid.SampledFrom([]string{"U8", "F16", "F32", "I64", "F8_E4M3", "F4"}).Draw(t, "type"),
			Shape: rapid.SliceOfN(rapid.Int64Range(0, 5), 0, 4).Draw(t, "shape"),
		}
		if x.DType == "F4" {
			x.Shape = append(x.Shape, 2)
		}
		n, _ := x.Elements()
		x.Bytes = n * bitsOf[x.DType] / 8
		return x
	})
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.SliceOfDistinct(tensor, func(x importer.Tensor) string { return x.Name }).Draw(t, "tensors")
		data := encode(want)
		got, err := read(data)
		if err != nil {
			t.Fatal(err)
		}
		if r := importer.Compare(want, got.Tensors); !r.Agrees() {
			t.Fatal(r)
		}
		if len(data) > 10 { // any file that is one byte shorter is refused
			if _, err := read(data[:len(data)-1]); err == nil {
				t.Fatal("a file that is cut short is read")
			}
		}
	})
}

// encode writes a file with these tensors, one behind the other.
func encode(tensors []importer.Tensor) []byte {
	var b strings.Builder
	b.WriteByte('{')
	at := int64(0)
	for i, x := range tensors {
		if i > 0 {
			b.WriteByte(',')
		}
		name := strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(x.Name)
		var clean strings.Builder
		for _, c := range name {
			if c < ' ' {
				fmt.Fprintf(&clean, `\u%04x`, c)
			} else {
				clean.WriteRune(c)
			}
		}
		fmt.Fprintf(&b, `"%s":{"dtype":"%s","shape":%s,"data_offsets":[%d,%d]}`, clean.String(), x.DType, importer.ShapeText(x.Shape), at, at+x.Bytes)
		at += x.Bytes
	}
	b.WriteByte('}')
	return file(b.String(), int(at))
}

func large(n int) []byte {
	tensors := make([]importer.Tensor, n)
	for i := range tensors {
		tensors[i] = importer.Tensor{Name: fmt.Sprintf("model.layers.%d.mlp.experts.%d.gate_proj.weight", i/256, i%256), DType: "U8", Shape: []int64{1, 2}, Bytes: 2}
	}
	return encode(tensors)
}

func TestAHundredThousandTensorsAreReadInTime(t *testing.T) {
	data := large(100_000)
	best := time.Hour
	for range 5 {
		start := time.Now()
		if h, err := read(data); err != nil || len(h.Tensors) != 100_000 {
			t.Fatal(err)
		}
		best = min(best, time.Since(start))
	}
	if best > 5*time.Second { // 50 ms of one processor; what is quadratic takes minutes
		t.Errorf("took %v", best)
	}
	t.Logf("100,000 tensors, %d bytes of header: %v", len(data), best)
}

func BenchmarkRead(b *testing.B) {
	data := large(100_000)
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if _, err := read(data); err != nil {
			b.Fatal(err)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, h := range []string{`{}`, `{"__metadata__":{"a":"b"},"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}`, `{"a":{"dtype":"F4","shape":[],"data_offsets":[0,0]}}`} {
		f.Add(file(h, 8))
	}
	f.Add([]byte("PK\x03\x04"))
	f.Fuzz(func(t *testing.T, data []byte) {
		h, err := read(data)
		if err != nil {
			var e *graph.Error
			if !errors.As(err, &e) || e.Code != action.CodeFile {
				t.Fatalf("%T %v", err, err)
			}
			return
		}
		total, ok := importer.Sum(h.Tensors)
		if !ok || total.Bytes+h.HeaderBytes != int64(len(data)) {
			t.Fatalf("%d bytes of tensors and %d of header in a file of %d", total.Bytes, h.HeaderBytes, len(data))
		}
	})
}

func FuzzIndex(f *testing.F) {
	f.Add([]byte(`{"metadata":{"total_size":20},"weight_map":{"b":"model-00002-of-00002.safetensors","a":"../x.safetensors"}}`))
	f.Add([]byte(`{"weight_map":{},"x":[1,{"y":null}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		x, err := ParseIndex(data, "i")
		if err != nil {
			return
		}
		for _, name := range x.Files {
			if !fs.ValidPath(name) {
				t.Fatalf("%q leaves the folder", name)
			}
		}
	})
}
