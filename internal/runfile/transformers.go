package runfile

import (
	"fmt"
	"strings"
)

// The arguments of transformers' Trainer, which axolotl, LLaMA-Factory and TRL have too (transformers 5.22, training_args.py). A file of
// them alone names no model.
var _ = register(trainer{
	id: "transformers", title: "transformers' TrainingArguments", version: "5.22",
	keys:   tableOf(trainerKeys),
	finish: func(r *reader, _ *value) { r.trainerDefaults() },
})

// trainerKeys are those of TrainingArguments, with names of earlier versions.
var trainerKeys = concat(
	[]key{
		integer("per_device_train_batch_size", microBatch),
		integer("per_gpu_train_batch_size", microBatch),
		integer("gradient_accumulation_steps", accumulation),
		float("num_train_epochs", epochs),
		optional("max_steps", steps),
		word("optim", optimizer),
		reads("bf16", boolean, reads16("bfloat16")),
		reads("fp16", boolean, reads16("float16")),
		toggle("tf32", func(r *Run) **Setting[bool] { return &r.TF32 }),
		reads("gradient_checkpointing", boolean, (*reader).checkpointing),
		toggle("torch_compile", compiled),
		toggle("use_liger_kernel", func(r *Run) **Setting[bool] { return &r.FusedKernels }),
		reads("liger_kernel_config", mapping, (*reader).ligerConfig),
		reads("fsdp", text|list|boolean, (*reader).fsdpWords),
		reads("fsdp_config", mapping|text, func(r *reader, v *value) { r.fsdpConfig(v, "") }),
		reads("deepspeed", mapping|text, (*reader).deepspeed),
	},
	costs("neftune noise on the embeddings", "neftune_noise_alpha"),
	costs("parallelism_config", "parallelism_config"),
	costs("galore or apollo target modules", "optim_target_modules"),
	without("it empties the cache between steps, which changes reserved memory and no peak", "torch_empty_cache_steps"),
	without("it halves a batch that does not fit, and the batch that is asked for is estimated", "auto_find_batch_size"),
	without("whether the recomputation is reentrant changes what is kept by less than a block's input", "gradient_checkpointing_kwargs"),
	without("it says how torch.compile compiles, which is not measured", "torch_compile_backend torch_compile_mode"),
	without(whyRate, `learning_rate lr_scheduler_type lr_scheduler_kwargs warmup_steps warmup_ratio optim_args weight_decay
		adam_beta1 adam_beta2
		adam_epsilon max_grad_norm label_smoothing_factor average_tokens_across_devices`),
	without(whyLog, `logging_strategy logging_steps logging_first_step log_on_each_node logging_nan_inf_filter
		include_num_input_tokens_seen log_level
		log_level_replica disable_tqdm report_to run_name project trackio_space_id trackio_bucket_id trackio_static_space_id logging_dir
		include_tokens_per_second skip_memory_metrics`),
	without(whyEval, `eval_strategy evaluation_strategy eval_steps eval_delay per_device_eval_batch_size per_gpu_eval_batch_size
		prediction_loss_only
		eval_on_start eval_do_concat_batches eval_use_gather_object eval_accumulation_steps include_for_metrics batch_eval_metrics
		bf16_full_eval
		fp16_full_eval do_eval do_predict metric_for_best_model greater_is_better include_inputs_for_metrics`),
	without(whySave, `output_dir overwrite_output_dir save_only_model save_strategy save_steps save_on_each_node save_total_limit
		enable_jit_checkpoint
		push_to_hub hub_token hub_private_repo hub_model_id hub_strategy hub_always_push hub_revision load_best_model_at_end
		save_safetensors
		resume_from_checkpoint restore_callback_states_from_checkpoint ignore_data_skip push_to_hub_model_id push_to_hub_organization
		push_to_hub_token`),
	without(whyRandom, "full_determinism seed data_seed"),
	without(whyLoader, `dataloader_drop_last dataloader_num_workers dataloader_pin_memory dataloader_persistent_workers
		dataloader_prefetch_factor
		dataloader_multiprocessing_context dataloader_in_order remove_unused_columns label_names train_sampling_strategy
		length_column_name
		group_by_length accelerator_config`),
	without(whyLaunch, `ddp_find_unused_parameters ddp_bucket_cap_mb ddp_broadcast_buffers ddp_static_graph ddp_backend ddp_timeout
		local_rank
		use_cpu no_cuda use_mps_device do_train tpu_num_cores past_index`),
	without(whyProfile, "debug tpu_metrics_debug"),
	without(whyInfer, "use_cache"),
	without("it says at which modules FSDP cuts, which has no estimate", "fsdp_min_num_params fsdp_transformer_layer_cls_to_wrap"),
)

