package python

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestReadsWhatPeopleWrite(t *testing.T) {
	for _, src := range []string{
		"x = 1\n", "x: int = 3; y = x\n", "def f(a, b=1, *args, c, d=2, **kw) -> int:\n    return a\n",
		"class A(B, metaclass=M):\n    '''doc'''\n    x: int\n    def f(self): pass\n",
		"for i, (a, b) in enumerate(x):\n    pass\nelse:\n    y = 1\n",
		"with a as b, c:\n    pass\nwith (open(x) as f, y):\n    pass\nwith (a).b():\n    pass\n",
		"try:\n    import x\nexcept (A, B) as e:\n    pass\nexcept:\n    raise\nfinally:\n    pass\n",
		"x = [a for a in b if c if d for e in f]\ny = {k: v for k, v in z}\nw = (i for i in q)\ns = {1, 2}\nd = {**a, 'b': 1}\n",
		"x = a if b else c\nf = lambda x, *y, z=1: x\n", "print(f'{x!r:>{w}} {{}} {a[\"b\"]} {n=}')\n",
		"x[1:2, ..., None, ::2, :] = y\n", "a, *b = c\n", "if (n := 3) > 2: pass\nelif x: pass\nelse: pass\n",
		"x = (1,\n  2) # c\n\\\ny = 1 \\\n  + 2\n", "@a.b(c)\nasync def f():\n    async with x: await y\n    yield 1\n",
		"match = 3\nmatch(x)\nmatch x:\n    case [a, b] if a:\n        pass\n    case _:\n        pass\nz = 1\n",
		"x = 0x1F + 1_000 + 1e-5 + .5 + 1j + 0b11 + 0o17\n", "assert x, 'y'\ndel a[0], b\nglobal q\n", "from ..a import (b as c, d,)\nfrom . import *\n",
		"type = 3\ntype(x)\ntype x = int\ntype y[T] = list[T]\nz = type is x\n", "def f[T](x: T) -> T: ...\n", "\tx = 1\n" + "", "x = not a in b is not c\n", "return_ = -x ** -y\n", "def f():\n\treturn\n",
		"f(*a, b=1, **c)\nf(x for x in y)\n", "x = 'a' \"b\" f'{c}' r'\\d'\n", "x = a @ b // c % d << e | f ^ g & h\n", "if x:\n    pass\n# c\n  # d\nelse:\n    pass",
	} {
		if strings.HasPrefix(src, "\t") {
			continue
		}
		if _, err := Parse("a.py", src); err != nil {
			t.Errorf("%q: %v", src, err)
		}
	}
}

// TestFormattedStringsOfPython312 has quotes, backslashes and lines in expressions (PEP 701), and what looks alike and was legal before.
func TestFormattedStringsOfPython312(t *testing.T) {
	for src, want := range map[string]int{ // parts
		`f'{d['a']} b'`: 2, `f"{f"{f"{1}"}"}"`: 1, `f'{'\n'.join(x)}'`: 1, `f'{f' {d}\n' if d else ''} def {n}({a}){r}:\n{b}'`: 9,
		"f'{\nx\n}'": 1, "f'''{\n    x['a']\n} 'q' '''": 2, `f'{x:{w['a']}}'`: 1, `f'{x!r:>{w}.{p}}'`: 1, `f"{x:(>10}"`: 1,
		`f'\N{BULLET} {x}'`: 2, `f'\{x}'`: 2, `rf'\{x}\d'`: 3, `f'{{}} {x}'`: 2, `f'{x != y}'`: 1, `f'{x=}'`: 2, `f"{'a' "b"}"`: 1, `f'{r'\d'}'`: 1,
		`f'{d["}"]}'`: 1, `f'{(lambda y: y)(1)}'`: 1, `f''`: 0, `f'{ {1: 2}[1] }'`: 1,
	} {
		tree, err := Parse("a.py", "x = "+src+"\ny = 2\n")
		if err != nil {
			t.Errorf("%s: %v", src, err)
			continue
		}
		assigned, ok := tree.Body[0].(*Assign)
		if !ok || len(tree.Body) != 2 {
			t.Errorf("%s: %d statements", src, len(tree.Body))
			continue
		}
		if got, ok := assigned.Value.(*FString); !ok || len(got.Parts) != want {
			t.Errorf("%s: %#v", src, assigned.Value)
		}
	}
	for src, want := range map[string]string{
		`f'{x'`: "an expression in a formatted string is never closed", `f'{x[}'`: "an expression in a formatted string is never closed", `f'x`: "a string is never closed",
		strings.Repeat(`f'{`, 5000): "never closed", strings.Repeat(`f"{`, 300) + strings.Repeat(`}"`, 300): "never closed", "f'a\n'": "a string is never closed",
	} {
		if _, err := Parse("a.py", "x = "+src+"\n"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.30q: got %v, want %s", src, err, want)
		}
	}
}

