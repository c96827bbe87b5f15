package bench

import (
	"slices"
	"testing"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/infer"
	"github.com/modelverifier/verifier/models"
)

// withoutEffect are the weights of well-known models that have none, with the reason.
var withoutEffect = map[string][]string{
	"bart-base": {"rows"}, "opt-125m": {"rows"}, "roberta-base": {"rows"}, "xlm-roberta-base": {"rows"}, // two rows of positions are skipped
	"transformer-encoder": {"rows"},     // 512 rows, of which samples of 128 tokens read 128
	"dinov2-small":        {"unused"},   // the mask token serves its pretraining alone
	"lstm-classifier":     {"one-step"}, // the last step of the backward half has read one token
}

// TestWellKnownModelsAreLive holds that no honest architecture is taken for a hack.
func TestWellKnownModelsAreLive(t *testing.T) {
	for _, id := range models.List() {
		g, err := models.Open(id)
		if err != nil {
			t.Fatal(err)
		}
		g.Normalize(catalog.Vocabulary)
		for _, f := range faultsOf(infer.Walk(g)) {
			if !slices.Contains(withoutEffect[id], f.trick) {
				t.Errorf("%s: %s: %s", id, f.trick, f.why)
			}
		}
	}
}
