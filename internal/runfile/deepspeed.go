package runfile

import (
	"fmt"
	"slices"
	"strings"
)

// DeepSpeed's JSON (deepspeed 0.19, runtime/config.py and its parts). It names no model. "auto" stands for what the Trainer of transformers
// or accelerate fills in.
var _ = register(trainer{
	id: "deepspeed", title: "DeepSpeed", version: "0.19",
	keys:  deepspeedKeys,
	loose: true,
	signs: []string{"zero_optimization", "train_micro_batch_size_per_gpu", "train_batch_size", "zero_allow_untested_optimizer",
		"steps_per_print", "wall_clock_breakdown"},
	finish: func(r *reader, top *value) {
		r.autos(top)
		if r.run.Sharding.ZeRO == nil {
			assume(&r.run.Sharding.ZeRO, "zero_optimization.stage", 0)
		}
		if r.run.MicroBatch == nil && r.run.GlobalBatch == nil && !isAuto(top.member("train_micro_batch_size_per_gpu")) &&
			!isAuto(top.member("train_batch_size")) {
			r.fault(top, "has neither train_batch_size nor train_micro_batch_size_per_gpu, and DeepSpeed takes one of them")
		}
	},
})

var deepspeedKeys = tableOf(
	[]key{
		auto(integer("train_batch_size", func(r *Run) **Setting[int64] { return &r.GlobalBatch })),
		auto(integer("train_micro_batch_size_per_gpu", microBatch)),
		auto(integer("gradient_accumulation_steps", accumulation)),
		auto(reads("optimizer.type", text, (*reader).deepspeedOptimizer)),
		auto(reads("bf16.enabled", boolean, reads16("bfloat16"))),
		auto(reads("bfloat16.enabled", boolean, reads16("bfloat16"))),
		auto(reads("fp16.enabled", boolean, reads16("float16"))),
		auto(reads("torch_autocast.enabled", boolean, func(*reader, *value) {})),
		auto(reads("zero_optimization.stage", whole, func(r *reader, v *value) {
			if v.int < 0 || v.int > 3 {
				r.fault(v, "is %s but takes 0, 1, 2 or 3", v.show())
				return
			}
			give(r, &r.run.Sharding.ZeRO, v, v.int)
		})),
		reads("zero_optimization.offload_param.device", text, offload(func(s *Sharding) **Setting[string] { return &s.OffloadParameters })),
		reads("zero_optimization.offload_optimizer.device", text,
			offload(func(s *Sharding) **Setting[string] { return &s.OffloadOptimizer })),
		reads("zero_optimization.cpu_offload", boolean, func(r *reader, v *value) {
			if v.is() {
				give(r, &r.run.Sharding.OffloadOptimizer, v, "cpu")
			}
		}),
		reads("zero_optimization.cpu_offload_param", boolean, func(r *reader, v *value) {
			if v.is() {
				give(r, &r.run.Sharding.OffloadParameters, v, "cpu")
			}
		}),
		optional("tensor_parallel.autotp_size", func(r *Run) **Setting[int64] { return &r.Sharding.Tensor }),
		optional("sequence_parallel_size", func(r *Run) **Setting[int64] { return &r.Sharding.Context }),
		reads("activation_checkpointing.cpu_checkpointing", boolean, func(r *reader, v *value) {
			if v.is() {
				give(r, &r.run.Checkpointing, v, "offload")
			}
		}),
		toggle("compile.deepcompile", compiled),
	},
	costs("weights or gradients quantised for communication", `zero_optimization.zero_quantized_weights
		zero_optimization.zero_quantized_nontrainable_weights zero_optimization.zero_quantized_gradients`),
	costs("a second copy of the weights within a node", "zero_optimization.zero_hpz_partition_size"),
	costs("16-bit master weights and gradients", `bf16.bf16_master_weights_and_grads bf16.bf16_optimizer_states
		fp16.fp16_master_weights_and_grads`),
	costs("activations partitioned over model-parallel cards", `activation_checkpointing.partition_activations
		activation_checkpointing.contiguous_memory_optimization`),
	costs("a type of the summed gradients", "data_types"),
	costs("sparse attention", "sparse_attention"),
	costs("a compressed model", "compression_training quantize_training"),
	costs("a pipeline", "pipeline"),
	costs("progressive layers", "progressive_layer_drop"),
	without("ZeRO has no estimate in which these thresholds and buffers would count", prefixed("zero_optimization.", `
		contiguous_gradients
		reduce_scatter
		reduce_bucket_size use_multi_rank_bucket_allreduce allgather_partitions allgather_bucket_size overlap_comm sub_group_size
		stage3_prefetch_bucket_size stage3_param_persistence_threshold stage3_model_persistence_threshold stage3_max_live_parameters
		stage3_max_reuse_distance prefetch_bucket_size param_persistence_threshold model_persistence_threshold max_live_parameters
		max_reuse_distance
		round_robin_gradients parameter_alignment memory_efficient_linear stage3_module_granularity_threshold module_granularity_threshold
		stage3_use_all_reduce_for_fetch_params use_all_reduce_for_fetch_params stage3_allgather_sequential allgather_sequential
		ignore_unused_parameters legacy_stage1 leaf_module zenflow compute_grad_norm cpu_offload_use_pin_memory mics_shard_size
		mics_hierarchical_params_gather`)),
	without(whySave, prefixed("zero_optimization.", `stage3_gather_16bit_weights_on_model_save gather_16bit_weights_on_model_save
		stage3_gather_fp16_weights_on_model_save load_from_fp32_weights elastic_checkpoint pipeline_loading_checkpoint
		override_module_apply
		save_muon_momentum_buffer_in_memory`)),
	without(whyProfile, "zero_optimization.log_trace_cache_warnings zero_optimization.enable_sanity_checks"),
	without("it is of the host's memory or its disk, and the card is estimated", prefixed("zero_optimization.offload_param.",
		"nvme_path buffer_count buffer_size max_in_cpu pin_memory")+
		prefixed(" zero_optimization.offload_optimizer.",
			`nvme_path buffer_count pin_memory pipeline_read pipeline_write fast_init ratio super_offload cpuadam_cores_perc
			buffer_size`)+" aio"),
	without(whyRate, `optimizer.params optimizer.legacy_fusion scheduler gradient_clipping fp16.loss_scale fp16.initial_scale_power
		fp16.loss_scale_window fp16.hysteresis fp16.consecutive_hysteresis fp16.min_loss_scale fp16.auto_cast
		bf16.check_grad_overflow bf16.check_overflow
		bf16.immediate_grad_update bfloat16.check_grad_overflow prescale_gradients gradient_predivide_factor gradient_allreduce_op
		managed_gradient_accumulation curriculum_learning data_efficiency amp`),
	without(whyComm, `communication_data_type seq_parallel_communication_data_type sparse_gradients disable_allgather comms_logger
		torch_autocast.dtype
		torch_autocast.lower_precision_safe_modules use_data_before_expert_parallelism`),
	without("how many checkpoints there are, and how they are synchronised, changes no peak that is estimated", `
		activation_checkpointing.number_checkpoints
		activation_checkpointing.synchronize_checkpoint_boundary`),
	without(whyProfile, "activation_checkpointing.profile wall_clock_breakdown memory_breakdown dump_state flops_profiler autotuning"),
	without(whyLog, "steps_per_print tensorboard wandb csv_monitor comet monitor_config log_level"),
	without(whySave, "checkpoint nebula load_universal"),
	without(whyLoader, "dataloader_drop_last"),
	without(whyLaunch, `zero_allow_untested_optimizer zero_force_ds_cpu_optimizer elasticity disable_python_gc hybrid_engine
		tensor_parallel.tp_grain_size tensor_parallel.dtype compile.backend compile.kwargs compile.enabled data_parallel_group`),
)

