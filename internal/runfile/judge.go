package runfile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/modelverifier/verifier/internal/spelling"
)

// judge finds what the settings of a run say against each other, whatever trainer they are of.
func (r *Report) judge() {
	run := r.Run
	r.judgeBatch()
	r.judgeSharding()
	if q := run.Quantization.Bits; q != nil && Of(run.Method, "") == "full" {
		r.find(Finding{Rule: ruleQuantised, Severity: Block, File: q.file, Line: q.line, Path: q.From,
			Message: fmt.Sprintf("%s loads the weights in %d bits, which cannot be trained, and there is no adapter", q.name(), q.Value),
			Fix:     "train adapters, or leave the quantisation out"})
	}
	if l := run.LoRA.Rank; l != nil && !l.Default && Of(run.Method, "") == "full" {
		r.find(Finding{Rule: ruleIneffective, Severity: Warn, File: l.file, Line: l.line, Path: l.From,
			Message: l.name() + " is given, but no adapters are trained: every weight is", Fix: "ask for adapters, or leave it out"})
	}
	if p := run.Packing; p != nil && p.Value && !p.Default {
		r.judgePacking()
	}
	if t := run.LoRA.Targets; t != nil && len(t.Value) == 0 {
		r.find(Finding{Rule: ruleContradiction, Severity: Block, File: t.file, Line: t.line, Path: t.From,
			Message: t.From + " is empty: adapters have no target",
			Fix:     "name modules such as q_proj and v_proj, or " + AllLinear})
	}
	if g := run.Generations; g != nil && g.Value < 2 {
		r.find(Finding{Rule: ruleGroup, Severity: Block, File: g.file, Line: g.line, Path: g.From,
			Message: fmt.Sprintf("%s is %d, but advantages are relative to a group of at least 2", g.name(), g.Value),
			Fix:     "give at least 2"})
	}
	r.judgeOptimizer()
}

// judgeBatch compares the global batch with what makes it up.
func (r *Report) judgeBatch() {
	run := r.Run
	copies, world := run.DataParallel(), run.WorldSize
	if world != nil && copies == 0 {
		s := &run.Sharding
		r.find(Finding{Rule: ruleWorld, Severity: Block, File: world.file, Line: world.line, Path: world.From,
			Message: fmt.Sprintf("%s is %d cards, which tensor × pipeline × context parallelism of %d × %d × %d does not divide",
				world.name(), world.Value,
				Of(s.Tensor, 1), Of(s.Pipeline, 1), Of(s.Context, 1)), Fix: "give a number of cards that the product divides"})
		return
	}
	global, micro := run.GlobalBatch, run.MicroBatch
	if global == nil {
		return
	}
	at := func(message, fix string) {
		r.find(Finding{Rule: ruleBatch, Severity: Block, File: global.file, Line: global.line, Path: global.From, Message: message,
			Fix: fix})
	}
	if micro != nil && run.Accumulation != nil && copies > 0 {
		if n := product(micro.Value, run.Accumulation.Value, copies); n != global.Value && !run.Accumulation.Default {
			at(fmt.Sprintf("%s is %d, but %s × %s × data-parallel copies is %d × %d × %d = %d", global.name(), global.Value,
				micro.name(), run.Accumulation.name(),
				micro.Value, run.Accumulation.Value, copies, n), fmt.Sprintf("give %d, or leave one of them out", n))
			return
		}
	}
	least := max(1, copies)
	if micro != nil {
		least = product(least, micro.Value)
	}
	if global.Value%least != 0 {
		parts := "the data-parallel copies"
		if micro != nil {
			parts = micro.name() + " × data-parallel copies"
		}
		at(fmt.Sprintf("%s is %d, which %s of %d does not divide", global.name(), global.Value, parts, least),
			fmt.Sprintf("give a multiple of %d", least))
	}
}

// judgeSharding finds two ways to spread one run.
func (r *Report) judgeSharding() {
	s := &r.Run.Sharding
	if s.FSDP != nil && s.ZeRO != nil && s.ZeRO.Value > 0 {
		r.contradiction(s.FSDP.From, s.FSDP.place, fmt.Sprintf("%s shards with FSDP and %s with ZeRO stage %d: a run has one of them",
			s.FSDP.name(), s.ZeRO.name(), s.ZeRO.Value),
			"leave one of them out")
	}
	if o := s.OffloadParameters; o != nil && s.ZeRO != nil && s.ZeRO.Value < 3 && o.Value != "none" {
		r.contradiction(o.From, o.place, fmt.Sprintf("%s moves parameters to %s, which ZeRO does from stage 3 on, and the stage is %d",
			o.name(), o.Value, s.ZeRO.Value),
			"give stage 3, or leave the offload of parameters out")
	}
	if o := s.OffloadOptimizer; o != nil && s.ZeRO != nil && s.ZeRO.Value < 1 && o.Value != "none" {
		r.contradiction(o.From, o.place, fmt.Sprintf("%s moves the optimizer to %s, but ZeRO's stage is %d", o.name(), o.Value,
			s.ZeRO.Value), "give a stage from 1 to 3")
	}
	if world := r.Run.WorldSize; world != nil && s.Shard != nil && world.Value > 0 {
		parts := product(s.Shard.Value, Of(s.Replicate, 1), Of(s.Tensor, 1), Of(s.Pipeline, 1), Of(s.Context, 1))
		if parts != world.Value {
			r.find(Finding{Rule: ruleWorld, Severity: Block, File: world.file, Line: world.line, Path: world.From,
				Message: fmt.Sprintf("%s is %d cards, but the degrees of parallelism multiply to %d", world.name(), world.Value, parts),
				Fix:     "make them equal"})
		}
	}
}

