package plan

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/modelverifier/verifier/internal/seed"
	"github.com/modelverifier/verifier/models/drawn"
)

// hourly is what a card costs, which is no price of a run.
var hourly = regexp.MustCompile(`\$[\d.,]+\s+an\s+hour`)

// TestNoFigureLacksAComponentWithoutSayingSo draws models, breaks them, and reads the plan in all its forms.
func TestNoFigureLacksAComponentWithoutSayingSo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawn.Model(t)
		unknown := drawn.Broken(t, g)
		r := New(&Request{Model: g})
		lacks, cost := r.Model.ParamsWithheld, r.Cost
		for _, id := range unknown {
			if !slices.Contains(lacks, id) {
				t.Fatalf("the weights of %s are not known, but the count lacks %v", id, lacks)
			}
		}
		withheld := len(lacks) > 0 || r.Model.Layers == 0 || r.Run.Legal && len(r.Run.Withheld) > 0
		if withheld != (cost.EstCostUSD == nil) || cost.EstCostUSD == nil && cost.RefusedRunUSD != nil {
			t.Fatalf("withheld %v, priced %v and %v", withheld, cost.EstCostUSD, cost.RefusedRunUSD)
		}
		for form, text := range map[string]string{"text": Text(r), "Markdown": Markdown(r), "summary": r.Summary} {
			switch {
			case len(lacks) > 0 && strings.Contains(text, " parameter") && !strings.Contains(text, "at least "):
				t.Fatalf("%s does not say that the count lacks %v: %s", form, lacks, text)
			case cost.EstCostUSD == nil && strings.Contains(hourly.ReplaceAllString(text, ""), "$"):
				t.Fatalf("%s has a price: %s", form, text)
			case cost.EstCostUSD == nil && !strings.Contains(text, r.unpriced()) && !strings.Contains(text, "not known"):
				t.Fatalf("%s does not say why there is no price: %s", form, text)
			case cost.EstCostUSD != nil && len(cost.Withheld) > 0 && !strings.Contains(text, "at least") && !strings.Contains(text, "at the least"):
				t.Fatalf("%s does not say that the price is that of a part: %s", form, text)
			}
		}
	})
}
