package edit

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/action/check"
	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/infer"
)

// spoil changes a few whole numbers of a graph, so that it does not run.
func spoil(rng *rand.Rand, g *graph.Graph) {
	for n := 1 + rng.IntN(3); n > 0; {
		c := &g.Components[rng.IntN(len(g.Components))]
		n--
		if len(c.Params) == 0 {
			continue
		}
		p := &c.Params[rng.IntN(len(c.Params))]
		if p.Value.Kind() == graph.Int {
			v := p.Value.Int()
			p.Value = graph.IntValue(max(1, v+[]int64{-1, 1, v, -v / 2}[rng.IntN(4)]))
		}
	}
}

// known is how many components are found out.
func known(g *graph.Graph) (n int) {
	g = g.Clone()
	g.Normalize(catalog.Vocabulary)
	for _, node := range infer.Walk(g).Nodes {
		if node.State != infer.Unknown {
			n++
		}
	}
	return n
}

// Following the edits of a model ends within a few steps, never comes back to a model that was left, and leaves no more that blocks than
// before, unless it is of components that nothing was known of.
func TestFollowingEditsEnds(t *testing.T) {
	files, err := filepath.Glob("../../models/*.graph")
	if err != nil || len(files) < 20 {
		t.Fatal(len(files), err)
	}
	rng := rand.New(rand.NewPCG(15, 3))
	steps, longest, repaired, rounds := 0, 0, 0, 1500
	if testing.Short() {
		rounds = 200
	}
	for round := range rounds {
		text, err := os.ReadFile(files[rng.IntN(len(files))])
		if err != nil {
			t.Fatal(err)
		}
		g, err := graph.Parse(string(text))
		if err != nil || len(g.Components) > 120 {
			continue
		}
		spoil(rng, g)
		r, err := Follow(g.Clone(), graph.LocalLimits, action.TextCall{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		steps, longest = steps+len(r.Steps), max(longest, len(r.Steps))
		if r.Passes && len(r.Steps) > 0 {
			repaired++
		}
		if len(r.Steps) > 24 {
			t.Fatalf("round %d: %d steps", round, len(r.Steps))
		}
		met := map[string]bool{string(g.AppendJSON(nil)): true}
		before, seen := len(Blocking(check.Run(&check.Request{Model: g.Clone()}).Findings)), known(g)
		for _, s := range r.Steps {
			next, err := Apply(g, opsOf(s.Edit), graph.LocalLimits)
			if err != nil {
				t.Fatal(err)
			}
			now := known(next)
			if s.Blocks > before && now <= seen {
				t.Errorf("round %d: %s: %d findings block after it, %d did", round, s.Fix, s.Blocks, before)
			}
			if state := string(next.AppendJSON(nil)); met[state] {
				t.Fatalf("round %d: %s leads back", round, s.Fix)
			} else {
				met[state] = true
			}
			g, before, seen = next, s.Blocks, now
		}
	}
	t.Logf("%d edits, at most %d in turn, %d models repaired", steps, longest, repaired)
	if repaired < rounds/20 {
		t.Errorf("only %d models were repaired", repaired)
	}
}