// judgePacking finds packing where it does not work.
func (r *Report) judgePacking() {
	p, objective := r.Run.Packing, Of(r.Run.Objective, "sft")
	if !slices.Contains([]string{"sft", "pretrain"}, objective) {
		r.find(Finding{Rule: rulePacking, Severity: Block, File: p.file, Line: p.line, Path: p.From,
			Message: p.name() + " packs samples, which " + objective + " does not take", Fix: "leave it out"})
	}
	if why, fix := r.mixes(p); why != "" {
		at := p.place
		f := Finding{Rule: rulePacking, Severity: Warn, File: at.file, Line: at.line, Path: p.From, Message: p.name() + " packs samples, and " + why, Fix: fix}
		if a := r.Run.Attention; a != nil && strings.Contains(why, a.Value) {
			f.File, f.Line, f.Path = a.file, a.line, a.From
		}
		r.find(f)
	}
}

// mixes says whether packed samples see each other, and what to do; "" where the trainer keeps them apart. transformers takes position ids that begin
// anew, without an attention mask beside them, as the beginnings of samples: flash attention gets their lengths, sdpa and eager a mask of all pairs of
// positions, since pull request 39194 of July 2025 (masking_utils.py find_packed_sequence_indices). TRL 1.x gives such ids unless samples are wrapped
// (SFTTrainer: padding_free follows from packing_strategy), LLaMA-Factory makes the mask itself with neat_packing and gives none without
// (SFTDataCollatorWith4DAttentionMask), and axolotl warns of attention that is none of its own (check_sample_packing_without_attention).
func (r *Report) mixes(p *Setting[bool]) (why, fix string) {
	how := Of(r.Run.Attention, "")
	masked := how == "sdpa" || how == "eager"
	switch r.Run.Trainer {
	case "trl":
		if s := r.Run.PackingStrategy; s != nil && s.Value == "wrapped" {
			return "the strategy wrapped joins and cuts them without marks: they see each other with every attention", "use the strategy bfd"
		}
		if masked {
			return "with " + how + " attention transformers before July 2025 lets them see each other; later ones keep them apart by a mask of all pairs of positions",
				"use flash_attention_2, which needs no mask"
		}
	case "llamafactory":
		if strings.HasSuffix(p.From, "neat_packing") || Of(r.Run.Objective, "sft") == "pretrain" {
			return "", ""
		}
		return "without neat_packing they see each other with every attention", "give neat_packing: true"
	case "axolotl":
		if how == "eager" {
			return "with eager attention axolotl does not keep them apart", "use flash_attention or sdp_attention"
		}
	}
	return "", ""
}

// judgeOptimizer finds a name that no trainer is known to take.
func (r *Report) judgeOptimizer() {
	o := r.Run.Optimizer
	if o == nil || slices.Contains(optimizers, strings.ToLower(o.Value)) {
		return
	}
	f := Finding{Rule: ruleOptimizer, Severity: Warn, File: o.file, Line: o.line, Path: o.From,
		Message: fmt.Sprintf("%s is %q, an optimizer that is not known", o.name(), clip(o.Value))}
	if near := spelling.Nearest(o.Value, optimizers); near != "" {
		f.Fix = "did you mean " + near + "?"
	}
	r.find(f)
}

// optimizers are the names that the trainers take: OptimizerNames of transformers 5.22, CustomSupportedOptimizers of axolotl 0.19, those of
// DeepSpeed's config and of torchtitan, in lower case.
var optimizers = strings.Fields(`
adamw_torch adamw_torch_fused adamw_torch_xla adamw_torch_npu_fused adafactor adamw_anyprecision adamw_torch_4bit
adamw_torch_8bit ademamix sgd adagrad adamw_bnb_8bit adamw_8bit ademamix_8bit lion_8bit lion_32bit paged_adamw_32bit paged_adamw_8bit
paged_ademamix_32bit paged_ademamix_8bit paged_lion_32bit paged_lion_8bit rmsprop rmsprop_bnb rmsprop_bnb_8bit rmsprop_bnb_32bit
		galore_adamw
galore_adamw_8bit galore_adafactor galore_adamw_layerwise galore_adamw_8bit_layerwise galore_adafactor_layerwise lomo adalomo grokadamw
schedule_free_radam schedule_free_adamw schedule_free_sgd apollo_adamw apollo_adamw_layerwise stable_adamw adamw_hf
optimi_adamw ao_adamw_4bit ao_adamw_8bit ao_adamw_fp8 adopt_adamw adamc came_pytorch muon dion sinkgd polora flash_adamw flash_adam
		flash_sgd
flash_sgdw flash_lion q_galore_adamw8bit
adam adamw lamb onebitadam zerooneadam onebitlamb lion muadam muadamw musgd adam_mini badam`)
