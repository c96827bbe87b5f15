package truth

import (
	"encoding/json"
	"testing"

	"github.com/modelverifier/verifier/internal/estimate"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/importer/hf"
)

// TestEveryImportWritesWordsThatAreAccepted holds the table of words together with what writes them: what an importer says of whose modules
// its components are is accepted when it comes back as JSON.
func TestEveryImportWritesWordsThatAreAccepted(t *testing.T) {
	imports, words := 0, map[string]bool{}
	try := func(line []byte) {
		var r configRow
		if err := json.Unmarshal(hf.Strict(line), &r); err != nil {
			t.Fatal(err)
		}
		for _, text := range []bool{false, true} {
			m, err := hf.Import(r.Config, hf.Options{SeqLen: 64, Text: text})
			if err != nil {
				continue
			}
			imports++
			if p := estimate.CheckWords(m.Graph); p != nil {
				t.Errorf("%s %s, text alone %v: %s: %s", m.ModelType, r.Variant, text, m.Graph.Components[p.Component].ID, p.Text)
			}
			for _, v := range estimate.ImplementationOf(m.Graph, func(int) int64 { return 0 }).Variants {
				words[v.Word] = true
				if v.Meaning == "" {
					t.Errorf("%s: nothing is said of %s", m.ModelType, v.Word)
				}
			}
		}
	}
	lines(t, "hf.jsonl.gz", try)
	lines(t, "hf-keys.jsonl.gz", try)
	lines(t, "memory-hf.jsonl.gz", func(line []byte) {
		var r struct{ Config json.RawMessage }
		if json.Unmarshal(hf.Strict(line), &r) == nil && r.Config != nil {
			try(line)
		}
	})
	if imports < 2000 || len(words) < 40 {
		t.Errorf("%d imports with %d words", imports, len(words))
	}
}

// TestWordsThatNoImporterWritesAreRefused is what a caller could try to halve an estimate.
func TestWordsThatNoImporterWritesAreRefused(t *testing.T) {
	const text = "x: input shape=[16]\ne: embedding vocabSize=100 embedDim=32\nn: rmsNorm normalizedShape=32\na: ropeAttention embedDim=32 numHeads=4\nl: linear inFeatures=32 outFeatures=32\nh: lmHead embedDim=32 vocabSize=100\no: output\nx -> e -> n -> a -> l -> h -> o"
	for _, raw := range []string{`"torch"`, `"transformersx"`, `"transformers/absent"`, `"transformers/late/absent"`, `"transformers/nonsense"`, `"transformers/plain2"`,
		`"transformers/scan"`, `"transformers/frozen"`, `"transformers/looped"`, `"transformers//plain"`, `"\u0074ransformers"`, `7`, `["transformers"]`, `{}`, `true`} {
		g, err := graph.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		for i := range g.Components {
			if c := &g.Components[i]; c.Type != "input" && c.Type != "output" {
				c.Extra = []graph.Member{{Name: "implementation", Raw: raw}}
			}
		}
		if estimate.CheckWords(g) == nil {
			t.Errorf("%s is accepted", raw)
		}
	}
}
