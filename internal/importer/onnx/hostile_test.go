package onnx

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/hostile"
)

var testContext = context.Background()

// nothing is a file of any size with the same byte everywhere.
type nothing struct {
	b byte
	n int64
}

func (z nothing) ReadAt(p []byte, at int64) (int, error) {
	for i := range p {
		p[i] = z.b
	}
	if at+int64(len(p)) > z.n {
		return int(max(z.n-at, 0)), io.EOF
	}
	return len(p), nil
}

// refuses checks that a file is refused as the sender's fault, with words that name what is wrong.
func refuses(t *testing.T, what string, r io.ReaderAt, size int64, opt Options, words string) {
	t.Helper()
	start := time.Now()
	_, err := Import(testContext, r, size, opt)
	var fault *graph.Error
	switch {
	case err == nil:
		t.Errorf("%s: accepted", what)
	case !errors.As(err, &fault) || action.Status(err) == 500:
		t.Errorf("%s: not the sender's fault: %v", what, err)
	case !strings.Contains(err.Error(), words):
		t.Errorf("%s: %v, want %q", what, err, words)
	}
	if spent := time.Since(start); spent > 10*time.Second && !hostile.UnderRace {
		t.Errorf("%s: took %v", what, spent)
	}
}

func TestHostileFilesAreRefused(t *testing.T) {
	file := func(data []byte) (io.ReaderAt, int64) { return bytes.NewReader(data), int64(len(data)) }
	cases := map[string]struct {
		data  []byte
		words string
	}{
		"empty":     {nil, "holds no graph"},
		"truncated": {model(13, (&builder{}).input("x", 1, 4).node("Relu", names("x"), names("y")).output("y").g)[:30], "goes beyond its end"},
		"a cycle": {model(13, (&builder{}).input("x", 1, 4).node("Add", names("x", "b"), names("a")).node("Relu", names("a"), names("b")).output("b").g),
			"the graph has a cycle"},
		"a missing value":  {model(13, (&builder{}).input("x", 1, 4).node("Add", names("x", "b"), names("y")).output("y").g), `it reads "b", which nothing produces`},
		"a missing output": {model(13, (&builder{}).input("x", 1, 4).node("Relu", names("x"), names("h")).output("y").g), "output y: nothing produces it"},
		"a missing shape":  {model(13, (&builder{}).input("x", 1, 4).node("Fancy", names("x"), names("y")).output("y").g), "node y (Fancy): the operator is not known, and the file declares no shape for its result y"},
		"no input shape":   {model(13, message{}.sub(11, message{}.text(1, "x").sub(2, message{}.sub(1, message{}.int(1, 1))))), "input x: it declares no shape"},
		"two of a name":    {model(13, (&builder{}).input("x", 1, 4).node("Relu", names("x"), names("y")).node("Relu", names("x"), names("y")).output("y").g), "exists already"},
		"an old set":       {model(6, (&builder{}).input("x", 1, 4).node("Relu", names("x"), names("y")).output("y").g), "operator set 6; versions 7 to 22 are read"},
		"a huge length":    {protowire.AppendVarint(message{}.int(1, 8).text(2, "x")[:3:3], 1<<62), "damaged"},
		"a huge tensor": {model(13, (&builder{g: message{}.sub(5, tensorOf("w", 1, []int64{1 << 40, 1 << 40}))}).input("x", 1).g),
			"more elements than can be counted"},
		"a negative tensor": {model(13, (&builder{g: message{}.sub(5, tensorOf("w", 1, []int64{-4}))}).input("x", 1).g), "negative size"},
		"too few bytes": {model(13, (&builder{g: message{}.sub(5, tensorOf("w", 1, []int64{4}).sub(9, make([]byte, 15)))}).input("x", 1).g),
			"tensor w: it holds 15 bytes, but float32 of [4] are 16"},
		"a huge result": {model(13, (&builder{}).input("x", 1, 4).ints("s", 1<<31, 1<<31, 4).node("Expand", names("x", "s"), names("a")).node("Expand", names("a", "s"), names("y")).
			node("Tile", names("y", "s"), names("z")).output("z").g), ""},
		"deep graphs":     {model(13, deepGraph(40)), "nested too deeply"},
		"deep functions":  {recursive(), "functions call each other too deeply"},
		"many branches":   {fork(), "nodes once its functions are put in place"},
		"a sequence":      {model(13, message{}.sub(11, message{}.text(1, "x").sub(2, message{}.sub(4, message{})))), "it is no tensor"},
		"wrong matrices":  {model(13, (&builder{}).input("x", 1, 4).floats("w", 5, 2).node("MatMul", names("x", "w"), names("y")).output("y").g), "it multiplies shapes [1 4] and [5 2]"},
		"different batch": {model(13, (&builder{}).input("x", 2, 4).input("z", 3, 4).node("Relu", names("x"), names("y")).output("y").g), "axis 0, the batch, is 3, but 2 in input x"},
	}
	for what, c := range cases {
		r, size := file(c.data)
		refuses(t, what, r, size, Options{}, c.words)
	}
	refuses(t, "2 GB of zeros", nothing{0, 2 << 30}, 2<<30, Options{}, "no field starts there")
	refuses(t, "2 GB of empty fields", nothing{0x0a, 2 << 30}, 2<<30, Options{}, "")
	refuses(t, "2 GB of small fields", nothing{0x08, 2 << 30}, 2<<30, Options{}, "more than")
}

