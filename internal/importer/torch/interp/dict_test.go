package interp

import (
	"context"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// TestADictionaryKeepsItsOrder holds it against two lists, whatever is set and removed.
func TestADictionaryKeepsItsOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	d, keys, vals := NewDict(), []Value{}, []Value{}
	for i := range 20_000 {
		k := Value(rng.Int64N(40))
		at := slices.Index(keys, k)
		switch got, ok := d.Get(k); {
		case ok != (at >= 0) || ok && got != vals[at]:
			t.Fatalf("%v is %v, %v", k, got, ok)
		case rng.IntN(2) == 0:
			if _, gone := d.Delete(k); gone != ok {
				t.Fatalf("%v was removed: %v", k, gone)
			}
			if ok {
				keys, vals = slices.Delete(keys, at, at+1), slices.Delete(vals, at, at+1)
			}
		case ok:
			d.Set(k, i)
			vals[at] = i
		default:
			d.Set(k, i)
			keys, vals = append(keys, k), append(vals, i)
		}
		if !slices.Equal(d.Keys(), keys) || !slices.Equal(d.Values(), vals) {
			t.Fatalf("%v, want %v", d.Keys(), keys)
		}
		if rng.IntN(2000) == 0 {
			d.clear()
			keys, vals = nil, nil
		}
	}
}

// TestAnObjectKeepsItsOrder holds the names of an object against a list, whatever is set and removed.
func TestAnObjectKeepsItsOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	x, names := NewInstance(NewClass("A")), []string{}
	for i := range 20_000 {
		n := fmt.Sprint(rng.IntN(60))
		if rng.IntN(2) == 0 {
			x.Unset(n)
			names = slices.DeleteFunc(names, func(o string) bool { return o == n })
		} else {
			x.Set(n, i)
			if !slices.Contains(names, n) {
				names = append(names, n)
			}
		}
		if rng.IntN(8) == 0 && !slices.Equal(x.Names(), names) {
			t.Fatalf("%v, want %v", x.Names(), names)
		}
	}
}

// TestClearingTellsOfEveryKey where the dictionary stands for the attributes of an object.
func TestClearingTellsOfEveryKey(t *testing.T) {
	x := NewInstance(NewClass("A"))
	for i := range 1000 {
		x.Set(fmt.Sprint(i), i)
	}
	if x.Dict(nil).clear(); len(x.Names()) != 0 {
		t.Errorf("%d attributes are left", len(x.Names()))
	}
}

// evaluated runs a program, and returns its interpreter, the value of a name of it and what stopped the rest.
func evaluated(t *testing.T, files fs.FS, name string) (*Interp, Value, error) {
	t.Helper()
	in := New(context.Background(), files)
	in.Libraries()
	m, err := in.Load("main.py")
	if err != nil {
		t.Fatal(err)
	}
	var v Value
	err = in.Protect(func() { v = in.EvalIn(m, name) })
	return in, v, err
}

func source(s string) fs.FS { return fstest.MapFS{"main.py": {Data: []byte(s)}} }

// TestTuplesAreKeysByWhatIsInThem where it is objects and tuples inside them.
func TestTuplesAreKeysByWhatIsInThem(t *testing.T) {
	_, got, err := evaluated(t, source(`
class A: pass
class B:
    def __eq__(self, other): return True
a, b = A(), A()
d = {(a, 1): 'a', (b, 1): 'b', ((1,), 2): 'c', (1, (2,)): 'd', ('1', 2): 'e', (1, 2): 'f', (A, 1): 'g', (1.0, True): 'h'}
x = (len(d), d[(a, 1)], d[(b, 1)], d[((1,), 2)], d[(1, (2,))], d[('1', 2)], d[(1, 2)], d[(A, 1)], d[(1, 1)])
`), "x")
	if want := "(8, 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h')"; err != nil || Repr(got) != want {
		t.Errorf("%s, %v, want %s", Repr(got), err, want)
	}
}

