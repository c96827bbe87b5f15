package hardware

import (
	"slices"
	"testing"
)

func TestSpellingsOfCards(t *testing.T) {
	for spelling, want := range map[string]string{
		"T4": "T4", "t4": "T4", "nvidia-t4": "T4", "L4": "L4", "A10G": "A10G", "l40s": "L40S",
		"A100-40GB": "A100-40GB", "a100_40": "A100-40GB", "A100 40 GB": "A100-40GB", "A100-80": "A100-80GB", "A100-80GB": "A100-80GB",
		"H100": "H100", "H100_80": "H100", "h100-80gb": "H100", "H200": "H200", "B200": "B200", "v100": "V100",
		"RTX 4090": "RTX4090", "MI300X": "MI300X", "amd mi300x": "MI300X",
	} {
		if g := Lookup(spelling); g == nil || g.Name != want {
			t.Errorf("%q is %v, want %s", spelling, g, want)
		}
	}
	for _, unknown := range []string{"", "GB", "A100_41", "TPU", "H"} {
		if g := Lookup(unknown); g != nil {
			t.Errorf("%q is %s, want none", unknown, g.Name)
		}
	}
}

func TestSpellingsMeanOneCard(t *testing.T) {
	seen := map[string]string{}
	for _, g := range GPUs() {
		for _, k := range g.keys() {
			if other, taken := seen[k]; taken && other != g.Name {
				t.Errorf("%q means %s and %s", k, other, g.Name)
			}
			seen[k] = g.Name
		}
	}
}

func TestNearestCard(t *testing.T) {
	for word, want := range map[string]string{"H10O": "H100", "A100-4OGB": "A100-40GB", "L40X": "L40S", "": "", "zzzzzzzzzzzz": ""} {
		if got := Nearest(word); got != want {
			t.Errorf("nearest to %q is %q, want %q", word, got, want)
		}
	}
}

func TestEveryCardIsComplete(t *testing.T) {
	var managed []string
	last := int64(0)
	for _, g := range GPUs() {
		if g.Label == "" || g.MemoryBytes <= 0 || g.MarketedGB <= 0 || g.Processors <= 0 || g.Threads%128 != 0 || g.Threads == 0 || g.BandwidthGBs <= 0 || g.FP32 <= 0 || g.FP16 <= 0 || g.Source == "" || g.PriceSource == "" || len(g.PriceDate) != 10 {
			t.Errorf("%s lacks something: %+v", g.Name, g)
		}
		if g.PriceMicroUSDPerHour < last || g.PriceMicroUSDPerHour == 0 {
			t.Errorf("%s at %d comes behind %d", g.Name, g.PriceMicroUSDPerHour, last)
		}
		last = g.PriceMicroUSDPerHour
		if per := g.MemoryBytes / g.MarketedGB; per < 930_000_000 || per > 1<<30+1<<24 {
			t.Errorf("%s shows %d bytes for each of %d GB", g.Name, per, g.MarketedGB)
		}
		if g.Managed {
			managed = append(managed, g.Name)
		}
	}
	want := []string{"T4", "L4", "A10G", "L40S", "A100-40GB", "A100-80GB", "H100", "H200"}
	if !slices.Equal(managed, want) {
		t.Errorf("a training job can ask for %v, the specification says %v", managed, want)
	}
}

func TestNineTargets(t *testing.T) {
	var ids []string
	for _, d := range Targets() {
		ids = append(ids, d.ID)
		if d.Label == "" || d.MemoryBytes <= 0 || d.TFLOPS <= 0 || d.BandwidthGBs <= 0 || d.LayerMicros <= 0 || d.Source == "" || len(d.Date) != 10 || d.WeightBits%8 != 0 || d.WeightBits == 0 {
			t.Errorf("%s lacks something: %+v", d.ID, d)
		}
	}
	slices.Sort(ids)
	want := []string{"browser", "browser-webgpu", "cloud-a100", "cloud-t4", "edge-cpu", "edge-gpu", "edge-tpu", "mobile-android", "mobile-ios"}
	if !slices.Equal(ids, want) {
		t.Errorf("targets are %v, want %v", ids, want)
	}
}

func TestListsAreCopies(t *testing.T) {
	GPUs()[0], Targets()[0] = nil, nil
	if GPUs()[0] == nil || Targets()[0] == nil {
		t.Error("a caller changed the list")
	}
}
