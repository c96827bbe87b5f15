package serve

import (
	"fmt"
	"math"
	"strconv"
)

var _ = define(engine{
	order: 1, id: "sglang", label: "SGLang", flags: tableOf("sglang.txt"), dialect: argparse, complete: true,
	assumed: mustVersion("0.5.18"), oldest: mustVersion("0.4.0"), newest: mustVersion("0.5.18"),
	images: []string{"sglang"},
	entry: func(words []word) int {
		if starts(words, "sglang", "serve") {
			return 2
		}
		return module(words, "sglang.launch_server")
	},
	positionals: func(l *launch) int {
		if l.entry[len(l.entry)-1] == "serve" && l.version.since("0.5.16") { // cli/serve.py
			return 1
		}
		return 0
	},
	replaced: map[string]string{
		"--enable-ep-moe": "use --ep-size", "--enable-deepep-moe": "use --moe-a2a-backend deepep", "--enable-flashinfer-mla": "use --attention-backend flashinfer",
		"--enable-flashmla": "use --attention-backend flashmla", "--max-micro-batch-size": "use --pp-max-micro-batch-size", "--torchao-config": "use --quantization",
		"--enable-flashinfer-cutlass-moe": "use --moe-runner-backend flashinfer_cutlass", "--enable-flashinfer-trtllm-moe": "use --moe-runner-backend flashinfer_trtllm",
		"--hybrid-kvcache-ratio": "use --swa-full-tokens-ratio",
	},
	calls: map[concept]string{
		tensorParallel: "--tp-size", pipelineParallel: "--pp-size", dataParallel: "--dp-size", contextLength: "--context-length",
		memoryShare: "--mem-fraction-static", sequences: "--max-running-requests", batchTokens: "--chunked-prefill-size",
		quantisation: "--quantization", cacheType: "--kv-cache-dtype", remoteCode: "--trust-remote-code", modelName: "--model-path",
		eagerMode: "--disable-cuda-graph", servedName: "--served-model-name", hostName: "--host",
	},
	check: checkSGLang,
})

var architecturesSGLang = namesOf("sglang.archs")

// leastSGLang is the lowest compute capability of each method, times ten (get_min_capability).
var leastSGLang = map[string]int64{"awq": 75, "awq_marlin": 80, "gptq_marlin": 80, "gptq": 60, "fp8": 80, "mxfp8": 100, "w8a8_fp8": 89, "w8a8_int8": 75, "blockwise_int8": 80, "modelopt_fp8": 89,
	"modelopt_fp4": 80, "nvfp4_online": 100, "petit_nvfp4": 90, "w4afp8": 90, "mxfp4": 80, "compressed-tensors": 70, "bitsandbytes": 70, "gguf": 60, "moe_wna16": 70, "quark": 70, "auto-round": 60}

// checkSGLang judges as sglang.launch_server does at start-up (srt/server_args.py check_server_args, srt/models).
func checkSGLang(l *launch) {
	l.sglangEntry()
	l.architectureRules(architecturesSGLang(), "--trust-remote-code")
	l.sglangRanges()
	l.enormous("--tp-size", "--pp-size", "--dp-size", "--ep-size")
	s := l.sglangSizes()
	if s.known {
		l.sglangParallel(s)
		l.sharedMemory(s.tp * s.pp)
	}
	l.sglangDtype()
	l.quantRules("--quantization", leastSGLang)
	length, known := l.sglangContext()
	l.sglangFeatures()
	if s.known && (known || length == 0) {
		l.sglangMemory(s, length)
	}
}

// sglangEntry judges how the server is started, and where its model stands (cli/serve.py, pyproject.toml).
func (l *launch) sglangEntry() {
	l.judged("entry-missing", "model-missing")
	serve := l.entry[len(l.entry)-1] == "serve"
	if serve && !l.version.since("0.5.5") {
		l.block("entry-missing", nil, "sglang serve came with SGLang 0.5.5, and %s is asked", l.version.text)
	}
	if !serve && l.given("--model-type") {
		l.refuse("flag-unknown", drop("--model-type"), "--model-type is a flag of sglang serve alone")
	}
	if positional := l.positionals() > 0 && len(l.strays) > 0; !positional && !l.given("--model-path") && !l.given("--config") && len(l.open) == 0 {
		l.block("model-missing", nil, "no model is named: --model-path is required")
	}
}

