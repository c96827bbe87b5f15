package estimate

import (
	"reflect"
	"slices"
	"strconv"
	"testing"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/infer"
	"github.com/modelverifier/verifier/models"
)

// unlike are graphs of components with the same parameters and inputs that are not of one kind: of two, one is in a layer that is
// computed again, one is refused, and one has its weight from a component that was refused when the other came to it.
var unlike = []string{
	"x: input shape=[64,256]\nlayers.0.a: feedForward embedDim=256 ffDim=64\nb: feedForward embedDim=256 ffDim=64\no: output\nx -> layers.0.a -> b -> o",
	"x: input shape=[64,256]\na: linear inFeatures=256 outFeatures=256 sameAs=a\nb: linear inFeatures=256 outFeatures=256 sameAs=a\no: output\nx -> a -> b -> o",
	"x: input shape=[8]\na: lmHead embedDim=64 vocabSize=500 tiedTo=e\ne: embedding vocabSize=500 embedDim=64 tiedTo=nobody\nb: lmHead embedDim=64 vocabSize=500 tiedTo=e\n" +
		"o: output\np: output\nx -> e -> a -> o\ne -> b -> p",
}

// A component is estimated as if there were none like it. Two in three are made transformers', and a few are frozen or have adapters,
// so that components which are alike for infer are not for a training step.
func TestComponentsOfAKindAreEstimatedAsEachAlone(t *testing.T) {
	for _, text := range unlike {
		g, err := graph.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		for i := range g.Components {
			c := &g.Components[i]
			c.Extra = []graph.Member{{Name: "scope", Raw: strconv.Quote(c.ID)}}
			nameModule(&infer.Node{Component: c, Type: catalog.Lookup(c.Type)}, "transformers")
		}
		compareAlone(t, text, g)
	}
	for _, model := range models.List() {
		g, err := models.Open(model)
		if err != nil {
			t.Fatal(err)
		}
		for i := range g.Components {
			if c := &g.Components[i]; i%3 > 0 && catalog.Lookup(c.Type) != nil {
				c.Extra = slices.Clone(c.Extra)
				nameModule(&infer.Node{Component: c, Type: catalog.Lookup(c.Type)}, "transformers/steps")
			}
		}
		compareAlone(t, model, g)
	}
}

// compareAlone compares the estimates of a graph with those of one whose components are alike to none.
func compareAlone(t *testing.T, name string, g *graph.Graph) {
	t.Helper()
	g.Normalize(catalog.Vocabulary)
	res := infer.Walk(g)
	alone := *res
	alone.Nodes = slices.Clone(res.Nodes)
	for i := range alone.Nodes {
		alone.Nodes[i].Like = 0
	}
	size := len(g.Components)
	some := []string{g.Components[size/3].ID, g.Components[size/2].ID, g.Components[2*size/3].ID}
	for _, o := range []Options{{Batch: 32}, {Batch: 32, Precision: "amp", Checkpointing: true}, {Batch: 64, Precision: "bf16", Optimizer: "adafactor"},
		{Batch: 8, Precision: "amp", Adapt: &Adaptation{Frozen: some}}, {Batch: 8, Adapt: &Adaptation{LoRA: &LoRA{Rank: 4, Targets: some}}}} {
		got, want := Train(res, o), Train(&alone, o)
		if got.followed < want.followed { // that components are alike may spare work, and never makes any
			got.followed = want.followed
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s %+v: %+v, each alone %+v", name, o, got, want)
		}
	}
}
