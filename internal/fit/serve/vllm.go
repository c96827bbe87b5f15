package serve

import "strings"

var _ = define(engine{
	order: 0, id: "vllm", label: "vLLM", flags: tableOf("vllm.txt"), dialect: flexible, complete: true,
	assumed: mustVersion("0.27.1"), oldest: mustVersion("0.6.0"), newest: mustVersion("0.28.0"),
	images: []string{"vllm-openai"},
	entry: func(words []word) int {
		if starts(words, "vllm", "serve") {
			return 2
		}
		return max(module(words, "vllm.entrypoints.openai.api_server"), module(words, "vllm.entrypoints.api_server"))
	},
	image: func(v version) []string { // docker/Dockerfile, ENTRYPOINT
		if v.since("0.11.1") {
			return []string{"vllm", "serve"}
		}
		return []string{"python3", "-m", "vllm.entrypoints.openai.api_server"}
	},
	positionals: func(l *launch) int {
		if l.entry[len(l.entry)-1] == "serve" || l.version.since("0.10.0") { // from then on the module takes one too, and forgets it
			return 1
		}
		return 0
	},
	replaced: map[string]string{
		"--swap-space": "the engine recomputes what it preempts", "--task": "use --runner and --convert", "--rope-scaling": `use --hf-overrides '{"rope_parameters": …}'`,
		"--rope-theta": `use --hf-overrides '{"rope_parameters": …}'`, "--enable-reasoning": "--reasoning-parser is enough", "--guided-decoding-backend": "use --structured-outputs-config",
		"--disable-log-requests": "requests are logged only with --enable-log-requests", "--speculative-model": "use --speculative-config",
		"--num-speculative-tokens": "use --speculative-config", "--max-seq-len-to-capture": "use --max-cudagraph-capture-size", "--cuda-graph-sizes": "use --cudagraph-capture-sizes",
		"--num-redundant-experts": "use --eplb-config", "--worker-use-ray": "use --distributed-executor-backend ray", "--disable-mm-preprocessor-cache": "use --mm-processor-cache-gb 0",
	},
	calls: map[concept]string{
		tensorParallel: "--tensor-parallel-size", pipelineParallel: "--pipeline-parallel-size", dataParallel: "--data-parallel-size",
		contextLength: "--max-model-len", memoryShare: "--gpu-memory-utilization", sequences: "--max-num-seqs",
		batchTokens: "--max-num-batched-tokens", quantisation: "--quantization", cacheType: "--kv-cache-dtype",
		remoteCode: "--trust-remote-code", modelName: "--model", eagerMode: "--enforce-eager", servedName: "--served-model-name",
		hostName: "--host",
	},
	check: checkVLLM,
})

// checkVLLM judges as vllm serve does at start-up (config/*.py, engine/arg_utils.py).
func checkVLLM(l *launch) {
	l.vllmModel()
	l.architectureRules(architecturesVLLM(), "--trust-remote-code")
	l.vllmRanges()
	l.vllmConflicts()
	l.enormous(flagTP, flagPP, flagDP, "--prefill-context-parallel-size")
	s := l.vllmSizes()
	if s.known {
		l.vllmParallel(s)
		l.vllmNodes(s)
		l.sharedMemory(s.tp * s.pp)
	}
	l.vllmDtype()
	l.vllmCache()
	l.quantRules("--quantization", leastVLLM)
	l.vllmQuant()
	length, auto, known := l.contextVLLM()
	if known {
		l.vllmScheduler(length, auto)
	}
	l.vllmFeatures()
	if s.known && (known || length == 0) {
		l.vllmMemory(s, length, auto)
	}
}

var architecturesVLLM = namesOf("vllm.archs")

// leastVLLM is the lowest compute capability of each method, times ten (get_min_capability).
var leastVLLM = map[string]int64{"gptq": 60, "gptq_marlin": 60, "auto_gptq": 60, "awq": 75, "awq_marlin": 75, "auto_awq": 75, "fp8": 75, "compressed-tensors": 70, "modelopt": 80, "modelopt_fp4": 75,
	"modelopt_mxfp8": 80, "modelopt_mixed": 75, "fbgemm_fp8": 80, "fp_quant": 100, "mxfp4": 80, "gpt_oss_mxfp4": 80, "quark": 70, "moe_wna16": 70, "experts_int8": 80, "torchao": 75}

