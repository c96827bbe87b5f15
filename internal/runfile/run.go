// Package runfile reads a training run from the file that a trainer takes: axolotl, LLaMA-Factory, TRL, torchtitan, DeepSpeed, accelerate
// and the Trainer of transformers. It says what of the run matters for memory and time, accounts for every key, and finds what contradicts.
//
// It must not know any estimate, model or command: text goes in, a run comes out. What a key means stands in the file of its trainer.
package runfile

import "math"

// Setting is one thing that is known of a run, and from where.
type Setting[T any] struct {
	Value   T      `json:"value"`
	From    string `json:"from"`              // the path of its key
	Default bool   `json:"default,omitempty"` // whether it is the trainer's default, and no key says it
	place
}

// place is where a setting stands.
type place struct {
	file string
	line int
}

// Run is a training run as a file says it. What is nil is not said.
type Run struct {
	Trainer string `json:"trainer"` // the id of the trainer whose file it is
	Version string `json:"version"` // of the trainer, whose keys and defaults are known

	Model     *Setting[string] `json:"model,omitempty"`
	Objective *Setting[string] `json:"objective,omitempty"` // one of Objectives
	Method    *Setting[string] `json:"method,omitempty"`    // one of Methods

	LoRA         LoRA         `json:"lora"`
	Quantization Quantization `json:"quantization"`

	BaseType  *Setting[string] `json:"baseType,omitempty"`  // of the weights as they are loaded: float32, bfloat16, float16
	TrainType *Setting[string] `json:"trainType,omitempty"` // of the trained weights, where they are cast to another type
	Autocast  *Setting[string] `json:"autocast,omitempty"`  // of the products: bfloat16, float16, or float32 for none
	TF32      *Setting[bool]   `json:"tf32,omitempty"`
	FP8       *Setting[bool]   `json:"fp8,omitempty"`

	Optimizer    *Setting[string]  `json:"optimizer,omitempty"` // in the trainer's word
	MicroBatch   *Setting[int64]   `json:"microBatch,omitempty"`
	Accumulation *Setting[int64]   `json:"accumulation,omitempty"`
	WorldSize    *Setting[int64]   `json:"worldSize,omitempty"`
	GlobalBatch  *Setting[int64]   `json:"globalBatch,omitempty"`
	Epochs       *Setting[float64] `json:"epochs,omitempty"`
	Steps        *Setting[int64]   `json:"steps,omitempty"`
	Samples      *Setting[int64]   `json:"samples,omitempty"`

	SequenceLength *Setting[int64] `json:"sequenceLength,omitempty"`
	Packing        *Setting[bool]  `json:"packing,omitempty"`
	// in TRL's words: bfd, bfd_split or wrapped
	PackingStrategy *Setting[string] `json:"packingStrategy,omitempty"`
	Checkpointing   *Setting[string] `json:"checkpointing,omitempty"` // none, full, selective, or offload
	Attention       *Setting[string] `json:"attention,omitempty"`     // in the words of transformers: eager, sdpa, flash_attention_2
	Compile         *Setting[bool]   `json:"compile,omitempty"`
	FusedKernels    *Setting[bool]   `json:"fusedKernels,omitempty"` // Liger, Unsloth and the like
	FusedLoss       *Setting[bool]   `json:"fusedLoss,omitempty"`    // logits and loss in pieces

	Sharding Sharding `json:"sharding"`

	Generations      *Setting[int64] `json:"generations,omitempty"` // of one prompt, for GRPO and RLOO
	CompletionLength *Setting[int64] `json:"completionLength,omitempty"`
	Generator        *Setting[bool]  `json:"generator,omitempty"` // whether vLLM generates

	Also []Setting[string] `json:"also,omitempty"` // what else costs memory or time and has no field
}

// LoRA is what adapters of low rank are like.
type LoRA struct {
	Rank    *Setting[int64]    `json:"rank,omitempty"`
	Alpha   *Setting[float64]  `json:"alpha,omitempty"`
	Dropout *Setting[float64]  `json:"dropout,omitempty"`
	Targets *Setting[[]string] `json:"targets,omitempty"` // names of modules; AllLinear alone for every linear layer but the head
	Pattern *Setting[string]   `json:"pattern,omitempty"` // a regular expression over module paths, in place of targets
	Saved   *Setting[[]string] `json:"saved,omitempty"`   // modules that are trained in full beside the adapters
	DoRA    *Setting[bool]     `json:"dora,omitempty"`
}

// AllLinear is the target that stands for every linear layer but the head, in peft's word.
const AllLinear = "all-linear"

// Quantization is how the weights of the base are stored.
type Quantization struct {
	Bits   *Setting[int64]  `json:"bits,omitempty"`
	Type   *Setting[string] `json:"type,omitempty"`   // nf4, fp4, gptq, …
	Double *Setting[bool]   `json:"double,omitempty"` // whether the scales of the blocks are quantised too
}

// Sharding is how a run is spread over cards.
type Sharding struct {
	FSDP              *Setting[int64]  `json:"fsdp,omitempty"` // the version, 1 or 2
	ZeRO              *Setting[int64]  `json:"zero,omitempty"` // the stage, 0 to 3
	OffloadParameters *Setting[string] `json:"offloadParameters,omitempty"`
	OffloadOptimizer  *Setting[string] `json:"offloadOptimizer,omitempty"`
	Reshard           *Setting[bool]   `json:"reshard,omitempty"` // whether gathered weights are freed behind each block's forward pass
	Shard             *Setting[int64]  `json:"shard,omitempty"`   // cards that share the weights; the rest is copies
	Replicate         *Setting[int64]  `json:"replicate,omitempty"`
	Tensor            *Setting[int64]  `json:"tensor,omitempty"`
	Pipeline          *Setting[int64]  `json:"pipeline,omitempty"`
	Context           *Setting[int64]  `json:"context,omitempty"`
	Expert            *Setting[int64]  `json:"expert,omitempty"`
}

// Objectives are what a run trains for.
var Objectives = []string{"pretrain", "sft", "dpo", "ipo", "kto", "orpo", "simpo", "cpo", "grpo", "gdpo", "rloo", "ppo", "reward", "ebft"}

// Methods are what a run trains.
var Methods = []string{"full", "lora", "qlora", "freeze", "oft", "other"}

// given is the value of a setting, and whether there is one.
func given[T any](s *Setting[T]) (v T, ok bool) {
	if s == nil {
		return v, false
	}
	return s.Value, true
}

// Of is the value of a setting, or another where nothing is said.
func Of[T any](s *Setting[T], otherwise T) T {
	if s == nil {
		return otherwise
	}
	return s.Value
}

// DataParallel is how many copies of a batch a step has: the cards, less those that share one sample. It is 0 where that is not known or
// does not come out even.
func (r *Run) DataParallel() int64 {
	world, ok := given(r.WorldSize)
	if !ok {
		return 0
	}
	s := &r.Sharding
	one := product(Of(s.Tensor, 1), Of(s.Pipeline, 1), Of(s.Context, 1))
	if world%one != 0 {
		return 0
	}
	return world / one
}

// product multiplies numbers of at least 1, and stops at the largest there is.
func product(numbers ...int64) int64 {
	p := int64(1)
	for _, n := range numbers {
		if n = max(1, n); p > math.MaxInt64/n {
			return math.MaxInt64
		}
		p *= n
	}
	return p
}