// sglangSizes reads how the model is divided: attention over tp/dp cards with --enable-dp-attention.
func (l *launch) sglangSizes() sizes {
	tp, a := l.size("--tp-size")
	pp, b := l.size("--pp-size")
	dp, c := l.size("--dp-size")
	ep, d := l.size("--ep-size")
	s := sizes{tp: tp, pp: pp, dp: dp, attnTP: tp, epSize: ep, ep: ep > 1, known: a && b && c && d && max(tp, pp, dp, ep) < 1<<20}
	if backend, _ := l.str("--moe-a2a-backend"); backend != "" && backend != "none" {
		s.ep, s.epSize = true, tp
	}
	if l.on("--enable-dp-attention", false) && dp > 1 && tp%dp == 0 {
		s.attnTP = tp / dp
	}
	if cp, ok := l.size("--attn-cp-size"); ok && cp > 1 && s.attnTP%cp == 0 {
		s.attnTP /= cp
	}
	return s
}

func (l *launch) sglangParallel(s sizes) {
	m := &l.model
	l.judged("dp-attention", "moe-dense-tp", "attn-cp")
	l.judgedWhere(m.Layers > 0, "ep-divides")
	dpAttention := l.on("--enable-dp-attention", false)
	if dpAttention && s.dp > 1 && s.tp%s.dp != 0 {
		l.block("dp-attention", setSize("--dp-size", divisors(s.tp, func(n int64) bool { return s.tp%n == 0 })...), "--enable-dp-attention divides %d cards among %d groups, which does not go", s.tp, s.dp)
		return
	}
	if dpAttention && s.dp == 1 && s.known {
		l.warn("dp-attention", drop("--enable-dp-attention"), "--enable-dp-attention does nothing with --dp-size 1")
	}
	if l.on("--enable-dp-lm-head", false) && !dpAttention {
		l.block("dp-attention", add("--enable-dp-attention"), "--enable-dp-lm-head needs --enable-dp-attention")
	}
	l.headRules("--tp-size", s)
	moeTP := s.tp
	if s.ep {
		moeTP = max(s.tp/max(s.epSize, 1), 1)
	}
	l.widthRules("--tp-size", s, moeTP)
	l.shardRules("--tp-size", s)
	l.stageRules("--pp-size", s, "SGLANG_PP_LAYER_PARTITION")
	if ep, _ := l.size("--ep-size"); ep > 1 {
		redundant, _ := l.num("--ep-num-redundant-experts", 0)
		switch {
		case ep > s.tp:
			l.block("ep-divides", setSize("--ep-size", s.tp), "--ep-size is %d but --tp-size is %d", ep, s.tp)
		case s.tp%ep != 0:
			l.warn("ep-divides", setSize("--ep-size", divisors(s.tp, func(n int64) bool { return s.tp%n == 0 })...), "--ep-size is %d, which does not divide --tp-size %d", ep, s.tp)
		case m.HasExperts() && (m.Experts+redundant)%ep != 0:
			l.block("ep-divides", setSize("--ep-size", divisors(s.tp, func(n int64) bool { return s.tp%n == 0 && (m.Experts+redundant)%n == 0 })...),
				"%d experts do not divide among %d cards", m.Experts+redundant, ep)
		}
	}
	if n, ok := l.num("--moe-dense-tp-size", 1); ok && l.given("--moe-dense-tp-size") && n != 1 && n != s.tp {
		l.block("moe-dense-tp", set("--moe-dense-tp-size", "1"), "--moe-dense-tp-size is %d but must be 1 or %d", n, s.tp)
	}
	if cp, ok := l.size("--attn-cp-size"); ok && cp > 1 && s.tp%cp != 0 {
		l.block("attn-cp", nil, "--attn-cp-size is %d, which does not divide --tp-size %d", cp, s.tp)
	}
	l.sglangNodes(s, dpAttention)
}

