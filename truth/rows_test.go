package truth

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
)

// dir lets the same tests run on rows that were measured afresh.
var dir = flag.String("dir", ".", "folder with the measured rows")

// row is one measured component: layers.jsonl.gz, more.jsonl.gz, costs.jsonl.gz, ints.jsonl.gz.
type row struct {
	Type   string
	Params json.RawMessage
	Inputs []catalog.Shape
	Dtypes []string

	OK         bool
	OutShape   catalog.Shape
	OutInt     bool
	ParamCount int64
	Error      string

	FLOPs   int64
	Saved   *saved
	View    bool
	Skipped string
	Int     string
}

// saved is what autograd kept: which inputs, whether the result, and new storages as [bytes per sample, fixed bytes].
type saved struct {
	In       []int
	Out      bool
	New      [][2]float64
	NewTotal []int64
}

// lines calls f with every line of a compressed file.
func lines(t *testing.T, file string, f func(line []byte)) {
	t.Helper()
	fd, err := os.Open(filepath.Join(*dir, file))
	if err != nil {
		t.Fatal(err)
	}
	defer fd.Close()
	z, err := gzip.NewReader(fd)
	if err != nil {
		t.Fatal(err)
	}
	s := bufio.NewScanner(z)
	s.Buffer(nil, 1<<24)
	for s.Scan() {
		f(s.Bytes())
	}
	if err := s.Err(); err != nil {
		t.Fatal(err)
	}
}

// rowsOf reads the rows of a file by type.
func rowsOf(t *testing.T, file string) map[string][]row {
	t.Helper()
	out := map[string][]row{}
	lines(t, file, func(line []byte) {
		var r row
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatal(err)
		}
		if r.Dtypes == nil && file != "layers.jsonl.gz" { // left out where every input is of floats
			r.Dtypes = make([]string, len(r.Inputs))
		}
		out[r.Type] = append(out[r.Type], r)
	})
	return out
}

// evaluate asks the catalogue about a row, through the same reading and renaming that a model gets.
func (r *row) evaluate(t *testing.T) catalog.Result {
	t.Helper()
	typ := catalog.Lookup(r.Type)
	if typ == nil {
		t.Fatalf("the catalogue has no type %s", r.Type)
	}
	doc := fmt.Sprintf(`{"components":[{"id":"a","type":%q,"params":%s}]}`, r.Type, r.Params)
	g, err := graph.Decode([]byte(doc), "model", graph.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	g.Normalize(catalog.Vocabulary)
	return typ.Evaluate(g.Components[0].Params, r.Inputs, r.ints(typ))
}

// ints says which inputs of a row are integers.
func (r *row) ints(typ *catalog.Type) []bool {
	isInt := make([]bool, len(r.Inputs))
	for i := range isInt {
		isInt[i] = len(r.Dtypes) > i && r.Dtypes[i] == "int64"
		for _, j := range typ.Indices { // layers.jsonl.gz does not say, but feeds token ids where they are needed
			isInt[i] = isInt[i] || len(r.Dtypes) == 0 && i == j
		}
	}
	return isInt
}

// verdict is how our answer to a row compares: each part agrees or not, and why says what does not. Where PyTorch refuses,
// shape and weights agree if we refuse too.
type verdict struct {
	legal, shape, weights bool
	why                   string
}

func (v verdict) agrees() bool { return v.why == "" }

func (r *row) compare(got catalog.Result) verdict {
	v := verdict{legal: r.OK == (got.Err == nil)}
	switch {
	case r.OK && got.Err != nil:
		v.why = "PyTorch runs it, we refuse: " + got.Err.Message
		return v
	case !r.OK && got.Err == nil:
		v.why = fmt.Sprintf("PyTorch refuses (%s), we give %v", r.Error, got.Out)
		return v
	case !r.OK:
		return verdict{true, true, true, ""}
	}
	v.shape, v.weights = got.Out.Equal(r.OutShape) && got.OutIsInt == r.OutInt, got.Count == r.ParamCount
	if !v.shape {
		v.why = fmt.Sprintf("PyTorch gives %v (integers: %v), we give %v (%v)", r.OutShape, r.OutInt, got.Out, got.OutIsInt)
	} else if !v.weights {
		v.why = fmt.Sprintf("PyTorch has %d weights, we count %d", r.ParamCount, got.Count)
	}
	return v
}

// table prints one line for each type and a total.
type table struct {
	head  []string
	lines map[string][]int
}

func newTable(head ...string) *table { return &table{head: head, lines: map[string][]int{}} }

func (tb *table) add(name string, counts ...int) {
	l := tb.lines[name]
	if l == nil {
		l = make([]int, len(tb.head))
		tb.lines[name] = l
	}
	for i, n := range counts {
		l[i] += n
	}
}

func (tb *table) print() {
	names := make([]string, 0, len(tb.lines))
	total := make([]int, len(tb.head))
	for n, l := range tb.lines {
		names = append(names, n)
		for i := range l {
			total[i] += l[i]
		}
	}
	sort.Strings(names)
	width := func(i int) int { return max(8, len(tb.head[i])+2) }
	line := func(name string, counts []int) {
		var b strings.Builder
		fmt.Fprintf(&b, "%-28s", name)
		for i, n := range counts {
			fmt.Fprintf(&b, "%*d", width(i), n)
		}
		fmt.Println(b.String())
	}
	fmt.Printf("%-28s", "")
	for i, h := range tb.head {
		fmt.Printf("%*s", width(i), h)
	}
	fmt.Println()
	for _, n := range names {
		line(n, tb.lines[n])
	}
	line("total", total)
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}
