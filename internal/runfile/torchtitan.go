package runfile

import "strings"

// torchtitan's TOML (torchtitan 0.2, config/job_config.py; later versions write Python). The model is named by a family and a size.
var _ = register(trainer{
	id: "torchtitan", title: "torchtitan", version: "0.2",
	keys:   torchtitanKeys,
	signs:  []string{"job", "parallelism", "activation_checkpoint", "lr_scheduler"},
	finish: (*reader).torchtitanFinish,
})

var torchtitanKeys = tableOf(
	[]key{
		reads("model.name", text, func(*reader, *value) {}),
		reads("model.flavor", text, func(*reader, *value) {}),
		reads("model.hf_assets_path", text, func(*reader, *value) {}),
		reads("model.converters", list, func(r *reader, v *value) {
			for _, name := range r.names(v) {
				if strings.Contains(name, "float8") || strings.Contains(name, "mx") {
					give(r, &r.run.FP8, v, true)
				}
			}
		}),
		word("optimizer.name", optimizer),
		reads("optimizer.implementation", text, func(r *reader, v *value) { r.oneOf(v, "for-loop", "foreach", "fused") }),
		integer("training.local_batch_size", microBatch),
		integer("training.batch_size", microBatch),
		optional("training.global_batch_size", func(r *Run) **Setting[int64] { return &r.GlobalBatch }),
		integer("training.seq_len", sequence),
		integer("training.steps", steps),
		reads("training.dtype", text, func(r *reader, v *value) {
			if r.oneOf(v, "bfloat16", "float32") {
				give(r, &r.run.BaseType, v, v.text)
			}
		}),
		reads("training.mixed_precision_param", text, func(r *reader, v *value) {
			if r.oneOf(v, "bfloat16", "float32") {
				give(r, &r.run.Autocast, v, v.text)
			}
		}),
		reads("training.enable_cpu_offload", boolean, func(r *reader, v *value) {
			if v.is() {
				give(r, &r.run.Sharding.OffloadParameters, v, "cpu")
				give(r, &r.run.Sharding.OffloadOptimizer, v, "cpu")
			}
		}),
		reads("training.compile", boolean, func(r *reader, v *value) { give(r, &r.run.Compile, v, v.is()) }),
		reads("parallelism.data_parallel_shard_degree", whole, func(r *reader, v *value) {
			switch {
			case v.int == 0 || v.int < -1:
				r.fault(v, "is %s but takes -1 for all cards, or at least 1", v.show())
			case v.int != 1:
				give(r, &r.run.Sharding.FSDP, v, 2)
			}
			if v.int > 0 {
				give(r, &r.run.Sharding.Shard, v, v.int)
			}
		}),
		integer("parallelism.data_parallel_replicate_degree", func(r *Run) **Setting[int64] { return &r.Sharding.Replicate }),
		reads("parallelism.fsdp_reshard_after_forward", text, func(r *reader, v *value) {
			if r.oneOf(v, "default", "always", "never") {
				give(r, &r.run.Sharding.Reshard, v, v.text != "never")
			}
		}),
		integer("parallelism.tensor_parallel_degree", func(r *Run) **Setting[int64] { return &r.Sharding.Tensor }),
		integer("parallelism.pipeline_parallel_degree", func(r *Run) **Setting[int64] { return &r.Sharding.Pipeline }),
		integer("parallelism.context_parallel_degree", func(r *Run) **Setting[int64] { return &r.Sharding.Context }),
		integer("parallelism.expert_parallel_degree", func(r *Run) **Setting[int64] { return &r.Sharding.Expert }),
		reads("activation_checkpoint.mode", text, func(r *reader, v *value) {
			if r.oneOf(v, "none", "full", "selective", "memory_budget") {
				how := v.text
				if how == "memory_budget" {
					how = "selective"
				}
				give(r, &r.run.Checkpointing, v, how)
			}
		}),
		toggle("compile.enable", compiled),
	},
	costs("the optimizer's step within the backward pass", "optimizer.early_step_in_backward"),
	costs("which operations are recomputed", `activation_checkpoint.selective_ac_option activation_checkpoint.memory_budget
		activation_checkpoint.per_op_sac_force_recompute_mm_shapes_by_fqns`),
	costs("quantised products", "quantize float8 mx"),
	costs("experts split within themselves", "parallelism.expert_tensor_parallel_degree"),
	costs("replicas that come and go", "fault_tolerance"),
	without("pipelines have no estimate in which this would count", prefixed("parallelism.", `module_fqns_per_model_part
		pipeline_parallel_first_stage_less_layers pipeline_parallel_last_stage_less_layers pipeline_parallel_layers_per_stage
		pipeline_parallel_schedule pipeline_parallel_schedule_csv pipeline_parallel_microbatch_size
		pipeline_parallel_expert_parallel_overlap
		pipeline_parallel_split_points`)),
	without(whyComm, prefixed("parallelism.", `enable_async_tensor_parallel disable_loss_parallel context_parallel_load_balancer
		context_parallel_rotate_method
		expert_parallel_comm_backend`)+" training.mixed_precision_reduce"),
	without(whyRate, "optimizer.lr optimizer.beta1 optimizer.beta2 optimizer.eps optimizer.weight_decay lr_scheduler training.max_norm"),
	without(whyData, "training.dataset training.dataset_path"),
	without(whyLoader, "training.dataloader"),
	without(whyToken, "model.tokenizer_path"),
	without(whySave, "checkpoint job.dump_folder job.save_config_file"),
	without(whyLog, "metrics job.description job.print_config model.print_after_conversion"),
	without(whyProfile, `profiling memory_estimation activation_checkpoint.visualize_memory_budget_pareto
		activation_checkpoint.debug training.gc_debug`),
	without(whyLaunch, "comm experimental job.config_file job.custom_config_module training.gc_freq"),
	without(whyEval, "validation"),
	without(whyRandom, `debug training.seed training.deterministic activation_checkpoint.preserve_rng_state
		activation_checkpoint.determinism_check`),
	without("recomputation ends a little earlier or later", "activation_checkpoint.early_stop"),
	without("it says what torch.compile compiles, which is not measured", "compile.components compile.backend"),
)

