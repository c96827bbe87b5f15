package layout

import (
	"testing"

	"github.com/modelverifier/verifier/internal/fit/facts"
)

// sizes are what the frameworks' own conditions read, restated below one after the other as their sources have them: from the number
// of all ranks, and not from what package layout makes of a request.
type sizes struct {
	heads, kv, headDim, ffn, expertFFN, layers, experts int64
	tp, pp, dp, cp, ep, vpp, micro, global, seq, zero   int64
	sp, tied                                            bool
	etp                                                 int64 // 0: left out
}

// megatronTakes follows arguments.py, transformer_config.py, parallel_state.py, the layers' divide and the schedules.
func megatronTakes(s sizes) bool {
	world := s.tp * s.pp * s.cp * s.dp
	if world%(s.tp*s.pp*s.cp) != 0 {
		return false
	}
	dataParallel := world / (s.tp * s.pp * s.cp)
	if s.layers%s.pp != 0 { // arguments.py: Number of layers should be divisible
		return false
	}
	if s.vpp > 1 {
		if !(s.pp > 1) || s.layers/s.pp%s.vpp != 0 { // parallel_state.py; transformer_block.py get_num_layers_to_build
			return false
		}
	}
	if s.cp > 1 && s.seq%(s.cp*2) != 0 {
		return false
	}
	if s.ep > 1 && (s.experts == 0 || s.experts%s.ep != 0) {
		return false
	}
	if s.heads%s.tp != 0 || s.kv%s.tp != 0 && s.tp%s.kv != 0 { // transformer_config.py
		return false
	}
	expertTensor := s.tp // model_parallel_config.py
	if s.etp > 0 {
		expertTensor = s.etp
	}
	if world%(expertTensor*s.ep*s.pp) != 0 { // parallel_state.py: expert_tensor_model_pipeline_parallel_size
		return false
	}
	if s.headDim*(s.heads+2*s.kv)%s.tp != 0 { // linear_qkv
		return false
	}
	if s.experts == 0 && s.ffn%s.tp != 0 || s.experts > 0 && s.expertFFN%expertTensor != 0 {
		return false
	}
	if s.global%(s.micro*dataParallel) != 0 {
		return false
	}
	batches := s.global / s.micro / dataParallel
	if batches < 1 {
		return false
	}
	if s.vpp > 1 { // forward_backward_pipelining_with_interleaving; the group is pp unless given
		group := s.pp
		if group > batches || group < s.pp {
			return false
		}
		if rest := batches % group; 0 < rest && rest < s.pp {
			return false
		}
	}
	sequence := s.sp && s.tp > 1            // arguments.py turns it off where tp is 1
	if sequence && (s.seq/s.cp)%s.tp != 0 { // mappings.py
		return false
	}
	if s.experts > 0 && s.tp > 1 && !sequence { // moe_layer.py
		return false
	}
	return s.zero >= 0 && s.zero <= 3
}

// titanTakes follows parallel_dims.py, decoder.py, pipeline_parallel.py, trainer.py and PyTorch's schedules.
func titanTakes(s sizes) bool {
	shard := s.dp
	if s.zero == 0 {
		shard = 1
	}
	if shard*s.cp*s.tp%s.ep != 0 {
		return false
	}
	if s.tied && s.pp > 1 {
		return false
	}
	if s.tp > 1 && (s.heads%s.tp != 0 || s.kv%s.tp != 0) {
		return false
	}
	if s.experts > 0 && s.experts%s.ep != 0 {
		return false
	}
	divisor := int64(1)
	if s.sp && s.tp > 1 {
		divisor *= s.tp
	}
	if s.cp > 1 {
		divisor *= 2 * s.cp
	}
	if s.micro*s.seq%divisor != 0 {
		return false
	}
	if s.global*s.seq%(s.micro*s.seq*s.dp) != 0 {
		return false
	}
	batches := s.global / (s.micro * s.dp)
	if s.pp > 1 && !titanPipelines(s, batches) {
		return false
	}
	return s.zero == 0 || s.zero == 2 || s.zero == 3
}

