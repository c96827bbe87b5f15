package torch

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"os"
	"path"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelverifier/verifier/internal/infer"
	"github.com/modelverifier/verifier/internal/pythontest"
)

var update = flag.Bool("update", false, "measure the corpus in the installed PyTorch again")

// measured is a row of testdata/corpus.jsonl: what PyTorch gave for a file.
type measured struct {
	File   string  `json:"file"`
	Params int64   `json:"params"`
	Output []int64 `json:"output"` // of the first result, without the batch
	// Weights are the parameters of each step that has any, sorted.
	Weights []int64 `json:"weights"`
}

// python is Debian's, which finds the packages that Debian installs.
const debianPython = pythontest.Debian

func needTorch(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("runs PyTorch, which takes seconds for each file")
	}
	if !hasTorch() {
		t.Skip("python3-torch is not installed")
	}
}

var hasTorch = sync.OnceValue(func() bool { return pythontest.Has(debianPython, "torch") })

// request reads the comments at the top of a corpus file: what to import and with which inputs.
func request(t *testing.T, file string) (string, Options) {
	t.Helper()
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	name, opt := "", Options{Args: map[string]string{}}
	for _, line := range strings.Split(string(src), "\n") {
		if v, ok := strings.CutPrefix(line, "# model: "); ok {
			name = v
		}
		if v, ok := strings.CutPrefix(line, "# arg: "); ok {
			k, w, _ := strings.Cut(v, "=")
			opt.Args[k] = w
		}
		opt.Evaluate = opt.Evaluate || line == "# evaluation"
		if v, ok := strings.CutPrefix(line, "# input: "); ok {
			for _, part := range strings.Split(v, ", ") {
				opt.Inputs = append(opt.Inputs, input(t, part))
			}
		}
	}
	return name, opt
}

