package torch

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/hostile"
	"github.com/modelverifier/verifier/internal/infer"
)

const header = "import torch\nfrom torch import nn\n\n\n"

// write puts a source into a folder of its own.
func write(t testing.TB, src string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "m.py"), []byte(src), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

func module(init, forward string) string {
	return header + "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.fc = nn.Linear(4, 2)\n        " + init +
		"\n\n    def forward(self, x):\n        " + forward + "\n"
}

func TestRefusesWhatCannotBeFollowed(t *testing.T) {
	for name, c := range map[string]struct{ src, model, code, want string }{
		"syntax":            {"class Net(\n", "", CodeSource, "m.py: 2: a bracket is never closed"},
		"no model":          {"x = 1\n", "", CodeName, "defines no torch.nn.Module"},
		"wrong name":        {module("pass", "return x"), "Nett", CodeName, "the file has Net"},
		"two models":        {header + "class A(nn.Module):\n    pass\n\n\nclass B(nn.Module):\n    pass\n", "", CodeName, "has 2 models: name one of A, B"},
		"not a module":      {"def f():\n    return 3\n", "f", CodeName, "gives a int, not a torch.nn.Module"},
		"missing argument":  {header + "class Net(nn.Module):\n    def __init__(self, width):\n        pass\n", "Net", CodeArgs, "needs width"},
		"endless loop":      {module("while True: pass", "return x"), "Net", CodeRefused, "m.py:9: gave up after 3000000 steps"},
		"endless recursion": {module("self.go()", "return x") + "\n    def go(self):\n        self.go()\n", "Net", CodeRefused, "go calls itself without end"},
		"recursive class":   {module("self.inner = Net()", "return x"), "Net", CodeRefused, "calls itself without end"},
		"huge list":         {module("self.x = [0] * 10**9", "return x"), "Net", CodeRefused, "too many to follow"},
		"huge range":        {module("self.x = list(range(10**12))", "return x"), "Net", CodeRefused, "too many to follow"},
		"huge string":       {module("self.x = 'a' * 10**10", "return x"), "Net", CodeRefused, "too many to follow"},
		"doubling":          {module("x = [0]\n        for i in range(99): x = x + x", "return x"), "Net", CodeRefused, "too many to follow"},
		"big integer":       {module("self.y = nn.Linear(2**70, 4)", "return x"), "Net", CodeRefused, "does not fit in 64 bits"},
		"many weights":      {module("self.y = nn.Linear(2**40, 2**40)", "return x"), "Net", CodeRefused, "does not fit in 64 bits"},
		"name not known":    {"import time\n" + module("self.add_module(time.ctime(), nn.Linear(1, 1))", "return x"), "Net", CodeRefused, "has a name that is"},
		"unknown base":      {"import mmengine as pl\n\n\nclass Net(pl.LightningModule):\n    def __init__(self):\n        super().__init__()\n", "Net", CodeRefused, "module mmengine is not known"},
		"unknown size":      {"import json\n" + module("self.y = nn.Linear(json.load(open('c.json'))['n'], 4)", "return x"), "Net", CodeRefused, "not known"},
		"match":             {module("match 3:\n            case 3: pass", "return x"), "Net", CodeRefused, "match statements are not followed"},
		"exec":              {module("exec('self.y = nn.Linear(1, 1)')", "return x"), "Net", CodeRefused, "exec() is not followed"},
		"random width":      {"import random\n" + module("self.y = nn.Linear(random.randint(1, 9), 4)", "return x"), "Net", CodeRefused, "not known"},
		"nested comprehend": {module("self.y = [a for a in range(10**5) for b in range(10**5)]", "return x"), "Net", CodeRefused, ""},
		"generator no end":  {module("self.y = list(self.gen())", "return x") + "\n    def gen(self):\n        while True:\n            yield 1\n", "Net", CodeRefused, ""},
		"deep lambda":       {header + "f = " + strings.Repeat("lambda: ", 150) + "0\n" + "class Net(nn.Module):\n    pass\n", "f", CodeName, "not a torch.nn.Module"},
	} {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			m, err := importAt(context.Background(), write(t, c.src), "m.py", c.model, Options{Inputs: []Input{{Shape: []int64{4}}}})
			var coded *graph.Error
			if !errors.As(err, &coded) || coded.Code != c.code || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %+v, %v; want %s: %s", m, err, c.code, c.want)
			}
			if took := time.Since(start); took > 20*time.Second {
				t.Errorf("took %v", took)
			}
		})
	}
}

