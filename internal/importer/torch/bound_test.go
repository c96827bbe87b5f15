package torch

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/hostile"
	"github.com/modelverifier/verifier/internal/importer/torch/python"
)

// allocated is how many bytes something allocates, whether or not it keeps them: a measure of work that no other process disturbs.
func allocated(work func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	work()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// TestBlocksCostWhatTheyBind goes through many functions below many names. Copies of the names for each would be 4,000,000 entries.
func TestBlocksCostWhatTheyBind(t *testing.T) {
	hostile.SkipUnderRace(t)
	var b strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&b, "a%d = 1\nb%[1]d = torch.randn(1, 3)\nc%[1]d = Net()\n", i)
	}
	b.WriteString(strings.Repeat("def f():\n    a1 = 2\n    class C: pass\n", 2000))
	src := b.String()
	tree, err := python.Parse("m.py", src)
	if err != nil {
		t.Fatal(err)
	}
	for name, read := range map[string]func(){
		"guess":  func() { (&guesser{class: "Net", makers: map[string]bool{"Net": true}}).read(tree) },
		"usages": func() { Usages(src, []string{"Net"}) },
	} {
		if took := allocated(read); took > 32<<20 {
			t.Errorf("%s: %d MB were allocated for %d kB of source", name, took>>20, len(src)>>10)
		}
	}
}

// TestNamesOfABlockEndWithIt has functions that bind what is bound around them, too.
func TestNamesOfABlockEndWithIt(t *testing.T) {
	for src, want := range map[string]string{
		"n = 3\ndef f():\n    n = 4\n    a = Net(n)\n    def g():\n        n = 5\n        a = Net(n)\n    class C:\n        n = load()\n        a = Net(n)\ndef h():\n    a = Net(n)\n": "4 5 3",
		"net = Net(1)\nx = torch.zeros(1, 3)\ndef f():\n    net = load()\n    x = torch.zeros(1, 4)\n    net(x)\ndef g():\n    net(x)\n":                                                "1(3)",
		"def f():\n    n, m = 2, 3\n    a = Net(m)\ndef g():\n    a = Net(m)\n":                                                                                                         "3",
	} {
		var got []string
		for _, u := range Usages(src, []string{"Net"}) {
			text := u.Args[0].Value
			if u.Inputs != nil {
				text += "(" + u.Inputs[0].String() + ")"
			}
			got = append(got, text)
		}
		if text := strings.Join(got, " "); text != want {
			t.Errorf("%q is used as %s, want %s", src, text, want)
		}
	}
	g := &guesser{class: "Net", makers: map[string]bool{"Net": true}}
	tree, err := python.Parse("m.py", "x = torch.zeros(1, 3)\nm = Net()\nn = 5\ndef f():\n    x = torch.zeros(1, 4)\n    m = 3\n    n = 6\n    m(x)\ndef g():\n    m(x)\n    m(torch.zeros(1, n))\n")
	if err != nil {
		t.Fatal(err)
	}
	g.read(tree)
	if len(g.found) != 2 || g.found[0].inputs[0].String() != "3" || g.found[1].inputs[0].String() != "5" {
		t.Errorf("found %+v", g.found)
	}
}

// TestItemsOfInputsAreReadOnce has lists in lists. If each level were read twice, it would be 128 times the numbers.
func TestItemsOfInputsAreReadOnce(t *testing.T) {
	hostile.SkipUnderRace(t)
	text := "x=" + strings.Repeat("[", maxInputNesting) + strings.Repeat("5;", 1000) + strings.Repeat("]", maxInputNesting)
	var inputs []Input
	var err error
	took := allocated(func() { inputs, err = ParseInputs(text) })
	if err != nil {
		t.Fatal(err)
	}
	if took > 64<<20 {
		t.Errorf("%d MB were allocated for %d bytes", took>>20, len(text))
	}
	if inputs[0].String() != strings.Replace(text, ";]", "]", 1) {
		t.Errorf("got %.60s", inputs[0].String())
	}
	if _, err := ParseInputs(strings.Repeat("5;", maxInputText)); err == nil || !strings.Contains(err.Error(), "more than 65536") {
		t.Errorf("a long text gives %v", err)
	}
}