func concat(parts ...[]key) (out []key) {
	for _, p := range parts {
		out = append(out, p...)
	}
	return out
}

// Where settings are stored.
func microBatch(r *Run) **Setting[int64]   { return &r.MicroBatch }
func accumulation(r *Run) **Setting[int64] { return &r.Accumulation }
func worldSize(r *Run) **Setting[int64]    { return &r.WorldSize }
func sequence(r *Run) **Setting[int64]     { return &r.SequenceLength }
func steps(r *Run) **Setting[int64]        { return &r.Steps }
func epochs(r *Run) **Setting[float64]     { return &r.Epochs }
func optimizer(r *Run) **Setting[string]   { return &r.Optimizer }
func model(r *Run) **Setting[string]       { return &r.Model }
func attention(r *Run) **Setting[string]   { return &r.Attention }
func packing(r *Run) **Setting[bool]       { return &r.Packing }
func compiled(r *Run) **Setting[bool]      { return &r.Compile }
func loraRank(r *Run) **Setting[int64]     { return &r.LoRA.Rank }
func loraAlpha(r *Run) **Setting[float64]  { return &r.LoRA.Alpha }
func loraDrop(r *Run) **Setting[float64]   { return &r.LoRA.Dropout }
func dora(r *Run) **Setting[bool]          { return &r.LoRA.DoRA }

// reads16 reads a switch of 16-bit products, of which a run has one.
func reads16(dtype string) func(*reader, *value) {
	return func(r *reader, v *value) {
		if v.is() {
			r.autocast(v, dtype)
		}
	}
}

func (r *reader) autocast(v *value, dtype string) {
	if old := r.run.Autocast; old != nil && !old.Default && old.Value != dtype {
		r.report.contradiction(v.path, r.place(v), fmt.Sprintf("%s asks for %s and %s for %s: a run has one of them", old.name(),
			old.Value, v.path, dtype), "leave one of them out")
		return
	}
	give(r, &r.run.Autocast, v, dtype)
}

func (r *reader) checkpointing(v *value) {
	how := "none"
	if v.is() {
		how = "full"
	}
	give(r, &r.run.Checkpointing, v, how)
}

// ligerConfig reads which of Liger's kernels are used: one of them computes logits and loss in pieces.
func (r *reader) ligerConfig(v *value) {
	if f := v.member("fused_linear_cross_entropy"); f != nil && f.kind == boolean {
		give(r, &r.run.FusedLoss, f, f.is())
	}
}

// fsdpWords reads the words of the Trainer: full_shard auto_wrap offload.
func (r *reader) fsdpWords(v *value) {
	if v.kind == boolean {
		if v.is() {
			give(r, &r.run.Sharding.FSDP, v, 1)
		}
		return
	}
	words := strings.Fields(strings.ReplaceAll(v.text, ",", " "))
	if v.kind == list {
		words = r.names(v)
	}
	allowed := []string{"full_shard", "shard_grad_op", "hybrid_shard", "hybrid_shard_zero2", "no_shard", "offload", "auto_wrap"}
	for _, w := range words {
		if !r.oneOf(&value{kind: text, text: w, path: v.path, line: v.line}, allowed...) {
			return
		}
		switch w {
		case "offload":
			give(r, &r.run.Sharding.OffloadParameters, v, "cpu")
		case "full_shard", "hybrid_shard":
			give(r, &r.run.Sharding.Reshard, v, true)
		case "shard_grad_op", "hybrid_shard_zero2":
			give(r, &r.run.Sharding.Reshard, v, false)
		}
	}
	if len(words) > 0 && r.run.Sharding.FSDP == nil {
		r.run.Sharding.FSDP = &Setting[int64]{Value: 1, From: v.path, place: r.place(v)}
	}
}

