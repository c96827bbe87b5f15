package serve

import "strings"

// vllmBatch is how many sequences and tokens a step takes (engine/arg_utils.py, get_batch_defaults).
func (l *launch) vllmBatch(length int64) (seqs, tokens int64, known bool) {
	defaultSeqs, defaultTokens := int64(256), int64(2048)
	if g := l.request.GPU; g != nil && g.MemoryBytes >= 70<<30 && !strings.HasPrefix(g.Name, "A100") && l.version.since("0.9.0") {
		defaultSeqs, defaultTokens = 1024, 8192
	}
	if s, _ := l.str("--performance-mode"); s == "throughput" {
		defaultSeqs, defaultTokens = 2*defaultSeqs, 2*defaultTokens
	}
	seqs, a := l.num("--max-num-seqs", defaultSeqs)
	tokens, b := l.num("--max-num-batched-tokens", 0)
	if !l.given("--max-num-batched-tokens") {
		tokens = defaultTokens
		if !l.on("--enable-chunked-prefill", true) {
			tokens = max(tokens, length)
		}
		if !l.given("--max-num-seqs") {
			seqs = min(seqs, max(tokens, 1))
		}
		if length > 0 && length < 1<<40 && seqs > 0 && seqs < 1<<20 {
			tokens = max(min(tokens, seqs*length), 1)
		}
	} else if !l.given("--max-num-seqs") {
		seqs = min(seqs, max(tokens, 1))
	}
	return seqs, tokens, a && b && seqs >= 1 && tokens >= 1
}

// vllmScheduler judges the batch (config/scheduler.py, verify_max_model_len).
func (l *launch) vllmScheduler(length int64, auto bool) {
	seqs, tokens, known := l.vllmBatch(length)
	if !known || auto {
		return
	}
	l.judged("batched-lt-maxlen", "batched-gt-all", "long-prefill-threshold", "chunked-off", "cg-sizes")
	l.judgedWhere(l.request.GPU != nil || l.given("--max-num-batched-tokens"), "batched-lt-seqs") // the default is that of the card
	chunked := l.on("--enable-chunked-prefill", true)
	if !chunked && tokens < length && l.given("--max-num-batched-tokens") && (!l.version.since("0.8.0") || l.version.since("0.11.1")) { // between them the switch is forgotten
		l.block("batched-lt-maxlen", setSize("--max-num-batched-tokens", length).or(change{{op: opDrop, flag: "--enable-chunked-prefill"}}),
			"without chunked prefill --max-num-batched-tokens of %d must hold a sequence of %d", tokens, length)
	}
	if dp, _ := l.size(flagDP); tokens < seqs && l.given("--max-num-seqs") {
		fix := setSize("--max-num-batched-tokens", seqs)
		switch {
		case l.given("--max-num-batched-tokens"):
			l.block("batched-lt-seqs", fix, "--max-num-batched-tokens is %d, fewer than the %d of --max-num-seqs", tokens, seqs)
		case l.request.GPU != nil && l.version.since("0.11.1") && dp == 1 && l.config.object("vision_config") == nil: // the default is that of the card
			l.block("batched-lt-seqs", fix, "on %s a batch has %d tokens where nothing is said, fewer than the %d of --max-num-seqs", l.request.GPU.Name, tokens, seqs)
		}
	}
	if l.given("--max-num-batched-tokens") && seqs < 1<<30 && length < 1<<30 && tokens > seqs*length {
		l.warn("batched-gt-all", nil, "--max-num-batched-tokens is %d, more than %d sequences of %d tokens have", tokens, seqs, length)
	}
	partial, _ := l.num("--max-num-partial-prefills", 1)
	if n, ok := l.num("--long-prefill-token-threshold", 0); ok && n > length && (l.version.since("0.27.0") || partial > 1) { // before, it is looked at only with partial prefills
		l.block("long-prefill-threshold", setSize("--long-prefill-token-threshold", length), "--long-prefill-token-threshold is %d, longer than the context of %d", n, length)
	}
	if !chunked && l.given("--enable-chunked-prefill") && l.model.Vocab > 0 && l.version.since("0.11.0") {
		l.warn("chunked-off", nil, "chunked prefill is switched off, which vLLM does not officially support for generation")
	}
	if !l.given("--cudagraph-capture-sizes") || !l.given("--max-cudagraph-capture-size") {
		return
	}
	a, _ := l.last("--cudagraph-capture-sizes")
	most, _ := l.num("--max-cudagraph-capture-size", 0)
	largest := int64(0)
	for _, w := range a.values {
		if n, ok := wholeNumber(w.text); ok {
			largest = max(largest, n)
		}
	}
	if largest != most {
		l.block("cg-sizes", setSize("--max-cudagraph-capture-size", largest), "--max-cudagraph-capture-size is %d but the largest of --cudagraph-capture-sizes is %d", most, largest)
	}
}