func prefixed(prefix, names string) string {
	words := strings.Fields(names)
	for i := range words {
		words[i] = prefix + words[i]
	}
	return strings.Join(words, " ")
}

// auto lets a key say "auto", which leaves it to the other file.
func auto(k key) key {
	read, takes := k.read, k.takes
	k.takes |= text
	k.read = func(r *reader, v *value) {
		switch {
		case isAuto(v):
		case v.kind&takes == 0 && r.loose:
			if got := plain(*v, v.text); got.kind&takes != 0 {
				read(r, &got)
				return
			}
			fallthrough
		case v.kind&takes == 0:
			r.fault(v, "is %s but takes %s or \"auto\"", v.show(), takes.name())
		default:
			read(r, v)
		}
	}
	return k
}

func isAuto(v *value) bool { return v != nil && v.kind == text && v.text == "auto" }

// autos finds the fields that another file must give.
func (r *reader) autos(v *value) {
	matter := []string{"train_batch_size", "train_micro_batch_size_per_gpu", "gradient_accumulation_steps", "bf16.enabled",
		"fp16.enabled", "optimizer.type"}
	for _, name := range matter {
		if at := v.at(name); isAuto(at) {
			r.report.find(Finding{Rule: ruleAuto, Severity: Warn, File: r.file, Line: at.line, Path: at.path,
				Message: at.path + ` is "auto": the arguments of the trainer give it, and this file alone does not`,
				Fix:     "give the trainer's file, which names this one"})
		}
	}
}

