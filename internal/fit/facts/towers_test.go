package facts_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/fit/facts"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/infer"
	"github.com/modelverifier/verifier/models"
)

// TestATowerIsWhatReadsNoText holds that ids decide nothing: what reads a picture and no text is a tower, whatever it is called.
func TestATowerIsWhatReadsNoText(t *testing.T) {
	const decoder = "x: input shape=[16]\ne: embedding vocabSize=100 embedDim=32\n%s: groupedQueryAttention embedDim=32 numHeads=8\nh: lmHead embedDim=32 vocabSize=100\no: output\nx -> e -> %[1]s -> h -> o"
	const both = "p: input shape=[16,48]\nq: linear inFeatures=48 outFeatures=32\nv: groupedQueryAttention embedDim=32 numHeads=2\nw: groupedQueryAttention embedDim=32 numHeads=2\nx: input shape=[16]\ne: embedding vocabSize=100 embedDim=32\nm: add\na: groupedQueryAttention embedDim=32 numHeads=8\nh: lmHead embedDim=32 vocabSize=100\no: output\np -> q -> v -> w -> m\nx -> e -> m -> a -> h -> o"
	for text, want := range map[string]int64{fmt.Sprintf(decoder, "a"): 8, fmt.Sprintf(decoder, "deep_supervision"): 8, fmt.Sprintf(decoder, "visual_audio_tower"): 8, both: 8} {
		g, err := graph.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		g.Normalize(catalog.Vocabulary)
		if f := facts.Of(infer.Walk(g)); f.Heads != want || f.AttentionLayers != 1 {
			t.Errorf("%d heads in %d layers, want %d in 1:\n%s", f.Heads, f.AttentionLayers, want, text)
		}
	}
}

// TestFactsDoNotDependOnIds renames the components of every bundled model.
func TestFactsDoNotDependOnIds(t *testing.T) {
	words := []string{"vision", "visual", "audio_tower", "encoder", "lm_head", "experts", "decoder"}
	for _, id := range models.List() {
		g, err := models.Open(id)
		if err != nil {
			t.Fatal(err)
		}
		text := string(g.AppendJSON(nil))
		g.Normalize(catalog.Vocabulary)
		want := facts.Of(infer.Walk(g))
		renamed, err := graph.Decode([]byte(text), "model", graph.LocalLimits)
		if err != nil {
			t.Fatal(err)
		}
		ids := map[string]string{}
		for i := range renamed.Components {
			c := &renamed.Components[i]
			ids[c.ID] = fmt.Sprintf("%s_%d", words[(i*7+len(id))%len(words)], i)
			c.Name = strings.ToUpper(words[i%len(words)])
		}
		for i := range renamed.Components {
			c := &renamed.Components[i]
			c.ID = ids[c.ID]
			for _, name := range []string{"tiedTo", "sameAs"} {
				if v, found := c.Param(name); found && ids[v.Str()] != "" {
					c.SetParam(name, graph.StringValue(ids[v.Str()]))
				}
			}
		}
		for i := range renamed.Connections {
			e := &renamed.Connections[i]
			e.From, e.To = ids[e.From], ids[e.To]
		}
		renamed.Normalize(catalog.Vocabulary)
		if got := facts.Of(infer.Walk(renamed)); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v under other ids, %+v", id, got, want)
		}
	}
}
