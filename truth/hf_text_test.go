package truth

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/fit/facts"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/importer/hf"
)

// textRow is a model that reads pictures or sounds, with a size of what reads them changed: the errors of its constructor, of a call with
// text alone and of one with a picture or sound, "" where there is none.
type textRow struct {
	Edits             []string
	Config            json.RawMessage
	Built, Text, Read string
	Params            int64
}

// TestTextAloneRunsWhateverTheTowerDoes compares what is said with and without --text-only with what transformers does.
func TestTextAloneRunsWhateverTheTowerDoes(t *testing.T) {
	offered, runs, raised, missed := map[string]int{}, 0, 0, map[string]int{}
	lines(t, "hf-text.jsonl.gz", func(line []byte) {
		var r textRow
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatal(err)
		}
		var head struct {
			ModelType string `json:"model_type"`
		}
		_ = json.Unmarshal(r.Config, &head)
		what := head.ModelType + " " + strings.Join(r.Edits, ", ")
		alone, err := hf.Import(r.Config, hf.Options{SeqLen: 16, Text: true})
		if r.Built != "" {
			if err == nil && action.Examine(alone.Graph).Runs() {
				missed[head.ModelType+" "+r.Built]++
			}
			raised++
			return
		}
		if err != nil {
			t.Errorf("%s is built, but with text alone: %v", what, err)
			return
		}
		s := action.Examine(alone.Graph.Clone())
		if !s.Runs() || !facts.Whole(s.Walked) || r.Text != "" {
			t.Errorf("%s runs with text alone, %q: %v", what, r.Text, s.Findings)
		}
		if s.Params() != r.Params || len(s.Walked.ParamsWithheld()) > 0 {
			t.Errorf("%s has %d weights, we say %d", what, r.Params, s.Params())
		}
		whole, err := hf.Import(r.Config, hf.Options{SeqLen: 16})
		if err != nil {
			if r.Read == "" {
				t.Errorf("%s reads, but: %v", what, err)
			}
			return
		}
		full := action.Examine(whole.Graph)
		full.Offer(action.TextCall{Graph: func() *graph.Graph { return alone.Graph }, Flag: "--text-only"})
		switch {
		case r.Read == "" && !full.Runs():
			t.Errorf("%s reads, we refuse: %s", what, full.Findings[0].Message)
		case r.Read == "":
			runs++
		case full.Runs():
			missed[head.ModelType+" "+r.Read]++
		case !strings.Contains(full.Findings[0].Message, "--text-only"):
			t.Errorf("%s: %s does not name --text-only", what, full.Findings[0].Message)
		default:
			offered[head.ModelType]++
		}
	})
	t.Logf("%d run, %d raise, blocks that name --text-only: %v", runs, raised, offered)
	for reason, n := range missed {
		t.Errorf("%3d not foreseen, %s", n, reason)
	}
	if len(offered) < 4 || runs < 100 {
		t.Errorf("only %d models were blocked on one path, %d run", len(offered), runs)
	}
}
