package lint

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/modelverifier/verifier/internal/policy"
	_ "github.com/modelverifier/verifier/internal/seed"
	"github.com/modelverifier/verifier/models/drawn"
	"github.com/modelverifier/verifier/models/drawn/figures"
)

// TestNoFindingLacksAComponentWithoutSayingSo draws models, breaks them, and reads what rules and the lines of a policy say.
func TestNoFindingLacksAComponentWithoutSayingSo(t *testing.T) {
	p, failed := policy.Decode(`{"max_params":"1K","max_memory_gb":0.001,"max_cost_usd":0.0001}`, "policy", nil)
	if failed != nil {
		t.Fatal(failed)
	}
	rapid.Check(t, func(t *rapid.T) {
		g := drawn.Model(t)
		drawn.Broken(t, g)
		lacks := figures.Of(g)
		if err := lacks.Answer(Run(&Request{Model: g, Policy: p})); err != nil {
			t.Fatal(err)
		}
	})
}
