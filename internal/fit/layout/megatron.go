package layout

import (
	"github.com/modelverifier/verifier/internal/quantity"
)

// megatron is Megatron-LM, read at commit d98e8a64 (2026-08-22). Paths are below megatron/.
var megatron = framework{
	name: megatronName, title: "Megatron-LM",
	zero:      func(*plan) int64 { return 0 }, // --use-distributed-optimizer is off unless given
	split:     megatronSplit,
	gradBytes: 4, // main gradients are 32 bits wide: training/theoretical_memory_usage.py
	// 16-bit logits and their gradient, and the 32-bit softmax that the vocabulary-parallel loss keeps in place of its copy.
	logitBytes:    8,
	splitsExperts: true,
	padsVocab:     128, // --make-vocab-size-divisible-by
	rules: []rule{
		{"layout-heads", "Attention heads do not divide among tensor-parallel ranks", onTP | ofHeads, "core/transformer/transformer_config.py, num_attention_heads", func(c *plan) (string, bool) {
			return divides("attention heads", c.facts.Heads, "tp", c.TP)
		}, chooseTP},
		{"layout-kv-heads", "Key and value heads do not divide among tensor-parallel ranks", onTP | ofKV, "core/transformer/transformer_config.py, num_query_groups", megatronKV, chooseTP},
		{"layout-qkv-width", "The joint projection of queries, keys and values does not divide", onTP | ofKV, "core/transformer/attention.py linear_qkv, core/tensor_parallel/layers.py divide", func(c *plan) (string, bool) {
			f := c.facts
			if f.HasLatent() || f.KVHeads == 0 || f.KVHeads >= c.TP || f.HeadDim == 0 {
				return "", true
			}
			return divides("features of queries, keys and values together", times(plus(f.Heads, 2*f.KVHeads), f.HeadDim), "tp", c.TP)
		}, chooseTP},
		{"layout-ffn", "The feed-forward network does not divide among tensor-parallel ranks", onTP | ofWidth, "core/transformer/mlp.py, core/tensor_parallel/layers.py divide", func(c *plan) (string, bool) {
			if c.facts.HasExperts() && c.facts.ExpertLayers >= c.layers() {
				return "", true
			}
			return divides("features inside the feed-forward network", c.facts.Intermediate, "tp", c.TP)
		}, chooseTP},
		{"layout-expert-ffn", "The experts do not divide among tensor-parallel ranks", onTP | ofWidth, "core/transformer/moe/experts.py; expert_tensor_parallel_size is tp unless given", func(c *plan) (string, bool) {
			if !c.facts.HasExperts() {
				return "", true
			}
			if d, ok := divides("features inside an expert", c.facts.ExpertIntermediate, c.etpName(), c.etp); !ok {
				return d, ok
			}
			return divides("features inside the shared experts", c.facts.SharedIntermediate, "tp", c.TP)
		}, chooseTP},
		{"layout-expert-bias", "Experts with a bias cannot be split", onTP | ofModel, "core/transformer/transformer_config.py, add_bias_linear", func(c *plan) (string, bool) {
			if !c.biased || c.etp == 1 {
				return "", true
			}
			return "the experts add a bias, which goes with one tensor-parallel rank of experts and not with " + c.etpName() + " " + quantity.Grouped(c.etp), false
		}, only(sizeETP, 1)},
		{"layout-encoder-decoder", "No pipeline of an encoder and a decoder", onPP | ofModel, "examples/t5/pretrain_t5.py model_provider", func(c *plan) (string, bool) {
			if c.PP == 1 || !c.facts.EncoderDecoder {
				return "", true
			}
			return "a model with encoder and decoder does not go with pp " + quantity.Grouped(c.PP), false
		}, only(sizePP, 1)},
		{"layout-layers", "Layers do not divide among pipeline stages", onPP | ofLayers, "training/arguments.py, core/transformer/transformer_config.py (uneven PP)", megatronLayers, fixLayers},
		{"layout-vpp", "Layers of a stage do not divide among its model chunks", onPP | ofLayers, "core/transformer/transformer_block.py get_num_layers_to_build, core/parallel_state.py", megatronChunks, choosePP},
		{"layout-batch", "The global batch does not divide", onOther, "core/num_microbatches_calculator.py", wholeBatch, fixBatch},
		{"layout-interleave", "Too few micro-batches for the interleaved schedule", onPP, "core/pipeline_parallel/schedules.py forward_backward_pipelining_with_interleaving", func(c *plan) (string, bool) {
			if c.VPP == 1 || c.PP == 1 || c.microBatches == 0 || c.microBatches%c.PP == 0 {
				return "", true
			}
			return "with vpp " + quantity.Grouped(c.VPP) + " the number of micro-batches, " + quantity.Grouped(c.microBatches) + ", must be a multiple of pp " + quantity.Grouped(c.PP), false
		}, func(c *plan) proposal {
			return set(sizeGlobalBatch, times(multiple(c.microBatches, c.PP), c.MicroBatch, c.DP))
		}},
		{"layout-experts", "Experts do not divide among expert-parallel ranks", onOther | ofModel, "training/arguments.py, expert_model_parallel_size", expertsDivide, fixExperts},
		{"layout-expert-ranks", "Groups of experts do not divide the ranks of a stage", onOther | ofModel, "core/parallel_state.py, expert_tensor_model_pipeline_parallel_size", func(c *plan) (string, bool) {
			if n := c.expertRanks(); n%times(c.etp, c.EP) != 0 {
				return "ep " + quantity.Grouped(c.EP) + " times " + c.etpName() + " " + quantity.Grouped(c.etp) + " does not divide dp times cp times tp, " + quantity.Grouped(n), false
			}
			return "", true
		}, fixExpertRanks},
		{"layout-moe-sequence-parallel", "Experts under tensor parallelism need sequence parallelism", onTP | ofModel, "core/transformer/moe/moe_layer.py forward", func(c *plan) (string, bool) {
			if !c.facts.HasExperts() || c.TP == 1 || c.sequenceParallel {
				return "", true
			}
			return "a layer of experts trains with tp " + quantity.Grouped(c.TP) + " only with sequence parallelism on", false
		}, only(sizeSequence, 1)},
		{"layout-context", "The sequence does not divide among context-parallel ranks", onOther | ofLength, "training/arguments.py, seq_length", func(c *plan) (string, bool) {
			if c.CP == 1 || c.length == 0 {
				return "", true
			}
			return divides("tokens of a sequence", c.length, "twice cp, that is", 2*c.CP)
		}, func(c *plan) proposal { return set(sizeSeqLen, multiple(c.length, 2*c.CP)) }},
		{"layout-sequence", "The sequence does not divide among tensor-parallel ranks", onTP | ofLength, "core/tensor_parallel/mappings.py _split_along_first_dim", func(c *plan) (string, bool) {
			if !c.sequenceParallel || c.length == 0 || c.length%c.CP != 0 {
				return "", true
			}
			return divides("tokens of a sequence on a context-parallel rank", c.length/c.CP, "tp", c.TP)
		}, func(c *plan) proposal {
			return set(sizeSeqLen, multiple(c.length, times(c.TP, c.CP, 2)))
		}},
		{"layout-positions", "The sequence is longer than the table of positions", onOther | ofLength, "training/arguments.py, max_position_embeddings", hasLearnedRoom, shorten},
		{"layout-offload", "What is to lie in the host's memory cannot", onOther, "core/optimizer/cpu_offloading/README.md", offloadable, nil},
		{"layout-zero", "No such ZeRO stage", onOther, "--use-distributed-optimizer is stage 1, --data-parallel-sharding-strategy of Megatron FSDP 2 and 3", knownZero, nil},
	},
	advice: []rule{
		{"layout-built-layers", "The stages do not add up to the model", onPP | ofLayers, "core/transformer/transformer_config.py (uneven PP)", megatronBuilds, nil},
		{"layout-context-length", "The sequence is longer than the model's context", onOther | ofLength, "", withinContext, shorten},
		{"layout-not-judged", "Tensor parallelism is not judged", onOther, "", cannotSplit, nil},
		{"layout-layers-not-judged", "The pipeline is not judged", onPP, "", unknownLayers, nil},
	},
}

