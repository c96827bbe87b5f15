package estimate

import (
	"testing"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/infer"
	"github.com/modelverifier/verifier/models"
	"github.com/modelverifier/verifier/models/drawn"
	"pgregory.net/rapid"
)

// apart is a model in which no component is known to be like another, so that each is lowered by itself.
func apart(g *graph.Graph) *infer.Result {
	res := infer.Walk(g)
	for i := range res.Nodes {
		res.Nodes[i].Like = 0
	}
	return res
}

// variations are runs in all precisions, checkpointed or not, with adapters, with something frozen or with neither.
func variations() (out []Options) {
	for k, precision := range []string{"fp32", "amp", "bf16"} {
		for _, checkpointing := range []bool{false, true} {
			for _, adapt := range []*Adaptation{nil, {LoRA: &LoRA{Rank: 8}}, {Frozen: []string{"*norm*"}}} {
				o := Options{Batch: int64(1 + len(out)%3), Precision: precision, Checkpointing: checkpointing, Adapt: adapt, Dropout: len(out)%2 == 0}
				if o.FusedLoss = len(out)%4 == 1; k == 1 && checkpointing {
					o.Attention = "eager"
				}
				out = append(out, o)
			}
		}
	}
	return out
}

// sameAccounts holds what a step holds to the same bytes, whether components that are alike are lowered once or each by itself.
func sameAccounts(t interface{ Fatalf(string, ...any) }, room *Room, name string, g *graph.Graph, o Options) {
	res, single := infer.Walk(g), apart(g)
	o = o.or(Defaults(), batchFor(res))
	got, missing := room.replay(res, o)
	want, lacks := room.replay(single, o)
	if got != want || missing != lacks {
		t.Fatalf("%s, %+v: %+v (%s), but each by itself %+v (%s)", name, o, got, missing, want, lacks)
	}
}

// TestComponentsThatAreAlikeAreFollowedAsEachByItself has the bundled models.
func TestComponentsThatAreAlikeAreFollowedAsEachByItself(t *testing.T) {
	room, runs := new(Room), variations()
	for m, name := range models.List() {
		g, err := models.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		g.Normalize(catalog.Vocabulary)
		for k := range runs {
			if !testing.Short() || (k+m)%6 == 0 {
				sameAccounts(t, room, name, g, runs[k])
			}
		}
	}
}

// TestDrawnComponentsThatAreAlikeAreFollowedAsEachByItself has models that are broken at times.
func TestDrawnComponentsThatAreAlikeAreFollowedAsEachByItself(t *testing.T) {
	room, runs := new(Room), variations()
	rapid.Check(t, func(t *rapid.T) {
		g := drawn.Model(t)
		g.Normalize(catalog.Vocabulary)
		sameAccounts(t, room, "drawn", g, rapid.SampledFrom(runs).Draw(t, "run"))
	})
}

// TestComponentsThatReadTheSameOrWeights has components that are alike and read one result twice or two, or weights.
func TestComponentsThatReadTheSameOrWeights(t *testing.T) {
	for name, text := range map[string]string{
		"twice": "x: input shape=[8,16]\na: linear outFeatures=16\nb: linear outFeatures=16\nc: add\nd: add\ne: add\no: output\n" +
			"x -> a -> c\na -> c -> b -> d\nc -> d -> e\nb -> e -> o\n",
		"alike": "x: input shape=[8,16]\na: linear outFeatures=16\nb: linear outFeatures=16\nc: linear outFeatures=16\no: output\n" +
			"x -> a -> b -> c -> o\n",
		"weights": "x: input shape=[16,16]\np: parameter shape=[16,16]\nq: parameter shape=[16,16]\n" +
			"a: matmul\nb: matmul\nc: matmul\no: output\nx -> a\np -> a -> b\nq -> b -> c\np -> c -> o\n",
	} {
		g, err := graph.Parse(text)
		if err != nil {
			t.Fatal(name, err)
		}
		g.Normalize(catalog.Vocabulary)
		for _, o := range variations() {
			sameAccounts(t, new(Room), name, g, o)
		}
	}
}
