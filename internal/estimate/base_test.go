package estimate

import "testing"

// Every figure can be counted by hand: of two matrices of 1,024 × 1,024 the second gives the logits and stays as it is.
func TestALinearLayerInFourBitsHasItsScales(t *testing.T) {
	const elems, adapters = 1 << 20, 2 * 8 * 1024 * 4
	for base, scales := range map[string]int64{
		"nf4":        4*elems/64 + 512,                 // a float for every 64, and the table
		"nf4-double": elems/64 + 4*elems/64/256 + 1024, // a byte for every 64, a float for every 256 of these, the table and the mean
		"int8":       elems/2 + 4*1024,                 // a byte for each, and a float for every row
	} {
		lora := &LoRA{Rank: 8, Targets: []string{"f"}}
		got := Train(parse(t, twoLayers), Options{Batch: 1, Base: base, Adapt: &Adaptation{LoRA: lora}})
		want := elems/2 + (scales+511)/512*512 + 4*elems + adapters
		if got.WeightBytes != want {
			t.Errorf("%s: %d bytes of weights, want %d", base, got.WeightBytes, want)
		}
	}
	if got := Train(parse(t, twoLayers), Options{Batch: 1, Base: "nf4"}); got.Options.Base != "" || got.WeightBytes != 8*elems {
		t.Errorf("weights that are trained are stored in %q, %d bytes", got.Options.Base, got.WeightBytes)
	}
}

func TestAdaptersAreOf32BitsUnlessTheyAreAskedToBeAsTheWeights(t *testing.T) {
	of := func(bits int64, dropout float64) *Training {
		return Train(parse(t, twoLayers), Options{Batch: 32, Precision: "bf16", Adapt: &Adaptation{LoRA: &LoRA{Rank: 8, Targets: []string{"f", "g"}, Bits: bits, Dropout: dropout}}})
	}
	const elems = 4 * 8 * 1024
	if own, wide := of(16, 0), of(0, 0); own.GradientBytes != 2*elems || wide.GradientBytes != 4*elems || wide.OptimizerBytes != 2*own.OptimizerBytes {
		t.Errorf("gradients of %d and %d bytes, optimizer %d and %d", own.GradientBytes, wide.GradientBytes, own.OptimizerBytes, wide.OptimizerBytes)
	}
	// What an adapter reads is kept whether something is dropped or not. A dropout keeps its mask, but for that of the input, which has no gradient.
	const mask = 32 * 1024
	plain, dropped := of(32, 0), of(32, 0.1)
	if got := dropped.ActivationBytes - plain.ActivationBytes; got != mask {
		t.Errorf("a dropout keeps %d bytes more, want the mask of %d", got, mask)
	}
}

func TestStatesThatArePagedAreNotOnTheCard(t *testing.T) {
	const elems = 1 << 20
	for name, want := range map[string]struct{ paged, card int64 }{
		"adamw-8bit":       {0, 4 * (elems + 4*elems/256)},
		"paged-adamw-8bit": {4 * elems, 4 * 4 * elems / 256},
		"paged-adamw":      {4 * 4 * elems, 0},
	} {
		got := Train(parse(t, twoLayers), Options{Batch: 1, Optimizer: name})
		if got.PagedBytes != want.paged || got.OptimizerBytes != want.card {
			t.Errorf("%s: %d bytes paged, %d on the card; want %+v", name, got.PagedBytes, got.OptimizerBytes, want)
		}
	}
}

// An 8-bit layer keeps what it reads until all of the backward pass is through, and under checkpointing too; a 4-bit layer keeps nothing.
func TestEightBitLayersKeepWhatTheyRead(t *testing.T) {
	const text = "x: input shape=[8,256]\na: linear inFeatures=256 outFeatures=256\nb: linear inFeatures=256 outFeatures=256\nc: linear inFeatures=256 outFeatures=256\n" +
		"d: linear inFeatures=256 outFeatures=256\no: output\nx -> a -> b -> c -> d -> o"
	kept := func(base string) int64 {
		return Train(parse(t, text), Options{Batch: 512, Base: base, Adapt: &Adaptation{LoRA: &LoRA{Rank: 8, Targets: []string{"a"}}}}).ActivationBytes
	}
	const read = 512 * 8 * 256 * 4
	if got := kept("int8") - kept("nf4"); got != 2*read { // of b and c: what a reads has no gradient, and d stays in floats
		t.Errorf("8 bits keep %d bytes more than 4, want %d", got, 2*read)
	}
}

// Packed rows need a mask for PyTorch's kernels, and none for FlashAttention or where the scores are in memory.
func TestPackedRowsAreMasked(t *testing.T) {
	for attention, masks := range map[string]bool{"sdpa": true, "flash": false, "eager": false} {
		o := Options{Packing: true, Attention: attention}
		if o.masks() != masks {
			t.Errorf("%s: %v", attention, o.masks())
		}
	}
}
