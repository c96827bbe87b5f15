package estimate

import "testing"

// Experts that compute every position keep as much whatever the number that a position visits; others keep more for each.
func TestBatchedExpertsKeepEveryPosition(t *testing.T) {
	const text = "x: input shape=[64,32]\nf: linear outFeatures=32\nm: moeLayer embedDim=32 numExperts=4 topK=1 expertDim=16\no: output\nx -> f -> m -> o"
	const more = "x: input shape=[64,32]\nf: linear outFeatures=32\nm: moeLayer embedDim=32 numExperts=4 topK=2 expertDim=16\no: output\nx -> f -> m -> o"
	const rows = 8 * 64
	o := Options{Batch: 8, Precision: "bf16"}
	// What the router reads, its shares in both widths and where the chosen ones are, and two copies and four tensors between the maps.
	want := func(chosen int64) int64 { return rows*32*2 + rows*4*(4+2) + rows*8*chosen + rows*4*(2*32+4*16)*2 }
	for k, c := range []string{text, more} {
		if got, want := written(t, c, "moeLayer", "batched", o).ActivationBytes, want(int64(k)+1); got != want {
			t.Errorf("%s: keeps %d bytes, want %d", c, got, want)
		}
	}
	if one, two := written(t, text, "moeLayer", "wide", o).ActivationBytes, written(t, more, "moeLayer", "wide", o).ActivationBytes; one >= two {
		t.Errorf("gathered experts keep %d bytes for one choice and %d for two", one, two)
	}
}
