package graph

import (
	"errors"
	"runtime"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestParse(t *testing.T) {
	for _, c := range []struct{ name, in, out string }{
		{"nothing", "", ""},
		{"a comment and blanks", "  // nothing\r\n\t# nothing", ""},
		{"a name", "graph \"small net\"", "graph \"small net\"\n"},
		{"a component called graph", "graph: t\ngraph -> graph", "\"graph\": t\n\"graph\" -> \"graph\"\n"},
		{"a component with everything", `c "first" : conv2d outChannels=16 kernelSize = [ 3 , 3 ] bias=false x=null eps=1e-5 mode=same // end`,
			"c \"first\": conv2d outChannels=16 kernelSize=[3,3] bias=false x=null eps=1e-05 mode=same\n"},
		{"words that need quotes keep them", `c: t a="1" b="true" c="a b" d="" e=a.b/c-d@*`, `c: t a="1" b="true" c="a b" d="" e=a.b/c-d@*` + "\n"},
		{"an object", `c: t a={ "x": [1, "//"] } b=[{"y":{}}]`, `c: t a={"x":[1,"//"]} b=[{"y":{}}]` + "\n"},
		{"a chain", "x -> c->r", "x -> c\nc -> r\n"},
		{"several sources", "a, b -> sum, z -> out", "a -> sum\nb -> sum\nsum -> out\nz -> out\n"},
		{"quoted ids", `"a b" -> "->"`, "\"a b\" -> \"->\"\n"},
		{"no blank is needed", `x:t p=1q=2`, ""},
	} {
		g, err := Parse(c.in)
		if c.name == "no blank is needed" {
			if err == nil {
				t.Errorf("%s was read as %s", c.in, g.Text())
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := g.Text(); got != c.out {
			t.Errorf("%s: got\n%s", c.name, got)
		}
	}
}

func TestParseErrorsNameTheLine(t *testing.T) {
	for in, want := range map[string]string{
		"a: t\n\nb":                              `line 3: expected ":" and a type`,
		"a: t\nb:":                               `line 2: expected a type`,
		"a: t p":                                 `line 1: expected "=" after "p"`,
		"a: t p=":                                `line 1: expected a value`,
		"a: t p=1 p=2":                           `line 1: the parameter "p" is given twice`,
		"a: t p=[1":                              `line 1: expected "," or "]"`,
		"a: t p=[1,]":                            `line 1: expected a value`,
		"a: t p=12x":                             `line 1: "12x" is not a number`,
		"a: t p=.5":                              `line 1: ".5" is not a number`,
		"a: t p=+5":                              `line 1: "+5" is not a number`,
		"a: t p=01":                              `line 1: "01" is not a number`,
		"a: t p=9223372036854775808":             `line 1: "9223372036854775808" is not a number, or does not fit in 64 bits`,
		"a: t p=1e999":                           `line 1: "1e999" is not a number`,
		"a: t p={":                               `line 1: not an object`,
		"a: t p={\"a\":1,\"a\":2}":               `line 1: not an object: .a: an object has the key "a" twice`,
		"a ->":                                   `line 1: expected a component`,
		"a, b":                                   `line 1: expected "->"`,
		"a -> b c":                               `line 1: cannot read "c"`,
		"graph \"x\" y":                          `line 1: cannot read "y"`,
		"a: t @m":                                `line 1: expected "=" after "@m"`,
		"a: t @m=1 @m=2":                         `line 1: the member @m is given twice`,
		"a: t @id=x":                             `line 1: @id has a place of its own`,
		"a: t @m={":                              `line 1: not JSON`,
		"a: t @m=01":                             `line 1: "01" is not a number`,
		"a: t @":                                 `line 1: expected the name of a member`,
		"a -> b @to=c":                           `line 1: @to has a place of its own`,
		"graph \"x\" @name=y":                    `line 1: @name has a place of its own`,
		"graph @m=1 y":                           `line 1: cannot read "y"`,
		`"a`:                                     `line 1: the string "a does not end`,
		`"\ud800": t`:                            `line 1: not a string`,
		"\xff: t":                                `line 1: not UTF-8`,
		"a: t p=\"\xff\"":                        `line 1: not a string`,
		"a: t p=" + strings.Repeat("[", 100):     `line 1: nested deeper than 64`,
		"a: t p=" + strings.Repeat(`{"a":`, 100): `line 1: not an object`,
		"a: t " + params(1025):                   `line 1: more than 1024 parameters`,
		"a: t p=" + strings.Repeat("x", 100) + "!": `line 1: expected a parameter at "!"`,
	} {
		_, err := Parse(in)
		var e *Error
		if !errors.As(err, &e) || e.Code != CodeNotation || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", in, err, want)
		}
	}
}

func params(n int) string {
	return strings.NewReplacer(`{"`, "", `":`, "=", `,"`, " ", "}", "").Replace(object(n))
}

func TestParseParams(t *testing.T) {
	got, err := ParseParams(`kernelSize=3 padding=same`)
	if err != nil || len(got) != 2 || !got[0].Value.Equal(IntValue(3)) || !got[1].Value.Equal(StringValue("same")) {
		t.Errorf("got %v, %v", got, err)
	}
	if _, err := ParseParams(params(1024)); err != nil {
		t.Error(err)
	}
}

func TestParseWithinLimits(t *testing.T) {
	three := Limits{Bytes: 100, Components: 3, Connections: 3, Params: 3, Values: 3}
	for in, code := range map[string]string{
		"a:t\nb:t\nc:t\na,b,c -> d":         "",
		"a:t\nb:t\nc:t\nd:t":                CodeComponents,
		"a -> b -> c -> d -> e":             CodeConnections,
		"a, b, c, d -> e":                   CodeConnections,
		"a:t p=[1]\nb:t q=[2,3]":            "",
		"a:t p=[1,[2]]\nb:t q=[3,4]":        CodeValues,
		"a:t p=1 q=2\nb:t p=3":              "",
		"a:t p=1 q=2\nb:t p=3 q=4":          CodeValues,
		"// " + strings.Repeat("long", 100): CodeBytes,
	} {
		_, err := ParseWithin(in, three)
		var e *Error
		if errors.As(err, &e) != (code != "") || e != nil && (e.Code != code || e.Limit == 0) {
			t.Errorf("%q: got %v, want %q", in, err, code)
		}
	}
}

// TestHostileNotationStaysCheap holds the memory, as TestHostileDocumentsStayCheap does.
func TestHostileNotationStaysCheap(t *testing.T) {
	const size = 8<<20 - 100
	for name, piece := range map[string][2]string{
		"digits": {"a: t p=[", "0,"}, "strings": {"a: t p=[", `"",`}, "escapes": {"a: t p=[", `"\n",`}, "lists": {"a: t p=[", "["}, "objects": {"a: t p=[", "{},"},
		"components": {"", "a:t\n"}, "connections": {"a", "->a"}, "sources": {"a", ",a"}, "parameters": {"a:t", " p=1"}, "blanks": {"", " \n"}, "an open string": {`"`, "x"}, "words": {"", "x"},
	} {
		text := piece[0] + strings.Repeat(piece[1], size/len(piece[1]))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := ParseWithin(text, ServiceLimits)
		runtime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; used > 100<<20 {
			t.Errorf("%s: %d MB (%v)", name, used>>20, err)
		}
	}
}

func TestNotationRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := described().Draw(t, "graph")
		back, err := Parse(g.Text())
		if err != nil {
			t.Fatalf("%s\n%v", g.Text(), err)
		}
		if !equalGraphs(g, back) {
			t.Fatalf("%s\nbecame\n%s", g.Text(), back.Text())
		}
	})
}
