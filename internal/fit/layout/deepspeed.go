package layout

import (
	"github.com/modelverifier/verifier/internal/quantity"
)

// deepspeed is DeepSpeed 0.19.6, read at commit edaa7221 (2026-08-22). Paths are below deepspeed/.
var deepspeed = framework{
	name: deepspeedName, title: "DeepSpeed",
	zero:        func(*plan) int64 { return 0 },
	split:       deepspeedSplit,
	spareStages: 2,
	gradBytes:   2,
	logitBytes:  12,
	rules: []rule{
		{"layout-zero-pipeline", "ZeRO 2 and 3 with a pipeline", onPP, "runtime/pipe/engine.py __init__", func(c *plan) (string, bool) {
			if c.PP == 1 || c.zero < 2 {
				return "", true
			}
			return "ZeRO stage " + quantity.Grouped(c.zero) + " does not go with pp " + quantity.Grouped(c.PP), false
		}, only(sizeZero, 1)},
		{"layout-zero-experts", "ZeRO 3 with split experts", onTP | onOther | ofModel, "runtime/engine.py _validate_zero3_moe_compatibility", func(c *plan) (string, bool) {
			if c.EP == 1 || !c.facts.HasExperts() || c.zero < 3 || c.TP == 1 && c.CP == 1 {
				return "", true
			}
			return "ZeRO stage 3 and ep " + quantity.Grouped(c.EP) + " go with neither tensor nor sequence parallelism, tp " + quantity.Grouped(c.TP) + " and cp " + quantity.Grouped(c.CP), false
		}, only(sizeZero, 2)},
		{"layout-offload", "What is to lie in the host's memory cannot", onOther, "runtime/zero/config.py, offload_optimizer and offload_param", offloadable, nil},
		{"layout-zero", "No such ZeRO stage", onOther, "runtime/config.py _do_error_check", knownZero, nil},
		{"layout-vpp", "No interleaved schedule", onPP, "runtime/pipe/schedule.py TrainSchedule", func(c *plan) (string, bool) {
			if c.VPP == 1 {
				return "", true
			}
			return "its pipeline has one chunk of the model on a rank, not " + quantity.Grouped(c.VPP), false
		}, only(sizeVPP, 1)},
		{"layout-batch", "The global batch does not divide", onOther, "runtime/config.py _batch_assertion", wholeBatch, fixBatch},
		{"layout-experts", "Experts do not divide among expert-parallel ranks", onOther | ofModel, "moe/layer.py", func(c *plan) (string, bool) {
			return divides("experts", c.facts.Experts, "ep", c.EP)
		}, fixExperts},
		{"layout-expert-ranks", "Expert-parallel groups do not divide the ranks of a stage", onTP | onOther | ofModel, "utils/groups.py _create_expert_and_data_parallel", func(c *plan) (string, bool) {
			if n := c.expertRanks(); c.facts.HasExperts() && n%c.EP != 0 {
				return "ep " + quantity.Grouped(c.EP) + " does not divide the ranks of a stage, " + quantity.Grouped(n), false
			}
			return "", true
		}, fixExperts},
		{"layout-context", "Fewer heads than sequence-parallel ranks", onOther | ofHeads, "sequence/layer.py single_all_to_all", func(c *plan) (string, bool) {
			if h := c.facts.Heads; h == 0 || h%c.CP == 0 || h > c.CP {
				return "", true
			}
			return "cp " + quantity.Grouped(c.CP) + " is more than the " + counted(c.facts.Heads, "attention head") + " of the model", false
		}, nil},
		{"layout-positions", "The sequence is longer than the table of positions", onOther | ofLength, "an index beyond the table", hasLearnedRoom, shorten},
	},
	advice: []rule{
		{"layout-zero-tensor", "ZeRO 3 with tensor parallelism", onTP, "runtime/engine.py _configure_tensor_parallel_states", func(c *plan) (string, bool) {
			if c.TP == 1 || c.zero < 3 {
				return "", true
			}
			return "ZeRO stage 3 goes with tp " + quantity.Grouped(c.TP) + " from DeepSpeed 0.19.4 on; versions before refuse it", false
		}, nil},
		{"layout-zero-autoep", "ZeRO 3 with expert parallelism", onOther | ofModel, "runtime/engine.py _validate_zero3_moe_compatibility", func(c *plan) (string, bool) {
			if c.EP == 1 || !c.facts.HasExperts() || c.zero < 3 {
				return "", true
			}
			return "ZeRO stage 3 takes experts that AutoEP has replaced, and refuses DeepSpeed's own MoE layers", false
		}, only(sizeZero, 2)},
		{"layout-no-experts", "Expert parallelism without experts", onOther | ofModel, "", unusedExperts, oneExpertRank},
		{"layout-heads", "Heads are split unevenly", onTP | ofHeads | ofKV, "module_inject/tp_shard.py", func(c *plan) (string, bool) {
			if d, ok := divides("attention heads", c.facts.Heads, "tp", c.TP); !ok {
				return d, ok
			}
			if c.facts.HasLatent() {
				return "", true
			}
			return divides("key and value heads", c.facts.KVHeads, "tp", c.TP)
		}, nil},
		{"layout-context-heads", "Key and value heads are fewer than sequence-parallel ranks", onOther | ofKV, "sequence/layer.py", func(c *plan) (string, bool) {
			if k := c.facts.KVHeads; k == 0 || k%c.CP == 0 || k > c.CP {
				return "", true
			}
			return "cp " + quantity.Grouped(c.CP) + " is more than the " + counted(c.facts.KVHeads, "key and value head") + ", which must be repeated first", false
		}, nil},
		{"layout-layers", "More pipeline stages than layers", onPP | ofLayers, "runtime/utils.py partition_uniform", func(c *plan) (string, bool) {
			if c.layers() == 0 || c.PP <= c.layers()+2 {
				return "", true
			}
			return counted(c.PP, "stage") + " are more than " + counted(c.layers(), "layer") + ", the embedding and the head: some are left empty", false
		}, nil},
		{"layout-unread", "A size that the framework does not read", onOther, "", func(c *plan) (string, bool) {
			if c.ETP != nil {
				return "etp is Megatron-LM's: DeepSpeed splits experts over ep alone", false
			}
			if c.FirstLayers != nil || c.LastLayers != nil {
				return "DeepSpeed balances the stages by their parameters; the sizes given for the first and last are Megatron-LM's", false
			}
			return "", true
		}, nil},
		{"layout-context-length", "The sequence is longer than the model's context", onOther | ofLength, "", withinContext, shorten},
		{"layout-not-judged", "Tensor parallelism is not judged", onOther, "", cannotSplit, nil},
	},
}

// deepspeedSplit balances parameters (partition_method "parameters" of PipelineModule): the embedding, the layers and the head in order.
func deepspeedSplit(c *plan) []int64 {
	if c.PP == 1 {
		return []int64{c.layers()}
	}
	if sizes, known := c.balanced[c.PP]; known {
		return sizes
	}
	weights := make([]int64, 0, len(c.parts)+2)
	weights = append(weights, c.first.params())
	for i := range c.parts {
		weights = append(weights, c.parts[i].params())
	}
	weights = append(weights, plus(c.last.params(), c.tied))
	sizes := partition(weights, int(c.PP))
	if c.balanced == nil {
		c.balanced = map[int64][]int64{}
	}
	c.balanced[c.PP] = sizes
	return sizes
}
