package runfile

// axolotl's YAML (axolotl 0.19, utils/schemas and the arguments of its integrations).
var _ = register(trainer{
	id: "axolotl", title: "axolotl", version: "0.19",
	keys: axolotlKeys, loose: true,
	signs: []string{"base_model", "micro_batch_size", "sequence_len", "sample_packing", "lora_target_linear", "dataset_prepared_path",
		"val_set_size"},
	finish: (*reader).axolotlFinish,
})

var axolotlKeys = tableOf(
	[]key{
		word("base_model", model),
		integer("micro_batch_size", microBatch),
		integer("gradient_accumulation_steps", accumulation),
		reads("batch_size", whole, func(*reader, *value) {}), // of one process; read when the whole file is known
		optional("world_size", worldSize),
		integer("sequence_len", sequence),
		reads("sample_packing", boolean, func(r *reader, v *value) { give(r, &r.run.Packing, v, v.is()) }),
		float("num_epochs", epochs),
		optional("max_steps", steps),
		word("optimizer", optimizer),
		reads("bf16", boolean|text, axolotl16("bfloat16")),
		reads("fp16", boolean, axolotl16("float16")),
		reads("bfloat16", boolean, axolotlWeights("bfloat16")),
		reads("float16", boolean, axolotlWeights("float16")),
		reads("float32", boolean, axolotlWeights("float32")),
		reads("tf32", boolean|text, func(r *reader, v *value) {
			if v.kind == boolean {
				give(r, &r.run.TF32, v, v.is())
			} else {
				r.oneOf(v, "auto")
			}
		}),
		toggle("fp8", func(r *Run) **Setting[bool] { return &r.FP8 }),
		reads("gradient_checkpointing", boolean|text, func(r *reader, v *value) {
			if v.kind == boolean {
				r.checkpointing(v)
			} else if r.oneOf(v, "offload", "offload_disk") {
				give(r, &r.run.Checkpointing, v, "offload")
			}
		}),
		reads("adapter", text, func(r *reader, v *value) {
			if !r.oneOf(v, "lora", "qlora", "llama-adapter") {
				return
			}
			method := v.text
			if method == "llama-adapter" {
				method = "other"
			}
			give(r, &r.run.Method, v, method)
		}),
		reads("load_in_4bit", boolean, bits(4)),
		reads("load_in_8bit", boolean, bits(8)),
		reads("gptq", boolean, func(r *reader, v *value) {
			if v.is() {
				give(r, &r.run.Quantization.Type, v, "gptq")
			}
		}),
		integer("lora_r", loraRank),
		float("lora_alpha", loraAlpha),
		float("lora_dropout", loraDrop),
		reads("lora_target_modules", text|list, (*reader).targets),
		reads("lora_target_linear", boolean, func(r *reader, v *value) {
			if v.is() && r.run.LoRA.Targets == nil { // both together are both: all-linear holds the named ones
				give(r, &r.run.LoRA.Targets, v, []string{AllLinear})
			}
		}),
		reads("lora_modules_to_save", list|text, (*reader).saved),
		toggle("peft_use_dora", dora),
		reads("rl", text, func(r *reader, v *value) {
			if r.oneOf(v, "dpo", "gdpo", "grpo", "ipo", "orpo", "kto", "simpo", "ebft") {
				give(r, &r.run.Objective, v, v.text)
			}
		}),
		reads("reward_model", boolean, func(r *reader, v *value) {
			if v.is() {
				give(r, &r.run.Objective, v, "reward")
			}
		}),
		reads("process_reward_model", boolean, func(r *reader, v *value) {
			if v.is() {
				give(r, &r.run.Objective, v, "reward")
			}
		}),
		reads("pretraining_dataset", list|text|mapping, func(r *reader, v *value) { give(r, &r.run.Objective, v, "pretrain") }),
		word("attn_implementation", attention),
		reads("flash_attention", boolean, attends("flash_attention_2")),
		reads("sdp_attention", boolean, attends("sdpa")),
		reads("eager_attention", boolean, attends("eager")),
		reads("flex_attention", boolean, attends("flex_attention")),
		reads("xformers_attention", boolean, attends("xformers")),
		reads("sage_attention", boolean, attends("sage")),
		reads("torch_compile", boolean|text, func(r *reader, v *value) {
			if v.kind == boolean {
				give(r, &r.run.Compile, v, v.is())
			} else if r.oneOf(v, "auto") {
				give(r, &r.run.Compile, v, true)
			}
		}),
		toggle("liger_fused_linear_cross_entropy", fusedLoss),
		toggle("cut_cross_entropy", fusedLoss),
		toggle("chunked_cross_entropy", fusedLoss),
		reads("fsdp", list|text|boolean, (*reader).fsdpWords),
		reads("fsdp_config", mapping|text, func(r *reader, v *value) { r.fsdpConfig(v, "") }),
		reads("fsdp_version", whole, func(r *reader, v *value) {
			if v.int != 1 && v.int != 2 {
				r.fault(v, "is %s but takes 1 or 2", v.show())
				return
			}
			r.run.Sharding.FSDP = nil
			give(r, &r.run.Sharding.FSDP, v, v.int)
		}),
		reads("deepspeed", text|mapping, (*reader).deepspeed),
		optional("dp_shard_size", func(r *Run) **Setting[int64] { return &r.Sharding.Shard }),
		optional("dp_replicate_size", func(r *Run) **Setting[int64] { return &r.Sharding.Replicate }),
		optional("tensor_parallel_size", func(r *Run) **Setting[int64] { return &r.Sharding.Tensor }),
		optional("context_parallel_size", func(r *Run) **Setting[int64] { return &r.Sharding.Context }),
		optional("sequence_parallel_degree", func(r *Run) **Setting[int64] { return &r.Sharding.Context }),
		optional("expert_parallel_size", func(r *Run) **Setting[int64] { return &r.Sharding.Expert }),
		integer("trl.num_generations", generations),
		integer("trl.max_completion_length", completion),
		toggle("trl.use_vllm", generator),
	},
	kernels(`liger_rope liger_rms_norm liger_rms_norm_gated liger_layer_norm liger_swiglu liger_glu_activation liger_cross_entropy
		lora_mlp_kernel lora_qkv_kernel lora_o_kernel`),
	costs("activations moved to the host", "activation_offloading layer_offloading"),
	costs("checkpointing of chosen operations", "selective_checkpointing"),
	costs("a quantised training", `qat fp8_config fp8_enable_fsdp_float8_all_gather model_quantization_config quantize_moe_experts
		use_onebitllms`),
	costs("a part of the weights that is trained", `unfrozen_parameters lisa_n_layers spectrum_top_fraction freeze_mm_modules
		peft_layers_to_transform lora_target_parameters`),
	costs("ranks that differ by module", "lora_rank_pattern"),
	costs("noise on the embeddings", "neftune_noise_alpha noisy_embedding_alpha"),
	costs("networks computed in tiles", "tiled_mlp tiled_mlp_num_shards tiled_mlp_use_original_mlp"),
	costs("vLLM beside the training", "vllm"),
	costs("distillation", "kd_trainer kd_online_server"),
	costs("a plugin", "plugins"),
	costs("restarted adapters", "relora relora_cpu_offload"),
	costs("another layer of attention or experts", `experts_implementation fused_attn_kernel flash_attn_fuse_mlp
		flash_attn_cross_entropy use_scattermoe use_sonicmoe scaling_softmax dense_mixer`),
	costs("images", "image_size"),
	costs("an override of the model's config", "overrides_of_model_config model_config"),
	without("a flash kernel takes the same memory whatever its options", `flash_optimum large_head_attention flash_attn_d512
		sdpa_varlen gemma4_hybrid_attn_impl flex_attn_compile_kwargs`),
	without("it names parts of the base by which nothing else is chosen", `base_model_config cls_model_config type_of_model
		model_type revision_of_model
		overrides_of_model_kwargs trust_remote_code experimental_skip_move_to_device is_falcon_derived_model is_llama_derived_model
		is_mistral_derived_model is_qwen_derived_model llama4_linearized_experts reinit_weights num_labels use_kernels`),
	without(whyToken, `tokenizer_config tokenizer_use_fast tokenizer_legacy tokenizer_use_mistral_common tokenizer_type
		processor_type processor_kwargs
		tokenizer_save_jinja_files special_tokens tokens added_tokens_overrides chat_template chat_template_jinja
		chat_template_kwargs eot_tokens
		default_system_message fix_untrained_tokens`),
	without("it resizes the table of tokens by less than 32 rows", `resize_token_embeddings_to_32x mean_resizing_embeddings
		shrink_embeddings`),
	without(whyData, `datasets test_datasets shuffle_merged_datasets shuffle_before_merging_datasets dataset_prepared_path
		dataset_shard_num
		dataset_shard_idx skip_prepare_dataset num_dataset_shards_to_save dataset_processes dataset_num_proc dataset_exact_deduplication
		dataset_keep_in_memory push_dataset_to_hub train_on_inputs group_by_length excess_length_strategy min_sample_len max_prompt_len
		curriculum_sampling multipack_real_batches sample_packing_group_size sample_packing_bin_size sample_packing_sequentially
		sample_packing_mp_start_method streaming streaming_multipack_buffer_size pretrain_multipack_buffer_size pretrain_multipack_attn
		pretraining_sample_concatenation total_num_tokens total_supervised_tokens sample_packing_eff_est use_pose pose_split_on_token_ids
		pose_max_context_len pose_num_chunks is_preprocess preprocess_iterable role_boundaries image_resize_algorithm
		remove_unused_columns
		batch_flattening`),
	without("samples are estimated at the full length of a sequence, padded or not", "pad_to_sequence_len pad_to_multiple_of"),
	without(whyRate, `learning_rate embedding_lr embedding_lr_scale weight_decay optim_args optim_target_modules torchdistx_path
		lr_scheduler
		lr_scheduler_kwargs lr_quadratic_warmup cosine_min_lr_ratio cosine_constant_lr_ratio lr_div_factor lr_groups adam_epsilon
		adam_epsilon2
		adam_beta1 adam_beta2 adam_beta3 dion_lr dion_momentum dion_rank_fraction dion_rank_multiple_of max_grad_norm warmup_steps
		warmup_ratio
		jagged_restart_steps jagged_restart_warmup_steps jagged_restart_anneal_steps lora_alpha_pattern lora_fan_in_fan_out
		peft_use_rslora
		peft_init_lora_weights loraplus_lr_ratio loraplus_lr_embedding peft peft_trainable_token_indices peft_layers_pattern
		peft_layer_replication
		peft_ensure_weight_tying relora_prune_ratio relora_prune_method grokfast_alpha grokfast_lamb use_eaft eaft_alpha eaft_k
		qgalore_rank qgalore_update_proj_gap qgalore_scale qgalore_proj_type qgalore_proj_quant qgalore_proj_bits qgalore_proj_group_size
		qgalore_cos_threshold qgalore_gamma_proj qgalore_queue_size lisa_step_interval lisa_layers_attribute strict
		liger_use_token_scaling
		liger_kernel_impl chunked_cross_entropy_num_chunks heads_k_stride ring_attn_func`),
	without("the adapters are taken as the trainer makes them", `peft_autocast_adapter_dtype bnb_config_kwargs
		qlora_sharded_model_loading lora_embedding_kernel embeddings_skip_upcast fp32_norms fp32_norm_classes`),
	without(whyReward, `rl_beta dpo_beta dpo_use_weighting dpo_label_smoothing dpo_loss_type dpo_loss_weights dpo_padding_free
		dpo_use_liger_kernel
		precompute_ref_log_probs orpo_alpha simpo_gamma cpo_alpha rpo_alpha kto_desirable_weight kto_undesirable_weight
		center_rewards_coefficient
		dpo_use_logits_to_keep dpo_generate_during_eval dpo_norm_loss kd_ce_alpha kd_alpha kd_temperature kd_beta ebft trainer_cls
		`+prefixed("trl.",
		`beta vllm_mode vllm_server_host vllm_server_port vllm_server_timeout vllm_guided_decoding_regex reward_funcs reward_weights
		generation_batch_size
		log_completions num_completions_to_print importance_sampling_level sync_ref_model ref_model_mixup_alpha ref_model_sync_steps
		scale_rewards
		temperature top_p top_k min_p repetition_penalty generation_kwargs chat_template_kwargs num_iterations epsilon epsilon_high
		use_liger_loss
		loss_type mask_truncated_completions rollout_func vllm_importance_sampling_correction vllm_importance_sampling_mode
		vllm_importance_sampling_cap use_data_producer async_prefetch prefetch_depth vllm_sync_interval reward_num_workers vllm_lora_sync
		vllm_enable_sleep_mode multi_objective_aggregation off_policy_mask_threshold`)),
	without(whyEval, `eval_batch_size eval_sequence_len eval_sample_packing eval_steps evals_per_epoch eval_strategy
		evaluation_strategy eval_table_size
		eval_max_new_tokens do_causal_lm_eval eval_causal_lm_metrics do_bench_eval bench_dataset bench_split metric_for_best_model
		greater_is_better
		val_set_size early_stopping_patience lm_eval_tasks lm_eval_batch_size lm_eval_post_train lm_eval_model generate_samples
		num_generation_samples
		generation_max_new_tokens generation_temperature generation_top_p generation_top_k generation_prompt_ratio generation_do_sample`),
	without(whySave, `output_dir hub_model_id hub_strategy hub_revision save_safetensors save_steps saves_per_epoch save_strategy
		save_total_limit
		save_first_step save_only_model load_best_model_at_end resume_from_checkpoint auto_resume_from_checkpoints hf_use_auth_token
		fsdp_final_state_dict_type merge_lora merge_method lora_on_cpu dynamic_checkpoint quantization llmcompressor
		axolotl_config_path`),
	without(whyLog, `logging_steps use_wandb wandb_name wandb_run_id wandb_mode wandb_project wandb_entity wandb_watch
		wandb_log_model use_mlflow
		mlflow_tracking_uri mlflow_experiment_name mlflow_run_name hf_mlflow_log_artifacts use_comet comet_api_key comet_workspace
		comet_project_name comet_experiment_key comet_mode comet_online comet_experiment_config use_trackio trackio_project_name
		trackio_run_name
		trackio_space_id use_otel_metrics otel_metrics_host otel_metrics_port use_tensorboard include_tokens_per_second include_tkps
		use_swanlab
		swanlab_project swanlab_experiment_name swanlab_mode swanlab_workspace swanlab_api_key loss_watchdog_threshold
		loss_watchdog_patience`),
	without(whyLaunch, `ddp ddp_timeout ddp_bucket_cap_mb ddp_broadcast_buffers ddp_find_unused_parameters local_rank device
		device_map use_ray
		ray_run_name ray_num_workers resources_per_worker accelerator_config max_memory gpu_memory_limit low_cpu_mem_usage
		gradio_title gradio_share
		gradio_server_name gradio_server_port gradio_max_new_tokens gradio_temperature deepcompile`),
	without(whyLoad, "lora_model_dir ple_cpu_offload"),
	without(whyLoader, "dataloader_pin_memory dataloader_num_workers dataloader_prefetch_factor dataloader_drop_last"),
	without(whyRandom, "seed"),
	without(whyProfile, "profiler_steps profiler_steps_start debug"),
	without("whether the recomputation is reentrant changes what is kept by less than a block's input", "gradient_checkpointing_kwargs"),
	without("it empties caches between steps, which changes reserved memory and no peak", `gc_steps torch_empty_cache_steps
		gc_collect_steps auto_find_batch_size`),
	without("it says how torch.compile compiles, which is not measured", "torch_compile_backend torch_compile_mode torch_compile_options"),
)

