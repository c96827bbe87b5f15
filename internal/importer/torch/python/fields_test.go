package python

import (
	"strings"
	"testing"
)

// formattedStrings are what PEP 701 allows from Python 3.12 on, and what was allowed before.
var formattedStrings = []string{
	`f"{x["a"]}"`, `f'{d['k']}'`, `f"{", ".join(names)}"`, `f"{f"{f"{x}"}"}"`, `f"{'\n'.join(lines)}"`, `f"{x!r:>{w}}"`, `f"{x!r:>{w}.{p}}"`, `f"{x=}"`,
	`f"{x = }"`, `f"{x=!r}"`, `f"{x=:>10}"`, "f\"{x # the value\n}\"", "f\"{\nx\n+ y\n}\"", "f'''{\nx  # a\n}\n{y}'''", `f"{{}} {{{x}}}"`, `rf"\d{x}\{y}"`, `f"\N{DASH} {x}"`,
	`f"{a != b}"`, `f"{a == b}"`, `f"{(lambda v: v)(x)}"`, `f"{x:%H:%M}"`, `f"{x:{'>'}{10}}"`, `f"{d["a"]["b"]:>{d["w"]}}"`, `f"{x}" 'b' f"{y}"`, `F"{x}"`, `fR"{x}\n"`,
	`f"{x:{"{"}>10}"`, `f"{ {1: 2}[1] }"`, `f"{*a, b}"`, `f"{x if y else "z"}"`, `f"{'#'}"`, "f\"{x # it's {\n}\"", `f"{x:#x}"`, `f"{"'" + '"'}"`, `f"{x!s}"`, `f"{(y := 3)}"`, `f"""{x["""k"""]}"""`,
	`f"{'a' 'b'}"`, `f"{b'x'}"`, `f"{rf"{x}\d"}"`, `f"{x,}"`, `f"\{x}"`, `f"{x}}}"`, "f\"{x:\\n}\"", `f""`, `f"{x[1:2]}"`, `f"{x[{'a':1}['a']]}"`,
}

func TestReadsFormattedStringsOfPython312(t *testing.T) {
	for _, s := range formattedStrings {
		file, err := Parse("a.py", "v = "+s+"\nw = 1\n")
		if err != nil || len(file.Body) != 2 || file.Body[1].Line() != 2+strings.Count(s, "\n") {
			t.Errorf("%s: %v, %+v", s, err, file)
		}
	}
	for _, s := range []string{`f"{x"`, `f"{"`, `f"{x!r"`, `f"{x:{y}"`, `f"{x["a]}"`, `f"{f"{x}"`, "f\"a\n\"", `f"{}"`, `f"{x y}"`, `f"{x:{}}"`, `f"{#}"`} {
		if _, err := Parse("a.py", "v = "+s+"\n"); err == nil {
			t.Errorf("%s is read, which Python refuses", s)
		}
	}
}

func TestFieldsKnowTheirLines(t *testing.T) {
	file, err := Parse("a.py", "v = f'''\n{x}\n\n{y\n + z}'''\n")
	if err != nil {
		t.Fatal(err)
	}
	var lines []int
	Each(file, func(node any) {
		if n, ok := node.(*Name); ok {
			lines = append(lines, n.Line())
		}
	})
	if len(lines) != 4 || lines[1] != 2 || lines[2] != 4 || lines[3] != 5 {
		t.Errorf("got %v", lines)
	}
}

func TestExcerptIsTheStatementOnOneLine(t *testing.T) {
	src := "a = 1\nx = f(1,  # one\n      2)\nif y: pass\ns = '''a\nb'''\n"
	for line, want := range map[int]string{1: "a = 1", 2: "x = f(1, 2)", 4: "if y: pass", 5: "s = '''a b'''", 9: ""} {
		if got := Excerpt(src, line); got != want {
			t.Errorf("line %d: %q, want %q", line, got, want)
		}
	}
}
