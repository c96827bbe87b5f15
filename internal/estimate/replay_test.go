package estimate

import (
	"fmt"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/infer"
)

// chain is a model of n components, no two of which are alike.
func chain(tb testing.TB, n int) *infer.Result {
	tb.Helper()
	var b strings.Builder
	b.WriteString("x: input shape=[64,256]\n")
	last, width := "x", 256
	for k := range n - 2 {
		name := fmt.Sprintf("c%d", k)
		switch k % 4 {
		case 0:
			next := 200 + k%997
			fmt.Fprintf(&b, "%s: linear inFeatures=%d outFeatures=%d\n", name, width, next)
			width = next
		case 1:
			fmt.Fprintf(&b, "%s: layerNorm normalizedShape=%d\n", name, width)
		case 2:
			fmt.Fprintf(&b, "%s: feedForward embedDim=%d ffDim=%d\n", name, width, width+k)
		default:
			fmt.Fprintf(&b, "%s: gelu\n", name)
		}
		fmt.Fprintf(&b, "%s -> %s\n", last, name)
		last = name
	}
	b.WriteString("o: output\n" + last + " -> o\n")
	g, err := graph.Parse(b.String())
	if err != nil {
		tb.Fatal(err)
	}
	g.Normalize(catalog.Vocabulary)
	return infer.Walk(g)
}

// BenchmarkReplay is a plan's step of 2,000 components, all distinct.
func BenchmarkReplay(b *testing.B) {
	res := chain(b, 2000)
	b.ReportAllocs()
	for b.Loop() {
		if _, missing := Replay(res, Options{Batch: 8, Precision: "amp"}); missing != "" {
			b.Fatal(missing)
		}
	}
}

// BenchmarkReplayInARoom is the same in the memory of the one before, as a server does it.
func BenchmarkReplayInARoom(b *testing.B) {
	res, room := chain(b, 2000), new(Room)
	o := Options{Batch: 8, Precision: "amp"}.or(Defaults(), 8)
	b.ReportAllocs()
	for b.Loop() {
		if _, missing := room.replay(res, o); missing != "" {
			b.Fatal(missing)
		}
		room.Clear()
	}
}

// TestReplayOfHostileSizes has sizes that no card holds, a component that reads very many others, and more experts than are followed one by one:
// what is counted stops growing, and neither overflows nor panics.
func TestReplayOfHostileSizes(t *testing.T) {
	many := "x: input shape=[4]\nc: concatenate dim=0\no: output\nc -> o\n"
	for k := range 200 {
		many += fmt.Sprintf("r%d: relu\nx -> r%d -> c\n", k, k)
	}
	for name, text := range map[string]string{
		"large":          "x: input shape=[2000000000,2000000000]\nr: relu\no: output\nx -> r -> o\n",
		"a large weight": "x: input shape=[4]\nl: linear inFeatures=4 outFeatures=9000000000000000000\no: output\nx -> l -> o\n",
		"many":           many,
		"experts":        "x: input shape=[8,16]\nm: moeLayer embedDim=16 numExperts=100000 topK=2 expertDim=8\no: output\nx -> m -> o\n",
	} {
		g, err := graph.Parse(text)
		if err != nil {
			t.Fatal(name, err)
		}
		g.Normalize(catalog.Vocabulary)
		for _, o := range []Options{{Batch: 1 << 30}, {Batch: 1 << 20, Precision: "amp", Optimizer: "adamw-8bit", Checkpointing: true}} {
			a, _ := Replay(infer.Walk(g), o)
			for _, bytes := range a.Held {
				if peak := a.Most(); peak <= 0 || peak > most || bytes < 0 || bytes > peak {
					t.Errorf("%s %+v: %+v", name, o, a)
				}
			}
		}
	}
}

// TestAModuleWithoutItsWeightsIsAnsweredAsBefore has a component that names a module whose code reads weights, and has none.
func TestAModuleWithoutItsWeightsIsAnsweredAsBefore(t *testing.T) {
	for _, as := range []string{"transformers.XIELUActivation", "transformers.BambaMixer", "transformers.NoSuchModule"} {
		g, err := graph.Parse("x: input shape=[4]\nl: linear outFeatures=4\na: customModule outShape=[4] @as=" + as + "\no: output\nx -> l -> a -> o\n")
		if err != nil {
			t.Fatal(err)
		}
		g.Normalize(catalog.Vocabulary)
		if got := Train(infer.Walk(g), Options{}); got.PeakBytes < 4*20 || got.WeightBytes < 4*20 {
			t.Errorf("as %s: %d bytes", as, got.PeakBytes)
		}
	}
}
