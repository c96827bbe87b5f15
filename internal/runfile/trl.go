package runfile

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
)

// TRL's arguments (trl 1.16): SFTConfig, DPOConfig, GRPOConfig and their like with those of the script and the model, as YAML, as JSON or
// as the command trl sft …
var _ = register(trainer{
	id: "trl", title: "TRL", version: "1.16",
	keys: trlKeys,
	signs: []string{"use_peft", "dataset_name", "lora_target_modules", "model_init_kwargs", "num_generations", "max_completion_length",
		"dataset_text_field", "attn_implementation", "torch_dtype", commandVerb},
	finish: (*reader).trlFinish,
})

var trlKeys = tableOf(
	trainerKeys,
	[]key{
		reads(commandVerb, text, func(r *reader, v *value) {
			if r.oneOf(v, trlVerbs...) {
				give(r, &r.run.Objective, v, v.text)
			}
		}),
		word("model_name_or_path", model),
		reads("dtype", text, (*reader).trlType),
		reads("torch_dtype", text, (*reader).trlType),
		word("attn_implementation", attention),
		toggle("use_peft", func(*Run) **Setting[bool] { return new(*Setting[bool]) }),
		integer("lora_r", loraRank),
		float("lora_alpha", loraAlpha),
		float("lora_dropout", loraDrop),
		reads("lora_target_modules", text|list, (*reader).targets),
		reads("lora_modules_to_save", text|list, (*reader).saved),
		toggle("use_dora", dora),
		reads("load_in_4bit", boolean, bits(4)),
		reads("load_in_8bit", boolean, bits(8)),
		reads("bnb_4bit_quant_type", text, func(r *reader, v *value) {
			if r.oneOf(v, "nf4", "fp4") {
				give(r, &r.run.Quantization.Type, v, v.text)
			}
		}),
		toggle("use_bnb_nested_quant", func(r *Run) **Setting[bool] { return &r.Quantization.Double }),
		integer("max_length", sequence),
		integer("max_seq_length", sequence),
		toggle("packing", packing),
		reads("packing_strategy", text, func(r *reader, v *value) {
			if r.oneOf(v, "bfd", "bfd_split", "wrapped", "bfd-requeue") {
				give(r, &r.run.PackingStrategy, v, v.text)
			}
		}),
		integer("num_generations", generations),
		integer("max_completion_length", completion),
		toggle("use_vllm", generator),
		reads("use_liger_loss", boolean, func(r *reader, v *value) { give(r, &r.run.FusedLoss, v, v.is()) }),
		reads("loss_type", text|list, func(r *reader, v *value) {
			if v.kind == text && v.text == "chunked_nll" { // SFT's loss in pieces
				give(r, &r.run.FusedLoss, v, true)
			}
		}),
		reads("model_init_kwargs", mapping|text, func(r *reader, v *value) {
			for _, k := range []struct {
				name string
				read func(*reader, *value)
			}{{"dtype", (*reader).trlType}, {"torch_dtype", (*reader).trlType}, {"attn_implementation", func(r *reader,
				v *value) {
				give(r, &r.run.Attention, v, v.text)
			}}} {
				if m := v.member(k.name); m != nil && m.kind == text {
					k.read(r, m)
				}
			}
		}),
	},
	costs("activations moved to the host", "activation_offloading"),
	costs("targets that are parameters and not modules", "lora_target_parameters"),
	costs("a 32-bit head", "cast_lm_head_to_fp32"),
	costs("a reward or reference model of its own", "reward_model_name_or_path reward_model_path ref_model_init_kwargs"),
	without(whyReward, `beta loss_weights ld_alpha f_divergence_type f_alpha_divergence_coef label_smoothing use_weighting
		discopop_tau sync_ref_model
		ref_model_mixup_alpha ref_model_sync_steps precompute_ref_batch_size num_iterations epsilon epsilon_high delta
		sapo_temperature_neg
		sapo_temperature_pos vespo_k_pos vespo_lambda_pos vespo_k_neg vespo_lambda_neg importance_sampling_level reward_weights
		scale_rewards
		multi_objective_aggregation mask_truncated_completions top_entropy_quantile entropy_coef use_adaptive_entropy entropy_coef_min
		entropy_coef_max entropy_coef_delta entropy_target max_tool_calling_iterations vllm_importance_sampling_correction
		vllm_importance_sampling_mode vllm_importance_sampling_clip_max vllm_importance_sampling_clip_min vllm_importance_sampling_cap
		off_policy_mask_threshold use_bias_correction_kl normalize_advantages reward_clip_range center_rewards_coefficient
		desirable_weight
		undesirable_weight reward_funcs router_aux_loss_coef disable_dropout reference_free rpo_alpha precompute_ref_log_probs`),
	without("generation has no estimate in which these would count", `generation_batch_size steps_per_generation temperature top_p
		top_k min_p
		generation_kwargs repetition_penalty cache_implementation ds3_gather_for_generation vllm_mode vllm_model_impl
		vllm_enable_sleep_mode
		vllm_structured_outputs_regex vllm_guided_decoding_regex vllm_server_base_url vllm_server_host vllm_server_port
		vllm_server_timeout
		vllm_group_port vllm_gpu_memory_utilization vllm_max_model_length vllm_tensor_parallel_size num_generations_eval
		use_transformers_continuous_batching transformers_continuous_batching_config use_transformers_paged`),
	without(whyData, `dataset_name dataset_config dataset_train_split dataset_test_split dataset_streaming datasets streaming
		test_split_size
		dataset_text_field dataset_kwargs dataset_num_proc truncation_mode shuffle_dataset completion_only_loss assistant_only_loss
		eval_packing max_prompt_length ignore_bias_buffers`),
	without("samples are estimated at the full length of a sequence, padded or not", "padding_free pad_to_multiple_of"),
	without(whyToken, "chat_template_path chat_template_kwargs eos_token pad_token"),
	without(whyRate, "use_rslora lora_task_type"),
	without(whyLoad, "model_revision trust_remote_code bnb_4bit_quant_storage"),
	without(whyLog, "log_completions log_multimodal num_completions_to_print log_unique_prompts log_completions_hub_repo"),
	without(whyLaunch, "config accelerate_config num_processes"),
)

