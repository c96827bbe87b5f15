package serve

const (
	flagTP = "--tensor-parallel-size"
	flagPP = "--pipeline-parallel-size"
	flagDP = "--data-parallel-size"
)

// vllmSizes reads how the model is divided. Experts are spread over tp x dp cards with --enable-expert-parallel.
func (l *launch) vllmSizes() sizes {
	tp, a := l.size(flagTP)
	pp, b := l.size(flagPP)
	dp, c := l.size(flagDP)
	pcp, d := l.size("--prefill-context-parallel-size")
	s := sizes{tp: tp, pp: pp, dp: dp, attnTP: tp, ep: l.on("--enable-expert-parallel", false), known: a && b && c && d && max(tp, pp, dp, pcp) < 1<<20}
	s.epSize = tp * dp * pcp
	if s.ep && s.epSize == 1 {
		s.ep = false
	}
	return s
}

// vllmParallel judges the sizes against the model (config/model.py verify_with_parallel_config, layers/linear.py, config/parallel.py).
func (l *launch) vllmParallel(s sizes) {
	l.headRules(flagTP, s)
	moeTP := s.tp
	if s.dp > 1 && l.model.HasExperts() && !s.ep {
		moeTP = s.tp * s.dp
	}
	if s.ep {
		moeTP = 1
	}
	l.widthRules(flagTP, s, moeTP)
	l.shardRules(flagTP, s)
	m := &l.model
	l.judgedWhere(m.Vocab > 0, "tp-vocab")
	l.judgedWhere(m.ModelType != "", "tp-experts", "pp-unsupported-model")
	l.judgedWhere(l.text != nil, "linear-heads-tp")
	l.judgedWhere(!l.hidden("--distributed-executor-backend"), "pp-executor")
	l.judgedWhere(m.Layers > 0 && !l.hidden("--eplb-config"), "ep-needs-moe", "eplb-needs-ep", "ep-divides", "ep-uneven")
	if m.Vocab > 0 && s.tp > 1 && (m.Vocab+63)/64*64%s.tp != 0 {
		l.block("tp-vocab", l.tpFix(flagTP, s), "the vocabulary of %d is padded to %d, which %d does not divide", m.Vocab, (m.Vocab+63)/64*64, s.tp)
	}
	if m.ModelType == "qwen3_moe" && m.Experts > 0 && s.tp > m.Experts {
		l.block("tp-experts", nil, "there are %d experts, fewer than %d cards", m.Experts, s.tp)
	}
	l.linearHeads(s)
	l.stageRules(flagPP, s, "VLLM_PP_LAYER_PARTITION")
	l.vllmPipeline(s)
	if e, ok := l.str("--distributed-executor-backend"); ok && s.pp > 1 && e == "uni" {
		l.block("pp-executor", set("--distributed-executor-backend", "mp", "ray"), "--distributed-executor-backend %s runs no pipeline", e)
	}
	l.vllmExperts(s)
	l.vllmContextParallel(s)
}

// withoutPipeline are architectures of vLLM that do not implement SupportsPP (model_executor/models at 0.27.1).
var withoutPipeline = []string{"Gemma3nForCausalLM", "Gemma3nForConditionalGeneration", "Zamba2ForCausalLM", "HrmTextForCausalLM", "IQuestLoopCoderForCausalLM", "BertModel", "BertForMaskedLM", "GteModel", "GteNewModel",
	"ModernBertModel", "NomicBertModel", "RobertaForMaskedLM", "RobertaModel", "XLMRobertaModel", "CLIPModel", "SiglipModel", "BertForTokenClassification", "ModernBertForTokenClassification",
	"RobertaForTokenClassification", "XLMRobertaForTokenClassification", "BertForSequenceClassification", "GteNewForSequenceClassification", "ModernBertForSequenceClassification",
	"RobertaForSequenceClassification", "XLMRobertaForSequenceClassification", "AriaForConditionalGeneration", "Idefics3ForConditionalGeneration", "Phi4MMForCausalLM", "SmolVLMForConditionalGeneration",
	"WhisperForConditionalGeneration"}

// vllmPipeline judges an architecture that runs in no pipeline. The list was read at one version: around others it warns.
func (l *launch) vllmPipeline(s sizes) {
	if s.pp <= 1 || len(l.model.Architectures) == 0 || !contains(withoutPipeline, l.model.Architectures[0]) {
		return
	}
	severity := Warn
	if l.version.since("0.27.0") && l.versed() {
		severity = Block
	}
	l.add(severity, "pp-unsupported-model", setSize(flagPP, 1), l.model.Architectures[0]+" runs in no pipeline in vLLM")
}

// linearHeads judges the heads of linear attention and of state-space layers.
func (l *launch) linearHeads(s sizes) {
	for _, key := range []string{"linear_num_key_heads", "linear_num_value_heads", "mamba_n_heads", "mamba_num_heads"} {
		if n, ok := l.text.num(key); ok && n > 0 && n%s.tp != 0 {
			l.block("linear-heads-tp", l.tpFix(flagTP, s), "%s is %d, which %d does not divide", key, n, s.tp)
			return
		}
	}
}

