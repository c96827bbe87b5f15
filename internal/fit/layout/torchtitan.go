package layout

import (
	"github.com/modelverifier/verifier/internal/quantity"
)

// torchtitan is torchtitan, read at commit b5bcd76c (2026-08-21), over torch.distributed.pipelining. Paths are below torchtitan/.
var torchtitan = framework{
	name: torchtitanName, title: "torchtitan",
	zero: func(c *plan) int64 { // fsdp_reshard_after_forward: with a pipeline the gathered weights are kept
		if c.PP > 1 {
			return 2
		}
		return 3
	},
	split:       torchtitanSplit,
	spareStages: 2,
	gradBytes:   2,
	logitBytes:  12, // measured for bf16 autocast: logits, 32-bit log-probabilities, their gradient, and the logits' own
	rules: []rule{
		{"layout-heads", "Attention heads do not divide among tensor-parallel ranks", onTP | ofHeads, "models/common/decoder.py update_from_config", func(c *plan) (string, bool) {
			return divides("attention heads", c.facts.Heads, "tp", c.TP)
		}, chooseTP},
		{"layout-kv-heads", "Key and value heads do not divide among tensor-parallel ranks", onTP | ofKV, "models/common/decoder.py update_from_config", func(c *plan) (string, bool) {
			if c.facts.HasLatent() {
				return "", true
			}
			return divides("key and value heads", c.facts.KVHeads, "tp", c.TP)
		}, chooseTP},
		{"layout-layers", "More pipeline stages than layers", onPP | ofLayers, "distributed/pipeline_parallel.py _generate_llm_fqn_per_model_part", func(c *plan) (string, bool) {
			if n := times(c.PP, c.VPP); c.layered() && c.PP > 1 && n > c.layers()+2 {
				return counted(n, "stage") + " are more than " + counted(c.layers(), "layer") + ", the embedding and the head", false
			}
			return "", true
		}, choosePP},
		{"layout-tied", "Tied embeddings and a pipeline", onPP | ofModel, "models/common/decoder.py update_from_config", func(c *plan) (string, bool) {
			if c.PP == 1 || c.tied == 0 {
				return "", true
			}
			return "the head shares the weight of the embedding, and pp " + quantity.Grouped(c.PP) + " puts them on different stages", false
		}, only(sizePP, 1)},
		{"layout-batch", "The global batch does not divide", onOther, "trainer.py, num_tokens_per_train_step", wholeBatch, fixBatch},
		{"layout-microbatches", "Too few micro-batches for the pipeline", onPP, "torch/distributed/pipelining/schedules.py Schedule1F1B", func(c *plan) (string, bool) {
			if c.PP == 1 || c.VPP > 1 || c.microBatches == 0 || c.microBatches >= c.PP {
				return "", true
			}
			return counted(c.microBatches, "micro-batch") + " a step for " + counted(c.PP, "stage") + ": as many are needed at the least", false
		}, func(c *plan) proposal {
			return set(sizeGlobalBatch, times(c.PP, c.MicroBatch, c.DP))
		}},
		{"layout-interleave", "Micro-batches do not divide into rounds", onPP, "torch/distributed/pipelining/schedules.py ScheduleInterleaved1F1B", func(c *plan) (string, bool) {
			if c.PP == 1 || c.VPP == 1 || c.microBatches == 0 {
				return "", true
			}
			return divides("micro-batches of one run of the schedule", c.microBatches, "its rounds,", max(1, c.microBatches/c.PP))
		}, func(c *plan) proposal {
			return set(sizeGlobalBatch, times(multiple(c.microBatches, c.PP), c.MicroBatch, c.DP))
		}},
		{"layout-experts", "Experts do not divide among expert-parallel ranks", onOther | ofModel, "models/common/decoder.py update_from_config", func(c *plan) (string, bool) {
			return divides("experts", c.facts.Experts, "ep", c.EP)
		}, fixExperts},
		{"layout-expert-ranks", "Expert-parallel groups do not divide the ranks of a stage", onTP | onOther | ofModel, "distributed/parallel_dims.py _validate", func(c *plan) (string, bool) {
			if n := titanShards(c); n%c.EP != 0 {
				return "ep " + quantity.Grouped(c.EP) + " does not divide the sharded dp times cp times tp, " + quantity.Grouped(n), false
			}
			return "", true
		}, func(c *plan) proposal {
			for n := min(c.EP, titanShards(c)); n > 0; n-- {
				if titanShards(c)%n == 0 && c.facts.Experts%n == 0 {
					return set(sizeEP, n)
				}
			}
			return proposal{}
		}},
		{"layout-sequence", "Tokens of a micro-batch do not divide among the ranks", onTP | ofLength, "trainer.py, seq_len_divisor", titanTokens, func(c *plan) proposal {
			return set(sizeSeqLen, multiple(c.length, times(c.TP, c.CP, 2)))
		}},
		{"layout-positions", "The sequence is longer than the table of positions", onOther | ofLength, "an index beyond the table", hasLearnedRoom, shorten},
		{"layout-offload", "What is to lie in the host's memory cannot", onOther, "config/configs.py, training.enable_cpu_offload", offloadable, nil},
		{"layout-zero", "No such sharding", onOther, "config/configs.py: data_parallel_replicate_degree is stage 0, FSDP 2 or 3", func(c *plan) (string, bool) {
			if c.zero == 1 {
				return "it shards gradients with the optimizer's states, so there is no stage 1", false
			}
			return knownZero(c)
		}, only(sizeZero, 2)},
	},
	advice: []rule{
		// The flavours have a max_context_length of their own, as 131,072 of Llama 3, which is refused beyond; config.json does not say it.
		{"layout-context-length", "The sequence is longer than the model's context", onOther | ofLength, "models/common/decoder.py, max_context_length", withinContext, shorten},
		{"layout-vpp", "No number of layers a stage gives so many stages", onPP | ofLayers, "distributed/pipeline_parallel.py _get_pipeline_metadata", titanChunks, nil},
		{"layout-no-experts", "Expert parallelism without experts", onOther | ofModel, "", unusedExperts, oneExpertRank},
		{"layout-unread", "A size that the framework does not read", onOther, "", func(c *plan) (string, bool) {
			switch {
			case c.VPP > 1 && c.PP == 1:
				return "vpp " + quantity.Grouped(c.VPP) + " changes nothing without a pipeline", false
			case c.FirstLayers != nil || c.LastLayers != nil:
				return "torchtitan gives the first and last stage one layer less by itself; the sizes given for them are Megatron-LM's", false
			case c.ETP != nil:
				return "etp is Megatron-LM's: experts take the tensor-parallel ranks for themselves where ep is above 1", false
			}
			return "", true
		}, nil},
		{"layout-not-judged", "Tensor parallelism is not judged", onOther, "", cannotSplit, nil},
		{"layout-layers-not-judged", "The pipeline is not judged", onPP, "", unknownLayers, nil},
	},
}

