package truth

import (
	"encoding/json"
	"fmt"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/importer/hf"
	"github.com/modelverifier/verifier/internal/infer"
)

// runRow is what became of a model that transformers built and called with 16 tokens.
type runRow struct {
	Task, ModelType, Variant string
	Params                   int64
	OK                       bool
	Error                    string
	Shape                    []int64 // of the logits, without the batch
}

func (r runRow) key() string {
	return fmt.Sprint(r.Task, " ", r.ModelType, " ", r.Variant, " ", r.Params)
}

// calledOtherwise are model types whose call is not what the graph stands for: one without the picture that it takes, and one that
// gives the last position alone since it fills a cache.
var calledOtherwise = []string{"git", "fsmt"}

// TestImportedModelsRunWhereTransformersDoes: what ran is not refused, and gives logits of the same shape. A crash that we do not
// foresee is counted and listed by its reason: most are keys that contradict each other, of which the importer gives notice, or
// caches and checks in Python, which a graph does not have.
func TestImportedModelsRunWhereTransformersDoes(t *testing.T) {
	runs := map[string]runRow{}
	lines(t, "hf-runs.jsonl.gz", func(line []byte) {
		var r runRow
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatal(err)
		}
		runs[r.key()] = r
	})
	ran, refused, noted := 0, 0, 0
	missed := map[string]int{}
	lines(t, "hf.jsonl.gz", func(line []byte) {
		var r configRow
		if err := json.Unmarshal(hf.Strict(line), &r); err != nil {
			t.Fatal(err)
		}
		var head struct {
			ModelType string `json:"model_type"`
		}
		_ = json.Unmarshal(r.Config, &head)
		run, ok := runs[runRow{Task: r.Task, ModelType: head.ModelType, Variant: r.Variant, Params: r.Params}.key()]
		if !ok {
			return
		}
		m, err := hf.Import(r.Config, hf.Options{SeqLen: 16})
		if err != nil {
			return // refused by name, which the other test counts
		}
		m.Graph.Normalize(catalog.Vocabulary)
		res := infer.Walk(m.Graph)
		switch {
		case run.OK && len(res.Refusals) > 0:
			t.Errorf("%s runs, we refuse: %s", run.key(), res.Refusals[0].Message)
		case run.OK:
			ran++
			if out := outputOf(res); run.Shape != nil && !slices.Contains(calledOtherwise, run.ModelType) && !slices.Equal(out, run.Shape) {
				t.Errorf("%s gives %v, we say %v", run.key(), run.Shape, out)
			}
		case len(res.Refusals) > 0:
			refused++
		case len(m.Notes) > 0:
			noted++
		default:
			reason, _, _ := strings.Cut(run.Error, "(")
			missed[run.Task+": "+reason]++
		}
	})
	t.Logf("%d ran, none of them is refused, and their logits have the shapes that we say; of the crashes %d are refused, %d noted", ran, refused, noted)
	var reasons []string
	for reason, n := range missed {
		reasons = append(reasons, fmt.Sprintf("%3d not foreseen, %s", n, reason))
	}
	sort.Strings(reasons)
	for _, r := range reasons {
		t.Log(r)
	}
	if ran < 100 {
		t.Errorf("only %d rows were compared", ran)
	}
}

func outputOf(res *infer.Result) []int64 {
	for i := range res.Nodes {
		if res.Nodes[i].Component.Type == "output" {
			return res.Nodes[i].Out
		}
	}
	return nil
}
