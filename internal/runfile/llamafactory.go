package runfile

import "fmt"

// LLaMA-Factory's YAML or JSON (llamafactory 0.9.5, hparams): the arguments of transformers' Trainer and its own.
var _ = register(trainer{
	id: "llamafactory", title: "LLaMA-Factory", version: "0.9.5",
	keys:   llamafactoryKeys,
	signs:  []string{"finetuning_type", "stage", "cutoff_len", "template", "lora_target", "lora_rank", "quantization_bit", "dataset_dir"},
	finish: (*reader).llamafactoryFinish,
})

var llamafactoryKeys = tableOf(
	trainerKeys,
	[]key{
		word("model_name_or_path", model),
		reads("stage", text, func(r *reader, v *value) {
			if r.oneOf(v, "pt", "sft", "rm", "ppo", "dpo", "kto") {
				words := map[string]string{"pt": "pretrain", "rm": "reward"}
				if w := words[v.text]; w != "" {
					give(r, &r.run.Objective, v, w)
				} else {
					give(r, &r.run.Objective, v, v.text)
				}
			}
		}),
		reads("finetuning_type", text, func(r *reader, v *value) {
			if r.oneOf(v, "lora", "oft", "freeze", "full") {
				give(r, &r.run.Method, v, v.text)
			}
		}),
		integer("lora_rank", loraRank),
		float("lora_alpha", loraAlpha),
		float("lora_dropout", loraDrop),
		reads("lora_target", text|list, func(r *reader, v *value) {
			names := r.names(v)
			if len(names) == 1 && names[0] == "all" {
				names[0] = AllLinear
			}
			give(r, &r.run.LoRA.Targets, v, names)
		}),
		reads("additional_target", text|list, (*reader).saved),
		toggle("use_dora", dora),
		reads("pure_bf16", boolean, func(r *reader, v *value) {
			if v.is() {
				give(r, &r.run.BaseType, v, "bfloat16")
				give(r, &r.run.TrainType, v, "bfloat16")
			}
		}),
		reads("quantization_bit", whole, func(r *reader, v *value) {
			if v.int < 2 || v.int > 8 {
				r.fault(v, "is %s but takes 2 to 8", v.show())
				return
			}
			give(r, &r.run.Quantization.Bits, v, v.int)
		}),
		reads("quantization_type", text, func(r *reader, v *value) {
			if r.oneOf(v, "nf4", "fp4") {
				give(r, &r.run.Quantization.Type, v, v.text)
			}
		}),
		toggle("double_quantization", func(r *Run) **Setting[bool] { return &r.Quantization.Double }),
		integer("cutoff_len", sequence),
		toggle("packing", packing),
		reads("neat_packing", boolean, func(r *reader, v *value) {
			if v.is() {
				give(r, &r.run.Packing, v, true)
			}
		}),
		reads("max_samples", whole, func(r *reader, v *value) {
			if v.int < 1 {
				r.fault(v, "is %s but must be at least 1", v.show())
				return
			}
			give(r, &r.run.Samples, v, v.int)
		}),
		reads("flash_attn", text|boolean, func(r *reader, v *value) {
			words := map[string]string{"auto": "", "disabled": "eager", "sdpa": "sdpa", "fa2": "flash_attention_2",
				"fa3": "flash_attention_3"}
			if r.oneOf(v, "auto", "disabled", "sdpa", "fa2", "fa3") && words[v.text] != "" {
				give(r, &r.run.Attention, v, words[v.text])
			}
		}),
		toggle("enable_liger_kernel", func(r *Run) **Setting[bool] { return &r.FusedKernels }),
		reads("use_unsloth", boolean, func(r *reader, v *value) {
			if v.is() {
				give(r, &r.run.FusedKernels, v, true)
			}
		}),
		reads("gradient_checkpointing", boolean, func(r *reader, v *value) {
			if v.is() {
				give(r, &r.run.Checkpointing, v, "full")
			}
		}),
		reads("disable_gradient_checkpointing", boolean, func(r *reader, v *value) {
			if v.is() {
				give(r, &r.run.Checkpointing, v, "none")
			}
		}),
		reads("use_unsloth_gc", boolean, func(r *reader, v *value) {
			if v.is() {
				give(r, &r.run.Checkpointing, v, "offload")
			}
		}),
		reads("pref_loss", text, func(r *reader, v *value) {
			r.oneOf(v, "sigmoid", "hinge", "ipo", "kto_pair", "orpo", "simpo")
		}),
		toggle("fp8", func(r *Run) **Setting[bool] { return &r.FP8 }),
		optional("ray_num_workers", worldSize),
	},
	costs("another model beside the trained one", "ref_model reward_model"),
	costs("another optimizer", "use_galore use_apollo use_badam use_adam_mini use_muon"),
	costs("another training loop", "use_mca use_kt use_hyper_parallel"),
	costs("another attention", "shift_attn mixture_of_depths"),
	costs("parts of a model that sees, frozen or not", "freeze_vision_tower freeze_multi_modal_projector freeze_language_model"),
	costs("layers that are trained", "freeze_trainable_layers freeze_trainable_modules freeze_extra_modules use_llama_pro"),
	costs("32-bit norms or logits", "upcast_layernorm upcast_lmhead_output"),
	costs("a second loss over a copy of the model", "use_asft_loss"),
	without(whyRate, `loraplus_lr_ratio loraplus_lr_embedding use_rslora pissa_init pissa_iter pissa_convert create_new_adapter
		use_dft_loss asft_alpha
		use_eaft_loss eaft_alpha module_dropout oft_rank oft_block_size oft_target galore_target galore_rank galore_update_interval
		galore_scale
		galore_proj_type galore_layerwise apollo_target apollo_rank apollo_update_interval apollo_scale apollo_proj apollo_proj_type
		apollo_scale_type apollo_layerwise apollo_scale_front badam_mode badam_start_block badam_switch_mode badam_switch_interval
		badam_update_ratio
		badam_mask_mode badam_verbose disable_shuffling moe_aux_loss_coef`),
	without(whyReward, `pref_beta pref_ftx pref_bco_weight dpo_label_smoothing kto_chosen_weight kto_rejected_weight simpo_gamma
		ppo_buffer_size ppo_epochs
		ppo_score_norm ppo_target ppo_whiten_rewards ref_model_adapters ref_model_quantization_bit reward_model_adapters
		reward_model_quantization_bit reward_model_type ld_alpha`),
	without(whyData, `dataset eval_dataset dataset_dir media_dir train_on_prompt mask_history streaming buffer_size mix_strategy
		interleave_probs
		overwrite_cache preprocessing_batch_size preprocessing_num_workers ignore_pad_token_for_loss tokenized_path
		data_shared_file_system`),
	without(whyToken, `template tool_format default_system enable_thinking preserve_thinking use_fast_tokenizer split_special_tokens
		add_tokens
		add_special_tokens new_special_tokens_config init_special_tokens image_max_pixels image_min_pixels image_do_pan_and_scan
		crop_to_patches
		video_max_pixels video_min_pixels video_fps video_maxlen use_audio_in_video audio_sampling_rate`),
	without(whyEval, `eval_num_beams val_size eval_on_each_dataset compute_accuracy predict_with_generate generation_max_length
		generation_num_beams`),
	without(whyLoad, `adapter_name_or_path adapter_folder cache_dir resize_vocab model_revision low_cpu_mem_usage rope_scaling
		train_from_scratch
		offload_folder hf_hub_token ms_hub_token om_hub_token trust_remote_code quantization_method quantization_device_map kt_weight_path
		kt_expert_checkpoint_path kt_use_lora_experts kt_lora_expert_num kt_lora_expert_intermediate_size device_map compute_dtype
		model_max_length`),
	without("whether the recomputation is reentrant changes what is kept by less than a block's input", "use_reentrant_gc"),
	without(whyInfer, `infer_backend use_kv_cache infer_dtype do_sample temperature top_p top_k num_beams max_length max_new_tokens
		repetition_penalty
		length_penalty skip_special_tokens vllm_maxlen vllm_gpu_util vllm_enforce_eager vllm_max_lora_rank vllm_config sglang_maxlen
		sglang_mem_fraction sglang_tp_size sglang_config sglang_lora_backend use_v1_kernels`),
	without(whySave, `export_dir export_size export_device export_quantization_bit export_quantization_dataset
		export_quantization_nsamples
		export_quantization_maxlen export_legacy_format export_hub_model_id`),
	without(whyLog, `print_param_status early_stopping_steps plot_loss include_effective_tokens_per_second use_swanlab
		swanlab_project swanlab_workspace
		swanlab_run_name swanlab_mode swanlab_api_key swanlab_logdir swanlab_lark_webhook_url swanlab_lark_secret`),
	without(whyLaunch, `ray_run_name ray_storage_path resources_per_worker placement_strategy ray_init_kwargs master_addr
		master_port hyper_parallel_args fp8_backend fp8_enable_fsdp_float8_all_gather`),
	without(whyProfile, `enable_torch_profiler profiler_output_dir profiler_wait_steps profiler_warmup_steps profiler_active_steps
		profiler_repeat
		profiler_record_shapes profiler_profile_memory profiler_with_stack profile_modules`),
)