// deepGraph is a branch in a branch, and so on.
func deepGraph(n int) message {
	if n == 0 {
		return message{}
	}
	return message{}.sub(1, operation("If", names("c"), names("y"), aGraph("then_branch", deepGraph(n-1))))
}

// recursive is a function that calls itself.
func recursive() message {
	f := message{}.text(1, "F").text(10, "pkg").text(4, "a").text(5, "b").sub(7, operation("F", names("a"), names("b")).text(7, "pkg"))
	b := (&builder{}).input("x", 1, 4)
	b.g = b.g.sub(1, operation("F", names("x"), names("y")).text(7, "pkg"))
	return model(13, b.output("y").g, f)
}

// fork is a small file whose functions call each other ten times each, which would be ten thousand million nodes.
func fork() message {
	var fs []message
	for i := range 10 {
		f := message{}.text(1, string(rune('A'+i))).text(10, "pkg").text(4, "a").text(5, "v9")
		from := "a"
		for j := range 10 {
			to := "v" + string(rune('0'+j))
			if i == 0 {
				f = f.sub(7, operation("Relu", names(from), names(to)))
			} else {
				f = f.sub(7, operation(string(rune('A'+i-1)), names(from), names(to)).text(7, "pkg"))
			}
			from = to
		}
		fs = append(fs, f)
	}
	b := (&builder{}).input("x", 1, 4)
	b.g = b.g.sub(1, operation("J", names("x"), names("y")).text(7, "pkg"))
	return model(13, b.output("y").g, fs...)
}

