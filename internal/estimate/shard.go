package estimate

import (
	"github.com/modelverifier/verifier/internal/hardware"
	"github.com/modelverifier/verifier/internal/infer"
	autograd "github.com/modelverifier/verifier/internal/tape"
)

// Shardings are how several cards train one model together, each with samples of its own: whole copies (DistributedDataParallel), DeepSpeed's ZeRO
// by its stages, and PyTorch's fully_shard, whose weights are gathered for each block, or once for both passes.
var Shardings = []string{"ddp", "zero-1", "zero-2", "zero-3", "fsdp", "fsdp-grad-op"}

// Offloads are what lies in the host's memory: the optimizer's states with the 32-bit weights that it changes, or these and all weights.
var Offloads = []string{"optimizer", "all"}

// Shard says how many cards train together, and how. No cards stand for one that trains alone.
type Shard struct {
	Kind    string // one of Shardings
	GPUs    int64
	Offload string // one of Offloads, or empty
}

// Wrong says why the offload cannot be with this sharding, empty where it can.
func (h Shard) Wrong() string {
	switch {
	case h.Offload == "":
	case h.Kind == "" || h.Kind == "ddp":
		return "which takes a shard of ZeRO or FSDP"
	case h.Offload == "all" && (h.Kind == "zero-1" || h.Kind == "zero-2"):
		return "but ZeRO moves weights to the host from stage 3 on"
	case h.Offload == "optimizer" && (h.Kind == "fsdp" || h.Kind == "fsdp-grad-op"):
		return "but FSDP moves weights, gradients and states together: give all"
	}
	return ""
}

// MaxGPUs is how many cards there are at the most.
const MaxGPUs = 1 << 16

// What DeepSpeed and PyTorch keep beside the model, in elements (deepspeed/runtime/zero/config.py of 0.19: reduce_bucket_size,
// stage3_prefetch_bucket_size, stage3_param_persistence_threshold; stage_1_and_2.py: nccl_start_alignment_factor).
const (
	reduceBucket   = 500_000_000
	prefetchBucket = 50_000_000
	persistsBelow  = 100_000
	alignedTo      = 2
)

// Rank is what one card holds of a model that several train. It is computed from what the libraries say that they hold, and was not measured.
type Rank struct {
	Shard
	WeightBytes     int64 // that stay on the card
	GradientBytes   int64
	OptimizerBytes  int64 // states, and the 32-bit weights and gradients that DeepSpeed's optimizer has
	UnitBytes       int64 // weights and gradients that are gathered for a while
	BufferBytes     int64 // of communication
	ActivationBytes int64 // all else at the peak
	HostBytes       int64 // of the host, for this card
	PeakBytes       int64
	CardBytes       int64 // with cuBLAS's workspaces and the context of the process; pieces of the allocator are not followed
	Fits            []Fit
}

// RankSource says where the computation is from.
const RankSource = "computed, not measured: DeepSpeed 0.19 (runtime/zero/config.py, stage_1_and_2.py, stage3.py), PyTorch (distributed/fsdp/_fully_shard, nn/parallel/distributed.py)"

// sizes are the elements of a model: of all weights and of those that are trained, and what a card has of them.
type sizes struct {
	all, trained           int64
	allShard, trainedShard int64
	largest                int64 // of what is gathered at once
	root                   int64 // of what is in no block, which fully_shard gathers once for both passes
}

// Rank computes what a card holds of a run that is sharded; nil where it is not.
func (r *Room) Rank(res *infer.Result, o Options) *Rank {
	o = o.or(Defaults(), batchFor(res))
	if o.Shard.GPUs < 1 {
		return nil
	}
	whole := o
	if autocasts(o.Precision) && o.Shard.Kind != "ddp" { // the others keep 16-bit weights for the passes
		whole.Precision = "bf16"
	}
	a, _ := r.replay(res, whole)
	k := &Rank{Shard: o.Shard, ActivationBytes: passing(&a)}
	s := sizesOf(res, &o)
	width := int64(4)
	if whole.Precision == "bf16" {
		width = 2
	}
	switch o.Shard.Kind {
	case "fsdp", "fsdp-grad-op":
		k.fullyShard(&s, &o, width)
	case "ddp":
		k.WeightBytes, k.GradientBytes, k.OptimizerBytes = times(width, s.all), times(width, s.trained), stateBytes(o.Optimizer, s.trained, width)
		k.BufferBytes = k.GradientBytes // its buckets hold each gradient a second time
	default:
		k.zero(&s, &o, width)
	}
	k.PeakBytes = plus(k.WeightBytes, k.GradientBytes, k.OptimizerBytes, k.UnitBytes, k.BufferBytes, k.ActivationBytes)
	k.CardBytes = plus(k.PeakBytes, 2*workspaceBytes, contextBytes)
	for _, g := range hardware.GPUs() {
		k.Fits = append(k.Fits, Fit{g, k.CardBytes <= g.MemoryBytes})
	}
	return k
}

// stateBytes is what an optimizer keeps of so many elements on a card, for weights of so many bytes each. Adafactor's rows and columns are taken for
// nothing: they are a thousandth of its weights.
func stateBytes(optimizer string, elems, width int64) int64 {
	switch optimizer {
	case "adamw", "adam", "adamw-fused":
		return times(2*width, elems)
	case "sgd":
		return times(width, elems)
	case "adamw-8bit":
		return plus(times(2, elems), elems/32) // a float for every 256 of each state
	case "paged-adamw-8bit":
		return elems / 32
	}
	return 0
}

