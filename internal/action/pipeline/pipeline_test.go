package pipeline

import (
	"slices"
	"testing"

	"github.com/modelverifier/verifier/internal/graph"
)

func parsed(t *testing.T, text string) *graph.Graph {
	t.Helper()
	g, err := graph.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

const (
	small = "x: input shape=[8]\nf: linear inFeatures=8 outFeatures=16\no: output\nx -> f -> o"
	large = "x: input shape=[64]\nf: linear inFeatures=64 outFeatures=1024\ng: linear inFeatures=1024 outFeatures=4096\no: output\nx -> f -> g -> o"
)

// TestPipelinesArePricedPartByPart: weights of parts add up where all are resident, the largest counts where one is at a time, and where a
// part was not read the whole has no price.
func TestPipelinesArePricedPartByPart(t *testing.T) {
	q := func(parts ...Part) *Request { return &Request{Class: "P", Precision: "fp16", Parts: parts} }
	a, b := Part{Name: "a", Graph: parsed(t, small)}, Part{Name: "b", Graph: parsed(t, large)}
	one, both := New(q(b)), New(q(a, b, Part{Name: "s", Weightless: true}))
	if len(both.Parts) != 2 || len(both.NotPriced) != 0 {
		t.Fatalf("%+v", both)
	}
	sum := *both.Parts[0].WeightBytes + *both.Parts[1].WeightBytes
	if both.Resident.WeightBytes != sum || *both.Parts[0].Params != 8*16+16 {
		t.Errorf("%+v: want weights of %d", both.Resident, sum)
	}
	if both.Offload.PeakBytes != one.Offload.PeakBytes || both.Offload.Part != "b" {
		t.Errorf("%+v, alone %+v", both.Offload, one.Offload)
	}
	if both.Resident.PeakBytes <= one.Resident.PeakBytes || both.Resident.CardBytes <= both.Resident.PeakBytes {
		t.Errorf("%+v, alone %+v", both.Resident, one.Resident)
	}
	lacks := New(q(b, Part{Name: "c", Open: "is not modelled"}))
	if !slices.Equal(lacks.NotPriced, []string{"c"}) || lacks.Parts[0].Params == nil || lacks.Parts[1].Params != nil || lacks.Resident != nil || lacks.Offload != nil {
		t.Errorf("%+v", lacks)
	}
	if none := New(q()); none.Resident != nil || none.Offload != nil {
		t.Errorf("%+v", none)
	}
}

// TestGuidanceDoublesTheBatch: a UNet runs with and without the text.
func TestGuidanceDoublesTheBatch(t *testing.T) {
	r := New(&Request{Batch: 3, Parts: []Part{{Name: "unet", Class: "UNet2DConditionModel", Graph: parsed(t, large)}, {Name: "vae", Class: "AutoencoderKL", Graph: parsed(t, large)}}})
	if r.Parts[0].Batch != 6 || r.Parts[1].Batch != 3 || *r.Parts[0].ActivationBytes <= *r.Parts[1].ActivationBytes {
		t.Errorf("%+v", r.Parts)
	}
}
