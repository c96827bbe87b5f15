package conformance

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/action/pipeline"
	"github.com/modelverifier/verifier/internal/graph"
)

// TestEveryFieldOfAPipelineIsAnEntry holds docs/wire.md to the body of a pipeline, which the command line alone answers with.
func TestEveryFieldOfAPipelineIsAnEntry(t *testing.T) {
	g, err := graph.Parse("x: input shape=[8]\nf: linear inFeatures=8 outFeatures=16\no: output\nx -> f -> o")
	if err != nil {
		t.Fatal(err)
	}
	whole := pipeline.New(&pipeline.Request{Parts: []pipeline.Part{{Name: "vae", Graph: g, Notes: []string{"decodes"}}}})
	lacks := pipeline.New(&pipeline.Request{Parts: []pipeline.Part{{Name: "unet", Open: "is not modelled"}}})
	if whole.Resident == nil || lacks.Resident != nil {
		t.Fatalf("%+v, %+v", whole, lacks)
	}
	text, err := os.ReadFile("../docs/wire.md")
	if err != nil {
		t.Fatal(err)
	}
	_, row, _ := strings.Cut(string(text), "| `plan FOLDER` of a pipeline +")
	row, _, _ = strings.Cut(row, "\n")
	for _, r := range []*pipeline.Result{whole, lacks} {
		body, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		var v any
		if err := json.Unmarshal(body, &v); err != nil {
			t.Fatal(err)
		}
		fields(v, func(name string) {
			if !strings.Contains(row, "`"+name+"`") {
				t.Errorf("the row of a pipeline lacks %s", name)
			}
		})
	}
}
