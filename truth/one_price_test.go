package truth

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/modelverifier/verifier/internal/action/plan"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/importer/hf"
)

// planned is the plan of a graph as it comes over the wire.
func planned(t *testing.T, g *graph.Graph, more string) *plan.Record {
	t.Helper()
	r, err := plan.Decode(fmt.Appendf(nil, `{"model":%s%s}`, g.AppendJSON(nil), more), graph.LocalLimits)
	if err != nil {
		t.Fatal(err)
	}
	return plan.New(r)
}

// figures are what a plan says of length and price.
type figures struct{ tokens, flops, card, peak, micros int64 }

func figuresOf(r *plan.Record) (f figures) {
	f = figures{card: r.Memory.CardBytes, peak: r.Memory.PeakBytes, micros: r.Cost.EstCostUSD.Unscaled}
	if r.FLOPs != nil { // a module whose cost nobody declares has none
		f.flops = *r.FLOPs
	}
	if r.SeqLen != nil {
		f.tokens = r.SeqLen.Used
	}
	return f
}

// near reports whether the figures are the same but for a constant, as long as the longest sample, that only an import knows to keep whole:
// one part in ten thousand of the memory.
func (f figures) near(g figures) bool {
	const parts = 10_000
	off := func(a, b int64) bool { return max(a-b, b-a) > b/parts }
	return f.tokens == g.tokens && f.flops == g.flops && f.micros == g.micros && !off(f.card, g.card) && !off(f.peak, g.peak)
}

// onlyTokens reports whether two imports of one config have the same inputs but for those of so many tokens, which have so many in the second.
func onlyTokens(a, b *graph.Graph, was, is int64) bool {
	shapes := func(g *graph.Graph, length int64) (out []string) {
		for i := range g.Components {
			if c := &g.Components[i]; c.Type == "input" {
				shape, _ := c.Param("shape")
				text := shape.String()
				if list := shape.List(); len(list) == 1 && list[0].Int() == length {
					text = "tokens"
				}
				out = append(out, text)
			}
		}
		return out
	}
	return slices.Equal(shapes(a, was), shapes(b, is))
}

// TestAConfigHasOnePrice holds that a plan prices the length that it prints: the figures of a config.json are those of the same one imported at
// that length, and those of one imported at another length and planned at that one, or the plan says which length it kept.
func TestAConfigHasOnePrice(t *testing.T) {
	texts, kept, count := 0, 0, 0
	lines(t, "hf.jsonl.gz", func(line []byte) {
		var r configRow
		if err := json.Unmarshal(hf.Strict(line), &r); err != nil {
			t.Fatal(err)
		}
		if r.Variant != "default" {
			return
		}
		if count++; count%oneIn(3) > 0 {
			return
		}
		m, err := hf.Import(r.Config, hf.Options{})
		if err != nil {
			return
		}
		name := r.Task + " " + m.ModelType
		first := planned(t, m.Graph, "")
		if first.SeqLen == nil || !first.Run.Legal {
			return
		}
		if l := first.SeqLen; l.NotRun+l.NotPriced > 0 {
			t.Errorf("%s: an import is not priced at its own length: %+v", name, *l)
		}
		texts++
		want := figuresOf(first)
		if again, err := hf.Import(r.Config, hf.Options{SeqLen: want.tokens}); err == nil && onlyTokens(m.Graph, again.Graph, want.tokens, want.tokens) &&
			!bytes.Equal(again.Graph.AppendJSON(nil), m.Graph.AppendJSON(nil)) { // the same graph has the same plan
			if got := figuresOf(planned(t, again.Graph, "")); got != want {
				t.Errorf("%s: %+v, imported at the length that it prints %+v", name, want, got)
			}
		}
		shorter := max(want.tokens/2, 1)
		half, err := hf.Import(r.Config, hf.Options{SeqLen: shorter})
		if err != nil || !onlyTokens(m.Graph, half.Graph, want.tokens, shorter) {
			return
		}
		exact, resized := planned(t, half.Graph, ""), planned(t, m.Graph, fmt.Sprintf(`,"seq_len":%d`, shorter))
		switch got := figuresOf(resized); {
		case resized.SeqLen.NotRun+resized.SeqLen.NotPriced > 0:
			if kept++; got != want {
				t.Errorf("%s: keeps its own length and is priced at %+v, not at %+v", name, got, want)
			}
		case exact.Run.Legal && !got.near(figuresOf(exact)):
			t.Errorf("%s at %d tokens: %+v, imported at that length %+v", name, shorter, got, figuresOf(exact))
		}
	})
	if texts < 150/oneIn(3) || kept > texts/2 {
		t.Errorf("%d models of text, of which %d keep their length", texts, kept)
	}
	t.Logf("%d models of text, of which %d keep their length", texts, kept)
}