// vllmMemory divides a card as vLLM does: a share of the whole, less weights, the peak of a dummy step, graphs and the rest
// (v1/worker/gpu_worker.py).
func (l *launch) vllmMemory(s sizes, length int64, auto bool) {
	g := l.request.GPU
	share := 0.92
	if !l.version.since("0.20.0") {
		share = 0.9
	}
	share, known := l.fraction("--gpu-memory-utilization", share)
	seqs, tokens, known2 := l.vllmBatch(length)
	if g == nil || !known || !known2 || share <= 0 || share > 1 || l.weigh().total() == 0 {
		return
	}
	method := l.method("--quantization")
	kv, _ := l.str("--kv-cache-dtype")
	b := &budget{capacity: int64(float64(g.MemoryBytes) * share), weights: l.weightBytes(s, "--dtype", method), length: length, rows: seqs}
	b.cache = l.perToken(s, l.kvBits(kv, l.elementBytes("--dtype")), true)
	if dcp, ok := l.size("--decode-context-parallel-size"); ok && dcp > 1 {
		b.cache.full /= dcp
	}
	if l.on("--disable-hybrid-kv-cache-manager", false) {
		b.cache.full, b.cache.sliding = b.cache.full+b.cache.sliding, 0
	}
	b.inFlight = tokens
	b.activations = l.activationBytes(tokens, min(seqs, tokens), s.tp, l.factors(denseFactors, expertFactors))
	b.overhead = 551*mib + communication(s.tp)
	if !l.on("--enforce-eager", false) && l.version.since("0.21.0") {
		b.overhead += 400 * mib
	}
	l.offloaded(b)
	l.settleBudget(b)
	l.judged("mem-graphs", "mem-util-free", "mem-kv-override")
	l.vllmJudgeMemory(b, s, method, auto)
	l.publish(b)
	if share >= 0.95 && !l.version.since("0.21.0") && !l.on("--enforce-eager", false) {
		l.warn("mem-graphs", set("--gpu-memory-utilization", "0.94").or(change{{op: opAdd, flag: "--enforce-eager"}}), "--gpu-memory-utilization is %g, and before 0.21 the graphs are captured in what it leaves", share)
	}
	if share > 0.97 {
		l.warn("mem-util-free", set("--gpu-memory-utilization", "0.95"), "--gpu-memory-utilization is %g, but the driver and the context take some of the card before the engine starts", share)
	}
}

// vllmJudgeMemory says what does not fit.
func (l *launch) vllmJudgeMemory(b *budget, s sizes, method string, auto bool) {
	least := s
	if !l.on("--enable-expert-parallel", false) {
		least.ep = false
	}
	if n, ok := l.num("--kv-cache-memory-bytes", 0); ok && n > 0 {
		b.kv, b.kvMost = n, n
		l.warn("mem-kv-override", nil, "--kv-cache-memory-bytes sets the cache to %s without a look at what is free", shownGB(n))
		b.capacity = l.request.GPU.MemoryBytes
	} else if l.given("--num-gpu-blocks-override") {
		l.warn("mem-kv-override", nil, "--num-gpu-blocks-override sets the cache without a look at what is free")
		return
	}
	if !l.shareRule(b, "--gpu-memory-utilization") || !l.weightRule(b, flagTP, least, "--dtype", method) {
		return
	}
	if auto {
		l.judgedWhere(b.cache.known && b.length > 0, "mem-kv-one-seq")
		if fit := b.cache.longest(b.kv, b.length, b.inFlight); b.cache.known && fit < b.length {
			l.warn("mem-kv-one-seq", nil, "the engine shortens the context: by our estimate from %d to about %d tokens", b.length, fit)
		}
		return
	}
	l.oneSequence(b, "--max-model-len", true)
}
