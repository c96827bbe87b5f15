package edit

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/modelverifier/verifier/internal/graph"
)

// TestChangesTogetherAreChangesOneByOne holds that the canonical form, which is kept beside the graph, is what normalising again would
// give: random changes come to the same in one call and in a call each, in graphs with and without ids and names.
func TestChangesTogetherAreChangesOneByOne(t *testing.T) {
	made := 0
	for seed := range uint64(4000) {
		rng := rand.New(rand.NewPCG(seed, 3))
		g := small(rng)
		ops := make([]Op, 1+rng.IntN(8))
		for i := range ops {
			ops[i] = random(rng, i)
		}
		together, err := Apply(g, ops, graph.Limits{})
		one, oneErr := g, error(nil)
		for i := range ops {
			if one, oneErr = Apply(one, ops[i:i+1], graph.Limits{}); oneErr != nil {
				break
			}
		}
		if fmt.Sprint(err) != fmt.Sprint(oneErr) {
			t.Fatalf("seed %d: together %v, one by one %v", seed, err, oneErr)
		}
		if err != nil {
			continue
		}
		made++
		if a, b := together.AppendJSON(nil), one.AppendJSON(nil); string(a) != string(b) {
			t.Fatalf("seed %d:\ntogether   %s\none by one %s", seed, a, b)
		}
	}
	if made < 50 {
		t.Errorf("only %d of the changes could be made", made)
	}
}

// small draws a graph in which ids are missing, names are shared and connections dangle.
func small(rng *rand.Rand) *graph.Graph {
	g := &graph.Graph{}
	plain := rng.IntN(2) == 0
	for i := range 3 + rng.IntN(4) {
		c := graph.Component{ID: fmt.Sprint("c", i), Type: "relu"}
		if !plain && rng.IntN(3) == 0 {
			c.Name = fmt.Sprint("w", rng.IntN(4))
		}
		if !plain && rng.IntN(4) == 0 {
			c.ID = ""
		}
		g.Components = append(g.Components, c)
	}
	for range rng.IntN(6) {
		g.Connections = append(g.Connections, graph.Connection{From: word(rng), To: word(rng)})
	}
	return g
}

// word names a component, in one way or another, or none.
func word(rng *rand.Rand) string {
	return fmt.Sprint([]string{"c", "c", "w", "n"}[rng.IntN(4)], rng.IntN(6))
}

func random(rng *rand.Rand, i int) Op {
	op := Op{Path: fmt.Sprintf("changes[%d]", i), Kind: Kinds[rng.IntN(len(Kinds))], Component: word(rng)}
	switch op.Kind {
	case Add:
		op.Type, op.Component = []string{"relu", "ReLU"}[rng.IntN(2)], fmt.Sprint("c", 3+rng.IntN(6))
		if rng.IntN(3) == 0 {
			op.Name = word(rng)
		}
		if rng.IntN(2) == 0 {
			op.From = []string{word(rng)}
		}
	case Change:
		op.Type = "gelu"
		if rng.IntN(2) == 0 {
			op.Name = word(rng)
		}
	case Connect:
		op.Component, op.From, op.To = "", []string{word(rng)}, []string{word(rng)}
	case Remove:
		op.Join = rng.IntN(3) == 0
		if rng.IntN(2) == 0 {
			op.Component, op.Join, op.From, op.To = "", false, []string{word(rng)}, []string{word(rng)}
		}
	}
	return op
}
