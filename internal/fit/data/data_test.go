package data

import (
	"encoding/json"
	"os"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/importer/hf"
	"github.com/modelverifier/verifier/internal/infer"
	_ "github.com/modelverifier/verifier/internal/seed"
	"github.com/modelverifier/verifier/models"
)

// open walks a model of testdata/models, a bundled graph, or one written out.
func open(t testing.TB, name string) *infer.Result {
	t.Helper()
	var g *graph.Graph
	var err error
	if bundled, ok := strings.CutPrefix(name, "graph:"); ok {
		g, err = models.Open(bundled)
	} else if text, ok := strings.CutPrefix(name, "text:"); ok {
		g, err = graph.Parse(strings.ReplaceAll(text, ";", "\n"))
	} else {
		var data []byte
		var m *hf.Model
		if data, err = os.ReadFile("testdata/models/" + name + ".json"); err == nil {
			if m, err = hf.Import(data, hf.Options{}); err == nil {
				g = m.Graph
			}
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	g.Normalize(catalog.Vocabulary)
	return infer.Walk(g)
}

func ints(t testing.TB, text string) []int64 {
	var out []int64
	for _, s := range strings.Split(text, ",") {
		n, err := strconv.ParseInt(s, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, n)
	}
	return out
}

func parse(t testing.TB, text string) Request {
	var r Request
	for _, field := range strings.Fields(text) {
		name, value, _ := strings.Cut(field, "=")
		n := ints(t, value)
		switch name {
		case "seq_len":
			r.SeqLen = n[0]
		case "tokenizer_size":
			r.TokenizerSize = n[0]
		case "num_labels":
			r.NumLabels = n[0]
		case "channels":
			r.Channels = n[0]
		case "features":
			r.Features = n[0]
		case "samples":
			r.Samples = &n[0]
		case "image_size":
			r.ImageHeight, r.ImageWidth = n[0], n[len(n)-1]
		case "class_counts":
			r.ClassCounts = n
		default:
			t.Fatalf("no such field: %s", field)
		}
	}
	return r
}

func TestCases(t *testing.T) {
	data, err := os.ReadFile("testdata/cases.txt")
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for i, line := range strings.Split(string(data), "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		column := strings.Split(line, "|")
		if len(column) != 4 || strings.TrimSpace(column[3]) == "" {
			t.Fatalf("line %d has %d columns", i+1, len(column))
		}
		count++
		r := Judge(open(t, strings.TrimSpace(column[0])), parse(t, column[1]))
		var got []string
		worst := pass
		for _, c := range r.Checks {
			got = append(got, c.Name+":"+c.Status)
			if c.Expected == "" || c.Actual == "" || c.Detail == "" {
				t.Errorf("line %d: %+v says too little", i+1, c)
			}
			if c.Status == block || c.Status == warn && worst == pass {
				worst = c.Status
			}
		}
		if strings.Join(got, " ") != strings.TrimSpace(column[2]) {
			t.Errorf("line %d: %v, want %s (%s): %+v", i+1, got, column[2], column[3], r.Checks)
		}
		if r.Verdict != worst {
			t.Errorf("line %d: %s, want %s", i+1, r.Verdict, worst)
		}
	}
	if count < 60 {
		t.Errorf("only %d cases", count)
	}
}

// TestEditsRepair applies the edits of what blocks, and asks again.
func TestEditsRepair(t *testing.T) {
	for _, c := range []struct{ model, data string }{
		{"graph:lenet5", "num_labels=62"}, {"graph:resnet18", "num_labels=1001"}, {"graph:lstm-classifier", "tokenizer_size=30000"}, {"graph:moe-decoder", "tokenizer_size=40000"},
		{"text: x: input shape=[16]; e: embedding numEmbeddings=100 embeddingDim=8; l: linear outFeatures=100; o: output; x -> e -> l -> o", "tokenizer_size=101"},
	} {
		res, r := open(t, c.model), parse(t, c.data)
		g := res.Graph.Clone()
		edits := 0
		for _, f := range Judge(res, r).Findings {
			for _, e := range f.Edit {
				for i := range g.Components {
					if g.Components[i].ID == e.Component {
						g.Components[i].SetParam(e.Param, e.Value)
						edits++
					}
				}
			}
		}
		again := infer.Walk(g)
		if edits == 0 || len(again.Refusals) > 0 || Judge(again, r).Verdict != pass {
			t.Errorf("%s %s: %d edits, then %+v and %v", c.model, c.data, edits, Judge(again, r).Checks, again.Refusals)
		}
	}
}

// TestAnyDatasetGetsAnAnswer draws figures from the whole range.
func TestAnyDatasetGetsAnAnswer(t *testing.T) {
	var all []*infer.Result
	for _, name := range []string{"gpt2", "graph:resnet18", "graph:autoencoder", "graph:two-tower", "graph:gcn-node-classifier", "text: l: linear"} {
		all = append(all, open(t, name))
	}
	figure := rapid.OneOf(rapid.Int64Range(0, 2000), rapid.Int64Range(1, 1<<62))
	rapid.Check(t, func(rt *rapid.T) {
		var r Request
		for _, n := range []*int64{&r.SeqLen, &r.TokenizerSize, &r.NumLabels, &r.ImageHeight, &r.ImageWidth, &r.Channels, &r.Features} {
			*n = figure.Draw(rt, "figure")
		}
		r.ClassCounts = rapid.SliceOf(figure).Draw(rt, "counts")
		out := Judge(all[rapid.IntRange(0, len(all)-1).Draw(rt, "model")], r)
		if _, err := json.Marshal(out); err != nil {
			rt.Fatalf("%v: %+v", err, out)
		}
		for _, c := range out.Checks {
			if c.Detail == "" || c.Expected == "" || c.Actual == "" {
				rt.Fatalf("%+v says too little", c)
			}
		}
	})
}