// fsdpConfig reads what says how FSDP shards. Names may begin with fsdp_, as accelerate writes them.
func (r *reader) fsdpConfig(v *value, prefix string) {
	if v.kind == text {
		r.report.find(Finding{Rule: ruleNotRead, Severity: Warn, File: r.file, Line: v.line, Path: v.path,
			Message: v.path + " names a file that is not read: what it says is not known"})
		return
	}
	if len(v.members) == 0 {
		return
	}
	version := &value{kind: whole, int: 1, path: v.path, line: v.line}
	for i := range v.members {
		m := &v.members[i]
		name := m.name
		if prefix != "" || strings.HasPrefix(name, "fsdp_") {
			name = strings.TrimPrefix(name, "fsdp_")
		}
		r.account(&m.value, Key{Use: Read})
		k, found := fsdpKeys.keys[name]
		switch {
		case name == "version" && m.kind == whole:
			version = &m.value
			if m.int != 1 && m.int != 2 {
				r.fault(&m.value, "is %s but takes 1 or 2", m.show())
			}
		case !found:
			r.report.Keys = r.report.Keys[:len(r.report.Keys)-1]
			r.unknown(fsdpKeys, m, "")
		case k.read == nil:
			r.report.Keys[len(r.report.Keys)-1].Use, r.report.Keys[len(r.report.Keys)-1].Why = NoEffect, k.why
		default:
			loose := r.loose
			r.loose = true // accelerate writes numbers and booleans in quotes
			r.take(k, &m.value)
			r.loose = loose
		}
	}
	if old := r.run.Sharding.FSDP; old == nil || old.From == "fsdp" {
		r.run.Sharding.FSDP = &Setting[int64]{Value: version.int, From: version.path, place: r.place(version)}
	}
}

// fsdpKeys are those of a section of FSDP, without the fsdp_ that some files write before them.
var fsdpKeys = tableOf(
	[]key{
		reads("version", whole, func(*reader, *value) {}),
		reads("offload_params", boolean, func(r *reader, v *value) {
			if v.is() {
				give(r, &r.run.Sharding.OffloadParameters, v, "cpu")
			}
		}),
		reads("reshard_after_forward", boolean|text, func(r *reader, v *value) {
			if v.kind == boolean {
				give(r, &r.run.Sharding.Reshard, v, v.is())
			} else if r.oneOf(v, "FULL_SHARD", "SHARD_GRAD_OP", "HYBRID_SHARD", "HYBRID_SHARD_ZERO2", "NO_SHARD") {
				give(r, &r.run.Sharding.Reshard, v, strings.HasSuffix(v.text, "_SHARD"))
			}
		}),
		reads("sharding_strategy", text|whole, func(r *reader, v *value) {
			if v.kind == text && r.oneOf(v, "FULL_SHARD", "SHARD_GRAD_OP", "HYBRID_SHARD", "HYBRID_SHARD_ZERO2", "NO_SHARD") {
				give(r, &r.run.Sharding.Reshard, v, strings.HasSuffix(v.text, "_SHARD"))
			}
		}),
		reads("activation_checkpointing", boolean, func(r *reader, v *value) {
			if v.is() {
				give(r, &r.run.Checkpointing, v, "full")
			}
		}),
		reads("activation_checkpointing_offload", boolean, func(r *reader, v *value) {
			if v.is() {
				give(r, &r.run.Checkpointing, v, "offload")
			}
		}),
		reads("mixed_precision_policy", text, func(r *reader, v *value) {
			for word, dtype := range map[string]string{"bf16": "bfloat16", "fp16": "float16"} {
				if strings.HasPrefix(v.text, word) {
					r.autocast(v, dtype)
				}
			}
		}),
	},
	without("it says at which modules FSDP cuts; without an estimate of FSDP it changes nothing", `auto_wrap_policy
		transformer_layer_cls_to_wrap min_num_params`),
	without(whyComm, "backward_prefetch backward_prefetch_policy forward_prefetch limit_all_gathers"),
	without(whyLoad, "cpu_ram_efficient_loading sync_module_states use_orig_params cpu_offload_pin_memory"),
	without(whySave, "state_dict_type final_state_dict_type"),
	without(whyLaunch, "xla xla_fsdp_settings xla_fsdp_grad_ckpt xla_fsdp_v2"),
)

// trainerDefaults are those of TrainingArguments.
func (r *reader) trainerDefaults() {
	run := r.run
	assume(&run.MicroBatch, "per_device_train_batch_size", 8)
	assume(&run.Accumulation, "gradient_accumulation_steps", 1)
	assume(&run.Optimizer, "optim", "adamw_torch_fused")
	if run.Steps == nil {
		assume(&run.Epochs, "num_train_epochs", 3.0)
	}
	assume(&run.Checkpointing, "gradient_checkpointing", "none")
	assume(&run.Autocast, "bf16", "float32")
}