// TestWithholdsTheCountOfPartsThatAreNotKnown holds that the weights that are known count, and that the count says what it lacks.
func TestWithholdsTheCountOfPartsThatAreNotKnown(t *testing.T) {
	for name, c := range map[string]struct{ src, want string }{
		"unknown part":     {"import mmcv\n" + module("self.y = mmcv.create_model('x')", "return self.fc(x)"), "module mmcv is not known"},
		"loaded part":      {module("self.y = torch.hub.load('a/b', 'c')", "return self.fc(x)"), "what torch.hub.load gives is not known"},
		"loaded script":    {module("self.y = torch.jit.load('a.pt')", "return self.fc(x)"), "torch.jit.load"},
		"unknown in list":  {"import mmcv\n" + module("self.y = nn.ModuleList([mmcv.layers.X()])", "return self.fc(x)"), "module mmcv is not known"},
		"relative too far": {"from ....x import y\n" + module("self.y = y()", "return self.fc(x)"), "leads out of the package"},
		"used":             {"import mmcv\n" + module("self.y = mmcv.create_model('x')", "return self.y(self.fc(x))"), "module mmcv is not known"},
		"changed":          {"import mmcv\n" + module("mmcv.convert(self.fc)", "return self.fc(x)"), "may change it"},
		"changed by name":  {"import mmcv\n" + module("mmcv.init_weights(self.fc)\n        mmcv.convert([self])", "return self.fc(x)"), "may change it"},
	} {
		t.Run(name, func(t *testing.T) {
			m, err := importAt(context.Background(), write(t, c.src), "m.py", "Net", Options{Inputs: []Input{{Shape: []int64{4}}}})
			if err != nil {
				t.Fatal(err)
			}
			walked := infer.Walk(m.Graph)
			if m.Status != Partly || m.Params != -1 || len(m.Withheld) != 1 || !slices.Equal(walked.ParamsWithheld(), m.Withheld) || walked.Params != 10 {
				t.Errorf("got %s, %d parameters without %v, in the graph %d without %v", m.Status, m.Params, m.Withheld, walked.Params, walked.ParamsWithheld())
			}
			if !slices.ContainsFunc(m.Problems, func(p Problem) bool { return strings.Contains(p.Message, c.want) }) {
				t.Errorf("got %v, want %s", m.Problems, c.want)
			}
		})
	}
}

// TestKeepsTheCountWhereTheForwardIsLost holds that a forward that cannot be followed costs the edges, and not the weights.
func TestKeepsTheCountWhereTheForwardIsLost(t *testing.T) {
	for name, c := range map[string]struct{ forward, want string }{
		"values":        {"if x.sum() > 0: return self.fc(x)\n        return x", "a condition depends on the values of a Tensor"},
		"unknown call":  {"return mystery(self.fc(x))", "NameError: name 'mystery' is not defined"},
		"endless loop":  {"while True: x = x + 1", "gave up at 1000000 items"},
		"no tensor":     {"return 3", "in which no tensor is"},
		"wrong shape":   {"return self.fc(x.view(-1, 3))", "is invalid"},
		"does not run":  {"return self.fc(x[:, :3])", "linear does not run"},
		"unknown index": {"return self.fc(x)[torch.nonzero(x)]", "the size of what nonzero gives depends on values"},
	} {
		t.Run(name, func(t *testing.T) {
			m, err := importAt(context.Background(), write(t, module("pass", c.forward)), "m.py", "Net", Options{Inputs: []Input{{Shape: []int64{4}}}})
			if err != nil {
				t.Fatal(err)
			}
			if m.Status != Partly || m.Params != 10 || len(m.Problems) == 0 || !strings.Contains(m.Problems[0].Message, c.want) || m.Problems[0].File != "m.py" && name != "no tensor" {
				t.Errorf("got %s, %d parameters, %+v; want %s", m.Status, m.Params, m.Problems, c.want)
			}
		})
	}
}

func TestNothingOutsideTheRootIsRead(t *testing.T) {
	dir := write(t, "from secret import X\n"+module("self.y = X()", "return x"))
	inner := filepath.Join(dir, "inner")
	if err := os.MkdirAll(inner, 0o755); err != nil {
		t.Fatal(err)
	}
	outside := header + "class X(nn.Module):\n    pass\n"
	if err := os.WriteFile(filepath.Join(dir, "secret.py"), []byte(outside), 0o644); err != nil {
		t.Fatal(err)
	}
	src, _ := os.ReadFile(filepath.Join(dir, "m.py"))
	if err := os.WriteFile(filepath.Join(inner, "m.py"), src, 0o644); err != nil {
		t.Fatal(err)
	}
	m, err := importAt(context.Background(), inner, "m.py", "Net", Options{})
	if err != nil || len(m.Withheld) != 1 || !strings.Contains(m.Problems[0].Message, "module secret is not known") {
		t.Errorf("got %+v, %v", m, err)
	}
}

func TestStopsWhenAsked(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := importAt(ctx, write(t, module("while True: pass", "return x")), "m.py", "Net", Options{})
	if err == nil || !strings.Contains(err.Error(), "stopped: context canceled") {
		t.Errorf("got %v", err)
	}
}

