package estimate

import "testing"

// A model of two linear layers of 1,000 × 1,000 without a bias shows what each sharding keeps of it.
const twoSquares = "x: input shape=[1000]\nf: linear outFeatures=1000 bias=false\ng: linear outFeatures=1000 bias=false\no: output\nx -> f -> g -> o"

func TestACardHoldsItsPartOfARunThatIsShared(t *testing.T) {
	const million = 1_000_000
	for _, c := range []struct {
		shard                                     Shard
		weights, gradients, optimizer, unit, host int64
	}{
		{Shard{Kind: "ddp", GPUs: 8}, 8 * million, 8 * million, 16 * million, 0, 0},
		{Shard{Kind: "zero-1", GPUs: 8}, 8 * million, 8 * million, 2 * million, 0, 0},
		{Shard{Kind: "zero-2", GPUs: 8}, 8 * million, million, 2 * million, 0, 0},
		{Shard{Kind: "zero-3", GPUs: 8}, million, million, 2 * million, 8*million + 8*million, 0},
		{Shard{Kind: "zero-3", GPUs: 8, Offload: "optimizer"}, million, 0, 0, 8*million + 8*million, 3 * million},
		{Shard{Kind: "zero-3", GPUs: 8, Offload: "all"}, 0, 0, 0, 8*million + 8*million, 4 * million},
		{Shard{Kind: "zero-3", GPUs: 7}, 2 * 4 * 142_858, 2 * 4 * 142_858, 0, 16 * million, 0}, // padded to a whole number for each card
	} {
		got := new(Room).Rank(parse(t, twoSquares), Options{Batch: 1, Shard: c.shard})
		if got.WeightBytes != c.weights || got.GradientBytes != c.gradients || got.UnitBytes != c.unit {
			t.Errorf("%+v: weights %d, gradients %d, gathered %d; want %+v", c.shard, got.WeightBytes, got.GradientBytes, got.UnitBytes, c)
		}
		if c.optimizer > 0 && (got.OptimizerBytes != c.optimizer) || c.host > 0 && (got.HostBytes != c.host) {
			t.Errorf("%+v: optimizer %d, host %d; want %+v", c.shard, got.OptimizerBytes, got.HostBytes, c)
		}
	}
	if got := new(Room).Rank(parse(t, twoSquares), Options{}); got != nil {
		t.Errorf("one card alone: %+v", got)
	}
}

// DeepSpeed's own estimators (estimate_zero2_model_states_mem_needs and estimate_zero3_model_states_mem_needs) count 16 bytes a weight for a 16-bit
// model's optimizer, over the cards.
func TestZeROsOptimizerTakesSixteenBytesOfEachWeight(t *testing.T) {
	got := new(Room).Rank(parse(t, twoSquares), Options{Batch: 1, Precision: "bf16", Shard: Shard{Kind: "zero-2", GPUs: 4}})
	if want := int64(16 * 2_000_000 / 4); got.OptimizerBytes != want {
		t.Errorf("%d bytes, want %d", got.OptimizerBytes, want)
	}
}