// axolotl16 reads bf16 and fp16. The weights are loaded in the type of the products, so that all is of 16 bits.
func axolotl16(dtype string) func(*reader, *value) {
	return func(r *reader, v *value) {
		if v.kind == text && !r.oneOf(v, "auto") {
			return
		}
		if v.kind == boolean && !v.is() {
			return
		}
		if v.kind == text && r.run.Autocast != nil {
			return // auto gives way
		}
		r.autocast(v, dtype)
	}
}

func axolotlWeights(dtype string) func(*reader, *value) {
	return func(r *reader, v *value) {
		if v.is() {
			give(r, &r.run.BaseType, v, dtype)
		}
	}
}

func (r *reader) axolotlFinish(top *value) {
	run := r.run
	if run.Model == nil {
		r.fault(top, "has no base_model, which axolotl asks for")
	}
	r.axolotlBatch(top)
	assume(&run.MicroBatch, "micro_batch_size", 1)
	assume(&run.Accumulation, "gradient_accumulation_steps", 1)
	assume(&run.SequenceLength, "sequence_len", 512)
	assume(&run.Optimizer, "optimizer", "adamw_torch_fused")
	assume(&run.Checkpointing, "gradient_checkpointing", "none")
	if run.Steps == nil {
		assume(&run.Epochs, "num_epochs", 1.0)
	}
	assume(&run.Objective, "rl", "sft")
	assume(&run.Method, "adapter", "full")
	if w := run.Autocast; w != nil {
		assume(&run.BaseType, w.From, w.Value)
	} else {
		assume(&run.Autocast, "bf16", "float32")
		assume(&run.BaseType, "bf16", "float32")
	}
	if m := run.Method; m.Value == "lora" || m.Value == "qlora" {
		if run.LoRA.Rank == nil {
			r.report.contradiction(m.From, m.place, m.name()+" is "+m.Value+", but lora_r is not given", "give lora_r")
		}
		if run.LoRA.Targets == nil && run.LoRA.Pattern == nil && top.member("lora_target_parameters") == nil {
			r.report.contradiction(m.From, m.place,
				m.name()+" is "+m.Value+", but neither lora_target_modules nor lora_target_linear is given", "give one of them")
		}
	}
	if m := run.Method; m.Value == "qlora" && Of(run.Quantization.Bits, 16) != 4 {
		r.report.contradiction(m.From, m.place, m.name()+" is qlora, but load_in_4bit is not true",
			"give load_in_4bit: true, or adapter: lora")
	}
	if m := run.Method; m.Value == "lora" && Of(run.Quantization.Bits, 16) == 4 {
		run.Method = &Setting[string]{Value: "qlora", From: m.From, place: m.place}
	}
}

// axolotlBatch reads batch_size: that of one process, in place of the accumulation.
func (r *reader) axolotlBatch(top *value) {
	b := top.member("batch_size")
	if b == nil || b.kind != whole {
		return
	}
	micro := Of(r.run.MicroBatch, 1)
	switch {
	case r.run.Accumulation != nil:
		r.report.contradiction(b.path, r.place(b),
			"batch_size and gradient_accumulation_steps are both given, and one follows from the other", "leave batch_size out")
	case b.int < 1 || b.int%micro != 0:
		r.fault(b, "is %s but must be a multiple of micro_batch_size, which is %d", b.show(), micro)
	default:
		give(r, &r.run.Accumulation, b, b.int/micro)
	}
}