// vllmModel judges where the model stands (utils/argparse_utils.py; entrypoints/openai/cli_args.py, make_arg_parser).
func (l *launch) vllmModel() {
	l.judged("serve-model-flag")
	positional := l.entry[len(l.entry)-1] == "serve"
	model, hasFlag := l.last("--model")
	fix := remedy{{{op: opModelWord, flag: "--model"}}}
	switch {
	case positional && hasFlag && !l.version.since("0.11.1") && !(model.inline && l.version.since("0.9.0")):
		l.block("serve-model-flag", fix, "vllm serve of %s takes the model as its first word, not with --model", l.version.text)
	case positional && hasFlag && len(l.strays) > 0 && l.version.since("0.11.1"):
		l.block("serve-model-flag", drop("--model"), "vllm serve takes one model, and there is one as a word and one with --model")
	case positional && hasFlag:
		l.warn("serve-model-flag", fix, "vllm serve takes the model as its first word; --model is deprecated there")
	case positional && len(l.strays) == 0 && l.fileRead && l.version.since("0.8.3"):
		l.block("serve-model-flag", fix, "neither the command nor its configuration file names a model")
	case positional && len(l.strays) == 0 && !l.given("--config") && l.given("--served-model-name"):
		l.block("serve-model-flag", fix, "vllm serve is given --served-model-name but no model")
	}
	if positional || len(l.strays) != 1 || !l.strays[0].known() || l.repeated {
		return
	}
	write := remedy{{{op: opModelFlag, flag: "--model"}}}
	switch {
	case l.version.since("0.10.0") && !hasFlag:
		rule := "serve-model-flag"
		if l.box != nil {
			rule = "docker-entrypoint-mismatch"
		}
		l.warn(rule, write, "the API server of %s takes the model with --model: %q is read and forgotten, and a default model is served", l.version.text, clip(l.strays[0].text, 60))
	case !l.version.since("0.10.0") && l.box != nil && len(l.box.entrypoint) == 0:
		l.block("docker-entrypoint-mismatch", write, "the image of %s runs the API server, which takes the model with --model", l.version.text)
	}
}

// vllmFeatures are LoRA and speculation.
func (l *launch) vllmFeatures() {
	ranks := l.vllmRank()
	l.judgedWhere(!l.hidden("--max-lora-rank"), "lora-rank-choice")
	l.judgedWhere(!l.hidden("--max-cpu-loras") && !l.hidden("--max-loras"), "lora-cpu")
	l.judgedWhere(l.model.Vocab > 0, "lora-vocab")
	if most, known := l.num("--max-lora-rank", 16); known {
		l.adapterRules("--lora-modules", most, ranks)
	}
	loras, known := l.num("--max-loras", 1)
	if cpu, ok := l.num("--max-cpu-loras", loras); known && ok && cpu < loras && l.on("--enable-lora", false) {
		l.block("lora-cpu", setSize("--max-cpu-loras", loras), "--max-cpu-loras is %d but --max-loras is %d", cpu, loras)
	}
	if v := l.model.Vocab; l.on("--enable-lora", false) && v > 258048 {
		l.warn("lora-vocab", nil, "the vocabulary has %d tokens, and adapters of the head take at most 258,048", v)
	}
	l.vllmAdapters()
	l.vllmSpeculation()
}

// vllmRank judges --max-lora-rank, and returns what it can be: the parser has a list since 0.11.1, before it is looked at only with
// --enable-lora (config/lora.py).
func (l *launch) vllmRank() []string {
	ranks, parsed := l.engine.flags().byName["--max-lora-rank"].choices(l.version), true
	if len(ranks) == 0 {
		parsed = false
		ranks = []string{"8", "16", "32", "64", "128", "256"}
		if l.version.since("0.8.0") {
			ranks = append(ranks, "320", "512")
		}
	}
	if n, known := l.num("--max-lora-rank", 16); known && !contains(ranks, itoa(n)) && (parsed || l.on("--enable-lora", false)) {
		list := strings.Join(ranks, ", ")
		l.block("lora-rank-choice", set("--max-lora-rank", ranks...), "--max-lora-rank is %d, which is none of %s", n, list)
	}
	return ranks
}