func (l *launch) sglangNodes(s sizes, dpAttention bool) {
	nodes, known := l.size("--nnodes")
	if !known {
		return
	}
	l.judged("nnodes")
	l.judgedWhere(l.gpus > 0, "world-gpus")
	if nodes > 1 && s.tp*s.pp%nodes != 0 {
		l.block("nnodes", nil, "%d ranks do not divide among %d nodes", s.tp*s.pp, nodes)
	}
	if nodes > 1 && s.dp > 1 && !dpAttention {
		l.block("dp-attention", add("--enable-dp-attention"), "data parallelism over %d nodes needs --enable-dp-attention", nodes)
	}
	world := s.tp * s.pp
	if !dpAttention {
		world *= s.dp
	}
	first, _ := l.num("--base-gpu-id", 0)
	if l.gpus > 0 && nodes < 1<<20 && world+max(first, 0) > l.gpus*nodes {
		l.block("world-gpus", worldFix("--tp-size", l.gpus*nodes, world/s.tp, func(n int64) bool { return l.legalTP(n, s) }),
			"%d cards are needed (%d tensor-parallel, %d stages, %d copies) and there are %d", world+first, s.tp, s.pp, world/(s.tp*s.pp), l.gpus*nodes)
	}
}

// sglangDtype judges data types and backends against the card (load_model_utils, arg_groups/overrides.py).
func (l *launch) sglangDtype() {
	cc := l.capability()
	l.judgedWhere(cc > 0, "gpu-too-old")
	l.judgedWhere(cc > 0 && l.model.Dtype != "", "bf16-fallback")
	l.judgedWhere(cc > 0 && !l.hidden("--kv-cache-dtype"), "kv-nvfp4", "kv-type")
	l.judgedWhere(cc > 0 && !l.hidden("--attention-backend"), "attn-backend")
	if cc > 0 && cc < 75 {
		l.block("gpu-too-old", nil, "SGLang needs compute capability 7.5, and %s has %s", l.request.GPU.Name, shownCapability(cc))
	} else if cc > 0 && cc < 80 && l.model.Dtype == "bfloat16" {
		l.warn("bf16-fallback", nil, "%s has no bfloat16: the engine takes float16", l.request.GPU.Name)
	}
	kv, _ := l.str("--kv-cache-dtype")
	backend, _ := l.str("--attention-backend")
	if cc > 0 && cc < 100 && (kv == "nvfp4" || kv == "mxfp8") {
		l.block("kv-nvfp4", set("--kv-cache-dtype", "fp8_e4m3"), "a cache in %s needs a Blackwell card, and %s is none", kv, l.request.GPU.Name)
	}
	if kv == "fp8_e5m2" && backend == "fa3" {
		l.warn("kv-type", set("--kv-cache-dtype", "fp8_e4m3"), "fa3 has no fp8_e5m2 cache: the engine takes triton instead")
	}
	need := map[string]int64{"trtllm_mha": 90, "trtllm_mla": 100, "tokenspeed_mla": 100, "cutlass_mla": 100, "fa3": 80}
	if least, known := need[backend]; known && cc > 0 && cc < least {
		if backend == "fa3" || backend == "cutlass_mla" {
			l.warn("attn-backend", drop("--attention-backend"), "%s needs a younger card than %s", backend, l.request.GPU.Name)
		} else {
			l.block("attn-backend", drop("--attention-backend"), "%s needs compute capability %s, and %s has %s", backend, shownCapability(least), l.request.GPU.Name, shownCapability(cc))
		}
	}
	if backend == "hpc_ops" && cc > 0 && cc/10 != 9 {
		l.block("attn-backend", drop("--attention-backend"), "hpc_ops runs on compute capability 9.0 only, and %s has %s", l.request.GPU.Name, shownCapability(cc))
	}
}

// sglangContext judges --context-length (configs/model_config.py).
func (l *launch) sglangContext() (length int64, known bool) {
	over := l.object("--json-model-override-args")
	derived, have := l.derivedSGLang(over)
	asked, readable := l.num("--context-length", 0)
	l.judgedWhere(readable && have && !l.hidden("--json-model-override-args"), "max-len-derived")
	if !readable {
		return derived, false
	}
	if asked <= 0 {
		return derived, have
	}
	if !have || asked <= derived {
		return asked, true
	}
	if truthy(l.envText("SGLANG_ALLOW_OVERWRITE_LONGER_CONTEXT_LEN")) {
		l.warn("max-len-derived", nil, "--context-length is %d but the model is made for %d", asked, derived)
		return asked, true
	}
	l.block("max-len-derived", setSize("--context-length", derived), "--context-length is %d but the model is made for %d", asked, derived)
	return derived, true
}

