package fix_test

import (
	"context"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/fit/data"
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

const config = `{"architectures": ["GPT2LMHeadModel"], "model_type": "gpt2", "n_embd": 64, "n_head": 4, "n_layer": 2, "vocab_size": 100, "n_positions": 128}
`

func TestMendsAConfiguration(t *testing.T) {
	fits := ""
	req := fix.Request{Files: []patch.File{{Path: "m/config.json", Text: config}}, Targets: []fix.Target{{Path: "m/config.json"}}}
	req.Judge.Data = &data.Request{SeqLen: 512}
	r, err := fix.Propose(context.Background(), req)
	if err != nil || len(r.Patches) != 1 || !r.Patches[0].Proved || r.Files[0].Text != strings.Replace(config, "128", "512", 1) {
		t.Errorf("%v, %+v", err, r)
	}
	req.Judge.Stored = &fits // the weights beside it have 128 positions
	if r, err := fix.Propose(context.Background(), req); err != nil || len(r.Patches) != 0 || len(r.Left) != 1 {
		t.Errorf("%v, %+v", err, r)
	}
	if r := document(t, "config.json", strings.Replace(config, `"n_head": 4`, `"n_head": 5`, 1)); len(r.Patches) != 0 || len(r.Choices) != 1 || len(r.Choices[0].Options) != 7 {
		t.Errorf("%+v", r)
	}
}
