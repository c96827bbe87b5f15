package truth

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/importer/hf"
	"github.com/modelverifier/verifier/internal/infer"
)

// drawnRow is a config.json that was changed in one way, and what became of it in transformers 5.17.0.
type drawnRow struct {
	Config json.RawMessage
	How    string
	Params int64 // -1 where the configuration class or the constructor raises
	Runs   *bool // whether the model runs when it is called with 16 tokens or an image; nil where it was not called
	Error  string
}

// disagreement says in which way the import of a config is not what transformers makes of it, or "".
func (r drawnRow) disagreement() (kind, ours string) {
	m, err := hf.Import(r.Config, hf.Options{SeqLen: 16})
	var fault *graph.Error
	if errors.As(err, &fault) {
		ours = fault.Path + " " + fault.Message
		switch {
		case fault.Code == hf.CodeArchitecture:
			return "", ours // not modelled, which is no word about transformers
		case r.Params >= 0 && (r.Runs == nil || *r.Runs):
			return "refused, but built", ours
		}
		return "", ours
	}
	g := m.Graph.Clone()
	g.Normalize(catalog.Vocabulary)
	walked := infer.Walk(g)
	if len(walked.Refusals) > 0 {
		ours = walked.Nodes[walked.Refusals[0].Node].Component.ID + " " + walked.Refusals[0].Message
	}
	switch {
	case r.Params < 0 && ours == "":
		return "raises, but imported", fmt.Sprintf("%d weights", walked.Params)
	case r.Params < 0:
		return "", ours
	case m.Params != r.Params:
		return "counted otherwise", fmt.Sprintf("%d weights, not %d", m.Params, r.Params)
	case walked.Params != r.Params && len(walked.ParamsWithheld()) == 0:
		return "counted otherwise", fmt.Sprintf("%d weights by component, not %d", walked.Params, r.Params)
	case ours != "" && r.Runs != nil && *r.Runs:
		return "blocked, but runs", ours
	case ours == "" && r.Runs != nil && !*r.Runs:
		return "crashes, but not blocked", "no word"
	}
	return "", ours
}

// notForeseen are kinds of crashes that are known and not foreseen, by what transformers says. Each has a reason.
var notForeseen = map[string]string{
	"strides should be multiple of 16 bytes": "torch._grouped_mm of the experts, which another experts_implementation does without",
	"IndexError list index out of range":     "dtype is a list, which no type is declared for; most classes build with it",
	"no attribute 'is_floating_point'":       "dtype is an object, likewise",
	"KeyError 'full_attention'":              "rope_parameters lacks a kind of layer, which some classes fill in and others do not",
}

// TestChangedConfigsAreJudgedAsTransformersJudgesThem imports configs of every model type with keys left out, values of other kinds,
// other sizes and other classes. The rows of hf-built-aside were drawn with another seed, and nothing was mended by them before they
// were compared.
func TestChangedConfigsAreJudgedAsTransformersJudgesThem(t *testing.T) {
	for file, least := range map[string]int{"hf-built.jsonl.gz": 700, "hf-built-aside.jsonl.gz": 400} {
		t.Run(strings.TrimSuffix(file, ".jsonl.gz"), func(t *testing.T) { judge(t, file, least) })
	}
}

func judge(t *testing.T, file string, least int) {
	rows, raised, kinds, known := 0, 0, map[string]int{}, map[string]int{}
	lines(t, file, func(line []byte) {
		var r drawnRow
		if err := json.Unmarshal(hf.Strict(line), &r); err != nil {
			t.Fatal(err)
		}
		var head struct {
			ModelType     string `json:"model_type"`
			Architectures any
		}
		_ = json.Unmarshal(r.Config, &head)
		if *hfTypes != "" && !slices.Contains(strings.Split(*hfTypes, ","), head.ModelType) {
			return
		}
		rows++
		if r.Params < 0 || r.Runs != nil && !*r.Runs {
			raised++
		}
		kind, ours := r.disagreement()
		if kind == "" {
			return
		}
		for said := range notForeseen {
			if strings.Contains(r.Error, said) {
				known[said]++
				return
			}
		}
		kinds[kind]++
		t.Errorf("%s | %s %v | %s | transformers: %d %s | we: %s", kind, head.ModelType, head.Architectures, r.How, r.Params,
			strings.ReplaceAll(r.Error, "\n", " "), ours)
	})
	t.Logf("%d rows, of which transformers refuses or crashes in %d; disagreements: %v, not foreseen for a reason: %v", rows, raised, kinds, known)
	if *hfTypes == "" && rows < least {
		t.Errorf("%d rows", rows)
	}
}
