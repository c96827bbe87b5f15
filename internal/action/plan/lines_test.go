package plan

import (
	"encoding/json"
	"testing"

	"pgregory.net/rapid"

	"github.com/modelverifier/verifier/internal/estimate"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/models/drawn"
	"github.com/modelverifier/verifier/models/drawn/figures"
)

// TestEveryEntryWithAFigureSaysWhatItLacks is stricter than that a reason stands somewhere: the entry that has the figure says that it is
// a lower bound, and the record names the components beside it. A difference lacks what either version does.
func TestEveryEntryWithAFigureSaysWhatItLacks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawn.Model(t)
		drawn.Broken(t, g)
		q := &Request{Model: g, Training: estimate.Options{GPU: rapid.SampledFrom([]string{"", "T4", "H100"}).Draw(t, "gpu")}}
		lacks := figures.Of(g)
		if rapid.Bool().Draw(t, "base") {
			q.Base = drawn.Model(t)
		}
		differ := lacks
		if q.Base != nil {
			differ = lacks.Or(figures.Of(q.Base))
		}
		r := New(q)
		holds(t, r, lacks, differ)
	})
}

// holds reads a record in all its forms.
func holds(t *rapid.T, r *Record, lacks, differ figures.Lack) {
	t.Helper()
	for form, text := range map[string]string{"text": Text(r), "Markdown": Markdown(r), "summary": r.Summary} {
		if err := lacks.Text(text); err != nil {
			t.Fatalf("%s: %v\n%s", form, err, text)
		}
	}
	data, err := json.Marshal(r.Diff)
	if err == nil && r.Diff != nil {
		if err := differ.Text(r.Diff.sentence()); err != nil {
			t.Fatalf("%v", err)
		}
		var d map[string]json.RawMessage
		_ = json.Unmarshal(data, &d)
		delete(d, "base") // which has a list of its own
		data, _ = json.Marshal(d)
		err = differ.JSON(data)
	}
	if err != nil {
		t.Fatalf("%v in the difference", err)
	}
	whole := *r
	whole.Diff = nil
	if data, err = json.Marshal(&whole); err == nil {
		err = lacks.JSON(data)
	}
	if err != nil {
		t.Fatalf("%v in %s", err, data)
	}
}

// TestABaseSaysWhatItLacks: the number of weights of the version before has a list beside it.
func TestABaseSaysWhatItLacks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base := drawn.Model(t)
		drawn.Broken(t, base)
		lacks := figures.Of(base)
		r := New(&Request{Model: mustModel(t, clean), Base: base})
		data, err := json.Marshal(r.Diff.Base)
		if err == nil {
			err = lacks.JSON(data)
		}
		if err != nil {
			t.Fatalf("%v in %s", err, data)
		}
	})
}

func mustModel(t *rapid.T, text string) *graph.Graph {
	g, err := graph.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return g
}
