package serve

import (
	"math"
	"strings"
)

var _ = define(engine{
	order: 2, id: "tensorrt-llm", label: "TensorRT-LLM", flags: tableOf("trtllm.txt"), dialect: click, complete: false,
	assumed: mustVersion("1.2.0"), oldest: mustVersion("0.17.0"), newest: mustVersion("1.3.0"),
	images: []string{"tensorrt-llm/release", "tensorrt_llm/release"},
	entry: func(words []word) int {
		if starts(words, "trtllm-serve", "serve") {
			return 2
		}
		if starts(words, "trtllm-serve") {
			return 1
		}
		return 0
	},
	positionals: func(*launch) int { return 1 },
	calls: map[concept]string{
		tensorParallel: "--tp_size", pipelineParallel: "--pp_size", contextLength: "--max_seq_len",
		memoryShare: "--kv_cache_free_gpu_memory_fraction", sequences: "--max_batch_size", batchTokens: "--max_num_tokens",
		cacheType: "--kv_cache_dtype", remoteCode: "--trust_remote_code", hostName: "--host",
	},
	check: checkTRT,
})

// checkTRT judges as trtllm-serve does at start-up (mapping.py, _torch/modules/attention.py, llmapi). Its files were read at several
// commits, so flags that are not known warn.
func checkTRT(l *launch) {
	if len(l.strays) > 0 && contains([]string{"disaggregated", "disaggregated_mpi_worker", "mm_embedding_serve", "grpc"}, l.strays[0].text) {
		l.warn("unknown-engine-command", nil, "trtllm-serve %s is not judged", l.strays[0].text)
		return
	}
	l.judged("model-missing")
	if len(l.strays) == 0 && len(l.open) == 0 {
		l.block("model-missing", nil, "no model is named")
	}
	for _, name := range []string{"--tp_size", "--pp_size", "--cp_size", "--ep_size", "--max_batch_size", "--max_num_tokens", "--max_beam_width"} {
		l.between(name, 1, math.Inf(1))
	}
	if !l.given("--disagg_cluster_uri") && !l.fileValues.has("disagg_cluster") { // which finds a free one
		l.between("--port", 1, 65535)
	}
	if x, known := l.fraction("--kv_cache_free_gpu_memory_fraction", 0.9); known && (x < 0 || x > 1) {
		l.block("flag-value-range", set("--kv_cache_free_gpu_memory_fraction", "0.9"), "--kv_cache_free_gpu_memory_fraction is %g but must be from 0 to 1", x)
	}
	l.enormous("--tp_size", "--pp_size", "--cp_size", "--ep_size", "--cluster_size")
	s, cp := l.trtSizes()
	if s.known {
		l.trtParallel(s, cp)
		l.sharedMemory(s.tp * s.pp)
	}
	l.trtCard()
	if s.known {
		l.trtMemory(s)
	}
}

func (l *launch) trtSizes() (s sizes, cp int64) {
	tp, a := l.size("--tp_size")
	pp, b := l.size("--pp_size")
	cp, c := l.size("--cp_size")
	ep, d := l.size("--ep_size")
	cluster, _ := l.size("--cluster_size") // ep is multiplied by it
	s = sizes{tp: tp, pp: pp, dp: 1, attnTP: tp, ep: ep > 1, epSize: ep, known: a && b && c && d && max(tp, pp, cp, ep, cluster) < 1<<20}
	if l.fileValues.truth("enable_attention_dp") {
		s.attnTP = 1
	}
	return s, cp
}

