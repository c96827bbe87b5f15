package truth

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/modelverifier/verifier/internal/action/check"
	"github.com/modelverifier/verifier/internal/action/lint"
	"github.com/modelverifier/verifier/internal/action/plan"
	"github.com/modelverifier/verifier/internal/action/rank"
	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/fit/data"
	"github.com/modelverifier/verifier/internal/fit/layout"
	"github.com/modelverifier/verifier/internal/fit/serve"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/hardware"
	"github.com/modelverifier/verifier/internal/importer/hf"
	"github.com/modelverifier/verifier/internal/infer"
	"github.com/modelverifier/verifier/models/drawn"
)

// dataset says everything that can be said of data: of a text, of images and of a table.
var dataset = data.Request{SeqLen: 96, TokenizerSize: 1000, NumLabels: 7, ImageHeight: 64, ImageWidth: 48, Channels: 3, Features: 13, ClassCounts: []int64{90, 1, 4, 4, 4, 4, 4}}

// said is what every question is answered with for one model, as JSON.
func said(t rapid.TB, g *graph.Graph) map[string]string {
	t.Helper()
	out := map[string]string{}
	note := func(name string, v any, err error) {
		text, bad := json.Marshal(v)
		if err != nil || bad != nil {
			t.Fatal(name, err, bad)
		}
		out[name] = string(text)
	}
	body := fmt.Appendf(nil, `{"model":%s}`, g.AppendJSON(nil))
	c, err := check.Decode(body, graph.LocalLimits)
	if err != nil {
		t.Fatal(err)
	}
	note("check", check.Run(c), nil)
	l, err := lint.Decode(body, graph.LocalLimits)
	if err != nil {
		t.Fatal(err)
	}
	note("lint", lint.Run(l), nil)
	p, err := plan.Decode(body, graph.LocalLimits)
	if err != nil {
		t.Fatal(err)
	}
	note("plan", plan.New(p), nil)
	h := g.Clone()
	h.Normalize(catalog.Vocabulary)
	res, split := infer.Walk(h), layout.Default()
	split.TP, split.PP, split.GPU = 2, 2, hardware.Lookup("A100-80GB")
	note("layout", layout.Check(res, split), nil)
	note("serve", serve.Check(res, &serve.Request{Command: "vllm serve . --tensor-parallel-size 2", GPU: hardware.Lookup("A100-80GB")}), nil)
	note("dataFit", data.Judge(res, dataset), nil)
	note("fingerprint", res.Fingerprint(), nil)
	const other = "x: input shape=[3,32,32]\nf: flatten\nh: linear outFeatures=10\no: output\nx -> f -> h -> o"
	small, err := graph.Parse(other)
	if err != nil {
		t.Fatal(err)
	}
	both := fmt.Appendf(nil, `{"candidates":[{"model":%s},{"model":%s}],"tieBreak":"cost"}`, g.AppendJSON(nil), small.AppendJSON(nil))
	candidates, err := rank.Decode(both, graph.LocalLimits)
	if err != nil {
		t.Fatal(err)
	}
	note("rank", rank.Run(candidates), nil)
	return out
}

// words are what ids of models are made of: any of them would decide something if a part of an id did.
var words = []string{"vision", "deep_supervision", "lm_head", "encoder", "decoder.layers.3", "embed_tokens", "experts.0", "audio_tower", "layers.7.mlp",
	"router", "attn#2", "softmax", "output", "weight", "lora_A", "model.visual.blocks.1", "x"}