func input(t *testing.T, s string) Input {
	t.Helper()
	shape, dtype, _ := strings.Cut(s, ":")
	in := Input{DType: dtype}
	if shape == "scalar" {
		return in
	}
	for _, n := range strings.Split(shape, "x") {
		k, err := strconv.ParseInt(n, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		in.Shape = append(in.Shape, k)
	}
	return in
}

func corpus(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/corpus/*.py")
	if err != nil || len(files) < 40 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	return files
}

func rows(t *testing.T) map[string]measured {
	t.Helper()
	data, err := os.ReadFile("testdata/corpus.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]measured{}
	for _, line := range bytes.Split(bytes.TrimSpace(data), []byte("\n")) {
		var m measured
		if err := json.Unmarshal(line, &m); err != nil {
			t.Fatal(err)
		}
		out[m.File] = m
	}
	return out
}

// outcome is what the engine says of a graph: the shape of its first output and the weights of its components.
func outcome(m *Model) (output, weights []int64) {
	res := infer.Walk(m.Graph)
	for i := range res.Nodes {
		if res.Nodes[i].Component.Type == "output" && output == nil {
			output = append([]int64{}, res.Nodes[i].Out...)
		}
		if n := res.Nodes[i].Params; n > 0 {
			weights = append(weights, n)
		}
	}
	slices.Sort(weights)
	return output, weights
}

// notFollowed are the files of the corpus in which what happens depends on values: no graph says it, and none is given.
var notFollowed = []string{"data_dependent.py", "switch_moe_sparse.py"}

func TestCorpusIsReadAsPyTorchRunsIt(t *testing.T) {
	want := rows(t)
	full := 0
	files := corpus(t)
	for _, file := range files {
		base := filepath.Base(file)
		name, opt := request(t, file)
		row, ok := want[base]
		if !ok {
			t.Errorf("%s was not measured: run the tests with -update where PyTorch is", base)
			continue
		}
		m, err := importAt(context.Background(), ".", file, name, opt)
		if err != nil {
			t.Errorf("%s: %v", base, err)
			continue
		}
		if m.Params != row.Params {
			t.Errorf("%s: %d parameters, PyTorch has %d", base, m.Params, row.Params)
		}
		if (m.Status == Full) == slices.Contains(notFollowed, base) {
			t.Errorf("%s is read %s: %v", base, m.Status, m.Problems)
		}
		if m.Status != Full {
			t.Logf("%s is read %s: %v", base, m.Status, m.Problems)
			continue
		}
		full++
		output, weights := outcome(m)
		if !slices.Equal(output, row.Output) {
			t.Errorf("%s gives %v, PyTorch %v", base, output, row.Output)
		}
		if !slices.Equal(weights, row.Weights) {
			t.Errorf("%s: components have the weights %v, PyTorch's steps %v", base, weights, row.Weights)
		}
	}
	t.Logf("%d of %d files are read fully", full, len(files))
	if full*10 < len(files)*7 {
		t.Errorf("%d of %d files are read fully, fewer than 70 %%", full, len(files))
	}
}

// TestCorpusTraces runs every file in the installed PyTorch, and compares with what is kept of an earlier run.
func TestCorpusTraces(t *testing.T) {
	needTorch(t)
	var mu sync.Mutex
	var got []measured
	python := pythontest.Warm(t, debianPython)
	t.Run("all", func(t *testing.T) {
		for _, file := range corpus(t) {
			t.Run(filepath.Base(file), func(t *testing.T) {
				t.Parallel()
				name, opt := request(t, file)
				m, err := Trace(context.Background(), python, filepath.Dir(file), filepath.Base(file), name, opt, 2*time.Minute)
				if err != nil {
					t.Fatal(err)
				}
				row := measured{File: filepath.Base(file), Params: m.Params}
				row.Output, row.Weights = outcome(m)
				if m.Status != Full {
					t.Errorf("the trace is %s: %v", m.Status, m.Problems)
				}
				mu.Lock()
				defer mu.Unlock()
				got = append(got, row)
			})
		}
	})
	sort.Slice(got, func(i, j int) bool { return got[i].File < got[j].File })
	if *update {
		var b bytes.Buffer
		for _, row := range got {
			line, _ := json.Marshal(row)
			b.Write(append(line, '\n'))
		}
		if err := os.WriteFile("testdata/corpus.jsonl", b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want := rows(t)
	for _, row := range got {
		w := want[row.File]
		if slices.Contains(notFollowed, row.File) { // which steps run depends on the weights, which PyTorch draws
			row.Weights = w.Weights
		}
		if row.Params != w.Params || !slices.Equal(row.Output, w.Output) || !slices.Equal(row.Weights, w.Weights) {
			t.Errorf("%s: PyTorch gives %+v, kept is %+v", row.File, row, w)
		}
	}
}

// TestReadingTwiceGivesTheSameGraph holds that no map order reaches the result.
func TestReadingTwiceGivesTheSameGraph(t *testing.T) {
	text := func(m *Model) string {
		var b strings.Builder
		for _, c := range m.Graph.Components {
			b.WriteString(c.ID + " " + c.Type)
			for _, p := range c.Params {
				b.WriteString(" " + p.Name + "=" + p.Value.String())
			}
			b.WriteByte('\n')
		}
		for _, c := range m.Graph.Connections {
			b.WriteString(c.From + " > " + c.To + " " + c.Inferred + "\n")
		}
		for _, p := range slices.Concat(m.Problems, m.Notes) {
			b.WriteString(p.File + ":" + strconv.Itoa(p.Line) + ": " + p.Message + "\n")
		}
		return b.String()
	}
	for _, file := range corpus(t) {
		name, opt := request(t, file)
		first, err := importAt(context.Background(), ".", file, name, opt)
		if err != nil {
			t.Fatal(err)
		}
		second, err := importAt(context.Background(), ".", file, name, opt)
		if err != nil {
			t.Fatal(err)
		}
		if text(first) != text(second) {
			t.Errorf("%s is read in two ways", file)
		}
	}
}

// importAt reads a file below a folder as the command line would: from the folder above its outermost package.
func importAt(ctx context.Context, root, file, name string, opt Options) (*Model, error) {
	full := filepath.Join(root, file)
	dir, rel := filepath.Dir(full), filepath.Base(full)
	for {
		if _, err := os.Stat(filepath.Join(dir, "__init__.py")); err != nil {
			return Import(ctx, os.DirFS(dir), rel, name, opt)
		}
		dir, rel = filepath.Dir(dir), path.Join(filepath.Base(dir), rel)
	}
}
