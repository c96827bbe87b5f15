package infer

import (
	"testing"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
)

// leftOut parses a graph and says of inputs that the call does not give them.
func leftOut(t *testing.T, text string, ids ...string) *graph.Graph {
	t.Helper()
	g, err := graph.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	for i := range g.Components {
		for _, id := range ids {
			if g.Components[i].ID == id {
				g.Components[i].SetParam("given", graph.BoolValue(false))
			}
		}
	}
	g.Normalize(catalog.Vocabulary)
	return g
}

const heard = `
ids: input shape=[16]
table: embedding vocabSize=100 embedDim=32
head: lmHead embedDim=32 vocabSize=100
logits: output
ids -> table -> head -> logits
sound: input shape=[20,8]
up: linear inFeatures=8 outFeatures=24
narrow: linear inFeatures=16 outFeatures=32
odd: customModule
sound -> up -> narrow -> odd
`

func TestWhatATextCallLeavesOutIsNotRefused(t *testing.T) {
	res := Walk(leftOut(t, heard))
	if len(res.Refusals) != 1 || res.Nodes[6].State != Refused {
		t.Fatalf("the tower runs: %+v", res.Refusals)
	}
	res = Walk(leftOut(t, heard, "sound"))
	if len(res.Refusals) != 0 {
		t.Fatalf("refused: %+v", res.Refusals)
	}
	for i, want := range []State{Legal, Legal, Legal, Legal, Absent, Absent, Absent, Absent} {
		if got := res.Nodes[i].State; got != want {
			t.Errorf("%s has state %d, want %d", res.Nodes[i].Component.ID, got, want)
		}
	}
	if want := int64(3200 + 3200 + 8*24 + 24 + 16*32 + 32); res.Params != want {
		t.Errorf("%d weights, want %d with those of the tower", res.Params, want)
	}
	if want := int64(2 * 16 * 32 * 100); res.FLOPs != want || res.KnownFLOPs() == nil {
		t.Errorf("%d FLOPs, want the head's %d alone", res.FLOPs, want)
	}
	if res.KnownSaved() == nil {
		t.Error("what is saved for backward is not known, but what is left out saves nothing")
	}
}

// TestWhatTheConstructorRefusesIsRefusedWhoeverCalls: the module of a tower is constructed even if nothing ever calls it.
func TestWhatTheConstructorRefusesIsRefusedWhoeverCalls(t *testing.T) {
	for _, broken := range []string{
		"narrow: groupNorm numGroups=3 numChannels=20",
		"narrow: conv1d inChannels=20 outChannels=8 kernelSize=1 groups=3",
		"narrow: conv1d inChannels=24 outChannels=8 kernelSize=1 groups=5", // 20 channels arrive, too
		"narrow: dropout p=1.5",
		"narrow: linear inFeatures=24 outFeatures=-1",
		"narrow: linear inFeatures=24",
		"narrow: noSuchLayer",
	} {
		text := "ids: input shape=[16]\ntable: embedding vocabSize=100 embedDim=32\nlogits: output\nids -> table -> logits\n" +
			"sound: input shape=[20,24]\n" + broken + "\nnext: linear inFeatures=3 outFeatures=4\nsound -> narrow -> next"
		res := Walk(leftOut(t, text, "sound"))
		if len(res.Refusals) != 1 || res.Refusals[0].Node != 4 || res.Nodes[4].State != Refused {
			t.Errorf("%s: %+v", broken, res.Refusals)
		}
	}
}

// TestOnlyWhatACallCanLeaveOutIsAbsent: what runs needs its inputs, whatever is said of them.
func TestOnlyWhatACallCanLeaveOutIsAbsent(t *testing.T) {
	const text = "ids: input shape=[16]\ntable: embedding vocabSize=100 embedDim=32\nlogits: output\nids -> table -> logits\n" +
		"sound: input shape=[16,8]\nup: linear inFeatures=8 outFeatures=32\nsound -> up"
	for more, want := range map[string]int{
		"": 0,
		"\nsum: add\nend: output\nup -> sum\ntable -> sum -> end": 1, // the sum runs, and lacks what is added
		"\nend: output\nup -> end":                                1,
	} {
		res := Walk(leftOut(t, text+more, "sound"))
		if len(res.Refusals) != want || want > 0 && res.Refusals[0].Rule != catalog.MissingInput {
			t.Errorf("%q: %+v", more, res.Refusals)
		}
	}
	if res := Walk(leftOut(t, text, "ids")); len(res.Refusals) != 1 || res.Refusals[0].Node != 2 {
		t.Errorf("an output without its input: %+v", res.Refusals)
	}
	for _, v := range []graph.Value{graph.BoolValue(true), graph.StringValue("false"), graph.IntValue(0)} {
		g := leftOut(t, text)
		g.Components[3].SetParam("given", v)
		if res := Walk(g); res.Nodes[4].State == Absent {
			t.Errorf("given=%v leaves the tower out", v)
		}
	}
}