// trlVerbs are the words that trl takes on the command line.
var trlVerbs = []string{"sft", "dpo", "grpo", "kto", "reward", "rloo"}

// only are keys that one objective has alone. A file does not say which of trl's commands it is for.
var only = map[string][]string{
	"sft": {"packing", "packing_strategy", "dataset_text_field", "assistant_only_loss", "completion_only_loss", "eval_packing",
		"max_seq_length"},
	"dpo": {"f_divergence_type", "ld_alpha", "discopop_tau", "label_smoothing", "use_weighting", "reference_free", "rpo_alpha"},
	"grpo": {"scale_rewards", "epsilon_high", "importance_sampling_level", "mask_truncated_completions", "num_generations",
		"max_completion_length", "reward_funcs"},
	"kto":  {"desirable_weight", "undesirable_weight"},
	"rloo": {"normalize_advantages", "reward_clip_range"},
}

func (r *reader) trlType(v *value) {
	if r.oneOf(v, "auto", "bfloat16", "float16", "float32") && v.text != "auto" {
		give(r, &r.run.BaseType, v, v.text)
	}
}

// trlFinish says what holds where nothing is said.
func (r *reader) trlFinish(top *value) {
	run := r.run
	r.trlObjective(top)
	peft := top.member("use_peft")
	switch {
	case peft.is() && run.Quantization.Bits != nil:
		run.Method = &Setting[string]{Value: "qlora", From: peft.path, place: r.place(peft)}
	case peft.is():
		run.Method = &Setting[string]{Value: "lora", From: peft.path, place: r.place(peft)}
	default:
		assume(&run.Method, "use_peft", "full")
	}
	if peft.is() {
		assume(&run.LoRA.Rank, "lora_r", 16)
		assume(&run.LoRA.Alpha, "lora_alpha", 32.0)
		assume(&run.LoRA.Dropout, "lora_dropout", 0.05)
	}
	if run.Objective.Value == "grpo" {
		assume(&run.Generations, "num_generations", 8)
		assume(&run.CompletionLength, "max_completion_length", 512)
	} else {
		assume(&run.SequenceLength, "max_length", 1024)
	}
	if s := top.member("dtype"); s == nil && top.member("torch_dtype") == nil {
		assume(&run.BaseType, "dtype", "float32")
	}
	b := top.member("bf16")
	if run.Autocast == nil && (b == nil || b.is()) {
		assume(&run.Autocast, "bf16", "bfloat16")
	}
	assume(&run.Checkpointing, "gradient_checkpointing", "full")
	r.trainerDefaults()
}

// trlObjective finds out what is trained for by keys that one objective has alone.
func (r *reader) trlObjective(top *value) {
	for _, objective := range trlVerbs {
		for _, name := range only[objective] {
			k := top.member(name)
			if k == nil || k.kind == null {
				continue
			}
			old := r.run.Objective
			switch {
			case old == nil:
				r.run.Objective = &Setting[string]{Value: objective, From: k.path, place: r.place(k)}
			case old.Value != objective && !(old.Value == "rloo" && objective == "grpo"):
				r.report.contradiction(k.path, r.place(k), k.path+" is of "+objective+", but "+old.name()+" is of "+old.Value,
					"leave one of them out")
				return
			}
		}
	}
	if r.run.Objective == nil {
		r.report.find(Finding{Rule: ruleAssumed, Severity: Warn,
			Message: "nothing in the file says which of trl's commands it is for: sft is taken"})
		assume(&r.run.Objective, "trl sft", "sft")
	}
}

// command finds the start of trl's command in a script or behind a launcher.
var command = regexp.MustCompile(`(?m)^(?:[^#\n]*[ \t/])?trl[ \t]+([a-z]+)\b`)

func isCommand(head []byte) bool {
	at := command.FindSubmatchIndex(head[:min(len(head), maxText)])
	return at != nil && !bytes.Contains(head[at[0]:at[2]], []byte(": "))
}

// readCommand reads the command trl sft … of a script. What accelerate launch has before it is not read.
func readCommand(script string) (value, string, error) {
	at := command.FindStringSubmatchIndex(script)
	verb := script[at[2]:at[3]]
	rest := script[at[3]:]
	for i := 0; i < len(rest); i++ {
		if rest[i] == '\n' && (i == 0 || rest[i-1] != '\\') {
			rest = rest[:i]
			break
		}
	}
	words, flags, err := parseCommand(rest)
	if err == nil && len(words) > 0 {
		err = Fault{Message: "has " + clip(strings.Join(words, " ")) + " on the command line, which belongs to no flag"}
	}
	if err == nil && !slices.Contains(trlVerbs, verb) {
		err = Fault{Message: "has the command trl " + clip(verb) + " but is read for " + strings.Join(trlVerbs, ", ")}
	}
	return flags, verb, err
}