func TestTraceIsKilledAtItsLimit(t *testing.T) {
	needTorch(t)
	dir := write(t, module("import subprocess, tempfile, time; tempfile.mkdtemp(); subprocess.Popen(['sleep', '60']); time.sleep(60)", "return x"))
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	start := time.Now()
	_, err := Trace(context.Background(), debianPython, dir, "m.py", "Net", Options{Inputs: []Input{{Shape: []int64{4}}}}, 6*time.Second)
	var coded *graph.Error
	if !errors.As(err, &coded) || coded.Code != CodeTimeout {
		t.Errorf("got %v", err)
	}
	if took := time.Since(start); took > 15*time.Second {
		t.Errorf("took %v", took)
	}
	if left, err := os.ReadDir(temporary); err != nil || len(left) > 0 {
		t.Errorf("left %v in the temporary folder, %v", left, err)
	}
}

func TestTraceSaysWhatPythonSays(t *testing.T) {
	needTorch(t)
	_, err := Trace(context.Background(), debianPython, write(t, module("raise ValueError('no')", "return x")), "m.py", "Net", Options{Inputs: []Input{{Shape: []int64{4}}}}, time.Minute)
	if err == nil || !strings.Contains(err.Error(), "ValueError: no") {
		t.Errorf("got %v", err)
	}
}

func FuzzImport(f *testing.F) {
	files, _ := filepath.Glob("testdata/corpus/*.py")
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err == nil {
			f.Add(string(src))
		}
	}
	f.Add(module("pass", "return self.fc(x)"))
	f.Fuzz(func(t *testing.T, src string) {
		fsys := fstest.MapFS{"m.py": {Data: []byte(src)}}
		for _, name := range []string{"", "Net"} {
			ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
			m, err := importOnce(ctx, fsys, "m.py", "", name, Options{Inputs: []Input{{Shape: []int64{4}}}}, true)
			cancel()
			if (m == nil) == (err == nil) {
				t.Fatal("neither a model nor an error")
			}
			var coded *graph.Error
			if err != nil && !errors.As(err, &coded) {
				t.Fatalf("an error without a code: %v", err)
			}
		}
	})
}

// TestChangedSourcesNeverPanic changes the corpus token by token, as a fuzzer that knows Python would: every change gives a model or an
// error with a code, within its time.
func TestChangedSourcesNeverPanic(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	count := 400
	if testing.Short() {
		count = 60
	}
	tokens := regexp.MustCompile(`[A-Za-z_][A-Za-z_0-9]*|[0-9.]+|\*\*|//|[-+*/@()\[\],:=]`)
	words := []string{"0", "-1", "2", "1000000007", "None", "x", "self", "()", "[]", "''", "True", "1.5", "*", "**", "torch", "nn.Linear", "x.shape", "lambda: 0", "+", "-", "@"}
	files := corpus(t)
	for i := range count {
		file := files[rng.IntN(len(files))]
		name, opt := request(t, file)
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		src := string(data)
		for range 1 + rng.IntN(3) {
			places := tokens.FindAllStringIndex(src, -1)
			at := places[rng.IntN(len(places))]
			word := words[rng.IntN(len(words))]
			if other := places[rng.IntN(len(places))]; rng.IntN(2) == 0 {
				word = src[other[0]:other[1]]
			}
			src = src[:at[0]] + word + src[at[1]:]
		}
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		start := time.Now()
		m, err := importOnce(ctx, fstest.MapFS{"m.py": {Data: []byte(src)}}, "m.py", "", name, opt, true)
		cancel()
		var coded *graph.Error
		if (m == nil) == (err == nil) || err != nil && !errors.As(err, &coded) {
			t.Fatalf("change %d of %s: %v, %v", i, file, m, err)
		}
		if took := time.Since(start); took > 10*time.Second {
			t.Errorf("change %d of %s took %v", i, file, took)
		}
	}
}

// FuzzHostile draws programs that grow, and holds that each ends by its budget, with a model or an error that has a code.
func FuzzHostile(f *testing.F) {
	for seed := range uint64(8) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		src := hostile.Source(rand.New(rand.NewPCG(seed, 1)))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		m, err := importOnce(context.Background(), fstest.MapFS{"m.py": {Data: []byte(src)}}, "m.py", "", "Net", Options{Inputs: []Input{{Shape: []int64{4}}}}, true)
		runtime.ReadMemStats(&after)
		var coded *graph.Error
		if (m == nil) == (err == nil) || err != nil && !errors.As(err, &coded) {
			t.Fatalf("%v, %v", m, err)
		}
		if err != nil && len(err.Error()) > 10_000 {
			t.Errorf("a message of %d bytes", len(err.Error()))
		}
		if live := int64(after.HeapAlloc) - int64(before.HeapAlloc); live > hostile.MaxBytes {
			t.Errorf("%d MB are held after\n%s", live>>20, src)
		}
	})
}