// llamafactoryFinish says what holds where nothing is said: adapters of rank 8 beside every linear layer, recomputation of every block,
// and, in 16 bits, trained weights that are cast back to 32.
func (r *reader) llamafactoryFinish(top *value) {
	run := r.run
	if run.Model == nil {
		r.fault(top, "has no model_name_or_path, which LLaMA-Factory asks for")
	}
	assume(&run.Objective, "stage", "sft")
	assume(&run.Method, "finetuning_type", "lora")
	assume(&run.SequenceLength, "cutoff_len", 2048)
	assume(&run.Checkpointing, "disable_gradient_checkpointing", "full")
	assume(&run.Packing, "packing", run.Objective.Value == "pretrain")
	if l := top.member("pref_loss"); l != nil && run.Objective.Value == "dpo" && (l.text == "orpo" || l.text == "simpo" ||
		l.text == "ipo") {
		run.Objective = &Setting[string]{Value: l.text, From: l.path, place: r.place(l)}
	}
	if run.Method.Value == "lora" {
		assume(&run.LoRA.Rank, "lora_rank", 8)
		assume(&run.LoRA.Targets, "lora_target", []string{AllLinear})
		if q := run.Quantization.Bits; q != nil {
			run.Method = &Setting[string]{Value: "qlora", From: q.From, place: q.place}
		}
	} else if q := run.Quantization.Bits; q != nil && run.Method.Value != "oft" && run.Method.Value != "full" {
		r.report.contradiction(q.From, q.place, fmt.Sprintf("%s is %d, and finetuning_type %s trains the weights themselves", q.name(),
			q.Value, run.Method.Value), "use finetuning_type: lora")
	}
	if w := run.Autocast; w != nil {
		assume(&run.BaseType, w.From, w.Value)
		assume(&run.TrainType, "pure_bf16", "float32")
	}
	if p := top.member("pure_bf16"); p.is() && Of(run.Sharding.ZeRO, 0) == 3 {
		r.report.contradiction(p.path, r.place(p), "pure_bf16 is true, which LLaMA-Factory refuses with ZeRO stage 3",
			"leave pure_bf16 out")
	}
	r.trainerDefaults()
}