func megatronKV(c *plan) (string, bool) {
	k := c.facts.KVHeads
	if c.facts.HasLatent() || k == 0 || k%c.TP == 0 || c.TP%k == 0 {
		return "", true
	}
	return "the number of key and value heads, " + quantity.Grouped(k) + ", is neither a multiple nor a divisor of tp " + quantity.Grouped(c.TP), false
}

// uneven is the split with sizes of its own for the first or last stage: the layers and the stages in the middle.
func (c *plan) uneven() (layers, stages int64, given bool) {
	layers, stages = c.layers(), c.PP
	for _, n := range []*int64{c.FirstLayers, c.LastLayers} {
		if n != nil {
			layers, stages, given = layers-min(*n, largest), stages-1, true
		}
	}
	return layers, stages, given
}

func megatronLayers(c *plan) (string, bool) {
	if !c.layered() {
		return "", true
	}
	layers, stages, given := c.uneven()
	if !given {
		return divides("layers", c.layers(), "pp", c.PP)
	}
	for _, n := range []*int64{c.FirstLayers, c.LastLayers} {
		if n != nil && *n < 1 {
			return "the first and last stage must have at least 1 layer, not " + quantity.Grouped(*n), false
		}
	}
	if (layers == 0) != (stages == 0) || stages != 0 && layers%stages != 0 {
		return counted(layers, "layer") + " left for " + counted(stages, "stage") + " between the first and the last", false
	}
	return "", true
}

