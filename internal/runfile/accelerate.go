package runfile

import "strings"

// accelerate's file of how a run is launched (accelerate 1.15, commands/config). It names no model and no batch.
var _ = register(trainer{
	id: "accelerate", title: "accelerate", version: "1.15",
	keys:  accelerateKeys,
	loose: true,
	signs: []string{"compute_environment", "distributed_type", "num_processes", "machine_rank", "main_training_function"},
	finish: func(r *reader, top *value) {
		if top.member("distributed_type") == nil {
			r.fault(top, "has no distributed_type, which accelerate asks for")
		}
		kind := top.member("distributed_type")
		for _, section := range []struct{ kind, key string }{{"DEEPSPEED", "deepspeed_config"}, {"FSDP", "fsdp_config"}, {"MEGATRON_LM",
			"megatron_lm_config"}} {
			s := top.member(section.key)
			has := s != nil && s.kind == mapping && len(s.members) > 0
			if kind != nil && has && kind.text != section.kind {
				r.report.contradiction(s.path, r.place(s), section.key+" is given, but distributed_type is "+clip(kind.text),
					"give distributed_type "+section.kind+", or leave the section out")
			}
		}
	},
})

var accelerateKeys = tableOf(
	[]key{
		reads("distributed_type", text|boolean, func(r *reader, v *value) {
			if v.kind == boolean { // no, without quotes
				return
			}
			kinds := []string{"NO", "MULTI_CPU", "MULTI_GPU", "MULTI_NPU", "MULTI_MLU", "MULTI_SDAA", "MULTI_MUSA", "MULTI_XPU",
				"MULTI_HPU", "MULTI_NEURON",
				"DEEPSPEED", "FSDP", "XLA", "MEGATRON_LM", "TPU"}
			if r.oneOf(v, kinds...) && v.text == "MEGATRON_LM" {
				r.run.Also = append(r.run.Also, Setting[string]{Value: "Megatron-LM", From: v.path, place: r.place(v)})
			}
		}),
		reads("mixed_precision", text|boolean, func(r *reader, v *value) {
			if v.kind == boolean {
				v.text = "no"
			}
			if !r.oneOf(v, "no", "fp16", "bf16", "fp8") {
				return
			}
			switch v.text {
			case "fp8":
				give(r, &r.run.FP8, v, true)
			case "no":
				give(r, &r.run.Autocast, v, "float32")
			default:
				r.autocast(v, map[string]string{"fp16": "float16", "bf16": "bfloat16"}[v.text])
			}
		}),
		optional("num_processes", worldSize),
		reads("fsdp_config", mapping, func(r *reader, v *value) { r.fsdpConfig(v, "fsdp_") }),
		reads("deepspeed_config.zero_stage", whole, func(r *reader, v *value) {
			if v.int < 0 || v.int > 3 {
				r.fault(v, "is %s but takes 0, 1, 2 or 3", v.show())
				return
			}
			give(r, &r.run.Sharding.ZeRO, v, v.int)
		}),
		auto(integer("deepspeed_config.gradient_accumulation_steps", accumulation)),
		reads("deepspeed_config.offload_optimizer_device", text,
			offload(func(s *Sharding) **Setting[string] { return &s.OffloadOptimizer })),
		reads("deepspeed_config.offload_param_device", text, offload(func(s *Sharding) **Setting[string] { return &s.OffloadParameters })),
		reads("deepspeed_config.deepspeed_config_file", text, (*reader).deepspeed),
		reads("dynamo_config.dynamo_backend", text|boolean, func(r *reader, v *value) {
			give(r, &r.run.Compile, v, v.kind == text && !strings.EqualFold(v.text, "no"))
		}),
		reads("dynamo_backend", text|boolean, func(r *reader, v *value) {
			give(r, &r.run.Compile, v, v.kind == text && !strings.EqualFold(v.text, "no"))
		}),
		integer("gradient_accumulation_steps", accumulation),
		reads("fp16", boolean, reads16("float16")),
		optional("parallelism_config.parallelism_config_dp_replicate_size", func(r *Run) **Setting[int64] { return &r.Sharding.Replicate }),
		optional("parallelism_config.parallelism_config_dp_shard_size", func(r *Run) **Setting[int64] { return &r.Sharding.Shard }),
		optional("parallelism_config.parallelism_config_tp_size", func(r *Run) **Setting[int64] { return &r.Sharding.Tensor }),
		optional("parallelism_config.parallelism_config_cp_size", func(r *Run) **Setting[int64] { return &r.Sharding.Context }),
		reads("use_cpu", boolean, func(r *reader, v *value) {
			if v.is() {
				r.run.Also = append(r.run.Also, Setting[string]{Value: "training on the CPU", From: v.path, place: r.place(v)})
			}
		}),
	},
	costs("Megatron-LM", "megatron_lm_config"),
	costs("fp8 products", "fp8_config"),
	without(whyLaunch, `compute_environment debug machine_rank num_machines gpu_ids main_process_ip main_process_port rdzv_backend
		same_network
		main_training_function enable_cpu_affinity mpirun_config downcast_bf16 tpu_name tpu_zone tpu_use_cluster tpu_use_sudo
		tpu_env tpu_vm
		command_file commands num_cpu_threads_per_process ipex_config ipex_plugin_config deepspeed_config.deepspeed_multinode_launcher
		deepspeed_config.deepspeed_hostfile deepspeed_config.deepspeed_exclusion_filter deepspeed_config.deepspeed_inclusion_filter
		deepspeed_config.deepspeed_moe_layer_cls_names`),
	without("SageMaker starts the same run elsewhere", `ec2_instance_type iam_role_name image_uri profile region base_job_name
		pytorch_version
		transformers_version py_version sagemaker_inputs_file sagemaker_metrics_file additional_args`),
	without("it says how torch.compile compiles, which is not measured", `dynamo_config.dynamo_mode dynamo_config.dynamo_use_dynamic
		dynamo_config.dynamo_use_fullgraph dynamo_config.dynamo_use_regional_compilation`),
	without(whyRate, "deepspeed_config.gradient_clipping"),
	without(whySave, "deepspeed_config.zero3_save_16bit_model"),
	without(whyLoad, "deepspeed_config.zero3_init_flag"),
	without(whyComm, "parallelism_config.parallelism_config_cp_comm_strategy"),
	without("it is of the host's memory or its disk, and the card is estimated", `deepspeed_config.offload_optimizer_nvme_path
		deepspeed_config.offload_param_nvme_path`),
)
