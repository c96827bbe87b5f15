package plan

import (
	"fmt"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/estimate"
	"github.com/modelverifier/verifier/internal/graph"
)

func planOf(t *testing.T, text, config, more string) *Record {
	t.Helper()
	g, err := graph.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	if config != "" {
		g.Extra = append(g.Extra, graph.Member{Name: "config", Raw: config})
	}
	r, err := Decode(fmt.Appendf(nil, `{"model":%s%s}`, g.AppendJSON(nil), more), graph.ServiceLimits)
	if err != nil {
		t.Fatal(err)
	}
	return New(r)
}

const wide = "x: input shape=[2048]\ne: embedding vocabSize=50000 embedDim=2048\na: transformerBlock embedDim=2048 numHeads=16\nb: transformerBlock embedDim=2048 numHeads=16\nh: lmHead embedDim=2048 vocabSize=50000\no: output\nx -> e -> a -> b -> h -> o"

// TestTheCardThatIsAskedForIsAnswered holds that a plan says yes or no of the card, and warns where it is no.
func TestTheCardThatIsAskedForIsAnswered(t *testing.T) {
	for card, fits := range map[string]bool{"T4": false, "H200": true} {
		r := planOf(t, wide, "", `,"training":{"gpu":"`+card+`"}`)
		if a := r.Cost.Asked; a == nil || a.GPU != card || a.Fits != fits || a.NeedBytes != r.Memory.CardBytes {
			t.Fatalf("%s: %+v", card, a)
		}
		if warned := len(r.Run.Warnings) > 0 && strings.Contains(r.Run.Warnings[len(r.Run.Warnings)-1].Detail, "that "+card+" has"); warned == fits {
			t.Errorf("%s fits: %v; warnings %+v", card, fits, r.Run.Warnings)
		}
		if !strings.Contains(Text(r), "fits        "+card+" "+yes(fits)+", needs ") {
			t.Errorf("%s", Text(r))
		}
	}
	if r := planOf(t, wide, "", ""); r.Cost.Asked != nil {
		t.Errorf("%+v without a card", r.Cost.Asked)
	}
}

// TestProposalsLowerWhatMustFit holds for runs that do not fit: each proposal takes less of the card, and what fits comes first.
func TestProposalsLowerWhatMustFit(t *testing.T) {
	for _, card := range []string{"T4", "L4", "A10G", "A100-40GB"} {
		r := planOf(t, wide, "", `,"training":{"gpu":"`+card+`","batch":16}`)
		fits := true
		for _, f := range r.Fixes {
			if f.CardBytes >= r.Memory.CardBytes && f.GPU == card {
				t.Errorf("%s: %s takes %d bytes, the run %d", card, f.Change, f.CardBytes, r.Memory.CardBytes)
			}
			if f.Fits && !fits {
				t.Errorf("%s: %s comes behind what does not fit", card, f.Change)
			}
			fits = f.Fits
		}
	}
}

// TestThePrecisionFollowsFromWhatIsKnown holds that config.json and the kind of run are believed where nothing is said.
func TestThePrecisionFollowsFromWhatIsKnown(t *testing.T) {
	for _, c := range []struct{ config, more, want, says string }{
		{``, ``, "fp32", ""},
		{`{"model_type":"llama","torch_dtype":"bfloat16"}`, ``, "bf16", "dtype bfloat16 of config.json"},
		{`{"model_type":"llama","dtype":"float16"}`, ``, "fp16", "dtype float16 of config.json"},
		{`{"model_type":"gemma3","text_config":{"dtype":"torch.bfloat16"}}`, ``, "bf16", "dtype bfloat16 of config.json"},
		{`{"model_type":"llama","dtype":"bfloat16"}`, `,"training":{"precision":"amp"}`, "amp", ""},
		{``, `,"training":{"lora":{"rank":8}}`, "bf16", "adapters over a frozen base"},
		{`{"model_type":"llama","dtype":"float32"}`, `,"training":{"lora":{"rank":8}}`, "fp32", "dtype float32 of config.json"},
	} {
		r := planOf(t, wide, c.config, c.more)
		if r.Training.Precision != c.want || !strings.Contains(r.Cost.Assumptions, c.says) || c.says == "" && strings.Contains(r.Cost.Assumptions, "the precision") {
			t.Errorf("%s%s: %s, assumes %s", c.config, c.more, r.Training.Precision, r.Cost.Assumptions)
		}
	}
}

// TestOneRowSaysWhatABlockedModelFits: a model that crashes fits on no card, whichever is asked for.
func TestOneRowSaysWhatABlockedModelFits(t *testing.T) {
	text := "x: input shape=[784]\na: linear inFeatures=784 outFeatures=64\nf: linear inFeatures=60 outFeatures=10\no: output\nx -> a -> f -> o"
	for card, want := range map[string]string{"": "fits        T4; T4 yes", "T4": "fits        T4 no, the model does not run; repaired, it needs "} {
		g, err := graph.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		got := Text(New(&Request{Model: g, Training: estimate.Options{GPU: card}}))
		if strings.Count(got, "\nfits ") != 1 || !strings.Contains(got, want) {
			t.Errorf("asked for %q: %s", card, got)
		}
	}
}
