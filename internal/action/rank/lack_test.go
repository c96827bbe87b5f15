package rank

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/modelverifier/verifier/internal/policy"
	_ "github.com/modelverifier/verifier/internal/seed"
	"github.com/modelverifier/verifier/models/drawn"
	"github.com/modelverifier/verifier/models/drawn/figures"
)

// TestNoCandidateLacksAComponentWithoutSayingSo draws candidates, breaks them, and reads each where it stands.
func TestNoCandidateLacksAComponentWithoutSayingSo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q, lacks := &Request{TieBreak: rapid.SampledFrom([]string{"", ByCost, ByParams}).Draw(t, "tieBreak")}, map[string]figures.Lack{}
		if rapid.Bool().Draw(t, "policy") {
			p, err := policy.Decode(`{"max_params":"1K","max_memory_gb":0.001,"max_cost_usd":0.0001}`, "policy", nil)
			if err != nil {
				t.Fatal(err)
			}
			q.Policy = p
		}
		for i := range rapid.IntRange(1, 3).Draw(t, "candidates") {
			g := drawn.Model(t)
			drawn.Broken(t, g)
			q.Candidates = append(q.Candidates, Candidate{ID: Name(i), Model: g})
			lacks[Name(i)] = figures.Of(g)
		}
		r := Run(q)
		for i := range r.Ranked {
			c := &r.Ranked[i]
			if err := lacks[c.ID].Answer(c); err != nil {
				t.Fatalf("%s: %v", c.ID, err)
			}
			for j := range r.Ranked[:i] {
				b := &r.Ranked[j]
				bare := q.TieBreak == ByCost && len(lacks[b.ID].Memory) > 0 || q.TieBreak == ByParams && len(lacks[b.ID].Params) > 0
				if bare && b.Tier == c.Tier && b.Rank < c.Rank {
					t.Fatalf("%s stands before %s by a %s that lacks components", b.ID, c.ID, q.TieBreak)
				}
			}
		}
	})
}