// sglangMemory divides a card as SGLang does: a share of it is for weights and KV cache (server_args._handle_gpu_memory_settings).
func (l *launch) sglangMemory(s sizes, length int64) {
	g := l.request.GPU
	if g == nil || l.weigh().total() == 0 {
		return
	}
	total := float64(g.VisibleMiB)
	chunk, graphs := sglangDefaults(g.VisibleMiB, s.tp)
	if n, ok := l.num("--chunked-prefill-size", chunk); ok && n > 0 {
		chunk = n
	}
	if n, ok := l.num("--cuda-graph-max-bs", graphs); ok && n > 0 && n < 1<<16 {
		graphs = n
	}
	reserved := 512 + 1.5*float64(max(min(chunk, 1<<20), 2048)) + 1024*float64(s.tp*s.pp)/8 + 2*float64(graphs)
	if l.on("--enable-dp-attention", false) {
		reserved += 3 * float64(graphs*s.dp)
	}
	if total > 60*1024 {
		reserved = max(reserved, 10*1024)
	}
	share, known := l.fraction("--mem-fraction-static", math.Round((total-reserved)/total*1000)/1000)
	if !known || share <= 0 || share >= 1 {
		return
	}
	method := l.method("--quantization")
	kv, _ := l.str("--kv-cache-dtype")
	b := &budget{capacity: int64(float64(g.MemoryBytes) * share), weights: l.weightBytes(s, "--dtype", method), length: length, inFlight: chunk}
	b.cache = l.perToken(s, l.kvBits(kv, l.elementBytes("--dtype")), true)
	b.overhead = 551*mib + communication(s.tp)
	l.offloaded(b)
	l.settleBudget(b)
	b.rows, _ = l.num("--max-running-requests", 0)
	b.activations = l.activationBytes(chunk, graphs, s.tp, l.factors(denseFactorsS, expertFactorsS))
	if l.shareRule(b, "--mem-fraction-static") && l.weightRule(b, "--tp-size", s, "--dtype", method) {
		if b.kvMost <= 0 {
			l.block("mem-kv-none", nil, "nothing is left for keys and values beside the weights")
		} else {
			l.oneSequence(b, "--context-length", false)
		}
		l.sglangClipped(b)
	}
	l.judged("mem-prefill")
	if rest := g.MemoryBytes - b.capacity; l.given("--mem-fraction-static") && rest < b.activations {
		fix := set("--mem-fraction-static", fmt.Sprintf("0.%02d", max(g.MemoryBytes-b.activations, 0)/(g.MemoryBytes/100)))
		l.warn("mem-prefill", fix, "--mem-fraction-static %s leaves %s for activations and graphs, of which we estimate %s: capturing graphs or a long prompt may run out of memory",
			strconv.FormatFloat(share, 'g', -1, 64), shownGB(rest), shownGB(b.activations))
	}
	l.publish(b)
}

// sglangClipped reports requests that are larger than the KV cache.
func (l *launch) sglangClipped(b *budget) {
	per := b.cache.full + b.cache.sliding
	if !b.cache.known || per <= 0 || b.kv <= 0 {
		return
	}
	l.judgedWhere(!l.hidden("--max-total-tokens"), "max-total-tokens-clipped")
	if n, ok := l.num("--max-total-tokens", 0); ok && n > b.kvMost/per {
		l.warn("max-total-tokens-clipped", nil, "--max-total-tokens is %d, and the cache holds about %d", n, b.kv/per)
	}
}

// sglangDefaults are the chunk of a prompt and the largest batch of a graph by the card's size in MiB.
func sglangDefaults(mibs, tp int64) (chunk, graphs int64) {
	steps := []struct{ below, chunk, one, many int64 }{{20 << 10, 2048, 8, 8}, {35 << 10, 2048, 24, 80}, {60 << 10, 4096, 32, 160}, {90 << 10, 8192, 256, 512}, {160 << 10, 8192, 256, 512}}
	for _, s := range steps {
		if mibs < s.below {
			if tp >= 4 {
				return s.chunk, s.many
			}
			return s.chunk, s.one
		}
	}
	return 16384, 512
}
