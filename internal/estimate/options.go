// Package estimate says what a training run of a model takes, in memory, time and dollars, and where the trained model could
// be deployed.
//
// Its figures are estimates: every assumption is printed with them, and a test compares them with runs that were measured.
// The package knows nothing of requests, policies or verdicts.
package estimate

import (
	"slices"
	"strconv"
	"strings"

	"github.com/modelverifier/verifier/internal/hardware"
	"github.com/modelverifier/verifier/internal/infer"
)

// Options describe a training run. A zero value stands for what Defaults says.
type Options struct {
	Batch         int64
	Precision     string // one of Precisions
	Optimizer     string // one of Optimizers
	Attention     string // one of Attentions
	Epochs        int64
	Samples       int64 // in one epoch
	SamplesGiven  bool  // whether Samples is known, and not assumed; false where Samples is 0
	Checkpointing bool  // whether only the inputs of attention layers and blocks are kept, and the rest computed again
	Dropout       bool  // whether a transformers model drops what its config says; else its probabilities are 0, as in the runs that were measured

	MicroBatch int64       // samples that go through the model at once, their gradients added up; 0 for the whole batch
	FusedLoss  bool        // whether logits and loss are computed in pieces, as fused linear cross entropy does
	Expandable bool        // whether the allocator's segments are expandable (PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True)
	GPU        string      // the card that is asked for, as hardware.Lookup takes it; empty for the cheapest that fits
	Adapt      *Adaptation // what is not trained; nil for nothing
	Objective  string      // one of Objectives; empty for the model's own loss
	Completion int64       // tokens of a sample that the model writes in a step of GRPO or PPO; 0 for half of them
	Shard      Shard       // how several cards train the model together
	Autocast   bool        // whether torch.autocast is on over weights of 16 bits, as transformers' Trainer has it (bf16=True)
	Packing    bool        // whether each row is filled up with samples, which do not see one another
	Base       string      // one of Bases, for a model whose adapters are trained; empty for weights in floats
}

// The values that Validate lets pass, the default first.
var (
	// Precisions: all in 32-bit floats; the same with TF32 products; bf16 or fp16 autocast over 32-bit weights; everything
	// in bf16.
	Precisions = []string{"fp32", "tf32", "amp", "fp16", "bf16"}
	// Optimizers are those of torch.optim with its defaults; sgd has a momentum of 0.9, adamw-8bit and the paged ones are those of bitsandbytes.
	Optimizers = []string{"adamw", "adam", "sgd", "sgd-plain", "adamw-fused", "adamw-8bit", "adafactor", "paged-adamw-8bit", "paged-adamw"}
	// Attentions: the fused kernels that PyTorch picks, FlashAttention, and scores in memory.
	Attentions = []string{"sdpa", "flash", "eager"}
)

// Bounds of the numbers, so that a product of them is still a number.
const (
	MaxBatch   = 1 << 20
	MaxEpochs  = 1_000_000
	MaxSamples = 1_000_000_000_000
)

// Batch sizes of the default run.
const (
	defaultBatch      = 32
	defaultTokenBatch = 8 // where a sample is a sequence of tokens
)

// Defaults is the run that is assumed of a model when nothing is said: 32-bit floats, which is what PyTorch does unless
// asked, for every kind of model; AdamW; fused attention; 10 epochs over 50,000 samples, the size of CIFAR-10's training set.
// Batch is left at 0, which Train resolves: 32 samples a step, or 8 where a sample is a sequence of tokens.
func Defaults() Options {
	return Options{Precision: Precisions[0], Optimizer: Optimizers[0], Attention: Attentions[0], Epochs: 10, Samples: 50_000}
}

func batchFor(res *infer.Result) int64 {
	if readsTokens(res) {
		return defaultTokenBatch
	}
	return defaultBatch
}

// readsTokens reports whether an input is a sequence of integers.
func readsTokens(res *infer.Result) bool {
	for i := range res.Nodes {
		n := &res.Nodes[i]
		if n.Type != nil && n.Type.ID == infer.InputID && n.OutIsInt {
			return true
		}
	}
	return false
}