// titanChunks is the condition that a number of layers a stage gives pp·vpp stages; two chunks a rank need none, being the default.
func titanChunks(c *plan) (string, bool) {
	chunks := times(c.PP, c.VPP)
	if !c.layered() || c.PP == 1 || c.VPP <= 2 || chunks > c.layers()+2 {
		return "", true
	}
	effective := c.layers() + 2
	if each := share(effective, chunks); share(effective, each) == chunks {
		return "", true
	}
	return "no pipeline_parallel_layers_per_stage splits " + counted(c.layers(), "layer") + ", the embedding and the head into " + counted(chunks, "stage") +
		": list them in module_fqns_per_model_part", false
}

// titanShards are the ranks of a stage over which weights are sharded and experts spread; replicas are not among them.
func titanShards(c *plan) int64 {
	if c.zero == 0 {
		return times(c.CP, c.TP)
	}
	return c.expertRanks()
}

func titanTokens(c *plan) (string, bool) {
	divisor := int64(1)
	if c.sequenceParallel {
		divisor = c.TP
	}
	if c.CP > 1 {
		divisor = times(divisor, 2, c.CP)
	}
	if c.length == 0 {
		return "", true
	}
	return divides("tokens of a micro-batch", times(c.MicroBatch, c.length), "the product of tp and twice cp, as far as they are above 1,", divisor)
}

// torchtitanSplit spreads the layers as if the embedding and the head were one layer each.
func torchtitanSplit(c *plan) []int64 {
	chunks := times(c.PP, c.VPP)
	if c.PP == 1 {
		chunks = 1
	}
	if chunks == 1 {
		return []int64{c.layers()}
	}
	out := even(c.layers()+2, chunks)
	out[0]--
	out[chunks-1]--
	return out
}
