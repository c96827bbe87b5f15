package cli

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/modelverifier/verifier/internal/estimate"
	"github.com/modelverifier/verifier/internal/runfile"
)

// estimated turns a run into the options of an estimate, and lists what has none: nothing is dropped in silence.
type estimated struct {
	run     *runfile.Run
	to      *estimate.Options
	without []string
}

func (e *estimated) say(format string, args ...any) {
	e.without = append(e.without, fmt.Sprintf(format, args...))
}

func (e *estimated) fill() {
	e.batch()
	e.length()
	e.precision()
	e.optimizer()
	e.attention()
	e.packing()
	e.checkpointing()
	e.loss()
	e.adapters()
	e.objective()
	e.cards()
	e.rest()
}

// batch is that of one card.
func (e *estimated) batch() {
	r := e.run
	micro, accumulation, copies := runfile.Of(r.MicroBatch, 0), runfile.Of(r.Accumulation, 0), r.DataParallel()
	global := runfile.Of(r.GlobalBatch, 0)
	if accumulation == 0 && micro > 0 && global > 0 && copies > 0 {
		accumulation = max(1, global/micro/copies)
	}
	if micro == 0 && global > 0 && copies > 0 {
		micro = max(1, global/copies/max(1, accumulation))
	}
	switch {
	case micro == 0:
		e.say("the batch of one card, which the file does not give: the one that plan takes by itself stands in its place")
	case accumulation == 0 && global > 0:
		e.say("gradient accumulation: %s is %d, and the number of cards is not known", r.GlobalBatch.From, global)
		fallthrough
	default:
		e.to.MicroBatch = min(micro, estimate.MaxBatch)
		e.to.Batch = estimate.MaxBatch
		if accumulation = max(1, accumulation); accumulation < estimate.MaxBatch/e.to.MicroBatch {
			e.to.Batch = e.to.MicroBatch * accumulation
		}
	}
}

// length is how long the run is: steps, or epochs over samples.
func (e *estimated) length() {
	r := e.run
	if s := r.Steps; s != nil && e.to.Batch > 0 {
		e.to.Epochs, e.to.SamplesGiven = 1, true
		e.to.Samples = estimate.MaxSamples
		if s.Value < estimate.MaxSamples/e.to.Batch {
			e.to.Samples = s.Value * e.to.Batch
		}
		return
	}
	if s := r.Samples; s != nil {
		e.to.Samples, e.to.SamplesGiven = min(s.Value, estimate.MaxSamples), true
	}
	if epochs := runfile.Of(r.Epochs, 0); epochs > 0 {
		up := math.Ceil(min(epochs, estimate.MaxEpochs))
		e.to.Epochs = int64(up)
		if up != epochs {
			e.say("a part of an epoch: %s is %g, and %g are counted", r.Epochs.From, epochs, up)
		}
	}
}

// tokens is the length of a sample.
func (e *estimated) tokens() (int64, bool) {
	if s := e.run.SequenceLength; s != nil {
		return s.Value, true
	}
	return 0, false
}

// precision follows from the type of the trained weights and that of the products.
func (e *estimated) precision() {
	r := e.run
	weights, products := runfile.Of(r.BaseType, "float32"), runfile.Of(r.Autocast, "float32")
	if r.Autocast == nil && r.BaseType == nil {
		return
	}
	if method := runfile.Of(r.Method, "full"); r.TrainType != nil && method == "full" {
		weights = r.TrainType.Value
	}
	switch {
	case weights == "bfloat16":
		e.to.Precision, e.to.Autocast = "bf16", products == "bfloat16" && slices.Contains(autocasting, r.Trainer)
	case weights == "float16":
		e.to.Precision = "bf16"
		e.say("weights of fp16, which are taken for bf16, of the same size")
	case products == "bfloat16":
		e.to.Precision = "amp"
	case products == "float16":
		e.to.Precision = "fp16"
	case runfile.Of(r.TF32, false):
		e.to.Precision = "tf32"
	default:
		e.to.Precision = "fp32"
	}
	if r.Sharding.ZeRO != nil && (e.to.Precision == "amp" || e.to.Precision == "fp16") {
		e.say("DeepSpeed's 16-bit weights beside a 32-bit copy: 32-bit weights under autocast are counted")
	}
	if runfile.Of(r.FP8, false) {
		e.say("products of 8 bits (%s)", r.FP8.From)
	}
}

// autocasting are the trainers that run the Trainer of transformers, which has autocast on over weights of any type (bf16=True).
var autocasting = []string{"axolotl", "llamafactory", "transformers", "trl"}

