package truth

import (
	"encoding/json"
	"testing"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/importer/hf"
	"github.com/modelverifier/verifier/internal/infer"
)

// builtRow is a config.json and the weights of what transformers 5.17.0 builds from it on the meta device: -1 where its
// constructor raises.
type builtRow struct {
	Config json.RawMessage
	Params int64
	Error  string
}

func builtRows(t *testing.T, file string, f func(builtRow)) {
	t.Helper()
	lines(t, file, func(line []byte) {
		var r builtRow
		if err := json.Unmarshal(hf.Strict(line), &r); err != nil {
			t.Fatal(err)
		}
		f(r)
	})
}

// TestKeysLeftOutAreReadAsTransformersReadsThem imports configs that leave out what the class has a default for, or derives.
func TestKeysLeftOutAreReadAsTransformersReadsThem(t *testing.T) {
	rows := 0
	builtRows(t, "hf-partial.jsonl.gz", func(r builtRow) {
		rows++
		m, err := hf.Import(r.Config, hf.Options{})
		switch {
		case r.Params < 0 && err == nil:
			t.Errorf("transformers raises %s but the import has %d weights: %s", r.Error, m.Params, r.Config)
		case r.Params >= 0 && err != nil:
			t.Errorf("transformers builds %d weights but the import says %v: %s", r.Params, err, r.Config)
		case r.Params >= 0 && m.Params != r.Params:
			t.Errorf("%d weights, not %d: %s", m.Params, r.Params, r.Config)
		}
	})
	if rows < 500 {
		t.Errorf("%d rows", rows)
	}
}

// TestBrokenConfigsAreCountedExactly imports configs that were measured after random edits of their sizes. transformers builds each of
// them, and many do not run: the count behind a refusal is that of what transformers builds, too.
func TestBrokenConfigsAreCountedExactly(t *testing.T) {
	rows, blocked := 0, 0
	builtRows(t, "hf-broken.jsonl.gz", func(r builtRow) {
		rows++
		m, err := hf.Import(r.Config, hf.Options{})
		if err != nil {
			t.Errorf("transformers builds %d weights but the import says %v: %s", r.Params, err, r.Config)
			return
		}
		m.Graph.Normalize(catalog.Vocabulary)
		walked := infer.Walk(m.Graph)
		if len(walked.Refusals) > 0 {
			blocked++
		}
		if walked.Params != r.Params || m.Params != r.Params {
			t.Errorf("%d weights by component, %d by tensor, but transformers builds %d: %s", walked.Params, m.Params, r.Params, r.Config)
		}
	})
	if rows < 511 || blocked < 100 {
		t.Errorf("%d rows, of which %d are blocked", rows, blocked)
	}
}