// titanPipelines follows _generate_llm_fqn_per_model_part; that pp·vpp stages can be had is up to module_fqns_per_model_part.
func titanPipelines(s sizes, batches int64) bool {
	effective, stages := s.layers+2, s.pp*s.vpp
	if stages > effective || effective/stages == 0 || 1 > effective/stages {
		return false
	}
	if s.vpp == 1 {
		return batches >= s.pp // Schedule1F1B
	}
	rounds := max(1, batches/s.pp) // ScheduleInterleaved1F1B
	return batches%rounds == 0
}

// speedTakes follows pipe/engine.py, engine.py, config.py, moe/layer.py, groups.py and sequence/layer.py.
func speedTakes(s sizes) bool {
	world := s.tp * s.pp * s.dp * s.cp
	split := s.experts > 0 && s.ep > 1 // AutoEP replaces the layers of experts
	switch {
	case s.pp > 1 && !(s.zero < 2), s.zero > 3 || s.zero < 0, s.vpp > 1:
		return false
	case split && s.zero == 3 && (s.tp != 1 || s.cp != 1): // _validate_zero3_moe_compatibility
		return false
	case split && s.experts%s.ep != 0, split && world/s.pp%s.ep != 0:
		return false
	case s.heads%s.cp != 0 && !(s.heads > s.cp):
		return false
	}
	steps := s.global / (s.micro * s.dp)
	return steps > 0 && s.global == s.micro*steps*s.dp
}

// every calls f with each combination of small sizes.
func every(f func(sizes)) {
	for _, shape := range []sizes{
		{heads: 4, kv: 2, headDim: 3, ffn: 12, layers: 4}, {heads: 6, kv: 2, headDim: 1, ffn: 8, layers: 6, tied: true}, {heads: 6, kv: 1, headDim: 2, ffn: 9, layers: 3},
		{heads: 4, kv: 4, headDim: 2, expertFFN: 6, layers: 2, experts: 4}, {heads: 3, kv: 3, headDim: 5, expertFFN: 4, layers: 5, experts: 6, tied: true},
	} {
		for tp := int64(1); tp <= 6; tp++ {
			for pp := int64(1); pp <= 5; pp++ {
				for _, dp := range []int64{1, 2, 3} {
					for cp := int64(1); cp <= 3; cp++ {
						for _, ep := range []int64{1, 2, 3, 4} {
							for vpp := int64(1); vpp <= 3; vpp++ {
								s := shape
								s.tp, s.pp, s.dp, s.cp, s.ep, s.vpp = tp, pp, dp, cp, ep, vpp
								s.etp = (tp + dp + cp) % 4 // 0, left out, as often as 1, 2 and 3
								batches(s, f)
							}
						}
					}
				}
			}
		}
	}
}

func batches(s sizes, f func(sizes)) {
	for _, s.micro = range []int64{1, 2} {
		for _, s.global = range []int64{1, 5, 6, 12} {
			for _, s.seq = range []int64{10, 12} {
				for _, s.zero = range []int64{0, 1, 2, 3} {
					for _, s.sp = range []bool{false, true} {
						f(s)
					}
				}
			}
		}
	}
}

// unevenTakes follows the branch of TransformerConfig for sizes of the first and last stage of their own, and what builds the chunks.
// Python's remainder is 0 where Go's is.
func unevenTakes(layers, pp, vpp, first, last int64) bool { // 0 for a size that is left out, -1 for one of 0 layers
	count := func(n int64) int64 { return max(n, 0) }
	if vpp > 1 && !(pp > 1) {
		return false
	}
	left, stages := layers, pp
	for _, n := range []int64{first, last} {
		if n == 0 {
			continue
		}
		if count(n) <= 0 || vpp > 1 && n%vpp != 0 {
			return false
		}
		left -= n
		stages--
	}
	switch {
	case first == 0 && last == 0:
		return layers%pp == 0 && (vpp == 1 || layers/pp%vpp == 0)
	case (left != 0) != (stages != 0):
		return false
	case stages != 0 && left%stages != 0:
		return false
	case stages != 0 && vpp > 1 && left/stages%vpp != 0:
		return false
	}
	return true
}