// optimizerOf are the optimizers of which there are estimates, by the trainers' words in lower case. torchtitan runs PyTorch's fused AdamW
// unless told otherwise, DeepSpeed its own, and the Trainer's sgd has no momentum.
var optimizerOf = map[string]string{"adamw_torch": "adamw", "adamw_hf": "adamw", "adamw_torch_fused": "adamw-fused",
	"adamw": "adamw-fused", "adam": "adam",
	"adafactor": "adafactor", "sgd": "sgd-plain", "adamw_8bit": "adamw-8bit", "adamw_bnb_8bit": "adamw-8bit",
	"paged_adamw_8bit":  "paged-adamw-8bit",
	"paged_adamw_32bit": "paged-adamw"}

func (e *estimated) optimizer() {
	o := e.run.Optimizer
	if o == nil {
		return
	}
	word := strings.ToLower(o.Value)
	if e.to.Optimizer = optimizerOf[word]; e.to.Optimizer == "" {
		e.say("the optimizer %s: AdamW stands in its place", o.Value)
	}
	if strings.HasSuffix(e.to.Optimizer, "-8bit") && runfile.Of(e.run.Method, "full") == "full" {
		e.say("32-bit states of embeddings, which transformers' Trainer asks bitsandbytes for: they are counted in 8 bits")
	}
}

func (e *estimated) attention() {
	a := e.run.Attention
	switch {
	case a == nil:
	case slices.Contains([]string{"eager", "sdpa"}, a.Value):
		e.to.Attention = a.Value
	case strings.HasPrefix(a.Value, "flash_attention"):
		e.to.Attention = "flash"
	default:
		e.say("the attention %s: that of PyTorch stands in its place", a.Value)
	}
}

// packing fills rows with samples. LLaMA-Factory keeps them apart where neat_packing asks for it. TRL and axolotl put the rows of a micro-batch behind
// one another, which a mask grows with and FlashAttention does not.
func (e *estimated) packing() {
	p := e.run.Packing
	if !runfile.Of(p, false) {
		return
	}
	if e.run.Trainer == "llamafactory" && p.From == "packing" {
		e.say("samples that share a row (%s) and see one another: full rows are counted", p.From)
	} else {
		e.to.Packing = true
	}
	if n := e.to.MicroBatch; e.to.Packing && n > 1 && e.to.Attention != "flash" && e.run.Trainer != "llamafactory" {
		e.say("one row of %d × the length (%s), whose mask is %d times that of its rows: a mask of each row is counted", n, p.From, n)
	}
	if s := e.run.Samples; s != nil {
		e.say("samples that share a row (%s): each of %s is counted as a full row", p.From, s.From)
	}
}

func (e *estimated) checkpointing() {
	c := e.run.Checkpointing
	switch runfile.Of(c, "none") {
	case "full":
		e.to.Checkpointing = true
	case "offload":
		e.to.Checkpointing = true
		e.say("activations that are moved to the host (%s): what checkpointing keeps is counted on the card", c.From)
	case "selective":
		e.say("selective checkpointing (%s): every activation is counted, which is more than is kept", c.From)
	}
}

// loss is computed in pieces by Liger's kernels of the Trainer, unless they are told otherwise.
func (e *estimated) loss() {
	f, k := e.run.FusedLoss, e.run.FusedKernels
	e.to.FusedLoss = runfile.Of(f, false)
	if runfile.Of(k, false) {
		if f == nil && strings.Contains(k.From, "liger_kernel") {
			e.to.FusedLoss = true
		}
		e.say("fused kernels (%s), but for the loss", k.From)
	}
	if runfile.Of(e.run.Compile, false) {
		e.say("torch.compile (%s): what PyTorch runs without it is counted", e.run.Compile.From)
	}
}

func (e *estimated) adapters() {
	r, l := e.run, &e.run.LoRA
	switch method := runfile.Of(r.Method, "full"); method {
	case "lora", "qlora":
		a := &estimate.LoRA{Rank: runfile.Of(l.Rank, 8)}
		switch {
		case l.Pattern != nil:
			a.Targets = []string{l.Pattern.Value}
		case l.Targets != nil:
			a.Targets = l.Targets.Value
		default: // peft's default for Llama, Qwen, Mistral and their like
			a.Targets = []string{"q_proj", "v_proj"}
			e.say("targets by the model's kind, which peft chooses where none are named: q_proj and v_proj are taken")
		}
		a.Dropout = runfile.Of(l.Dropout, 0)
		e.to.Adapt = &estimate.Adaptation{LoRA: a}
		if runfile.Of(l.DoRA, false) {
			e.say("DoRA (%s): adapters without it are counted", l.DoRA.From)
		}
		if l.Saved != nil && len(l.Saved.Value) > 0 {
			e.say("modules that are trained in full beside the adapters (%s): %s", l.Saved.From, strings.Join(l.Saved.Value, ", "))
		}
	case "full":
	default:
		e.say("%s (%s): every weight is counted as trained", method, r.Method.From)
	}
	e.base()
}