func (l *launch) trtParallel(s sizes, cp int64) {
	m := &l.model
	l.judgedWhere(m.Heads > 0, "tp-heads")
	l.judgedWhere(m.Heads > 0 && (m.KVHeads > 0 || m.HasLatent()), "tp-kv-heads", "tp-kv-replicated")
	l.judgedWhere(m.Intermediate > 0 || m.Layers > 0 && !l.hasDense(), "tp-intermediate")
	l.judgedWhere(m.Layers > 0, "pp-layers", "pp-uneven", "ep-divides")
	l.judgedWhere(l.gpus > 0, "world-gpus")
	legal := func(n int64) bool { return m.Heads == 0 || m.Heads%(n*cp) == 0 }
	if m.Heads > 0 && m.Heads%(s.attnTP*cp) != 0 {
		l.block("tp-heads", setSize("--tp_size", divisors(l.cards(s.tp), legal)...), "the model has %d attention heads, which %d does not divide", m.Heads, s.attnTP*cp)
	} else if kv := m.KVHeads; kv > 0 && kv < s.attnTP && !m.HasLatent() {
		l.warn("tp-kv-replicated", nil, "the model has %d key/value heads, fewer than %d: they are replicated", kv, s.attnTP)
	} else if kv > 0 && kv%s.attnTP != 0 && !m.HasLatent() {
		l.warn("tp-kv-heads", nil, "the model has %d key/value heads, which %d does not divide", kv, s.attnTP)
	}
	if m.Intermediate > 0 && l.hasDense() && m.Intermediate%s.tp != 0 {
		l.warn("tp-intermediate", nil, "the feed-forward network is %d wide, which %d does not divide", m.Intermediate, s.tp)
	}
	if m.Layers > 0 && s.pp > m.Layers {
		l.block("pp-layers", setSize("--pp_size", m.Layers), "%d pipeline stages for %d layers", s.pp, m.Layers)
	} else if m.Layers > 0 && m.Layers%s.pp != 0 {
		l.warn("pp-uneven", nil, "%d layers do not divide into %d stages", m.Layers, s.pp)
	}
	if l.given("--ep_size") || l.fileValues.has("moe_expert_parallel_size") {
		cluster, _ := l.size("--cluster_size")
		if s.tp%(s.epSize*cluster) != 0 {
			l.block("ep-divides", setSize("--ep_size", divisors(s.tp, func(n int64) bool { return s.tp%(n*cluster) == 0 })...), "--ep_size %d does not divide --tp_size %d", s.epSize*cluster, s.tp)
		} else if m.HasExperts() && m.Experts%s.epSize != 0 {
			l.warn("ep-divides", nil, "%d experts do not divide among %d cards", m.Experts, s.epSize)
		}
		if cp > 1 && s.epSize > 1 {
			l.block("ep-divides", drop("--cp_size", "--ep_size"), "--cp_size %d and --ep_size %d do not go together", cp, s.epSize)
		}
	}
	per, _ := l.num("--gpus_per_node", 0)
	world := s.tp * s.pp * cp
	if l.gpus > 0 && world > l.gpus && !strings.Contains(l.request.Command, "llmapi-launch") && (per == 0 || per >= world) {
		l.block("world-gpus", worldFix("--tp_size", l.gpus, world/s.tp, legal), "%d cards are needed (%d tensor-parallel, %d stages) and there are %d", world, s.tp, s.pp, l.gpus)
	}
}

// trtCard judges the card against the support matrix.
func (l *launch) trtCard() {
	cc := l.capability()
	if cc == 0 {
		return
	}
	l.judged("gpu-too-old")
	l.judgedWhere(l.config != nil && !l.hidden("--kv_cache_dtype"), "quant-capability", "kv-nvfp4")
	if cc < 80 {
		l.block("gpu-too-old", nil, "TensorRT-LLM runs on Ampere and younger cards (8.0), and %s has %s", l.request.GPU.Name, shownCapability(cc))
	}
	method := l.model.Quant.Method
	if kv, _ := l.str("--kv_cache_dtype"); kv == "fp8" && cc < 89 || method == "fp8" && cc < 89 {
		l.warn("quant-capability", nil, "8-bit floats are there from compute capability 8.9 on, and %s has %s", l.request.GPU.Name, shownCapability(cc))
	}
	if kv, _ := l.str("--kv_cache_dtype"); kv == "nvfp4" && cc < 100 {
		l.warn("kv-nvfp4", set("--kv_cache_dtype", "fp8"), "4-bit floats are there from compute capability 10.0 on, and %s has %s", l.request.GPU.Name, shownCapability(cc))
	}
}

// trtMemory divides a card as TensorRT-LLM does: a share of what is free behind the weights (KvCacheCreator).
func (l *launch) trtMemory(s sizes) {
	g := l.request.GPU
	share, known := l.fraction("--kv_cache_free_gpu_memory_fraction", 0.9)
	tokens, known2 := l.num("--max_num_tokens", 8192)
	if g == nil || !known || !known2 || share < 0 || share > 1 || tokens < 1 || l.weigh().total() == 0 {
		return
	}
	derived, _ := l.derivedSGLang(nil)
	length, known := l.num("--max_seq_len", derived)
	if !known {
		return
	}
	l.judged("trt-num-tokens")
	if length > tokens && !l.on("--enable_chunked_prefill", false) && l.given("--max_seq_len") && !l.fileValues.truth("enable_chunked_prefill") {
		l.warn("trt-num-tokens", add("--enable_chunked_prefill"), "prompts longer than %d tokens (--max_num_tokens) are refused, though --max_seq_len is %d", tokens, length)
	}
	kv, _ := l.str("--kv_cache_dtype")
	b := &budget{capacity: g.MemoryBytes, weights: l.weightBytes(s, "", l.model.Quant.Method), length: length}
	b.cache = l.perToken(s, l.kvBits(kv, 2), true)
	b.activations = l.activationBytes(tokens, 0, s.tp, l.factors(denseFactors, expertFactors))
	b.overhead = 551*mib + communication(s.tp)
	l.settleBudget(b)
	b.kv, b.kvMost = int64(float64(b.kv)*share), int64(float64(b.kvMost)*share)
	b.rows, _ = l.num("--max_batch_size", 0)
	if l.weightRule(b, "--tp_size", s, "", l.model.Quant.Method) {
		l.oneSequence(b, "--max_seq_len", l.on("--fail_fast_on_attention_window_too_large", false))
	}
	l.publish(b)
}