// vllmExperts judges expert parallelism and its balancing.
func (l *launch) vllmExperts(s sizes) {
	m := &l.model
	asked := l.on("--enable-expert-parallel", false)
	if asked && !m.HasExperts() && m.Layers > 0 {
		l.block("ep-needs-moe", drop("--enable-expert-parallel"), "--enable-expert-parallel is for models with experts, and this one has none")
	}
	eplb := l.on("--enable-eplb", false)
	redundant, _ := l.object("--eplb-config").num("num_redundant_experts")
	if n, known := l.num("--num-redundant-experts", 0); known && n > 0 {
		redundant = n
	}
	switch {
	case eplb && !asked:
		l.block("eplb-needs-ep", add("--enable-expert-parallel"), "--enable-eplb needs --enable-expert-parallel")
	case eplb && s.epSize <= 1:
		l.block("eplb-needs-ep", nil, "--enable-eplb needs more than one card")
	case !eplb && redundant > 0:
		l.block("eplb-needs-ep", add("--enable-eplb"), "there are %d redundant experts but --enable-eplb is off", redundant)
	case eplb && m.Experts > 0 && (m.Experts+redundant)%s.epSize != 0:
		l.block("ep-divides", setSize("--eplb-config.num_redundant_experts", (s.epSize-m.Experts%s.epSize)%s.epSize),
			"%d experts and %d redundant ones do not divide among %d cards", m.Experts, redundant, s.epSize)
	case asked && m.Experts > 0 && s.epSize > 1 && m.Experts%s.epSize != 0:
		l.warn("ep-uneven", nil, "%d experts do not divide among %d cards: some hold one more", m.Experts, s.epSize)
	}
}

// vllmContextParallel judges decode context parallelism (config/model.py, config/parallel.py).
func (l *launch) vllmContextParallel(s sizes) {
	m := &l.model
	dcp, known := l.size("--decode-context-parallel-size")
	pcp, known2 := l.size("--prefill-context-parallel-size")
	if !known || !known2 {
		return
	}
	l.judgedWhere(dcp == 1 || m.HasLatent() || m.KVHeads > 0 && m.Heads > 0, "dcp")
	if pcp > 1 && s.dp > 1 {
		l.block("dcp", nil, "--prefill-context-parallel-size %d does not go with %d data-parallel groups", pcp, s.dp)
	}
	if dcp <= 1 {
		return
	}
	if pcp == 1 && s.tp%dcp != 0 {
		l.block("dcp", setSize("--decode-context-parallel-size", divisors(s.tp, func(n int64) bool { return s.tp%n == 0 })...), "--decode-context-parallel-size is %d, which does not divide %d cards", dcp, s.tp)
		return
	}
	if m.HasLatent() || m.KVHeads == 0 || m.Heads == 0 {
		return
	}
	legal := func(n int64) bool {
		return s.tp%n == 0 && (n == 1 || s.tp > m.KVHeads && n <= s.tp/m.KVHeads && m.Heads/m.KVHeads%n == 0)
	}
	if !legal(dcp) {
		l.block("dcp", setSize("--decode-context-parallel-size", divisors(s.tp, legal)...),
			"--decode-context-parallel-size is %d; with %d cards and %d key/value heads of %d it must divide the %d copies of each", dcp, s.tp, m.KVHeads, m.Heads, max(s.tp/m.KVHeads, 1))
	}
}

// vllmNodes judges the cards and machines that are there.
func (l *launch) vllmNodes(s sizes) {
	nodes, known := l.size("--nnodes")
	pcp, _ := l.size("--prefill-context-parallel-size")
	world := s.tp * s.pp * pcp
	executor, _ := l.str("--distributed-executor-backend")
	l.judgedWhere(known, "nnodes")
	l.judgedWhere(!l.hidden("--data-parallel-size-local") && !l.hidden("--data-parallel-rank"), "dp-local")
	if rank, ok := l.num("--node-rank", 0); ok && known && rank >= nodes {
		l.block("nnodes", nil, "--node-rank is %d of %d nodes", rank, nodes)
	}
	if known && nodes > 1 && world*s.dp%nodes != 0 {
		l.block("nnodes", nil, "%d ranks do not divide among %d nodes", world*s.dp, nodes)
	}
	local, localKnown := l.num("--data-parallel-size-local", s.dp)
	if localKnown && local > s.dp {
		l.block("dp-local", setSize("--data-parallel-size-local", s.dp), "--data-parallel-size-local is %d but --data-parallel-size is %d", local, s.dp)
	}
	if rank, ok := l.num("--data-parallel-rank", 0); ok && l.given("--data-parallel-rank") && rank >= s.dp && s.dp > 1 {
		l.block("dp-local", nil, "--data-parallel-rank is %d of %d", rank, s.dp)
	}
	if l.on("--data-parallel-hybrid-lb", false) && !l.given("--data-parallel-size-local") {
		l.block("dp-local", setSize("--data-parallel-size-local", s.dp), "--data-parallel-hybrid-lb needs --data-parallel-size-local")
	}
	if l.gpus == 0 || !known || nodes > 1 || executor == "ray" || executor == "external_launcher" || l.on("--headless", false) {
		return
	}
	l.judged("world-gpus", "dp-gpus")
	switch {
	case world > l.gpus:
		fix := worldFix(flagTP, l.gpus, world/s.tp, func(n int64) bool { return l.legalTP(n, s) })
		l.block("world-gpus", fix, "%d cards are needed (%d tensor-parallel, %d stages) and there are %d", world, s.tp, s.pp, l.gpus)
	case localKnown && local >= 1 && local < 1<<20 && world*local > l.gpus && !l.given("--data-parallel-rank"):
		backend, _ := l.str("--data-parallel-backend")
		if backend != "ray" {
			l.block("dp-gpus", setSize("--data-parallel-size", max(l.gpus/world, 1)), "%d data-parallel groups of %d cards need %d, and there are %d", local, world, world*local, l.gpus)
		}
	}
}
