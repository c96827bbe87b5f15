package serve

import (
	"math"
	"slices"
	"strings"
)

// sglangRanges are the limits of single values, and flags that exclude or need one another (server_args.py, check_server_args; the
// versions are those in which the check was first read).
func (l *launch) sglangRanges() {
	l.judged("served-name-colon", "priority-policy", "torch-compile-nopad", "chunk-page", "flag-needs-flag", "mutually-exclusive")
	for _, name := range []string{"--tp-size", "--pp-size", "--dp-size", "--ep-size", "--nnodes", "--gpu-id-step", "--pp-max-micro-batch-size", "--max-loras-per-batch"} {
		l.between(name, 1, math.Inf(1))
	}
	l.between("--base-gpu-id", 0, math.Inf(1))
	if l.version.since("0.5.2") {
		l.between("--tokenizer-worker-num", 1, math.Inf(1))
		l.between("--detokenizer-worker-num", 1, math.Inf(1))
	}
	if l.version.since("0.5.5") {
		l.between("--schedule-conservativeness", 0, math.Inf(1))
	}
	if x, known := l.fraction("--mem-fraction-static", 0.5); known && (x <= 0 || x >= 1) {
		l.warn("flag-value-range", set("--mem-fraction-static", "0.85"), "--mem-fraction-static is %g but is a share of the card between 0 and 1", x)
	}
	if name, ok := l.str("--served-model-name"); ok && strings.Contains(name, ":") && !strings.Contains(name, "://") && l.version.since("0.5.5.post1") {
		l.block("served-name-colon", set("--served-model-name", strings.ReplaceAll(name, ":", "-")), "--served-model-name is %q, and a colon stands for an adapter there", clip(name, 60))
	}
	if p, ok := l.str("--schedule-policy"); ok && l.on("--enable-priority-scheduling", false) && p != "fcfs" && p != "lof" {
		l.block("priority-policy", set("--schedule-policy", "fcfs"), "--enable-priority-scheduling goes with the policies fcfs and lof, not %s", p)
	}
	if l.on("--disable-cuda-graph-padding", false) && l.on("--enable-torch-compile", false) && l.version.since("0.5.12") {
		l.block("torch-compile-nopad", drop("--disable-cuda-graph-padding", "--enable-torch-compile"), "--disable-cuda-graph-padding and --enable-torch-compile exclude each other")
	}
	chunk, a := l.num("--chunked-prefill-size", 0)
	page, b := l.num("--page-size", 1)
	if role, _ := l.str("--disaggregation-mode"); a && b && chunk > 0 && page > 0 && chunk%page != 0 && role != "decode" && l.version.since("0.4.9.post4") {
		l.block("chunk-page", setSize("--chunked-prefill-size", (chunk/page+1)*page), "--chunked-prefill-size is %d, which pages of %d do not divide", chunk, page)
	}
	l.sglangNeeds()
}

// sglangNeeds are flags that need others.
func (l *launch) sglangNeeds() {
	for _, c := range []struct{ flag, needs string }{
		{"--export-metrics-to-file", "--export-metrics-to-file-dir"},
		{"--tokenizer-metrics-allowed-custom-labels", "--tokenizer-metrics-custom-labels-header"},
	} {
		if l.given(c.flag) && !l.given(c.needs) {
			l.block("flag-needs-flag", add(c.needs), "%s needs %s", c.flag, c.needs)
		}
	}
	if p, _ := l.str("--retraction-policy"); p == "priority" && !l.on("--enable-priority-scheduling", false) {
		l.block("flag-needs-flag", add("--enable-priority-scheduling"), "--retraction-policy priority needs --enable-priority-scheduling")
	}
	backend, given := l.str("--moe-a2a-backend")
	if l.on("--enable-two-batch-overlap", false) && (!given || backend == "none") && !l.on("--enable-dp-attention", false) && l.version.since("0.5.14") {
		l.block("flag-needs-flag", add("--enable-dp-attention"), "--enable-two-batch-overlap needs --moe-a2a-backend or --enable-dp-attention")
	}
	if g, ok := l.last("--gc-threshold"); ok && len(g.values) > 3 {
		l.block("flag-value-range", nil, "--gc-threshold has %d numbers, and takes one to three", len(g.values))
	}
	port, a := l.num("--port", 30000)
	if grpc, b := l.num("--grpc-port", 0); a && b && l.given("--grpc-port") && grpc == port && !l.on("--grpc-mode", false) && !l.on("--smg-grpc-mode", false) {
		l.block("mutually-exclusive", drop("--grpc-port"), "--grpc-port is %d, the same as --port", grpc)
	}
}