// or fills in defaults where nothing is said, and brings what is out of bounds within them: an estimate never fails.
func (o Options) or(d Options, batch int64) Options {
	number := func(n, standard, most int64) int64 {
		if n <= 0 {
			return standard
		}
		return min(n, most)
	}
	word := func(s, standard string, known []string) string {
		if !slices.Contains(known, s) {
			return standard
		}
		return s
	}
	o.SamplesGiven = o.SamplesGiven && o.Samples > 0
	o.Batch, o.Epochs, o.Samples = number(o.Batch, batch, MaxBatch), number(o.Epochs, d.Epochs, MaxEpochs), number(o.Samples, d.Samples, MaxSamples)
	o.Precision = word(o.Precision, d.Precision, Precisions)
	o.Optimizer = word(o.Optimizer, d.Optimizer, Optimizers)
	o.Attention = word(o.Attention, d.Attention, Attentions)
	o.Objective, o.Completion = word(o.Objective, "", Objectives), min(max(0, o.Completion), MaxCompletion)
	o.Shard.GPUs = min(max(0, o.Shard.GPUs), MaxGPUs)
	if o.Shard.GPUs == 0 {
		o.Shard = Shard{}
	} else {
		o.Shard.Kind, o.Shard.Offload = word(o.Shard.Kind, Shardings[0], Shardings), word(o.Shard.Offload, "", Offloads)
	}
	o.Autocast = o.Autocast && o.Precision == "bf16"
	if o.Base = word(o.Base, "", Bases); o.Adapt == nil || o.Adapt.LoRA == nil {
		o.Base = "" // such weights are not trained
	}
	if o.MicroBatch <= 0 || o.MicroBatch >= o.Batch {
		o.MicroBatch = 0
	}
	return o
}

// Problem is a field of Options that has a value it cannot have.
type Problem struct {
	Field   string // as it is written on the wire
	Value   string
	Allowed []string // the values that it can have, or
	Max     int64    // the largest number, from 1
}

func (p Problem) Error() string {
	if len(p.Allowed) == 0 {
		return p.Field + " is " + p.Value + " but takes a number from 1 to " + strconv.FormatInt(p.Max, 10)
	}
	return p.Field + " is " + strconv.Quote(p.Value) + " but takes one of " + strings.Join(p.Allowed, ", ")
}

// Validate lists what is wrong, in the order of the fields. Zero values are not wrong.
func (o Options) Validate() []Problem {
	var out []Problem
	number := func(field string, n, most int64) {
		if n < 0 || n > most {
			out = append(out, Problem{Field: field, Value: strconv.FormatInt(n, 10), Max: most})
		}
	}
	word := func(field, s string, known []string) {
		if s != "" && !slices.Contains(known, s) {
			out = append(out, Problem{Field: field, Value: s, Allowed: slices.Clone(known)})
		}
	}
	number("batch", o.Batch, MaxBatch)
	word("precision", o.Precision, Precisions)
	word("optimizer", o.Optimizer, Optimizers)
	word("attention", o.Attention, Attentions)
	word("quantized", o.Base, Bases)
	word("objective", o.Objective, Objectives)
	number("completion", o.Completion, MaxCompletion)
	number("gpus", o.Shard.GPUs, MaxGPUs)
	word("shard", o.Shard.Kind, Shardings)
	word("offload", o.Shard.Offload, Offloads)
	number("epochs", o.Epochs, MaxEpochs)
	number("samples", o.Samples, MaxSamples)
	number("microBatch", o.MicroBatch, MaxBatch)
	if o.GPU != "" && hardware.Lookup(o.GPU) == nil {
		out = append(out, Problem{Field: "gpu", Value: o.GPU, Allowed: hardware.Names()})
	}
	if o.Adapt != nil && o.Adapt.LoRA != nil {
		number("lora.rank", o.Adapt.LoRA.Rank, MaxRank)
	}
	return out
}
