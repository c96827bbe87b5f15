package infer

import (
	"fmt"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
)

func parsed(t *testing.T, text string) *graph.Graph {
	t.Helper()
	g, err := graph.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	g.Normalize(catalog.Vocabulary)
	return g
}

// TestOperationsAreFollowedUpToALimit walks components of thousands of operations each, no two neighbours of which are alike.
func TestOperationsAreFollowedUpToALimit(t *testing.T) {
	var s strings.Builder
	s.WriteString("x: input shape=[8]\n")
	last := "x"
	for i := range 40 {
		fmt.Fprintf(&s, "c%d: crossNetwork inputDim=8 numLayers=%d\n%s -> c%d\n", i, 1024-i, last, i)
		last = fmt.Sprint("c", i)
	}
	w := new(Room).visitAll(parsed(t, s.String()), nil)
	w.total()
	if most := mostSteps + mostOfEach*41 + 6*1024; w.steps > most {
		t.Errorf("%d operations are followed", w.steps)
	}
	if w.res.Nodes[1].LacksSaved() || !w.res.Nodes[40].LacksSaved() || w.res.KnownSaved() != nil || w.res.KnownFLOPs() == nil {
		t.Errorf("what the first saves is known: %v, the last: %v", !w.res.Nodes[1].LacksSaved(), !w.res.Nodes[40].LacksSaved())
	}
}

// TestViewsOfOneResultAreStoredOnce saves the end of a chain of views many times.
func TestViewsOfOneResultAreStoredOnce(t *testing.T) {
	r := Walk(parsed(t, "x: input shape=[8]\na: linear outFeatures=8\nb: identity\nc: identity\nd: identity\n"+
		"s: customModule outShape=[8] flops=1 params=1\nu: customModule outShape=[8] flops=1 params=1\n"+
		"x -> a -> b -> c -> d\nd, d, c, b -> s\nc, a -> u"))
	if s, u := r.Nodes[5].SavedBytes, r.Nodes[6].SavedBytes; s != 4*32 || u != 2*32 || r.SavedBytes != 2*32 {
		t.Errorf("%d, %d and %d together are saved", s, u, r.SavedBytes)
	}
}

// TestATiedHeadFindsTheTableOfItsShape has tables of other shapes, and two of one.
func TestATiedHeadFindsTheTableOfItsShape(t *testing.T) {
	r := Walk(parsed(t, "x: input shape=[8] dtype=int64\na: embedding vocabSize=9 embedDim=4\nb: embedding vocabSize=10 embedDim=4\n"+
		"c: embedding vocabSize=10 embedDim=4\nh: lmHead embedDim=4 vocabSize=9 tied=true\nk: lmHead embedDim=4 vocabSize=10 tied=true\nx -> a -> h\nx -> b -> k\nx -> c"))
	if r.Nodes[4].Shares != 2 || len(r.Refusals) != 1 || r.Refusals[0].Node != 5 {
		t.Errorf("the head shares %d; %v", r.Nodes[4].Shares, r.Refusals)
	}
}
