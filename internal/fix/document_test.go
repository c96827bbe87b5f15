package fix_test

import (
	"context"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/fix"
	"github.com/modelverifier/verifier/internal/patch"
)

func document(t *testing.T, path, text string) fix.Result {
	t.Helper()
	r, err := fix.Propose(context.Background(), fix.Request{Files: []patch.File{{Path: path, Text: text}}, Targets: []fix.Target{{Path: path}}})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

const notation = `graph "net"
// the first
x: input shape=[8]
a: linear inFeatures=8 outFeatures=16   // wide
b: linear inFeatures=15 outFeatures=4 // inFeatures=15 is wrong
y: output
x -> a -> b -> y
`

func TestMendsAGraphInTheTextNotation(t *testing.T) {
	r := document(t, "net.graph", notation)
	want := strings.Replace(notation, "b: linear inFeatures=15", "b: linear inFeatures=16", 1)
	if len(r.Patches) != 1 || !r.Patches[0].Proved || r.Files[0].Text != want {
		t.Errorf("%+v", r)
	}
	want = strings.ReplaceAll(want, "\n", "\r\n")
	if r := document(t, "net.graph", strings.ReplaceAll(notation, "\n", "\r\n")); r.Files[0].Text != want {
		t.Errorf("%+v", r)
	}
}

const asJSON = `{
  "name": "net", "components": [
    {"id": "x", "type": "input", "params": {"shape": [8]}},
    {"id": "a", "type": "linear", "params": {"inFeatures": 8,  "outFeatures": 16}},
    {"id": "b", "params": {"outFeatures": 4, "in_features": 15}, "type": "linear"},
    {"id": "y", "type": "output"}],
  "connections": [{"from": "x", "to": "a"}, {"from": "a", "to": "b"}, {"from": "b", "to": "y"}]
}
`

func TestMendsAGraphInJSON(t *testing.T) {
	r := document(t, "net.json", asJSON)
	if want := strings.Replace(asJSON, `"in_features": 15`, `"in_features": 16`, 1); len(r.Patches) != 1 || !r.Patches[0].Proved || r.Files[0].Text != want {
		t.Errorf("%+v", r)
	}
}

func TestListsTheDivisorsOfAGraph(t *testing.T) {
	r := document(t, "net.graph", "x: input shape=[8, 30]\na: multiHeadAttention embedDim=30 numHeads=4\ny: output\nx -> a -> y\n")
	if len(r.Patches) != 0 || len(r.Choices) != 1 || len(r.Choices[0].Options) < 4 {
		t.Errorf("%+v", r)
	}
}
