package graph

import (
	"strings"
	"testing"
)

var vocabulary = Vocabulary{
	Type: strings.ToLower,
	Params: func(typ string) Names {
		if typ == "conv" {
			return convNames{}
		}
		return nil
	},
}

// convNames stand for those of one type.
type convNames struct{}

func (convNames) Canonical(name string) string {
	if name == "kernel" || name == "k" {
		return "kernelSize"
	}
	return name
}

func TestNormalize(t *testing.T) {
	for _, c := range []struct{ name, in, out string }{
		{"ids are filled in by position", `"": a` + "\n" + `"": b`, "n0: a\nn1: b\n"},
		{"an id that is taken is not used", `"": a` + "\n" + `n0: b`, "n0_: a\nn0: b\n"},
		{"connections may use positions", `"": a` + "\n" + `"": b` + "\nn0 -> n1", "n0: a\nn1: b\nn0 -> n1\n"},
		{"nor one that is a name", `"": a` + "\n" + `x "n0": b` + "\nn0 -> x", "n0_: a\nx \"n0\": b\nx -> x\n"},
		{"names become ids", `i "in": a` + "\n" + `o "out": b` + "\nin -> out", "i \"in\": a\no \"out\": b\ni -> o\n"},
		{"names of components without ids", `"" "in": a` + "\n" + `"" "out": b` + "\nin -> out", "n0 \"in\": a\nn1 \"out\": b\nn0 -> n1\n"},
		{"an id goes before a name", `i: a` + "\n" + `o "i": b` + "\ni -> o", "i: a\no \"i\": b\ni -> o\n"},
		{"a name that two have is left", `i "x": a` + "\n" + `o "x": b` + "\nx -> o", "i \"x\": a\no \"x\": b\nx -> o\n"},
		{"a tie by name", `e "emb": embedding` + "\nh: linear tiedTo=emb", "e \"emb\": embedding\nh: linear tiedTo=e\n"},
		{"types and parameters", "c: CONV kernel=3", "c: conv kernelSize=3\n"},
		{"the canonical name wins", "c: conv k=1 kernelSize=3 kernel=2", "c: conv k=1 kernelSize=3 kernel=2\n"},
		{"the first alias wins", "c: conv k=1 kernel=2", "c: conv kernelSize=1 kernel=2\n"},
	} {
		g, err := Parse(c.in)
		if err != nil {
			t.Fatal(err)
		}
		g.Normalize(vocabulary)
		if got := g.Text(); got != c.out {
			t.Errorf("%s: got\n%s", c.name, got)
		}
		g.Normalize(vocabulary)
		if got := g.Text(); got != c.out {
			t.Errorf("%s: a second time gives\n%s", c.name, got)
		}
	}
}
