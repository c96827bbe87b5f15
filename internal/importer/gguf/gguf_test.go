package gguf

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"

	"pgregory.net/rapid"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/importer"
	_ "github.com/modelverifier/verifier/internal/seed"
)

// writer builds files, right ones and wrong ones.
type writer struct {
	b     []byte
	order binary.AppendByteOrder
}

func (w *writer) u32(n uint32)  { w.b = w.order.AppendUint32(w.b, n) }
func (w *writer) u64(n uint64)  { w.b = w.order.AppendUint64(w.b, n) }
func (w *writer) text(s string) { w.u64(uint64(len(s))); w.b = append(w.b, s...) }

func (w *writer) start(version uint32, tensors, entries uint64) {
	w.b = append(w.b, "GGUF"...)
	w.u32(version)
	w.u64(tensors)
	w.u64(entries)
}

func (w *writer) key(key string, t ValueType) { w.text(key); w.u32(uint32(t)) }

// tensor writes an entry; axes are given innermost first, as they are in files.
func (w *writer) tensor(name string, kind uint32, offset uint64, axes ...uint64) {
	w.text(name)
	w.u32(uint32(len(axes)))
	for _, n := range axes {
		w.u64(n)
	}
	w.u32(kind)
	w.u64(offset)
}

// data aligns and appends so many bytes.
func (w *writer) data(n int) []byte {
	return append(w.b, make([]byte, int(pad(int64(len(w.b)), 32))-len(w.b)+n)...)
}

func read(data []byte) (*File, error) {
	return Read(bytes.NewReader(data), int64(len(data)), "m.gguf")
}

// everything is a file with every type of value.
func everything(order binary.AppendByteOrder) []byte {
	w := &writer{order: order}
	w.start(3, 3, 15)
	w.key("general.architecture", String)
	w.text("llama")
	w.key("u8", Uint8)
	w.b = append(w.b, 200)
	w.key("i8", Int8)
	w.b = append(w.b, 0xff)
	w.key("u16", Uint16)
	w.b = order.AppendUint16(w.b, 65535)
	w.key("i16", Int16)
	w.b = order.AppendUint16(w.b, 0xfffe)
	w.key("llama.block_count", Uint32)
	w.u32(32)
	w.key("i32", Int32)
	w.u32(0xfffffffd)
	w.key("llama.rope.freq_base", Float32)
	w.u32(math.Float32bits(10000))
	w.key("yes", Bool)
	w.b = append(w.b, 1)
	w.key("u64", Uint64)
	w.u64(math.MaxUint64)
	w.key("i64", Int64)
	w.u64(1<<64 - 4)
	w.key("f64", Float64)
	w.u64(math.Float64bits(0.1))
	w.key("llama.feed_forward_length", Array)
	w.u32(uint32(Int32))
	w.u64(2)
	w.u32(7)
	w.u32(8)
	w.key("tokenizer.ggml.tokens", Array)
	w.u32(uint32(String))
	w.u64(2)
	w.text("a")
	w.text("\xff")
	w.key("nested", Array)
	w.u32(uint32(Array))
	w.u64(1)
	w.u32(uint32(Uint8))
	w.u64(3)
	w.b = append(w.b, 1, 2, 3)
	w.tensor("token_embd.weight", 12, 0, 256, 3)
	w.tensor("norm.weight", 0, 448, 5)
	w.tensor("scalar", 1, 480)
	return w.data(482)
}