func offload(to func(*Sharding) **Setting[string]) func(*reader, *value) {
	return func(r *reader, v *value) {
		if r.oneOf(v, "none", "cpu", "nvme") && v.text != "none" {
			give(r, to(&r.run.Sharding), v, v.text)
		}
	}
}

// deepspeedOptimizer takes the place of the one that the trainer's arguments name.
func (r *reader) deepspeedOptimizer(v *value) {
	r.run.Optimizer = nil
	give(r, &r.run.Optimizer, v, strings.ToLower(v.text))
}

// deepspeed reads DeepSpeed's settings out of the file of another trainer, or the file that it names.
func (r *reader) deepspeed(v *value) {
	if v.kind == mapping {
		t := deepspeedKeys
		if r.nested++; r.nested > 1 {
			return
		}
		r.walkAt(t, v)
		return
	}
	if v.text == "" {
		return
	}
	missing := func(why string) {
		r.report.find(Finding{Rule: ruleNotRead, Severity: Warn, File: r.file, Line: v.line, Path: v.path,
			Message: fmt.Sprintf("%s names %s, which was not read (%s): the stage of ZeRO and its offload are not known", v.path,
				clip(v.text), why)})
	}
	if r.open == nil {
		missing("no file beside this one is")
		return
	}
	data, err := r.open(v.text)
	if err != nil {
		missing(clip(err.Error()))
		return
	}
	var top value
	if err = error(Fault{Message: "is too large"}); len(data) <= MaxBytes {
		top, err = parseJSON(data)
	}
	if err != nil {
		var f Fault
		if fault, ok := err.(Fault); ok {
			f = fault
		}
		f.File = v.text
		r.faults = append(r.faults, f)
		return
	}
	file, loose := r.file, r.loose
	r.file, r.loose = v.text, true
	r.walk(deepspeedKeys, &top, "")
	r.file, r.loose = file, loose
}

// walkAt goes through a section that another trainer's table describes.
func (r *reader) walkAt(t table, v *value) {
	before := len(r.report.Keys)
	r.walk(t, v, "")
	for i := range r.report.Keys[before:] {
		if k := &r.report.Keys[before+i]; k.Nearest != "" && !slices.ContainsFunc(v.members,
			func(m member) bool { return m.name == k.Nearest }) {
			k.Nearest = join(v.path, k.Nearest)
		}
	}
}
