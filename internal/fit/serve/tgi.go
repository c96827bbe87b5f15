package serve

import (
	"math"
	"strings"
)

var _ = define(engine{
	order: 3, id: "tgi", label: "Text Generation Inference", flags: tableOf("tgi.txt"), dialect: clap, complete: true,
	assumed: mustVersion("3.3.7"), oldest: mustVersion("1.0.0"), newest: mustVersion("3.3.7"),
	images: []string{"text-generation-inference"},
	tags:   func(tag string) bool { return !strings.Contains(tag, "trtllm") && !strings.Contains(tag, "llamacpp") }, // those are other servers
	entry: func(words []word) int {
		if starts(words, "text-generation-launcher") {
			return 1
		}
		return 0
	},
	image:       func(version) []string { return []string{"text-generation-launcher"} },
	positionals: func(*launch) int { return 0 },
	calls: map[concept]string{
		tensorParallel: "--num-shard", contextLength: "--max-total-tokens", memoryShare: "--cuda-memory-fraction",
		sequences: "--max-batch-size", batchTokens: "--max-batch-prefill-tokens", quantisation: "--quantize",
		cacheType: "--kv-cache-dtype", remoteCode: "--trust-remote-code", modelName: "--model-id", hostName: "--hostname",
	},
	check: checkTGI,
})

// checkTGI judges as text-generation-launcher does at start-up (launcher/src/main.rs, server/text_generation_server).
func checkTGI(l *launch) {
	l.judged("tgi-input-twins", "tgi-dtype-and-quantize", "flag-needs-flag")
	if l.given("--max-input-tokens") && l.given("--max-input-length") {
		l.block("tgi-input-twins", drop("--max-input-length"), "--max-input-tokens and --max-input-length exclude each other")
	}
	quant, quantised := l.str("--quantize")
	if l.given("--dtype") && quantised && quant != "bitsandbytes" && quant != "bitsandbytes-nf4" && quant != "bitsandbytes-fp4" {
		l.block("tgi-dtype-and-quantize", drop("--dtype"), "--dtype and --quantize %s exclude each other", quant)
	}
	if x, known := l.fraction("--cuda-memory-fraction", 1); known && (x <= 0 || x > 1) {
		l.block("flag-value-range", set("--cuda-memory-fraction", "0.9"), "--cuda-memory-fraction is %g but must be above 0 and at most 1", x)
	}
	l.between("--num-shard", 1, math.Inf(1))
	l.between("--validation-workers", 1, math.Inf(1))
	if l.on("--ngrok", false) && (!l.given("--ngrok-authtoken") || !l.given("--ngrok-edge")) {
		l.block("flag-needs-flag", nil, "--ngrok needs --ngrok-authtoken and --ngrok-edge")
	}
	l.tgiLengths()
	l.enormous("--num-shard")
	s := l.tgiShards()
	if s.known {
		l.tgiParallel(s, quant)
		l.sharedMemory(s.tp)
	}
	cc := l.capability()
	l.judgedWhere(cc > 0, "quant-capability", "bf16-sm80")
	l.judgedWhere(l.config != nil && !l.hidden("--quantize"), "quant-mismatch")
	if need := map[string]int64{"marlin": 80, "fp8": 80}[quant]; cc > 0 && cc < need {
		l.warn("quant-capability", nil, "%s needs compute capability %s, and %s has %s", quant, shownCapability(need), l.request.GPU.Name, shownCapability(cc))
	}
	if d, _ := l.str("--dtype"); d == "bfloat16" && cc > 0 && cc < 80 {
		l.warn("bf16-sm80", set("--dtype", "float16"), "bfloat16 needs compute capability 8.0, and %s has %s", l.request.GPU.Name, shownCapability(cc))
	}
	if m := l.model.Quant.Method; quantised && m != "" && !related(quant, m) && !(quant == "marlin" && (m == "gptq" || m == "awq")) {
		l.warn("quant-mismatch", drop("--quantize"), "--quantize is %s but the checkpoint is quantised with %s", quant, m)
	}
	if s.known {
		l.tgiMemory(s)
	}
}

func (l *launch) tgiLengths() {
	input, a := l.num("--max-input-tokens", 0)
	if n, ok := l.num("--max-input-length", input); ok && !l.given("--max-input-tokens") {
		input = n
	}
	total, b := l.num("--max-total-tokens", 0)
	batch, c := l.num("--max-batch-total-tokens", 0)
	l.judgedWhere(a && b && c, "tgi-input-total")
	if a && b && input > 0 && total > 0 && input >= total {
		l.block("tgi-input-total", setSize("--max-total-tokens", input+1), "--max-input-tokens is %d, which leaves nothing of --max-total-tokens %d", input, total)
	}
	if b && c && total > 0 && batch > 0 && total > batch {
		l.block("tgi-input-total", setSize("--max-batch-total-tokens", total), "--max-total-tokens is %d, more than the %d of --max-batch-total-tokens", total, batch)
	}
}