// megatronBuilds is the advice where the first and last stage have more layers than there are, or are one and the same: the remainders
// still come out even, and another model is built.
func megatronBuilds(c *plan) (string, bool) {
	layers, stages, given := c.uneven()
	if !given || layers >= 0 && stages >= 0 {
		return "", true
	}
	return counted(layers, "layer") + " left for " + counted(stages, "stage") + " between the first and the last: Megatron-LM takes it and builds another model", false
}

func fixLayers(c *plan) proposal {
	if _, _, given := c.uneven(); given {
		return proposal{}
	}
	p := choosePP(c)
	if c.VPP == 1 && c.PP <= c.layers() {
		p.changes = append(p.changes[:min(tried-1, len(p.changes))], change{{sizeLastLayers, c.layers() - times(c.PP-1, c.layers()/c.PP)}})
	}
	return p
}

func megatronChunks(c *plan) (string, bool) {
	switch {
	case c.VPP == 1:
		return "", true
	case c.PP == 1:
		return "vpp " + quantity.Grouped(c.VPP) + " needs a pipeline of more than 1 stage", false
	case !c.layered():
		return "", true
	}
	if _, ok := megatronLayers(c); !ok {
		return "", true // reported by that rule
	}
	layers, stages, given := c.uneven()
	if !given {
		return divides("layers of a stage", c.layers()/c.PP, "vpp", c.VPP)
	}
	for _, n := range []*int64{c.FirstLayers, c.LastLayers} {
		if n != nil && *n%c.VPP != 0 {
			return divides("layers of the first or last stage", *n, "vpp", c.VPP)
		}
	}
	if stages != 0 && layers/stages%c.VPP != 0 {
		return "the number of layers of a stage in the middle, " + quantity.Grouped(layers/stages) + ", is not divisible by vpp " + quantity.Grouped(c.VPP), false
	}
	return "", true
}

// expertsDivide is Megatron-LM's condition on experts.
func expertsDivide(c *plan) (string, bool) {
	switch {
	case c.EP == 1:
		return "", true
	case !c.facts.HasExperts():
		return "ep " + quantity.Grouped(c.EP) + " needs a model with experts", false
	}
	return divides("experts", c.facts.Experts, "ep", c.EP)
}

func fixExperts(c *plan) proposal {
	if !c.facts.HasExperts() {
		return set(sizeEP, 1)
	}
	if c.expertRanks()%c.etp != 0 {
		return proposal{}
	}
	return set(sizeEP, divisorUpTo(gcd(c.facts.Experts, c.expertRanks()/c.etp), c.EP))
}

// gcd is the largest number that divides both of two, which are at least 1.
func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// divisorUpTo is the largest divisor of n that is not above a limit. Divisors come in pairs, of which one is not above the root of n: there
// are a million to try where n is as large as sizes may be.
func divisorUpTo(n, limit int64) int64 {
	best := int64(1)
	for d := int64(1); d*d <= n; d++ {
		if n%d != 0 {
			continue
		}
		if n/d <= limit {
			return n / d // the quotient by every larger d is smaller, and so is every d
		}
		if d <= limit {
			best = d
		}
	}
	return best
}

// fixExpertRanks keeps ep where the experts need not be split over the tensor-parallel ranks.
func fixExpertRanks(c *plan) proposal {
	if c.facts.HasExperts() && c.etp > 1 && c.facts.Experts%c.EP == 0 && c.expertRanks()%c.EP == 0 {
		return set(sizeETP, 1)
	}
	return fixExperts(c)
}

// etpName is what the size of experts' tensor parallelism was asked for as.
func (c *plan) etpName() string {
	if c.ETP != nil {
		return "etp"
	}
	return "tp"
}

// megatronSplit gives every chunk as many layers, but for the first and last stage where they have their own number.
func megatronSplit(c *plan) []int64 {
	chunks := times(c.PP, c.VPP)
	layers, stages, given := c.uneven()
	if !given || layers < 0 || stages < 0 {
		return even(c.layers(), chunks)
	}
	out := make([]int64, chunks)
	for i := range out {
		n := int64(0)
		switch stage := int64(i) % c.PP; {
		case stage == 0 && c.FirstLayers != nil:
			n = *c.FirstLayers
		case stage == c.PP-1 && c.LastLayers != nil:
			n = *c.LastLayers
		case stages > 0:
			n = layers / stages
		}
		out[i] = n / c.VPP
	}
	return out
}
