package check

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/modelverifier/verifier/internal/estimate"
	"github.com/modelverifier/verifier/internal/fit/layout"
	"github.com/modelverifier/verifier/internal/hardware"
	"github.com/modelverifier/verifier/internal/policy"
	_ "github.com/modelverifier/verifier/internal/seed"
	"github.com/modelverifier/verifier/models/drawn"
	"github.com/modelverifier/verifier/models/drawn/figures"
)

// TestEveryStageSaysWhatItLacks is stricter: each headline that has a figure says that it is a lower bound, and each stage names the
// components beside it. The stages after the first have the lists of the first.
func TestEveryStageSaysWhatItLacks(t *testing.T) {
	p, failed := policy.Decode(`{"max_params":"1K","max_memory_gb":0.001,"max_cost_usd":0.0001}`, "policy", nil)
	if failed != nil {
		t.Fatal(failed)
	}
	rapid.Check(t, func(t *rapid.T) {
		g := drawn.Model(t)
		drawn.Broken(t, g)
		q := &Request{Model: g, Training: estimate.Options{GPU: rapid.SampledFrom([]string{"", "T4", "H100"}).Draw(t, "gpu")}}
		if rapid.Bool().Draw(t, "policy") {
			q.Policy = p
		}
		if rapid.Bool().Draw(t, "layout") {
			split := layout.Default()
			split.GPU = hardware.Lookup(rapid.SampledFrom([]string{"", "T4", "H100"}).Draw(t, "card"))
			q.Layout = &split
		}
		lacks, r := figures.Of(g), Run(q)
		data, err := json.Marshal(r)
		if err == nil {
			err = lacks.JSON(data, slices.Concat(r.Study.ParamsWithheld, r.Study.CostWithheld)...)
		}
		if err == nil {
			err = lacks.Strings(data)
		}
		if err != nil {
			t.Fatal(err)
		}
	})
}

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
			case r.Study.Priced() && r.Study.Bounded() != "" && strings.Contains(r.Summary, "$") && !strings.Contains(r.Summary, "at the least") && !strings.Contains(r.Summary, "at least $"):
				t.Fatalf("%q does not say that %s", r.Summary, r.Study.Bounded())
			}
		}
	})
}