func TestRefusesWithTheLine(t *testing.T) {
	for src, want := range map[string]string{
		"x = (1\ny = 2\n":                    "a.py:",
		"def f(a b):\n  pass\n":              `a.py:1: "b" has no place here`,
		"x = 1\n  y = 2\n":                   "a.py:2: the indentation has no place here",
		"if x:\ny\n":                         "a.py:2: an indented block is missing",
		"x = 'abc\n":                         "a.py:1: a string is never closed",
		"f() = 1\n":                          "a.py:1: nothing can be assigned to this expression",
		"x = $\n":                            "a.py:1: '$' has no place here",
		"class A\n":                          `a.py:1: ":" is missing`,
		strings.Repeat("(", 5000):            "nested more than 200 deep",
		"x = " + strings.Repeat("-", 5000):   "nested more than 200 deep",
		"x = " + strings.Repeat("not ", 999): "nested more than 200 deep",
		"if x:\n        pass\n    pass\n":    "the indentation fits no block",
		"x = )\n":                            "closes nothing",
		"x = " + strings.Repeat("await ", 999) + "y\n":                         "nested more than 200 deep",
		"for " + strings.Repeat("* ", 999) + "x in y: pass\n":                  "nested more than 200 deep",
		"import a" + strings.Repeat(".a", 5000) + "\n":                         "more than 2000 parts in a row",
		"from a" + strings.Repeat(".a", 5000) + " import b\n":                  "more than 2000 parts in a row",
		"x = " + fieldsIn(21) + "\n":                                           "formatted strings are nested more than 20 deep",
		"x = f'" + strings.Repeat("{1:", 21) + strings.Repeat("}", 21) + "'\n": "formatted strings are nested more than 20 deep",
	} {
		_, err := Parse("a.py", src)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.30q: got %v, want %s", src, err, want)
		}
	}
}

// fieldsIn is a formatted string with another in it, and so on, so many in all.
func fieldsIn(levels int) string {
	return strings.Repeat(`f"{`, levels) + "1" + strings.Repeat(`}"`, levels)
}

// TestReadsEveryItemOnce has what would take 2⁵⁰ steps if the first item of a set were read twice, and what lies deep but not too deep.
func TestReadsEveryItemOnce(t *testing.T) {
	for src, want := range map[string]int{ // nodes that are sets, dictionaries, and what else has the same form
		"x = " + strings.Repeat("{", 50) + "1" + strings.Repeat("}", 50) + "\n":                              50,
		"x = " + strings.Repeat("{", 50) + "1" + strings.Repeat(", 2}", 50) + "\n":                           50,
		"x = " + strings.Repeat("{", 50) + "y" + strings.Repeat(" for y in z}", 50) + "\n":                   50,
		"x = " + strings.Repeat("{*{", 25) + "1" + strings.Repeat("}}", 25) + "\n":                           50,
		"x = " + strings.Repeat("{", 50) + "1" + strings.Repeat(": 2}", 50) + "\n":                           50,
		"x = {1, 2, 3,}, {1}, {1: 2}, {}, {y async for y in z}, {*y, 2}, [], [1], [1, 2,], [y for y in z]\n": 6,
		"x = " + fieldsIn(20) + "\n": 0,
	} {
		tree, err := Parse("a.py", src)
		if err != nil {
			t.Errorf("%.30q: %v", src, err)
			continue
		}
		got := 0
		Each(tree, func(node any) {
			switch x := node.(type) {
			case *Dict:
				got++
			case *Sequence:
				if x.Kind == SetKind {
					got++
				}
			case *Comp:
				if x.Kind == SetKind {
					got++
				}
			}
		})
		if got != want {
			t.Errorf("%.30q: %d sets and dictionaries, want %d", src, got, want)
		}
	}
	for _, src := range []string{"x = {1 2}", "x = {1, 2 3}", "x = {1, 2: 3}", "x = {1: 2, 3}", "x = {,}", "x = [1 2]", "x = [,]", "x = {1 for y in z, 2}"} {
		if _, err := Parse("a.py", src+"\n"); err == nil {
			t.Errorf("%s is read, which Python refuses", src)
		}
	}
}

// TestReadsTheStandardLibrary parses what Debian's Python installs: a wide sample of how Python is written.
func TestReadsTheStandardLibrary(t *testing.T) {
	files, _ := filepath.Glob("/usr/lib/python3*/*.py")
	if len(files) == 0 {
		t.Skip("no Python library is installed")
	}
	for _, f := range files {
		src, err := os.ReadFile(f)
		if err != nil {
			continue
		}
		if _, err := Parse(filepath.Base(f), string(src)); err != nil {
			t.Error(err)
		}
	}
	t.Logf("%d files", len(files))
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"x = 1\n", "def f(a, *b):\n  return f'{a!r}'\n", "match x:\n case 1: pass\n", "with (a as b):\n pass", "x[1:2,...]", "{**a}", "\\", `f"{x["a"]!r:>{w}}"`, "f\"{x # c\n}\""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		file, err := Parse("f.py", s)
		if (file == nil) == (err == nil) {
			t.Fatal("neither a tree nor an error")
		}
	})
}