// sglangFeatures are LoRA and speculation (check_lora_server_args).
func (l *launch) sglangFeatures() {
	l.judged("pp-spec", "lora-init")
	l.judgedWhere(l.model.ModelType != "", "spec-method")
	algorithm, speculates := l.str("--speculative-algorithm")
	pp, ok := l.size("--pp-size")
	switch {
	case ok && pp > 1 && speculates:
		l.block("pp-spec", drop("--min-free-slots-delay", "--speculative-algorithm", "--pp-size"), "speculation (%s) does not go with %d pipeline stages", algorithm, pp)
	case ok && pp > 1 && l.given("--min-free-slots-delay"):
		l.block("pp-spec", drop("--min-free-slots-delay", "--speculative-algorithm", "--pp-size"), "--min-free-slots-delay does not go with %d pipeline stages", pp)
	}
	if l.on("--enable-lora", false) || l.given("--lora-paths") {
		l.sglangAdapters()
		if speculates && !strings.EqualFold(algorithm, "NGRAM") {
			if l.version.since("0.5.5.post3") && l.versed() {
				l.block("lora-init", set("--speculative-algorithm", "NGRAM"), "LoRA goes with speculation by NGRAM alone, not by %s", clip(algorithm, 40))
			} else {
				l.warn("lora-init", set("--speculative-algorithm", "NGRAM"), "LoRA with speculation by %s may be refused", clip(algorithm, 40))
			}
		}
	}
	if speculates && slices.Contains([]string{"EAGLE", "EAGLE3"}, strings.ToUpper(algorithm)) && !l.given("--speculative-draft-model-path") && l.model.ModelType != "" &&
		!strings.HasPrefix(l.model.ModelType, "deepseek") && !strings.Contains(l.model.ModelType, "glm") && !strings.Contains(l.model.ModelType, "mimo") && !strings.HasPrefix(l.model.ModelType, "qwen3") {
		l.warn("spec-method", nil, "%s needs a draft model unless the model has one inside", clip(algorithm, 40))
	}
}

// sglangAdapters are the limits of adapters, which are looked at where LoRA is on.
func (l *launch) sglangAdapters() {
	if !l.given("--lora-paths") && (!l.given("--max-lora-rank") || !l.given("--lora-target-modules")) {
		l.block("lora-init", nil, "--enable-lora without adapters needs --max-lora-rank and --lora-target-modules")
	}
	per, a := l.num("--max-loras-per-batch", 8)
	if loaded, b := l.num("--max-loaded-loras", per); a && b && loaded < per {
		l.block("lora-init", setSize("--max-loaded-loras", per), "--max-loaded-loras is %d but a batch has %d", loaded, per)
	}
	if n, ok := l.num("--max-lora-chunk-size", 16); ok && (n < 16 || n > 128 || n&(n-1) != 0) {
		l.block("lora-init", set("--max-lora-chunk-size", "16", "32", "64", "128"), "--max-lora-chunk-size is %d", n)
	}
	if t, ok := l.last("--lora-target-modules"); ok && len(t.values) > 1 && slices.ContainsFunc(t.values, func(w word) bool { return w.text == "all" }) {
		l.block("lora-init", set("--lora-target-modules", "all"), "--lora-target-modules has all beside other words")
	}
	if most, ok := l.num("--max-lora-rank", 0); ok && most > 0 {
		l.adapterRules("--lora-paths", most, nil)
	}
}
