package serve

import (
	"math"
	"strings"
)

var _ = define(engine{
	order: 0, id: "vllm", label: "vLLM", flags: loadTable("vllm.txt"), dialect: flexible, complete: true,
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
		if l.entry[len(l.entry)-1] == "serve" {
			return 1
		}
		return 0
	},
	replaced: map[string]string{
		"--swap-space": "leave it out: the engine recomputes what it preempts", "--task": "use --runner and --convert", "--rope-scaling": `use --hf-overrides '{"rope_parameters": …}'`,
		"--rope-theta": `use --hf-overrides '{"rope_parameters": …}'`, "--enable-reasoning": "use --reasoning-parser alone", "--guided-decoding-backend": "use --structured-outputs-config",
		"--disable-log-requests": "leave it out: requests are logged only with --enable-log-requests", "--num-scheduler-steps": "leave it out", "--speculative-model": "use --speculative-config",
		"--num-speculative-tokens": "use --speculative-config", "--max-seq-len-to-capture": "use --max-cudagraph-capture-size", "--cuda-graph-sizes": "use --cudagraph-capture-sizes",
		"--num-redundant-experts": "use --eplb-config", "--worker-use-ray": "use --distributed-executor-backend ray", "--disable-mm-preprocessor-cache": "use --mm-processor-cache-gb 0",
		"--use-v2-block-manager": "leave it out", "--max-num-partial-prefills": "leave it out", "--max-long-partial-prefills": "leave it out", "--device": "leave it out",
	},
	check: checkVLLM,
})