// tgiShards is how many cards share the model: --num-shard, else those that variables name, which a container has and a shell mostly
// does not (launcher/src/main.rs, find_num_shards).
func (l *launch) tgiShards() sizes {
	n, known := l.size("--num-shard")
	sharded, given := l.str("--sharded")
	if !l.given("--num-shard") {
		n = 1
		_, named := l.variable("CUDA_VISIBLE_DEVICES")
		if l.gpus > 1 && sharded != "false" && (sharded == "true" || named || l.box != nil) {
			n = l.gpus
		}
	}
	if given && sharded == "true" && known && (l.given("--num-shard") && n <= 1 || !l.given("--num-shard") && l.gpus == 1) {
		l.block("world-gpus", drop("--sharded"), "--sharded true needs more than one shard")
	}
	return sizes{tp: n, pp: 1, dp: 1, attnTP: n, known: known && n < 1<<20}
}

func (l *launch) tgiParallel(s sizes, quant string) {
	m, n := &l.model, s.tp
	l.judgedWhere(m.Heads > 0, "tp-heads")
	l.judgedWhere(m.Heads > 0 && m.Heads%n == 0 && m.KVHeads > 0, "tp-kv-heads")
	l.judgedWhere(m.Intermediate > 0, "tp-intermediate")
	l.judged("tgi-exl2-shard")
	l.judgedWhere(l.gpus > 0, "world-gpus")
	legal := func(n int64) bool {
		return (m.Heads == 0 || m.Heads%n == 0) && (m.KVHeads <= 1 || m.KVHeads/n > 0 && m.KVHeads%n == 0) && (m.Intermediate == 0 || m.Intermediate%n == 0)
	}
	fix := func() remedy { return setSize("--num-shard", divisors(l.cards(n), legal)...) }
	switch {
	case m.Heads > 0 && m.Heads%n != 0:
		l.block("tp-heads", fix(), "the model has %d attention heads, which %d does not divide", m.Heads, n)
	case m.KVHeads > 1 && m.Heads > 0 && (m.KVHeads/n == 0 || m.KVHeads%n != 0):
		l.block("tp-kv-heads", fix(), "the model has %d key/value heads, which %d does not divide, and none is replicated", m.KVHeads, n)
	case m.Intermediate > 0 && l.hasDense() && m.Intermediate%n != 0:
		l.block("tp-intermediate", fix(), "the feed-forward network is %d wide, which %d does not divide", m.Intermediate, n)
	}
	if quant == "exl2" && n > 1 {
		l.block("tgi-exl2-shard", set("--num-shard", "1"), "exl2 weights are not divided among %d shards", n)
	}
	if l.gpus > 0 && n > l.gpus {
		l.block("world-gpus", setSize("--num-shard", l.gpus), "--num-shard is %d and there are %d cards", n, l.gpus)
	}
}

// tgiMemory divides a card as TGI does at its warm-up: what is free behind the weights and a prefill, less a tenth.
func (l *launch) tgiMemory(s sizes) {
	g := l.request.GPU
	share, known := l.fraction("--cuda-memory-fraction", 1)
	prefill, known2 := l.num("--max-batch-prefill-tokens", 4096)
	if g == nil || !known || !known2 || share <= 0 || share > 1 || l.weigh().total() == 0 {
		return
	}
	method := l.method("--quantize")
	kv, _ := l.str("--kv-cache-dtype")
	b := &budget{capacity: int64(float64(g.MemoryBytes) * share), weights: l.weightBytes(s, "", method), length: l.model.Positions, overhead: 551*mib + communication(s.tp)}
	if n, ok := l.num("--max-total-tokens", 0); ok && n > 0 {
		b.length = n
	} else {
		b.length = min(b.length, 4096)
	}
	b.cache = l.perToken(s, l.kvBits(kv, 2), false)
	b.activations = l.activationBytes(max(prefill, 1), 0, s.tp, l.factors(denseFactors, expertFactors))
	l.settleBudget(b)
	b.kv, b.kvMost = b.kv/10*9, b.kvMost/10*9
	b.rows, _ = l.num("--max-concurrent-requests", 128)
	if l.weightRule(b, "--num-shard", s, "", method) {
		l.oneSequence(b, "--max-total-tokens", true)
	}
	l.publish(b)
}
