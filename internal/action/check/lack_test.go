package check

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/modelverifier/verifier/models/drawn"
)

// TestNoAnswerLacksAComponentWithoutSayingSo draws models, breaks them, and reads every stage of the answer.
func TestNoAnswerLacksAComponentWithoutSayingSo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawn.Model(t)
		unknown := drawn.Broken(t, g)
		r := Run(&Request{Model: g})
		for _, id := range unknown {
			if !slices.Contains(r.Study.ParamsWithheld, id) {
				t.Fatalf("the weights of %s are not known, but the count lacks %v", id, r.Study.ParamsWithheld)
			}
		}
		for _, stage := range r.Stages {
			text, err := json.Marshal(stage.Data)
			if err != nil {
				t.Fatal(err)
			}
			var d struct {
				Params         *int64
				ParamsWithheld []string
				EstCostUsd     *float64
			}
			_ = json.Unmarshal(text, &d) // a stage may have no object
			switch lacks := r.Study.ParamsWithheld; {
			case d.Params != nil && !slices.Equal(d.ParamsWithheld, lacks):
				t.Fatalf("%s counts %d and names %v, but lacks %v", stage.Stage, *d.Params, d.ParamsWithheld, lacks)
			case d.EstCostUsd != nil && !r.Study.Priced():
				t.Fatalf("%s has the price %v, though %s", stage.Stage, *d.EstCostUsd, r.Study.Unpriced())
			case !r.Study.Priced() && strings.Contains(stage.Headline+r.Summary, "$"):
				t.Fatalf("a price in %q or %q, though %s", stage.Headline, r.Summary, r.Study.Unpriced())
			case r.Study.Priced() && r.Study.Bounded() != "" && strings.Contains(r.Summary, "$") && !strings.Contains(r.Summary, "at the least"):
				t.Fatalf("%q does not say that %s", r.Summary, r.Study.Bounded())
			}
		}
	})
}