func TestEveryTypeOfValueIsReadInBothByteOrders(t *testing.T) {
	for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
		f, err := read(everything(order))
		if err != nil {
			t.Fatal(order, err)
		}
		var got []string
		for _, e := range f.Metadata {
			got = append(got, e.Key+"="+e.Value.String())
		}
		want := `general.architecture="llama" u8=200 i8=-1 u16=65535 i16=-2 llama.block_count=32 i32=-3 llama.rope.freq_base=10000 yes=true ` +
			`u64=18446744073709551615 i64=-4 f64=0.1 llama.feed_forward_length=[7,8] tokenizer.ggml.tokens=2 of string nested=[[1,2,3]]`
		if s := strings.Join(got, " "); s != want {
			t.Errorf("got  %s\nwant %s", s, want)
		}
		tensors := []importer.Tensor{
			{Name: "token_embd.weight", DType: "Q4_K", Shape: []int64{3, 256}, Bytes: 432},
			{Name: "norm.weight", DType: "F32", Shape: []int64{5}, Bytes: 20},
			{Name: "scalar", DType: "F16", Shape: []int64{}, Bytes: 2},
		}
		if !reflect.DeepEqual(f.Tensors, tensors) {
			t.Errorf("got  %v\nwant %v", f.Tensors, tensors)
		}
		if n, ok := f.Get("u64").Int(); ok {
			t.Errorf("a number beyond an int64 is %d", n)
		}
		if ints, ok := f.Get("llama.feed_forward_length").Ints(); !ok || !reflect.DeepEqual(ints, []int64{7, 8}) {
			t.Error(ints)
		}
		if v, ok := f.Get("yes").Bool(); !v || !ok {
			t.Error("yes is not true")
		}
		if f.Get("gone") != nil {
			t.Error("finds what is not there")
		}
	}
}

func TestFactsDescribeTheModel(t *testing.T) {
	m, err := ReadModel(fstest.MapFS{"m.gguf": {Data: everything(binary.LittleEndian)}}, "m.gguf")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range m.Facts() {
		got = append(got, e.Key+"="+e.Value.String())
	}
	want := `general.architecture="llama" llama.block_count=32 llama.feed_forward_length=[7,8] llama.rope.freq_base=10000 tokenizer.ggml.tokens=2 of string`
	if s := strings.Join(got, " "); s != want || m.Architecture() != "llama" {
		t.Errorf("got  %s\nwant %s", s, want)
	}
	if base, ok := m.Of("rope.freq_base").Float(); base != 10000 || !ok {
		t.Error(base)
	}
	if n, ok := m.Of("absent").Int(); n != 0 || ok {
		t.Error("an absent fact is a number")
	}
}