// base is how bitsandbytes stores the weights. The trainers call peft's prepare_model_for_kbit_training, which leaves all others in 32 bits.
func (e *estimated) base() {
	r, q := e.run, &e.run.Quantization
	kind := runfile.Of(q.Type, "nf4")
	switch {
	case q.Bits == nil && q.Type == nil:
		return
	case e.to.Adapt == nil || q.Bits == nil || !slices.Contains([]string{"nf4", "fp4"}, kind):
		e.say("a base quantised by %s: its weights are counted in the precision of the run, which is more", kind)
		return
	case q.Bits.Value == 4 && runfile.Of(q.Double, r.Trainer == "axolotl" || r.Trainer == "llamafactory"): // which ask for it unless told otherwise
		e.to.Base = "nf4-double"
	case q.Bits.Value == 4:
		e.to.Base = "nf4"
	case q.Bits.Value == 8 && q.Type == nil:
		e.to.Base = "int8"
	default:
		e.say("a base of %d bits (%s): its weights are counted in the precision of the run, which is more", q.Bits.Value, q.Bits.From)
		return
	}
	if e.to.Precision == "bf16" || e.to.Precision == "" {
		e.to.Precision = "amp"
		if runfile.Of(r.Autocast, "") == "float32" {
			e.to.Precision = "fp32"
		}
	}
}

// objective says what runs beside the model that is trained.
func (e *estimated) objective() {
	o := e.run.Objective
	switch v := runfile.Of(o, "sft"); v {
	case "sft", "pretrain", "reward":
	case "dpo", "ipo":
		e.to.Objective = "dpo"
		e.say("%s: the time of the reference model and of the second answer of each pair", v)
	case "grpo", "gdpo", "rloo":
		e.writes("grpo", v)
	case "ppo":
		e.writes("ppo", v)
	case "kto":
		e.say("%s: the reference model; the step is that of the model's own loss", v)
	case "orpo", "simpo", "cpo":
		e.say("%s: the second answer of each pair; the step is that of a batch of single samples", v)
	default:
		e.say("%s: generation inside the step, its cache, and the reference and reward models; only the training is counted", v)
	}
}

// writes is a step in which the model writes what it is trained on. With vLLM beside it the weights and the cache of that are not counted.
func (e *estimated) writes(objective, v string) {
	r := e.run
	e.to.Objective = objective
	if c := r.CompletionLength; c != nil {
		e.to.Completion = min(c.Value, estimate.MaxCompletion)
	}
	if runfile.Of(r.Generator, false) {
		e.say("%s: the weights and the cache of vLLM (%s), and reward models of other sizes; generation by the model itself is counted", v, r.Generator.From)
		return
	}
	e.say("%s: the time of generation and of the other models, and reward models of other sizes", v)
}

// cards says what is spread over several.
func (e *estimated) cards() {
	s := &e.run.Sharding
	e.shard()
	for _, p := range []struct {
		what string
		n    *runfile.Setting[int64]
	}{{"tensor", s.Tensor}, {"pipeline", s.Pipeline}, {"context", s.Context}, {"expert", s.Expert}} {
		if runfile.Of(p.n, 1) > 1 {
			e.say("%s parallelism of %d (%s): the whole model is counted on one card; verifier layout splits it", p.what, p.n.Value,
				p.n.From)
		}
	}
	if w := runfile.Of(e.run.WorldSize, 1); w > 1 {
		e.say("time and cost of %d cards (%s): those of one are counted", w, e.run.WorldSize.From)
	}
}

// shard is how the cards share weights, gradients and states: those that are left when some work on one sample together.
func (e *estimated) shard() {
	s, to := &e.run.Sharding, &e.to.Shard
	var from string
	switch zero := runfile.Of(s.ZeRO, 0); {
	case zero > 0:
		to.Kind, from = fmt.Sprintf("zero-%d", zero), s.ZeRO.From
	case s.FSDP != nil && s.Reshard != nil && !s.Reshard.Value:
		to.Kind, from = "fsdp-grad-op", s.FSDP.From
	case s.FSDP != nil:
		to.Kind, from = "fsdp", s.FSDP.From
	default:
		if copies := e.run.DataParallel(); copies > 1 {
			to.Kind, to.GPUs = "ddp", min(copies, estimate.MaxGPUs)
		}
		return
	}
	if to.GPUs = min(runfile.Of(s.Shard, e.run.DataParallel()), estimate.MaxGPUs); to.GPUs < 1 {
		to.GPUs = 0
		e.say("%s (%s): the number of cards is not known, and what one card has alone is counted; --gpus says it", to.Kind, from)
	}
	off := func(o *runfile.Setting[string]) bool { return o != nil && o.Value != "none" }
	switch {
	case off(s.OffloadParameters) || off(s.OffloadOptimizer) && s.FSDP != nil:
		to.Offload = "all"
	case off(s.OffloadOptimizer):
		to.Offload = "optimizer"
	}
	if to.Wrong() != "" {
		to.Offload = ""
	}
}

func (e *estimated) rest() {
	for _, a := range e.run.Also {
		e.say("%s (%s)", a.Value, a.From)
	}
}