// renamed is a model under other ids, all of one length so that no message is cut elsewhere. Names are left out.
func renamed(g *graph.Graph, id func(i int) string) *graph.Graph {
	out := g.Clone()
	out.Normalize(catalog.Vocabulary)
	ids := map[string]string{}
	for i := range out.Components {
		c := &out.Components[i]
		if _, twice := ids[c.ID]; !twice {
			ids[c.ID] = id(i)
		}
		c.ID, c.Name = ids[c.ID], ""
	}
	of := func(s string) string {
		if to, ok := ids[s]; ok {
			return to
		}
		return s
	}
	for i := range out.Components {
		for j := range out.Components[i].Params {
			if p := &out.Components[i].Params[j]; (p.Name == "tiedTo" || p.Name == "sameAs") && p.Value.Kind() == graph.String {
				p.Value = graph.StringValue(of(p.Value.Str()))
			}
		}
	}
	for i := range out.Connections {
		c := &out.Connections[i]
		c.From, c.To = of(c.From), of(c.To)
	}
	return out
}

const idLength = 32

func fixedID(prefix string, i int) string {
	return (fmt.Sprintf("%05d", i) + prefix + strings.Repeat("z", idLength))[:idLength]
}

func plainID(i int) string { return fixedID("q", i) }

// sameAnswers compares what is said of two spellings of a model whose components are in the same order.
func sameAnswers(t rapid.TB, title string, a, b map[string]string, back *strings.Replacer) {
	t.Helper()
	for name, want := range a {
		if got := back.Replace(b[name]); got != want {
			at := 0
			for at < min(len(got), len(want)) && got[at] == want[at] {
				at++
			}
			from := max(0, at-200)
			t.Fatalf("%s: %s says\n%.500s\nand of the other spelling\n%.500s", title, name, want[from:], got[from:])
		}
	}
}

// respelled is the same model as another person would send it: other ids, the notation, other words for types and parameters, members that
// mean nothing.
func respelled(t *rapid.T, g *graph.Graph) (*graph.Graph, *strings.Replacer) {
	var pairs []string
	h := renamed(g, func(i int) string {
		id := fixedID(rapid.SampledFrom(words).Draw(t, "word"), i)
		pairs = append(pairs, id, plainID(i))
		return id
	})
	for i := range h.Components {
		if c := &h.Components[i]; rapid.IntRange(0, 9).Draw(t, "member") == 0 {
			c.Extra = append(slices.Clone(c.Extra), graph.Member{Name: "position", Raw: `{"x": 1,` + "\n" + `"y":2}`})
		}
	}
	if rapid.Bool().Draw(t, "notation") {
		var err error
		if h, err = graph.Parse(h.Text()); err != nil {
			t.Fatal(err)
		}
	}
	return h, strings.NewReplacer(pairs...)
}

// TestASpellingDecidesNothing holds for bundled models, also broken ones, that neither a part of an id nor the form of the document changes an answer.
func TestASpellingDecidesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawn.Model(t)
		h, back := respelled(t, g)
		sameAnswers(t, g.Name, said(t, renamed(g, plainID)), said(t, h), back)
	})
}

// TestAnImportSpelledAsNotationIsTheSameModel holds the same for what importers say beside types and parameters.
func TestAnImportSpelledAsNotationIsTheSameModel(t *testing.T) {
	n, tried := 0, 0
	lines(t, "hf.jsonl.gz", func(line []byte) {
		if n++; n%17 != 0 {
			return
		}
		var r configRow
		if err := json.Unmarshal(hf.Strict(line), &r); err != nil {
			t.Fatal(err)
		}
		m, err := hf.Import(r.Config, hf.Options{SeqLen: 64})
		if err != nil {
			return
		}
		tried++
		var pairs []string
		h := renamed(m.Graph, func(i int) string {
			id := fixedID(words[i%len(words)], i)
			pairs = append(pairs, id, plainID(i))
			return id
		})
		again, err := graph.Parse(h.Text())
		if err != nil {
			t.Fatal(err)
		}
		sameAnswers(t, m.ModelType, said(t, renamed(m.Graph, plainID)), said(t, again), strings.NewReplacer(pairs...))
	})
	if tried < 50 {
		t.Errorf("%d imports were tried", tried)
	}
	t.Logf("%d imports", tried)
}