func TestWhatCannotBeTrustedIsRefused(t *testing.T) {
	plain := func(build func(w *writer)) []byte {
		w := &writer{order: binary.LittleEndian}
		build(w)
		return w.b
	}
	tensors := func(n uint64, build func(w *writer)) []byte {
		return plain(func(w *writer) { w.start(3, n, 0); build(w) })
	}
	entry := func(build func(w *writer)) []byte {
		return plain(func(w *writer) { w.start(2, 0, 1); build(w); w.b = append(w.b, make([]byte, 16)...) })
	}
	cases := []struct {
		name string
		data []byte
		want string
	}{
		{"empty", nil, "8 bytes are wanted at byte 0, but the file has 0"},
		{"zip", []byte("PK\x03\x04abcdefg"), "it is a zip file"},
		{"old format", []byte("tjggabcdefg"), "formats before GGUF"},
		{"version 1", plain(func(w *writer) { w.start(1, 0, 0) }), "is of GGUF version 1; 2 and 3 can be read"},
		{"version 4", plain(func(w *writer) { w.start(4, 0, 0) }), "is of GGUF version 4"},
		{"version 0", plain(func(w *writer) { w.start(0, 0, 0) }), "is of GGUF version 0"},
		{"counts", plain(func(w *writer) { w.start(3, math.MaxUint64, 0) }), "tensors; 1000000 can be read"},
		{"entries", plain(func(w *writer) { w.start(3, 0, 1<<40) }), "entries of metadata; 65536 can be read"},
		{"tensors that are not there", plain(func(w *writer) { w.start(3, 100, 0) }), "which the 0 bytes that are left cannot list"},
		{"entries that are not there", plain(func(w *writer) { w.start(3, 0, 100) }), "which the 0 bytes that are left cannot hold"},
		{"long key", entry(func(w *writer) { w.u64(1 << 62) }), "should have 4611686018427387904 bytes, but"},
		{"unknown value", entry(func(w *writer) { w.key("a", 13) }), `"a" is of type 13, which is not known`},
		{"neither true nor false", entry(func(w *writer) { w.key("a", Bool); w.b = append(w.b, 2) }), "neither true nor false"},
		{"not UTF-8", entry(func(w *writer) { w.key("a", String); w.text("\xff") }), "not UTF-8"},
		{"endless list", entry(func(w *writer) { w.key("a", Array); w.u32(0); w.u64(math.MaxUint64) }), "should have 18446744073709551615 items"},
		{"endless strings", entry(func(w *writer) { w.key("a", Array); w.u32(8); w.u64(1); w.u64(math.MaxUint64) }), "an item of \"a\" should have"},
		{"deep", entry(func(w *writer) {
			w.key("a", Array)
			for range 5 {
				w.u32(uint32(Array))
				w.u64(1)
			}
		}), "nested more than 4 deep"},
		{"same key", plain(func(w *writer) {
			w.start(3, 0, 2)
			for range 2 {
				w.key("a", Bool)
				w.b = append(w.b, 1)
			}
		}), `the key "a" twice`},
		{"alignment", entry(func(w *writer) { w.key("general.alignment", Uint32); w.u32(33) }), "general.alignment is 33"},
		{"alignment of another type", entry(func(w *writer) { w.key("general.alignment", Uint64); w.u64(32) }), "as uint32"},
		{"unknown type", tensors(1, func(w *writer) { w.tensor("a", 99, 0, 1) }), `"a" is of type 99, which is not known`},
		{"withdrawn type", tensors(1, func(w *writer) { w.tensor("a", 4, 0, 32) }), "Q4_2, which was withdrawn"},
		{"part of a block", tensors(1, func(w *writer) { w.tensor("a", 12, 0, 255) }), "rows of 255, which are not made of blocks of 256"},
		{"many axes", tensors(1, func(w *writer) { w.tensor("a", 0, 0, 1, 1, 1, 1, 1) }), "5 axes"},
		{"overflowing shape", tensors(1, func(w *writer) { w.tensor("a", 0, 0, 1<<40, 1<<40) }), "more numbers than can be counted"},
		{"overflowing bytes", tensors(1, func(w *writer) { w.tensor("a", 0, 0, 1<<62) }), "more bytes than can be counted"},
		{"negative axis", tensors(1, func(w *writer) { w.tensor("a", 0, 0, 1<<63) }), "an axis of 9223372036854775808"},
		{"same name", tensors(2, func(w *writer) { w.tensor("a", 0, 0, 8); w.tensor("a", 0, 32, 8); w.b = w.data(64) }), `tensor "a" twice`},
		{"overlap", tensors(2, func(w *writer) { w.tensor("a", 0, 0, 8); w.tensor("b", 0, 0, 8); w.b = w.data(64) }), `"b" begins at byte 0 of the data, but the one before it ends at 32`},
		{"hole", tensors(1, func(w *writer) { w.tensor("a", 0, 32, 8); w.b = w.data(64) }), `"a" begins at byte 32 of the data, but the one before it ends at 0`},
		{"cut short", tensors(1, func(w *writer) { w.tensor("a", 0, 0, 8); w.b = w.data(31) }), "needs 32 bytes from byte 0 of the data on, but the file has 31"},
		{"no data", tensors(1, func(w *writer) { w.tensor("a", 0, 0, 8) }), "but the file has 0 behind its header"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, err := read(c.data)
			var e *graph.Error
			if !errors.As(err, &e) || e.Code != action.CodeFile || e.Path != "m.gguf" || !strings.Contains(e.Message, c.want) {
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
		})
	}
}

func TestAFileCutAnywhereIsRefused(t *testing.T) {
	whole := everything(binary.LittleEndian)
	for n := range whole {
		if _, err := read(whole[:n]); err == nil {
			t.Fatalf("the first %d of %d bytes are read as a model", n, len(whole))
		}
	}
}

// part is one file of several.
func part(no, count, total uint16, name string) *fstest.MapFile {
	w := &writer{order: binary.LittleEndian}
	w.start(3, 1, 3)
	for _, e := range []struct {
		key string
		n   uint16
	}{{"split.no", no}, {"split.count", count}, {"split.tensors.count", total}} {
		w.key(e.key, Uint16)
		w.b = w.order.AppendUint16(w.b, e.n)
	}
	w.tensor(name, 0, 0, 2)
	return &fstest.MapFile{Data: w.data(8)}
}

