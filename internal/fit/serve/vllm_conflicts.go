package serve

import (
	"math"
	"strings"
)

// vllmRanges are the limits of single values (the fields of config/*.py).
func (l *launch) vllmRanges() {
	if x, known := l.fraction("--gpu-memory-utilization", 0.5); known && (x <= 0 || x > 1) {
		l.block("flag-value-range", set("--gpu-memory-utilization", "0.9"), "--gpu-memory-utilization is %g but must be above 0 and at most 1", x)
	}
	for _, name := range []string{flagTP, flagPP, flagDP, "--decode-context-parallel-size", "--prefill-context-parallel-size", "--max-num-seqs", "--max-num-batched-tokens", "--nnodes",
		"--block-size", "--stream-interval", "--prefill-schedule-interval", "--max-parallel-loading-workers", "--mamba-block-size", "--prefix-match-unit"} {
		l.between(name, 1, math.Inf(1))
	}
	for _, name := range []string{"--node-rank", "--data-parallel-rank", "--data-parallel-size-local", "--cpu-offload-gb", "--long-prefill-token-threshold", "--max-num-scheduled-tokens", "--ubatch-size",
		"--mm-processor-cache-gb"} {
		l.between(name, 0, math.Inf(1))
	}
	l.between("--port", 0, 65535)
	l.between("--max-logprobs", -1, math.Inf(1))
	if l.on("--enable-lora", false) {
		l.between("--max-loras", 1, math.Inf(1))
	}
	if x, known := l.fraction("--watermark", 0); known && (x < 0 || x >= 1) {
		l.block("flag-value-range", nil, "--watermark is %g but must be at least 0 and below 1", x)
	}
	if x, known := l.fraction("--kv-cache-metrics-sample", 0.5); known && (x <= 0 || x > 1) {
		l.block("flag-value-range", nil, "--kv-cache-metrics-sample is %g but must be above 0 and at most 1", x)
	}
	if n, known := l.num("--max-model-len", 1); known && l.given("--max-model-len") && (n < -1 || n == 0) {
		l.block("flag-value-range", nil, "--max-model-len is %d but must be at least 1", n)
	} else if known && n == -1 && !l.version.since("0.14.0") {
		l.block("flag-value-range", nil, "--max-model-len is left to the engine, which %s cannot", l.version.text)
	}
}

// vllmConflicts are flags that exclude one another, or that need one another.
func (l *launch) vllmConflicts() {
	l.judged("tool-choice-needs-parser", "mutually-exclusive", "flag-needs-flag")
	if l.on("--enable-auto-tool-choice", false) && !l.given("--tool-call-parser") {
		l.block("tool-choice-needs-parser", drop("--enable-auto-tool-choice"), "--enable-auto-tool-choice needs --tool-call-parser")
	}
	for _, c := range [][3]string{ // engine/arg_utils.py, create_engine_config
		{"--attention-backend", "--attention-config", "backend"},
		{"--cudagraph-capture-sizes", "--compilation-config", "cudagraph_capture_sizes"},
		{"--max-cudagraph-capture-size", "--compilation-config", "max_cudagraph_capture_size"},
		{"--enable-flashinfer-autotune", "--kernel-config", "enable_flashinfer_autotune"},
		{"--spec-method", "--speculative-config", "method"},
		{"--spec-model", "--speculative-config", "model"},
		{"--spec-tokens", "--speculative-config", "num_speculative_tokens"},
	} {
		if l.given(c[0]) && l.object(c[1]).has(c[2]) {
			l.block("mutually-exclusive", drop(c[0]), "%s and the %s of %s exclude each other", c[0], c[2], c[1])
		}
	}
	for _, c := range []struct{ flag, needs, since string }{
		{"--enable-log-outputs", "--enable-log-requests", "0.12.0"},                                   // entrypoints/openai/cli_args.py, validate_parsed_serve_args
		{"--numa-bind-nodes", "--numa-bind", "0.20.0"}, {"--numa-bind-cpus", "--numa-bind", "0.20.0"}, // config/parallel.py
		{"--enable-elastic-ep", "--enable-eplb", "0.17.0"},
	} {
		a, given := l.last(c.flag)
		if given && (len(a.values) > 0 || !a.negated) && !l.on(c.needs, false) && l.version.since(c.since) {
			l.block("flag-needs-flag", add(c.needs), "%s needs %s", c.flag, c.needs)
		}
	}
	if l.on("--enable-per-request-metrics", false) && l.on("--disable-log-stats", false) {
		l.block("mutually-exclusive", drop("--enable-per-request-metrics", "--disable-log-stats"), "--enable-per-request-metrics and --disable-log-stats exclude each other")
	}
	if l.given("--mamba-block-size") && !l.on("--enable-prefix-caching", l.model.RecurrentLayers == 0) { // which is on unless layers keep a state
		l.block("mutually-exclusive", add("--enable-prefix-caching"), "--mamba-block-size needs --enable-prefix-caching")
	}
	l.vllmBalancing()
}

// vllmBalancing judges how requests are spread over data-parallel groups (entrypoints/cli/serve.py, engine/arg_utils.py).
func (l *launch) vllmBalancing() {
	external := l.on("--data-parallel-external-lb", false)
	ranked := external || l.given("--data-parallel-rank")
	hybrid := l.on("--data-parallel-hybrid-lb", false)
	dp, known := l.size(flagDP)
	if hybrid && (external || ranked && l.version.since("0.22.0")) {
		l.block("mutually-exclusive", drop("--data-parallel-hybrid-lb"), "--data-parallel-hybrid-lb and --data-parallel-external-lb or --data-parallel-rank exclude each other")
	}
	if known && dp == 1 && external {
		l.block("dp-local", nil, "--data-parallel-external-lb needs --data-parallel-size above 1")
	}
	if known && dp > 1 && ranked && l.version.since("0.21.0") && !l.model.HasExperts() && l.model.Layers > 0 {
		l.block("dp-local", drop(flagDP), "an external load balancer is for models with experts, and this one has none")
	}
	backend, _ := l.str("--dcp-comm-backend")
	if n, ok := l.size("--decode-context-parallel-size"); ok && n == 1 && backend == "a2a" {
		l.block("dcp", drop("--dcp-comm-backend"), "--dcp-comm-backend a2a needs --decode-context-parallel-size above 1")
	}
}

// vllmAdapters judges how adapters are written (entrypoints/openai/cli_args.py, LoRAParserAction).
func (l *launch) vllmAdapters() {
	a, given := l.last("--lora-modules")
	if !given {
		return
	}
	for _, v := range a.values {
		if v.known() && v.text != "" && (strings.Contains(v.text, ",") || !strings.Contains(v.text, "=")) && jsonOrText(v.text) == any(v.text) {
			l.block("flag-value", nil, "--lora-modules has %q, but takes name=path or JSON", clip(v.text, 60))
		}
	}
}
