package layout

import (
	"github.com/modelverifier/verifier/internal/quantity"
)

// deepspeed is DeepSpeed, read at commit 38327e07 (2025-02-21). Paths are below deepspeed/.
var deepspeed = framework{
	name: "deepspeed", title: "DeepSpeed",
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
		}, func(*plan) string { return "set zero to 1" }},
		{"layout-zero-tensor", "ZeRO 3 with tensor parallelism", onTP, "runtime/engine.py _configure_tensor_parallel", func(c *plan) (string, bool) {
			if c.TP == 1 || c.zero < 3 {
				return "", true
			}
			return "ZeRO stage 3 does not go with tp " + quantity.Grouped(c.TP), false
		}, func(*plan) string { return "set zero to 2" }},
		{"layout-zero-experts", "ZeRO 3 with expert parallelism", onOther, "runtime/engine.py _configure_zero_optimizer", func(c *plan) (string, bool) {
			if c.EP == 1 || c.zero < 3 {
				return "", true
			}
			return "ZeRO stage 3 does not go with layers of experts of its own, which ep " + quantity.Grouped(c.EP) + " needs", false
		}, func(*plan) string { return "set zero to 2" }},
		{"layout-zero", "No such ZeRO stage", onOther, "runtime/config.py _do_error_check", knownZero, nil},
		{"layout-vpp", "No interleaved schedule", onPP, "runtime/pipe/schedule.py TrainSchedule", func(c *plan) (string, bool) {
			if c.VPP == 1 {
				return "", true
			}
			return "its pipeline has one chunk of the model on a rank, not " + quantity.Grouped(c.VPP), false
		}, func(*plan) string { return "set vpp to 1" }},
		{"layout-batch", "The global batch does not divide", onOther, "runtime/config.py _batch_assertion", wholeBatch, fixBatch},
		{"layout-experts", "Experts do not divide among expert-parallel ranks", onOther, "moe/layer.py", func(c *plan) (string, bool) {
			return divides("the experts", c.facts.Experts, "ep", c.EP)
		}, fixExperts},
		{"layout-expert-ranks", "Expert-parallel groups do not divide the data-parallel ranks", onOther, "utils/groups.py _ensure_divisibility", func(c *plan) (string, bool) {
			if n := times(c.DP, c.CP); n%c.EP != 0 {
				return "ep " + quantity.Grouped(c.EP) + " does not divide the data-parallel ranks, " + quantity.Grouped(n), false
			}
			return "", true
		}, nil},
		{"layout-context", "Fewer heads than sequence-parallel ranks", onOther, "sequence/layer.py single_all_to_all", func(c *plan) (string, bool) {
			if h := c.facts.Heads; h == 0 || h%c.CP == 0 || h > c.CP {
				return "", true
			}
			return "cp " + quantity.Grouped(c.CP) + " is more than the " + quantity.Grouped(c.facts.Heads) + " attention heads that it is divided by", false
		}, nil},
		{"layout-positions", "The sequence is longer than the table of positions", onOther, "an index beyond the table", hasLearnedRoom, shorten},
	},
	advice: []rule{
		{"layout-heads", "Heads are split unevenly", onTP, "module_inject/tp_shard.py", func(c *plan) (string, bool) {
			if d, ok := divides("the attention heads", c.facts.Heads, "tp", c.TP); !ok {
				return d, ok
			}
			if c.facts.HasLatent() {
				return "", true
			}
			return divides("the key and value heads", c.facts.KVHeads, "tp", c.TP)
		}, nil},
		{"layout-context-heads", "Key and value heads are fewer than sequence-parallel ranks", onOther, "sequence/layer.py", func(c *plan) (string, bool) {
			if k := c.facts.KVHeads; k == 0 || k%c.CP == 0 || k > c.CP {
				return "", true
			}
			return "cp " + quantity.Grouped(c.CP) + " is more than the " + quantity.Grouped(c.facts.KVHeads) + " key and value heads; they must be repeated first", false
		}, nil},
		{"layout-layers", "More pipeline stages than layers", onPP, "runtime/utils.py partition_uniform", func(c *plan) (string, bool) {
			if c.layers() == 0 || c.PP <= c.layers()+2 {
				return "", true
			}
			return quantity.Grouped(c.PP) + " stages are more than " + quantity.Grouped(c.layers()) + " layers, the embedding and the head: some are left empty", false
		}, nil},
		{"layout-unread", "A size that the framework does not read", onOther, "", func(c *plan) (string, bool) {
			if c.FirstLayers != nil || c.LastLayers != nil {
				return "DeepSpeed balances the stages by their parameters; the sizes given for the first and last are Megatron-LM's", false
			}
			return "", true
		}, nil},
		{"layout-context-length", "The sequence is longer than the model's context", onOther, "", withinContext, shorten},
		{"layout-not-judged", "Tensor parallelism is not judged", onOther, "", cannotSplit, nil},
	},
}

// deepspeedSplit balances parameters: the embedding, the layers and the head in order, so that the largest stage is as small as it
// can be (partition_method "parameters" of PipelineModule).
func deepspeedSplit(c *plan) []int64 {
	if c.PP == 1 {
		return []int64{c.layers()}
	}
	weights := make([]int64, 0, len(c.parts)+2)
	weights = append(weights, c.first.params())
	for i := range c.parts {
		weights = append(weights, c.parts[i].params())
	}
	weights = append(weights, plus(c.last.params(), c.tied))
	return balanced(weights, c.PP)
}

// balanced cuts a row of weights into parts so that the heaviest is as light as possible, and returns how many of the inner items,
// all but the first and last, each part has. Earlier parts are filled first.
func balanced(weights []int64, parts int64) []int64 {
	low, high := int64(0), int64(0)
	for _, w := range weights {
		low, high = max(low, w), plus(high, w)
	}
	for low < high {
		limit := low + (high-low)/2
		if int64(len(fill(weights, limit))) <= parts {
			high = limit
		} else {
			low = limit + 1
		}
	}
	sizes := fill(weights, low)
	for int64(len(sizes)) < parts { // more parts than are needed: the longest are halved, so that none is empty while one has two
		longest := 0
		for i := range sizes {
			if sizes[i] > sizes[longest] {
				longest = i
			}
		}
		half := sizes[longest] / 2
		sizes = append(sizes, 0)
		copy(sizes[longest+2:], sizes[longest+1:])
		sizes[longest], sizes[longest+1] = sizes[longest]-half, half
	}
	sizes[0]--
	sizes[len(sizes)-1]--
	return sizes
}

// fill puts items into parts one after the other, none heavier than the limit, and returns how many each has.
func fill(weights []int64, limit int64) []int64 {
	sizes, sum := []int64{0}, int64(0)
	for _, w := range weights {
		if sum > 0 && plus(sum, w) > limit {
			sizes, sum = append(sizes, 0), 0
		}
		sizes[len(sizes)-1]++
		sum = plus(sum, w)
	}
	return sizes
}