func TestSplitFilesAreBroughtTogether(t *testing.T) {
	files := func() fstest.MapFS {
		return fstest.MapFS{
			"x-00001-of-00002.gguf": part(0, 2, 2, "a"), "x-00002-of-00002.gguf": part(1, 2, 2, "b"),
		}
	}
	for _, name := range []string{"x-00001-of-00002.gguf", "x-00002-of-00002.gguf"} {
		m, err := ReadModel(files(), name)
		if err != nil || len(m.Tensors) != 2 || m.Tensors[0].Name != "a" || len(m.Files) != 2 {
			t.Errorf("%s: %v %+v", name, err, m)
		}
	}
	cases := []struct {
		name   string
		change func(fstest.MapFS)
		want   string
	}{
		{"missing", func(m fstest.MapFS) { delete(m, "x-00002-of-00002.gguf") }, "x-00002-of-00002.gguf: cannot be opened"},
		{"same tensor", func(m fstest.MapFS) { m["x-00002-of-00002.gguf"] = part(1, 2, 2, "a") }, `tensor "a" is also in`},
		{"wrong number", func(m fstest.MapFS) { m["x-00002-of-00002.gguf"] = part(0, 2, 2, "b") }, "split.no is 0"},
		{"wrong count", func(m fstest.MapFS) { m["x-00002-of-00002.gguf"] = part(1, 3, 2, "b") }, "split.count is 3"},
		{"wrong total", func(m fstest.MapFS) { m["x-00001-of-00002.gguf"] = part(0, 2, 3, "a") }, "split.tensors.count is 3, but the 2 files hold 2"},
		{"other name", func(m fstest.MapFS) { m["x-00001-of-00002.gguf"] = part(0, 3, 3, "a") }, "is one of 3 files, but is not named as one"},
	}
	for _, c := range cases {
		m := files()
		c.change(m)
		if _, err := ReadModel(m, "x-00001-of-00002.gguf"); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
}

func TestAnyConsistentFileIsReadAsWritten(t *testing.T) {
	kinds := make([]uint32, 0, len(blockTypes))
	for k := range uint32(64) {
		if _, ok := blockTypes[k]; ok {
			kinds = append(kinds, k)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 20).Draw(t, "tensors")
		w := &writer{order: binary.LittleEndian}
		w.start(uint32(rapid.IntRange(2, 3).Draw(t, "version")), uint64(n), 0)
		at, end := int64(0), int64(0)
		want := []importer.Tensor{}
		for i := range n {
			kind := rapid.SampledFrom(kinds).Draw(t, "type")
			rows, row := rapid.Int64Range(0, 4).Draw(t, "rows"), rapid.Int64Range(1, 3).Draw(t, "blocks")
			b := blockTypes[kind]
			x := importer.Tensor{Name: fmt.Sprint(i), DType: b.name, Shape: []int64{rows, row * b.size}, Bytes: rows * row * b.bytes}
			w.tensor(x.Name, kind, uint64(at), uint64(x.Shape[1]), uint64(x.Shape[0]))
			end = at + x.Bytes
			at = pad(end, 32)
			want = append(want, x)
		}
		f, err := read(w.data(int(end)))
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(f.Tensors, want) {
			t.Fatalf("got  %v\nwant %v", f.Tensors, want)
		}
	})
}

func FuzzRead(f *testing.F) {
	f.Add(everything(binary.LittleEndian))
	f.Add(everything(binary.BigEndian))
	f.Add(part(0, 2, 2, "a").Data)
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := read(data)
		if err != nil {
			var e *graph.Error
			if !errors.As(err, &e) || e.Code != action.CodeFile {
				t.Fatalf("%T %v", err, err)
			}
			return
		}
		if total, ok := importer.Sum(file.Tensors); !ok || total.Bytes > int64(len(data)) {
			t.Fatalf("%d bytes of tensors in a file of %d", total.Bytes, len(data))
		}
		(&Model{Metadata: file.Metadata}).Facts()
	})
}
