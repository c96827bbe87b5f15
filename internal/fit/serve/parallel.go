package serve

import (
	"strings"
)

// sizes are how a launch divides a model.
type sizes struct {
	tp, pp, dp int64
	ep         bool  // experts are spread whole
	epSize     int64 // over so many cards
	attnTP     int64 // how many cards share an attention layer
	known      bool
}

// mostTried is the largest size that is tried for a fix: no model is divided among more cards.
const mostTried = 1 << 12

// divisors lists the sizes up to a limit that a test lets pass.
func divisors(limit int64, ok func(int64) bool) []int64 {
	var out []int64
	for n := int64(1); n <= min(limit, mostTried) && len(out) < 12; n++ {
		if ok(n) {
			out = append(out, n)
		}
	}
	return out
}

// legalTP reports whether a tensor-parallel size passes every divisibility of the model, as vLLM and SGLang have them.
func (l *launch) legalTP(n int64, s sizes) bool {
	m := &l.model
	if m.Heads > 0 && m.Heads%n != 0 {
		return false
	}
	if kv := m.KVHeads; kv > 0 && !m.HasLatent() && !(kv >= n && kv%n == 0 || kv < n && n%kv == 0) {
		return false
	}
	if m.Intermediate > 0 && l.hasDense() && m.Intermediate%n != 0 {
		return false
	}
	if m.HasExperts() && !s.ep && m.ExpertIntermediate > 0 && m.ExpertIntermediate%n != 0 {
		return false
	}
	if v := m.Vocab; l.engine.id == "vllm" && v > 0 && (v+63)/64*64%n != 0 {
		return false
	}
	if l.quantBlockBad(n, s) != "" || l.quantGroupBad(n, s) != "" {
		return false
	}
	return true
}

// hasDense reports whether some layer has a dense feed-forward network, so that its width is divided.
func (l *launch) hasDense() bool {
	m := &l.model
	if !m.HasExperts() {
		return true
	}
	switch m.ModelType {
	case "mixtral", "qwen3_moe", "gpt_oss", "phimoe", "olmoe", "granitemoe", "jamba", "minimax_m2", "qwen3_next", "qwen3_vl_moe":
		return false // every layer is of experts, or the width is that of the experts
	}
	return m.Layers > 0 && m.ExpertLayers > 0 && m.ExpertLayers < m.Layers
}

// cards is how many cards a fix may ask for: those that there are, else as many as are asked for.
func (l *launch) cards(asked int64) int64 {
	if l.gpus > 0 {
		return l.gpus
	}
	return max(asked, 64)
}

func (l *launch) tpFix(flag string, s sizes) remedy {
	limit := l.cards(s.tp)
	if nodes, known := l.size("--nnodes"); l.gpus > 0 && known && nodes < 1<<10 {
		limit = l.gpus * nodes
	}
	return setSize(flag, divisors(limit, func(n int64) bool { return l.legalTP(n, s) })...)
}

// headRules are the divisibilities of attention under tensor parallelism that vLLM and SGLang share.
func (l *launch) headRules(flag string, s sizes) {
	m, tp := &l.model, s.attnTP
	l.judgedWhere(m.Heads > 0, "tp-heads")
	l.judgedWhere(m.Heads > 0 && m.Heads%tp == 0 && (m.KVHeads > 0 || m.HasLatent()), "tp-kv-heads", "tp-kv-replicated")
	if m.Heads > 0 && m.Heads%tp != 0 {
		l.block("tp-heads", l.tpFix(flag, s), "the model has %d attention heads, which %d does not divide", m.Heads, tp)
		return
	}
	kv := m.KVHeads
	if kv == 0 || m.HasLatent() || m.Heads == 0 {
		return
	}
	switch {
	case kv >= tp && kv%tp != 0:
		l.block("tp-kv-heads", l.tpFix(flag, s), "the model has %d key/value heads, which %d does not divide", kv, tp)
	case kv < tp && tp%kv != 0:
		l.block("tp-kv-heads", l.tpFix(flag, s), "the model has %d key/value heads, and %d is no multiple of them", kv, tp)
	case kv < tp:
		l.warn("tp-kv-replicated", nil, "the model has %d key/value heads, fewer than %d: each is kept %d times, and the cache of a card is no smaller than with %d cards", kv, tp, tp/kv, kv)
	}
}

// widthRules are the divisibilities of the feed-forward networks.
func (l *launch) widthRules(flag string, s sizes, moeTP int64) {
	m := &l.model
	l.judgedWhere(m.Intermediate > 0 || m.Layers > 0 && !l.hasDense(), "tp-intermediate")
	l.judgedWhere(m.Layers > 0 && (!m.HasExperts() || m.ExpertIntermediate > 0), "moe-intermediate-tp")
	if m.Intermediate > 0 && l.hasDense() && m.Intermediate%s.tp != 0 {
		l.block("tp-intermediate", l.tpFix(flag, s), "the feed-forward network is %d wide, which %d does not divide", m.Intermediate, s.tp)
	}
	if m.HasExperts() && m.ExpertIntermediate > 0 && moeTP > 1 && m.ExpertIntermediate%moeTP != 0 {
		l.block("moe-intermediate-tp", l.tpFix(flag, s), "an expert is %d wide, which %d does not divide", m.ExpertIntermediate, moeTP)
	}
}

// stageRules judges pipeline stages. The environment variable has a manual partition.
func (l *launch) stageRules(flag string, s sizes, variable string) {
	m := &l.model
	l.judgedWhere(s.pp <= 1 || m.Layers > 0, "pp-layers", "pp-uneven")
	if s.pp <= 1 || m.Layers == 0 {
		return
	}
	if v, ok := l.variable(variable); ok && variable != "" && v.known() {
		l.partition(variable, v.text, s.pp)
		return
	}
	switch {
	case s.pp > m.Layers:
		l.warn("pp-layers", setSize(flag, m.Layers), "%d pipeline stages for %d layers: some stages are empty", s.pp, m.Layers)
	case m.Layers%s.pp != 0:
		l.warn("pp-uneven", nil, "%d layers do not divide into %d stages: the largest has %d", m.Layers, s.pp, (m.Layers+s.pp-1)/s.pp)
	}
}

// partition judges a list of layers for each stage.
func (l *launch) partition(variable, text string, pp int64) {
	l.judged("pp-partition")
	parts := strings.Split(text, ",")
	sum := int64(0)
	for _, p := range parts {
		n, ok := wholeNumber(p)
		if !ok || n < 0 {
			l.block("pp-partition", nil, "%s is %q, which is no list of numbers", variable, clip(text, 60))
			return
		}
		sum += min(n, 1<<20)
	}
	if int64(len(parts)) != pp || sum != l.model.Layers {
		l.block("pp-partition", nil, "%s lists %d stages with %d layers, but there are %d stages and %d layers", variable, len(parts), sum, pp, l.model.Layers)
	}
}

// worldFix lists the sizes that so many cards hold beside the other sizes of the command.
func worldFix(flag string, cards, others int64, legal func(int64) bool) remedy {
	return setSize(flag, divisors(cards/max(others, 1), legal)...)
}