// passing is what the two passes have at the most beside weights, states and gradients. Where the most is in the optimizer's step, the gradients at the
// most of the passes are not known, and none are taken off.
func passing(a *autograd.Account) int64 {
	most := max(a.Forward, a.Backward) - a.Held[autograd.Weights] - a.Held[autograd.States]
	if a.Step <= max(a.Forward, a.Backward) {
		most -= a.Peak[autograd.Gradients]
	}
	return max(0, most)
}

// zero is a card of DeepSpeed's. Its optimizer has 32-bit weights beside those of 16 bits, their gradients and two states.
func (k *Rank) zero(s *sizes, o *Options, width int64) {
	k.WeightBytes, k.GradientBytes = times(width, s.all), times(width, s.trained)
	k.OptimizerBytes = stateBytes(o.Optimizer, s.trainedShard, 4)
	if width == 2 {
		k.OptimizerBytes = plus(k.OptimizerBytes, times(8, s.trainedShard)) // weights and gradients of 32 bits
	}
	if o.Shard.Kind != "zero-1" {
		k.GradientBytes = times(width, s.trainedShard)
	}
	k.BufferBytes = times(width, min(reduceBucket, s.trained))
	if o.Shard.Kind == "zero-3" {
		k.WeightBytes = times(width, s.allShard)
		k.UnitBytes = plus(times(2*width, s.largest), times(width, min(prefetchBucket, s.all)))
		k.BufferBytes = times(width, reduceBucket) // made in its full size
	}
	if o.Shard.Offload != "" {
		k.HostBytes, k.OptimizerBytes = plus(k.OptimizerBytes, k.GradientBytes), 0
		if o.Shard.Kind != "zero-1" {
			k.GradientBytes = 0
		}
	}
	if o.Shard.Offload == "all" {
		k.HostBytes, k.WeightBytes = plus(k.HostBytes, k.WeightBytes), 0
	}
}

// fullyShard is a card of PyTorch's. Weights and gradients that stay are in the type of the weights, 32 bits under mixed precision; two blocks are
// gathered at once, and of one the gradients are there before they are summed over the cards, and once more as they are sent.
func (k *Rank) fullyShard(s *sizes, o *Options, width int64) {
	own := width
	if autocasts(o.Precision) {
		own = 4
	}
	k.WeightBytes, k.GradientBytes, k.OptimizerBytes = times(own, s.allShard), times(own, s.trainedShard), stateBytes(o.Optimizer, s.trainedShard, own)
	k.UnitBytes = plus(times(4*width, s.largest), times(2*width, s.root))
	if o.Shard.Kind == "fsdp-grad-op" {
		k.UnitBytes = plus(times(width, s.all), times(2*width, max(s.largest, s.root)))
	}
	if o.Shard.Offload != "" {
		k.HostBytes = plus(k.WeightBytes, k.GradientBytes, k.OptimizerBytes)
		k.WeightBytes, k.GradientBytes, k.OptimizerBytes = 0, 0, 0
	}
}

// sizesOf sums the weights of a model. A card has of each as much as the library that shards it pads it to: ZeRO's first stages all in one list, its
// third each weight by itself, small ones whole, and fully_shard the rows of each.
func sizesOf(res *infer.Result, o *Options) (s sizes) {
	trained, blocks := shares(res, o.Adapt, make([]share, len(res.Nodes))), map[string]int64{}
	fsdp := o.Shard.Kind == "fsdp" || o.Shard.Kind == "fsdp-grad-op"
	for i := range res.Nodes {
		n := &res.Nodes[i]
		if n.State == infer.Absent || n.Component == nil {
			continue
		}
		own := int64(0)
		for k := range n.Weights {
			w := &n.Weights[k]
			size := max(0, w.Shape.Size())
			own = plus(own, times(w.Times, size))
			part := times(w.Times, o.Shard.part(size, rowsOf(w.Shape)))
			s.allShard = plus(s.allShard, part)
			if trained[i].own {
				s.trained, s.trainedShard = plus(s.trained, times(w.Times, size)), plus(s.trainedShard, part)
			}
		}
		if o.Adapt != nil && trained[i].adapters > 0 {
			for _, w := range adapterWeights(n, trained[i].weights, o.Adapt.LoRA.Rank) {
				size := times(w.Times, w.Shape.Size())
				s.trained, own = plus(s.trained, size), plus(own, size)
				s.trainedShard = plus(s.trainedShard, times(w.Times, o.Shard.part(w.Shape.Size(), w.Shape[0])))
			}
		}
		s.all = plus(s.all, own)
		block := n.Component.ID
		if fsdp {
			block = layerOf(n.Component.Scope())
		}
		if blocks[block] = plus(blocks[block], own); block != "" {
			s.largest = max(s.largest, blocks[block])
		}
	}
	s.root = blocks[""]
	if o.Shard.Kind == "zero-1" || o.Shard.Kind == "zero-2" {
		s.trainedShard = o.Shard.flat(s.trained)
	}
	return s
}

// part is what a card has of a weight with so many elements and rows.
func (h Shard) part(elems, rows int64) int64 {
	n := max(1, h.GPUs)
	switch {
	case h.Kind == "zero-3" && elems <= persistsBelow:
		return elems
	case h.Kind == "zero-3":
		return (elems + n - 1) / n
	case rows > 0:
		return times((rows+n-1)/n, elems/rows)
	}
	return elems
}

// flat is what a card has of all weights in one list, which is padded so that each part begins where NCCL wants it to.
func (h Shard) flat(elems int64) int64 {
	n := max(1, h.GPUs)
	to := alignedTo * n
	return (elems + to - 1) / to * to / n
}

func rowsOf(shape []int64) int64 {
	if len(shape) == 0 {
		return 1
	}
	return max(1, shape[0])
}