func TestUnevenStagesAreThoseOfMegatron(t *testing.T) {
	count, legal := 0, 0
	for layers := int64(1); layers <= 13; layers++ {
		m := &model{parts: make([]part, layers), facts: facts.Facts{Layers: layers}}
		for pp := int64(1); pp <= 5; pp++ {
			for vpp := int64(1); vpp <= 3; vpp++ {
				for first := int64(-1); first <= 15; first++ {
					for last := int64(-1); last <= 15; last++ {
						batch := pp
						r := Request{TP: 1, PP: pp, DP: 1, CP: 1, EP: 1, VPP: vpp, MicroBatch: 1, GlobalBatch: &batch}
						for _, o := range []struct {
							n    int64
							into **int64
						}{{first, &r.FirstLayers}, {last, &r.LastLayers}} {
							if n := max(o.n, 0); o.n != 0 {
								*o.into = &n
							}
						}
						c := newPlan(m, r, &megatron)
						got, want := c.passes(onTP|onPP|onOther), unevenTakes(layers, pp, vpp, first, last)
						if got != want {
							t.Fatalf("%d layers, pp %d, vpp %d, first %d, last %d is legal: %v, want %v: %+v", layers, pp, vpp, first, last, got, want, c.refusals())
						}
						if count++; got {
							legal++
						}
					}
				}
			}
		}
	}
	t.Logf("%d combinations, %d of them legal", count, legal)
}

func TestLegalityIsThatOfTheFrameworksOwnConditions(t *testing.T) {
	count, legal := 0, [3]int{}
	takes := [3]func(sizes) bool{megatronTakes, titanTakes, speedTakes}
	frameworks := [3]*framework{&megatron, &torchtitan, &deepspeed}
	var m *model
	shape := sizes{}
	every(func(s sizes) {
		count++
		if key := (sizes{heads: s.heads, kv: s.kv, headDim: s.headDim, ffn: s.ffn, expertFFN: s.expertFFN, layers: s.layers, experts: s.experts, seq: s.seq, tied: s.tied}); key != shape {
			shape = key
			m = &model{seqLen: s.seq, parts: make([]part, s.layers), facts: facts.Facts{Layers: s.layers, Heads: s.heads, KVHeads: s.kv, HeadDim: s.headDim, Intermediate: s.ffn, Experts: s.experts, ExpertIntermediate: s.expertFFN}}
			if s.experts > 0 {
				m.facts.ExpertLayers = s.layers
			}
			if s.tied {
				m.tied = 1
			}
		}
		for i, f := range frameworks {
			if f != &megatron && s.sp && s.tp == 1 { // the same as without
				continue
			}
			r := Request{TP: s.tp, PP: s.pp, DP: s.dp, CP: s.cp, EP: s.ep, VPP: s.vpp, MicroBatch: s.micro, GlobalBatch: &s.global, SeqLen: &s.seq, Zero: &s.zero, SequenceParallel: &s.sp, Framework: f.name}
			if s.etp > 0 {
				r.ETP = &s.etp
			}
			c := newPlan(m, r, f)
			got, want := c.sized && c.passes(onTP|onPP|onOther), takes[i](s)
			if got != want {
				t.Fatalf("%s: %+v is legal: %v, want %v: %+v", f.name, s, got, want, c.refusals())
			}
			if got {
				legal[i]++
			}
		}
	})
	for i, n := range legal {
		if n == 0 {
			t.Errorf("%s takes nothing at all", frameworks[i].name)
		}
	}
	t.Logf("%d combinations, legal for %v", count, legal)
}
