package layout

import (
	"math"
	"testing"
)

// TestMemoryIsThatOfThePapers compares what a rank holds with what papers say of the same layouts.
//
// ZeRO: Rajbhandari et al. 2020, figure 1, 7.5 billion parameters on 64 ranks, in 10^9 bytes. Korthikanti et al. 2022, table 3 and
// section 4: 34·s·b·h·L/t bytes of activations on the first stage with sequence parallelism and selective recomputation, with v chunks
// a rank 1+(p−1)/(p·v) times that; 2 of the 34 are masks of dropout, which the graphs do not have. Model states are 18 bytes a
// parameter there (16-bit weights, 32-bit gradients, weights and moments), 1/(t·p) of the model on a rank.
func TestMemoryIsThatOfThePapers(t *testing.T) {
	korthikanti := func(h, layers, factor float64) float64 { return 34 * 2048 * h * layers / 8 * factor }
	for _, c := range []struct {
		name, model, framework, layout string
		published                      float64
		figure                         func([]stage) int64
		allowed                        float64
	}{
		{"ZeRO, nothing sharded", "gpt-7.5b", "deepspeed", "dp=64 zero=0", 120e9, states, 0.01},
		{"ZeRO 1", "gpt-7.5b", "deepspeed", "dp=64 zero=1", 31.4e9, states, 0.01},
		{"ZeRO 2", "gpt-7.5b", "deepspeed", "dp=64 zero=2", 16.6e9, states, 0.01},
		{"ZeRO 3", "gpt-7.5b", "deepspeed", "dp=64 zero=3", 1.88e9, states, 0.01},
		{"GPT-3, activations of stage 0", "gpt3-175b", "megatron", "tp=8 pp=8 vpp=3 global_batch=64 recompute=selective", korthikanti(12288, 96, 1+7.0/24), activations, 0.07},
		{"GPT-3, states of stage 1", "gpt3-175b", "megatron", "tp=8 pp=8 vpp=3 global_batch=64", 18 * 12 * 12288 * 12288 * 96 / 64, middle, 0.01},
		{"1T, activations of stage 0", "gpt-1t", "megatron", "tp=8 pp=64 global_batch=512 recompute=selective", korthikanti(25600, 128, 1), activations, 0.07},
		{"1T, states of stage 1", "gpt-1t", "megatron", "tp=8 pp=64 global_batch=512", 18 * 12 * 25600 * 25600 * 128 / 512, middle, 0.01},
	} {
		r := parse(t, c.framework, c.layout)
		m := newModel(open(t, c.model), r.SeqLen)
		got := float64(c.figure(newPlan(m, r, frameworkOf(c.framework)).stages()))
		off := got/c.published - 1
		if math.Abs(off) > c.allowed {
			t.Errorf("%s: %.3f GB, published %.3f GB", c.name, got/1e9, c.published/1e9)
		}
		t.Logf("%-32s %8.3f GB, published %8.3f GB: %+.1f %%", c.name, got/1e9, c.published/1e9, 100*off)
	}
}

func states(s []stage) int64      { return s[0].fixed() }
func middle(s []stage) int64      { return s[1].fixed() }
func activations(s []stage) int64 { return s[0].activations }

// TestInFlightIsThatOfTheSchedules counts what a simulation of the schedules holds at once on each stage.
func TestInFlightIsThatOfTheSchedules(t *testing.T) {
	for p := int64(1); p <= 6; p++ {
		for v := int64(1); v <= 4; v++ {
			for m := p; m <= 4*p; m += p {
				c := &plan{Request: Request{PP: p, VPP: v}, microBatches: m}
				for i := range p {
					if got, want := c.inFlight(i), simulated(p, v, m, i); p > 1 && got != want {
						t.Errorf("p %d, v %d, m %d, stage %d: %d in flight, want %d", p, v, m, i, got, want)
					}
				}
			}
		}
	}
}

// simulated runs one rank of 1F1B, plain or interleaved: so many forward passes to warm up, then one forward and one backward in turn
// until the forward passes are done. Every forward pass holds its activations until its backward pass (Narayanan et al. 2021, section 2.2;
// get_pp_rank_microbatches of Megatron-LM).
func simulated(p, v, m, rank int64) int64 {
	total := m * v
	warm := p - rank - 1
	if v > 1 {
		warm = (p-rank-1)*2 + (v-1)*p
	}
	warm = min(warm, total)
	held, most := warm, warm
	for range total - warm {
		held++
		most = max(most, held)
		held--
	}
	return most
}
