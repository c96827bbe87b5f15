package truth

import (
	"encoding/json"
	"strconv"
	"testing"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/estimate"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/importer/hf"
	"github.com/modelverifier/verifier/internal/infer"
	"github.com/modelverifier/verifier/internal/transformers"
)

// importAll imports the configs of files, each as a whole and for a call with text alone.
func importAll(t *testing.T, each int, do func(m *hf.Model, row configRow, text bool), files ...string) {
	t.Helper()
	count := 0
	for _, file := range files {
		lines(t, file, func(line []byte) {
			var r configRow
			if count++; count%each > 0 || json.Unmarshal(hf.Strict(line), &r) != nil || r.Config == nil {
				return
			}
			for _, text := range []bool{false, true} {
				if m, err := hf.Import(r.Config, hf.Options{SeqLen: 64, Text: text}); err == nil {
					do(m, r, text)
				}
			}
		})
	}
}

// TestEveryImportNamesRegisteredVariants holds the registry together with what names its modules: what an importer says of a component is
// accepted when it comes back, and every model of transformers says that it is one.
func TestEveryImportNamesRegisteredVariants(t *testing.T) {
	imports, names := 0, map[string]bool{}
	importAll(t, oneIn(2), func(m *hf.Model, r configRow, text bool) {
		imports++
		if p := transformers.Check(m.Graph); p != nil {
			t.Errorf("%s %s, text alone %v: %s: %s", m.ModelType, r.Variant, text, m.Graph.Components[p.Component].ID, p.Text)
		}
		models := 0
		for _, v := range transformers.Gather(m.Graph, func(int) int64 { return 0 }) {
			if names[v.Name] = true; v.Says == "" {
				t.Errorf("%s: nothing is said of %s", m.ModelType, v.Name)
			}
		}
		for i := range m.Graph.Components {
			if c := &m.Graph.Components[i]; c.Type == "output" && c.As() != "" {
				models++
			}
		}
		if models == 0 {
			t.Errorf("%s %s: no output says whose model it is", m.ModelType, r.Variant)
		}
	}, "hf.jsonl.gz", "hf-keys.jsonl.gz", "memory-hf.jsonl.gz")
	if imports < 2000/oneIn(2) || len(names) < 60 {
		t.Errorf("%d imports with %d names", imports, len(names))
	}
	t.Logf("%d imports with %d names of %d variants", imports, len(names), len(transformers.All()))
}

// TestUnknownVariantsAreRefused is what a caller could try to halve an estimate.
func TestUnknownVariantsAreRefused(t *testing.T) {
	const text = "x: input shape=[16]\ne: embedding vocabSize=100 embedDim=32\nn: rmsNorm normalizedShape=32\na: ropeAttention embedDim=32 numHeads=4\nl: linear inFeatures=32 outFeatures=32\nh: lmHead embedDim=32 vocabSize=100\no: output\nx -> e -> n -> a -> l -> h -> o"
	for _, raw := range []string{`"torch"`, `"transformers"`, `"transformers."`, `"transformers.Nonsense"`, `"transformers/absent"`, `"transformers.LlamaRMSNorm "`,
		`"Transformers.LlamaRMSNorm"`, `"transformers.LlamaRMSNorm.dropout"`, `"\u0074ransformers.LlamaRMSNorm"`, `""`, `7`, `["transformers.LlamaRMSNorm"]`, `{}`, `true`} {
		g, err := graph.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		for i := range g.Components {
			g.Components[i].Extra = []graph.Member{{Name: graph.AsMember, Raw: raw}}
			if p := transformers.Check(g); p == nil || p.Component != i || p.Member != graph.AsMember {
				t.Errorf("%s is accepted of %s", raw, g.Components[i].Type)
			}
			g.Components[i].Extra = nil
		}
	}
	g, err := graph.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	g.Components[2].Extra = []graph.Member{{Name: graph.ImplementationMember, Raw: `"transformers/late"`}}
	if p := transformers.Check(g); p == nil || p.Member != graph.ImplementationMember {
		t.Error("the words of an older import are accepted")
	}
}

// estimated is the numbers of an estimate, as text.
func estimated(g *graph.Graph) string {
	g.Normalize(catalog.Vocabulary)
	res := infer.Walk(g)
	train, err := json.Marshal(estimate.Train(res, estimate.Options{Batch: 2, Precision: "amp", Attention: "eager", Dropout: true, Checkpointing: true}))
	if err != nil {
		panic(err)
	}
	use, err := json.Marshal(estimate.Infer(res, estimate.InferOptions{Batch: 1}))
	if err != nil {
		panic(err)
	}
	return string(train) + string(use)
}

// TestOnlyStructureAndRegisteredNamesDecideAnEstimate: for a sample of imports, whatever else a caller writes into a graph leaves the
// estimate as it is, or is refused.
func TestOnlyStructureAndRegisteredNamesDecideAnEstimate(t *testing.T) {
	tried, refused := 0, 0
	importAll(t, 61, func(m *hf.Model, r configRow, text bool) {
		if len(m.Graph.Components) > 2000 {
			return
		}
		copyOf := func() *graph.Graph {
			g, err := graph.Decode(m.Graph.AppendJSON(nil), "model", graph.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			return g
		}
		want := estimated(copyOf())
		for _, hostile := range []graph.Member{{Name: "As", Raw: `"transformers.HrmTextStack"`}, {Name: "as ", Raw: `"transformers.HrmTextStack"`},
			{Name: "words", Raw: `"transformers/absent"`}, {Name: "implementation", Raw: `"transformers/absent"`}, {Name: "variant", Raw: `{"as":"x"}`},
			{Name: "absent", Raw: `true`}, {Name: "detached", Raw: `true`}, {Name: "given", Raw: `false`}, {Name: "requiresGrad", Raw: `false`},
			{Name: "dtype", Raw: `"int4"`}, {Name: "as", Raw: `"transformers.NoSuchModule"`}, {Name: "as", Raw: `0`}} {
			g := copyOf()
			for i := range g.Components {
				if c := &g.Components[i]; hostile.Name != graph.AsMember || c.As() == "" {
					c.Extra = append(c.Extra, hostile)
				} else {
					for k := range c.Extra {
						if c.Extra[k].Name == graph.AsMember {
							c.Extra[k] = hostile
						}
					}
				}
			}
			tried++
			if transformers.Check(g) != nil {
				refused++
			} else if got := estimated(g); got != want {
				t.Errorf("%s %s: %s=%s changes the estimate", m.ModelType, r.Variant, hostile.Name, hostile.Raw)
			}
		}
		// a name of another type is refused of every component
		g := copyOf()
		for i := range g.Components {
			c := &g.Components[i]
			extra := c.Extra
			for _, v := range []string{"transformers.HrmTextStack", "transformers.DeepseekV32Indexer", "transformers.PreTrainedModel", "transformers.LlamaRMSNorm"} {
				if transformers.Lookup(c.Type, v) != nil {
					continue
				}
				c.Extra = []graph.Member{{Name: graph.AsMember, Raw: strconv.Quote(v)}}
				if tried++; transformers.Check(g) == nil {
					t.Errorf("%s: %s is accepted of %s", m.ModelType, v, c.Type)
				}
			}
			c.Extra = extra
		}
	}, "hf.jsonl.gz")
	if tried < 100 || refused == 0 {
		t.Errorf("%d tried, %d refused", tried, refused)
	}
}