// counted is a file system that counts what is asked of it.
type counted struct {
	fstest.MapFS
	asked *int
}

func (c counted) Stat(name string) (fs.FileInfo, error) { *c.asked++; return c.MapFS.Stat(name) }

func (c counted) ReadFile(name string) ([]byte, error) { *c.asked++; return c.MapFS.ReadFile(name) }

// TestWhatIsNotThereIsLookedForOnce of modules that are missing, and of those that are no Python.
func TestWhatIsNotThereIsLookedForOnce(t *testing.T) {
	files := func(times int) fs.FS {
		asked := 0
		return counted{fstest.MapFS{
			"broken.py": {Data: []byte("x = (\n")},
			"main.py": {Data: []byte(strings.Repeat(`
try:
    import nothere
except ImportError:
    x = 1
`, times) + strings.Repeat("\nimport broken\nbroken.a\n", times) + "import sys\nsys.path += ['a'] * 1000\n" + strings.Repeat(`
try:
    import nothere
except ImportError:
    x = 2
`, times))},
		}, &asked}
	}
	var asked [2]int
	for i, times := range []int{1, 100} {
		fsys := files(times)
		if _, got, err := evaluated(t, fsys, "x"); err != nil || got != int64(2) {
			t.Fatalf("%v, %v", got, err)
		}
		asked[i] = *fsys.(counted).asked
	}
	if asked[0] != asked[1] {
		t.Errorf("%d questions for one import, %d for a hundred", asked[0], asked[1])
	}
}

// TestAFileIsParsedOnce however many names it has.
func TestAFileIsParsedOnce(t *testing.T) {
	in, got, err := evaluated(t, fstest.MapFS{
		"a/b.py":  {Data: []byte("n = 3\n")},
		"main.py": {Data: []byte("import sys\nsys.path.append('a')\nimport a.b\nimport b\nx = a.b.n + b.n\n")},
	}, "x")
	if err != nil || got != int64(6) || in.modules["a.b"] == in.modules["b"] || in.modules["a.b"].tree != in.modules["b"].tree {
		t.Errorf("%v, %v", got, err)
	}
}

// TestWorkIsCharged holds that what is not bounded by the length of a program takes steps: each of these ends by its budget, or is over at once.
func TestWorkIsCharged(t *testing.T) {
	for name, program := range map[string]string{
		"tuple as an exception": "t = (ValueError, ValueError)\nfor i in range(60): t = (t, t)\ntry:\n    x = 1 // 0\nexcept t:\n    x = 1\n",
		"tuple that is removed": "t = (1, 1)\nfor i in range(60): t = (t, t)\nd = {}\ndel d[t]\n",
		"member by a tuple":     "import enum\nclass E(enum.Enum): A = 1\nt = (1, 1)\nfor i in range(60): t = (t, t)\nE[t]\n",
		"iterator of itself":    "class A:\n    def __iter__(self): return self\nfor x in A(): pass\n",
		"truth of itself":       "class A:\n    def __bool__(self): return self\nx = not A()\n",
		"long combinations":     "import itertools\nx = itertools.combinations(range(480000), 480000)\n",
		"removed from a list":   "t = [0] * 900000\nfor i in range(100000): del t[0]\n",
		"tuples gone over":      "t = (0,) * 900000\nfor i in range(100000): x = [*t]\n",
	} {
		t.Run(name, func(t *testing.T) {
			in, _, _ := evaluated(t, source(program), "0")
			m := in.modules["main"]
			var why *Unknown
			for _, v := range m.Attrs {
				if u, ok := v.(*Unknown); ok && (strings.Contains(u.Why, "gave up") || strings.Contains(u.Why, "nested more than")) {
					why = u
				}
			}
			if why == nil && in.steps < MaxSteps/2 && in.items < MaxItems/2 {
				t.Errorf("%d steps and %d items, and nothing gave up", in.steps, in.items)
			}
		})
	}
}