func TestExternalDataStaysInItsFolder(t *testing.T) {
	external := func(location, offset string) message {
		t := tensorOf("shape", 7, []int64{2}).int(14, 1).sub(13, message{}.text(1, "location").text(2, location))
		if offset != "" {
			t = t.sub(13, message{}.text(1, "offset").text(2, offset)).sub(13, message{}.text(1, "length").text(2, "16"))
		}
		b := (&builder{g: message{}.sub(5, t)}).input("x", 1, 6)
		return model(13, b.node("Reshape", names("x", "shape"), names("y")).output("y").g)
	}
	dir := fstest.MapFS{"w/data.bin": {Data: append(make([]byte, 8), intTensor("", 1, 6)[len(intTensor("", 1, 6))-16:]...)}}
	for location, words := range map[string]string{"../secret": "no path below", "/etc/passwd": "no path below", "a/../../b": "no path below", `..\b`: "no path below", "c:d": "no path below",
		"": "no path below", "w/none.bin": "cannot be opened"} {
		data := external(location, "8")
		refuses(t, location, bytes.NewReader(data), int64(len(data)), Options{Dir: dir}, words)
	}
	data := external("w/data.bin", "-8")
	refuses(t, "a negative offset", bytes.NewReader(data), int64(len(data)), Options{Dir: dir}, "offset -8")
	data = external("w/data.bin", "4096")
	refuses(t, "an offset behind the end", bytes.NewReader(data), int64(len(data)), Options{Dir: dir}, "")
	m, err := read(external("w/data.bin", "8"), Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	if got := summary(m); got != "[6]" {
		t.Errorf("with its data: %s", got)
	}
}

func TestACancelledImportEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(testContext)
	cancel()
	if _, err := Import(ctx, nothing{0x08, 2 << 30}, 2<<30, Options{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// large writes a file of the wanted size: a stack of convolutions, with weights of 16 MB each.
func large(size int) []byte {
	b := (&builder{}).input("x", -1, 1024, 8, 8)
	from := "x"
	for i := 0; len(b.g) < size; i++ {
		to, w := "h"+string(rune('a'+i)), "w"+string(rune('a'+i))
		b.floats(w, 1024, 1024, 2, 2).node("Conv", names(from, w), names(to), theInts("pads", 0, 0, 1, 1))
		from = to
	}
	return model(17, b.output(from).g)
}

// counting counts what is read.
type counting struct {
	io.ReaderAt
	bytes int64
}

func (c *counting) ReadAt(p []byte, at int64) (int, error) {
	c.bytes += int64(len(p))
	return c.ReaderAt.ReadAt(p, at)
}

func TestALargeFileIsReadWithoutItsWeights(t *testing.T) {
	data := large(100 << 20)
	r := &counting{ReaderAt: bytes.NewReader(data)}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := time.Now()
	m, err := Import(testContext, r, int64(len(data)), Options{})
	spent := time.Since(start)
	runtime.ReadMemStats(&after)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d MB, %d parameters: %v, %d bytes read, %d allocated", len(data)>>20, m.Params, spent, r.bytes, after.TotalAlloc-before.TotalAlloc)
	if m.Params < 25<<20 || spent > time.Second || r.bytes > 8<<20 || after.TotalAlloc-before.TotalAlloc > 8<<20 {
		t.Errorf("a file of %d bytes took %v, %d bytes read and %d allocated", len(data), spent, r.bytes, after.TotalAlloc-before.TotalAlloc)
	}
}

func BenchmarkImport100MB(b *testing.B) {
	data := large(100 << 20)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Import(testContext, bytes.NewReader(data), int64(len(data)), Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

// TestChainsCostWhatTheyAreLong holds that a file whose nodes all build on the one before is no more work than its size.
func TestChainsCostWhatTheyAreLong(t *testing.T) {
	const long = 20_000
	v := func(i int) string { return fmt.Sprint("v", i) }
	chain := func(first string, step func(b *builder, i int, from, to string)) message {
		b := (&builder{}).input("x", 1, 4).floats("m.w", 4)
		from := first
		for i := range long {
			step(b, i, from, v(i))
			from = v(i)
		}
		return model(13, b.node("Add", names("x", from), names("y")).output("y").g)
	}
	files := map[string]message{
		"identities": chain("x", func(b *builder, _ int, from, to string) { b.node("Identity", names(from), names(to)) }),
		"casts":      chain("x", func(b *builder, _ int, from, to string) { b.node("Cast", names(from), names(to), anInt("to", 1)) }),
		"gates":      chain("x", func(b *builder, _ int, from, to string) { b.node("Mul", names(from, "x"), names(to)) }),
		"views": chain("x", func(b *builder, _ int, from, to string) {
			b.node("Transpose", names(from), names(to), theInts("perm", 1, 0))
		}),
		"pieces": chain("m.w", func(b *builder, i int, from, to string) {
			b.node("Slice", names(from, "s", "e"), names(to+"a")).node("Concat", names(to+"a", to+"a"), names(to), anInt("axis", 0))
			if i == 0 {
				b.ints("s", 0).ints("e", 2)
			}
		}),
		"sums": chain("m.w", func(b *builder, i int, from, to string) {
			b.floats(fmt.Sprint("m.p", i), 4).node("Add", names(from, fmt.Sprint("m.p", i)), names(to))
		}),
	}
	for what, data := range files {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		start := time.Now()
		_, err := read(data, Options{})
		spent := time.Since(start)
		runtime.ReadMemStats(&after)
		var fault *graph.Error
		if err != nil && !errors.As(err, &fault) {
			t.Errorf("%s: %v", what, err)
		}
		t.Logf("%s: %v, %d MB, %v", what, spent, (after.TotalAlloc-before.TotalAlloc)>>20, err)
		if spent > 10*time.Second || after.TotalAlloc-before.TotalAlloc > 1<<30 {
			t.Errorf("%s: %v and %d bytes for a file of %d", what, spent, after.TotalAlloc-before.TotalAlloc, len(data))
		}
	}
}