func (r *reader) torchtitanFinish(top *value) {
	run := r.run
	name, flavor := top.at("model.name"), top.at("model.flavor")
	switch {
	case name == nil || name.kind != text:
		r.fault(top, "has no model.name, which torchtitan asks for")
	case flavor != nil && flavor.kind == text:
		give(r, &run.Model, name, name.text+" "+flavor.text)
	default:
		give(r, &run.Model, name, name.text+" debugmodel")
	}
	assume(&run.Objective, "torchtitan", "pretrain")
	assume(&run.Method, "torchtitan", "full")
	assume(&run.MicroBatch, "training.local_batch_size", 8)
	assume(&run.SequenceLength, "training.seq_len", 2048)
	assume(&run.Steps, "training.steps", 10000)
	assume(&run.Optimizer, "optimizer.name", "AdamW")
	assume(&run.BaseType, "training.dtype", "float32")
	assume(&run.Autocast, "training.mixed_precision_param", "bfloat16")
	assume(&run.Checkpointing, "activation_checkpoint.mode", "selective")
	if run.Sharding.FSDP == nil && run.Sharding.Shard == nil {
		assume(&run.Sharding.FSDP, "parallelism.data_parallel_shard_degree", 2)
	}
	if s := &run.Sharding; s.Shard != nil { // every degree is known, and so the number of cards
		parts := product(s.Shard.Value, Of(s.Replicate, 1), Of(s.Tensor, 1), Of(s.Pipeline, 1), Of(s.Context, 1))
		run.WorldSize = &Setting[int64]{Value: parts, From: s.Shard.From, place: s.Shard.place}
	}
}