// checkVLLM judges as vllm serve does at start-up (config/*.py, engine/arg_utils.py).
func checkVLLM(l *launch) {
	l.vllmModel()
	l.architectureRules(architecturesVLLM, "--trust-remote-code")
	l.vllmRanges()
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

var architecturesVLLM = loadNames("vllm.archs")

// leastVLLM is the lowest compute capability of each method, times ten (get_min_capability).
var leastVLLM = map[string]int64{"gptq": 60, "gptq_marlin": 60, "auto_gptq": 60, "awq": 75, "awq_marlin": 75, "auto_awq": 75, "fp8": 75, "compressed-tensors": 70, "modelopt": 80, "modelopt_fp4": 75,
	"modelopt_mxfp8": 80, "modelopt_mixed": 75, "fbgemm_fp8": 80, "fp_quant": 100, "mxfp4": 80, "gpt_oss_mxfp4": 80, "quark": 70, "moe_wna16": 70, "experts_int8": 80, "torchao": 75}

// vllmModel judges where the model stands.
func (l *launch) vllmModel() {
	positional := l.entry[len(l.entry)-1] == "serve"
	_, hasFlag := l.last("--model")
	switch {
	case positional && hasFlag && !l.version.since("0.11.1"):
		l.block("serve-model-flag", "write the model behind serve", "vllm serve of %s takes the model as its first word, not with --model", l.version.text)
	case positional && hasFlag:
		l.warn("serve-model-flag", "write the model behind serve", "vllm serve takes the model as its first word; --model is deprecated there")
	case positional && len(l.strays) == 0 && !l.given("--config") && l.given("--served-model-name"):
		l.block("serve-model-flag", "write the model behind serve", "vllm serve is given --served-model-name but no model")
	}
	if l.box != nil && !positional && len(l.strays) > 0 && l.strays[0].known() && len(l.box.entrypoint) == 0 && !l.repeated {
		l.block("docker-entrypoint-mismatch", "write --model "+quote(l.strays[0].text), "the image of %s runs the API server, which takes the model with --model", l.version.text)
	}
}

// vllmRanges are the limits of single values.
func (l *launch) vllmRanges() {
	if x, known := l.fraction("--gpu-memory-utilization", 0.5); known && (x <= 0 || x > 1) {
		l.block("flag-value-range", "write a share such as 0.9", "--gpu-memory-utilization is %g but must be above 0 and at most 1", x)
	}
	for _, name := range []string{"--tensor-parallel-size", "--pipeline-parallel-size", "--data-parallel-size", "--decode-context-parallel-size", "--prefill-context-parallel-size", "--max-num-seqs",
		"--max-num-batched-tokens", "--nnodes", "--max-loras", "--block-size", "--stream-interval"} {
		l.between(name, 1, math.Inf(1))
	}
	for _, name := range []string{"--node-rank", "--data-parallel-rank", "--cpu-offload-gb", "--long-prefill-token-threshold"} {
		l.between(name, 0, math.Inf(1))
	}
	l.between("--port", 0, 65535)
	if n, known := l.num("--max-model-len", 1); known && l.given("--max-model-len") && (n < -1 || n == 0) {
		l.block("flag-value-range", "", "--max-model-len is %d but must be at least 1", n)
	} else if known && n == -1 && !l.version.since("0.14.0") {
		l.block("flag-value-range", "write a length", "--max-model-len is left to the engine, which %s cannot", l.version.text)
	}
	if l.on("--enable-auto-tool-choice", false) && !l.given("--tool-call-parser") {
		l.block("tool-choice-needs-parser", "add --tool-call-parser", "--enable-auto-tool-choice needs --tool-call-parser")
	}
	for _, pair := range [][2]string{{"--data-parallel-hybrid-lb", "--data-parallel-external-lb"}} {
		if l.on(pair[0], false) && l.on(pair[1], false) {
			l.block("mutually-exclusive", "leave one out", "%s and %s exclude each other", pair[0], pair[1])
		}
	}
	if l.given("--attention-backend") && l.object("--attention-config").has("backend") {
		l.block("mutually-exclusive", "leave one out", "--attention-backend and the backend of --attention-config exclude each other")
	}
	if l.given("--mamba-block-size") && !l.on("--enable-prefix-caching", false) {
		l.block("mutually-exclusive", "add --enable-prefix-caching", "--mamba-block-size needs --enable-prefix-caching")
	}
}

// vllmFeatures are LoRA and speculation.
func (l *launch) vllmFeatures() {
	if n, known := l.num("--max-lora-rank", 16); known {
		ranks := "8, 16, 32, 64, 128, 256, 320, 512"
		if l.version.since("0.11.1") {
			ranks = "1, " + ranks
		}
		if !contains(strings.Split(ranks, ", "), itoa(n)) {
			l.block("lora-rank-choice", "set --max-lora-rank to one of "+ranks, "--max-lora-rank is %d, which is none of %s", n, ranks)
		}
	}
	if most, known := l.num("--max-lora-rank", 16); known {
		l.adapterRules("--lora-modules", most)
	}
	loras, known := l.num("--max-loras", 1)
	if cpu, ok := l.num("--max-cpu-loras", loras); known && ok && cpu < loras && l.on("--enable-lora", false) {
		l.block("lora-cpu", "set --max-cpu-loras to at least "+itoa(loras), "--max-cpu-loras is %d but --max-loras is %d", cpu, loras)
	}
	if v := l.model.Vocab; l.on("--enable-lora", false) && v > 258048 {
		l.warn("lora-vocab", "", "the vocabulary has %d tokens, and adapters of the head take at most 258,048", v)
	}
	if spec := l.object("--speculative-config"); spec != nil {
		l.vllmSpeculation(spec)
	}
}

// vllmSpeculation judges --speculative-config (config/speculative.py).
func (l *launch) vllmSpeculation(spec config) {
	method := spec.str("method")
	n, has := spec.num("num_speculative_tokens")
	switch {
	case has && n <= 0:
		l.block("spec-tokens", "set num_speculative_tokens to 1 or more", "num_speculative_tokens is %d", n)
	case !has && (method == "ngram" || spec.has("model") && (method == "draft_model" || method == "eagle" || method == "eagle3")):
		l.block("spec-tokens", "add num_speculative_tokens", "the speculation has no num_speculative_tokens")
	}
	if method == "" && !spec.has("model") {
		l.block("spec-method", "add method or model", "the speculation names neither a method nor a model")
	}
	if method == "ngram" {
		low, hasLow := spec.num("prompt_lookup_min")
		high, hasHigh := spec.num("prompt_lookup_max")
		if hasLow && hasHigh && low > high {
			l.block("spec-ngram", "", "prompt_lookup_min is %d but prompt_lookup_max is %d", low, high)
		}
	}
	if tp, ok := spec.num("draft_tensor_parallel_size"); ok {
		if mine, known := l.size("--tensor-parallel-size"); known && tp != 1 && tp != mine {
			l.block("spec-draft-tp", "set draft_tensor_parallel_size to 1 or "+itoa(mine), "draft_tensor_parallel_size is %d but must be 1 or %d", tp, mine)
		}
	}
	if spec.has("tensor_parallel_size") {
		l.block("spec-draft-tp", "write draft_tensor_parallel_size", "the speculation has tensor_parallel_size, which is called draft_tensor_parallel_size")
	}
	if nextn, _ := l.text.num("num_nextn_predict_layers"); (method == "deepseek_mtp" || method == "mtp") && l.model.ModelType == "deepseek_v3" && l.config != nil && nextn == 0 {
		l.block("spec-mtp-missing", "use another method", "the model has no layers for multi-token prediction")
	}
}
