package serve

import (
	"slices"
	"strings"
)

var _ = define(engine{
	order: 4, id: "llama.cpp", label: "llama.cpp", flags: tableOf("llama.txt"), dialect: plain, complete: true,
	assumed: mustVersion("b10586"), oldest: mustVersion("b10586"), newest: mustVersion("b10586"),
	images: []string{"llama.cpp"}, tags: func(tag string) bool { return strings.HasPrefix(tag, "server") },
	entry: func(words []word) int {
		if starts(words, "llama-server") || starts(words, "llama", "server") {
			return map[bool]int{true: 1, false: 2}[starts(words, "llama-server")]
		}
		return 0
	},
	image:       func(version) []string { return []string{"llama-server"} },
	positionals: func(*launch) int { return 0 },
	replaced:    map[string]string{"--draft": "use --spec-draft-n-max", "--draft-min": "use --spec-draft-n-min"},
	calls: map[concept]string{
		tensorParallel: "--split-mode", contextLength: "--ctx-size", sequences: "--parallel", batchTokens: "--batch-size",
		cacheType: "--cache-type-k", modelName: "--model", servedName: "--alias", hostName: "--host",
	},
	check: checkLlamaCpp,
})

// cacheBits are the types of a cache and the bits of an element, with its scales, times ten; and the elements of a block.
var cacheBits = map[string]struct{ tenths, block int64 }{"f32": {320, 1}, "f16": {160, 1}, "bf16": {160, 1}, "q8_0": {85, 32}, "q4_0": {45, 32}, "q4_1": {50, 32}, "iq4_nl": {45, 32}, "q5_0": {55, 32}, "q5_1": {60, 32}}

// withoutTensorSplit are the model types whose architectures are not split by tensors (src/llama-arch.cpp, llm_arch_supports_sm_tensor).
var withoutTensorSplit = []string{"grok-1", "grok", "mpt", "plamo2", "minicpm3", "gemma3n", "gemma3n_text", "mamba", "falcon_mamba", "mamba2", "jamba", "falcon_h1", "olmo2", "olmo3", "olmoe", "deepseek_v2", "deepseek_v3",
	"deepseek_v32", "deepseek_v4", "glm_moe_dsa", "bitnet", "t5", "mt5", "umt5", "nemotron_h", "granitemoehybrid", "minimax", "minimax_m2", "kimi_linear", "kimi_k2"}

const flashAttention = "--flash-attn"

// checkLlamaCpp judges as llama-server does at start-up (common/arg.cpp, src/llama-context.cpp).
func checkLlamaCpp(l *launch) {
	l.judged("sm-tensor", "model-missing")
	l.judgedWhere(l.model.HeadDim > 0, "gguf-flash")
	flash, _ := l.str(flashAttention)
	if a, given := l.last(flashAttention); given && len(a.values) == 0 && a.problem == "" {
		l.warn("flag-value-missing", set(flashAttention, "on"), "%s has no value, which only older versions than %s take", a.written, l.version.text)
	}
	off := flash == "off" || flash == "0" || flash == "false" || flash == "disabled"
	k, v := l.cacheType("--cache-type-k"), l.cacheType("--cache-type-v")
	if off && cacheBits[v].block > 1 {
		l.block("gguf-flash", set(flashAttention, "on"), "a cache of values in %s needs flash attention, which is off", v)
	}
	m := &l.model
	if (m.HasLatent() || m.ModelType == "deepseek_v4") && k != v { // llama_init_from_model; files of before April 2025 keep no latent vectors
		l.warn("kv-type", set("--cache-type-v", k), "a model with latent attention takes one type of cache, not %s for keys and %s for values", k, v)
	}
	for _, t := range []string{k, v} {
		if off {
			break // the blocks are looked at with flash attention alone
		}
		if block := cacheBits[t].block; block > 1 && m.HeadDim > 0 && !m.HasLatent() && m.HeadDim%block != 0 {
			l.block("gguf-flash", remedy{{{opSet, "--cache-type-k", "f16"}, {opSet, "--cache-type-v", "f16"}}}, "heads of %d features do not divide into the blocks of %d of %s", m.HeadDim, block, t)
			break
		}
	}
	if mode, _ := l.str("--split-mode"); mode == "tensor" {
		if off {
			l.block("sm-tensor", set(flashAttention, "on"), "--split-mode tensor needs flash attention, which is off")
		}
		if t := m.ModelType; slices.Contains(withoutTensorSplit, t) {
			l.refuse("sm-tensor", set("--split-mode", "layer"), "--split-mode tensor is not there for models of type %s", t)
		}
	}
	batch, known := l.num("--batch-size", 2048)
	if ubatch, ok := l.num("--ubatch-size", 512); ok && known && batch == 0 && ubatch == 0 {
		l.block("flag-value-range", nil, "--batch-size and --ubatch-size are both 0")
	}
	if !l.given("--model") && !l.given("--hf-repo") && !l.given("--model-url") && len(l.open) == 0 && !slices.ContainsFunc(l.args, func(a argument) bool {
		return a.flag != nil && (strings.Contains(a.flag.name, "-default") || strings.HasPrefix(a.flag.name, "--models-") || strings.HasPrefix(a.flag.name, "--gpt-oss") || strings.HasPrefix(a.flag.name, "--embd-") || strings.HasPrefix(a.flag.name, "--fim-"))
	}) {
		l.warn("model-missing", nil, "no model is named: the server waits for one")
	}
	l.llamaContext(k, v)
}

func (l *launch) cacheType(flag string) string {
	s, ok := l.str(flag)
	if !ok {
		return "f16"
	}
	if _, known := cacheBits[s]; !known {
		return "f16" // refused by the table
	}
	return s
}

// llamaContext judges the context: all slots share it unless the cache is unified.
func (l *launch) llamaContext(k, v string) {
	m := &l.model
	total, known := l.num("--ctx-size", 0)
	slots, known2 := l.num("--parallel", -1)
	if !known || !known2 {
		return
	}
	if total == 0 {
		total = m.Positions
	}
	l.judgedWhere(m.Positions > 0, "ctx-train")
	each := total
	if slots > 1 && !l.given("--kv-unified") {
		if each = total / slots; total > 0 && each == 0 {
			l.block("ctx-train", setSize("--ctx-size", m.Positions), "--ctx-size %d is nothing for each of %d slots", total, slots)
			return
		}
	}
	if m.Positions > 0 && each > m.Positions {
		l.warn("ctx-train", setSize("--ctx-size", m.Positions*max(slots, 1)), "a slot has %d tokens but the model is made for %d", each, m.Positions)
	}
	g := l.request.GPU
	if g == nil || total <= 0 || l.weigh().total() == 0 {
		return
	}
	l.llamaMemory(total, max(slots, 1), (cacheBits[k].tenths+cacheBits[v].tenths)/20)
}

// llamaMemory adds weights and cache over all cards. With --fit, which is on by default, the engine shrinks what was not set.
func (l *launch) llamaMemory(total, slots, bits int64) {
	cards := max(l.gpus, 1)
	if mode, _ := l.str("--split-mode"); mode == "none" {
		cards = 1
	}
	layers, given := l.str("--gpu-layers")
	all := !given || layers == "all" || layers == "auto" || layers == "-1"
	if n, ok := wholeNumber(layers); ok && n >= l.model.Layers {
		all = true
	}
	if !all || l.given("--n-cpu-moe") || l.given("--cpu-moe") || l.given("--override-tensor") {
		return // part of the model stays on the host
	}
	s := sizes{tp: cards, pp: 1, dp: 1, attnTP: 1, known: true}
	b := &budget{capacity: l.request.GPU.MemoryBytes * cards, length: total, rows: slots}
	b.weights = l.ggufBytes()
	s.tp = 1
	b.cache = l.perToken(s, bits, false)
	ubatch, _ := l.num("--ubatch-size", 512)
	b.activations = max(ubatch, 1) * min(l.model.Vocab, 1<<24) * 4
	b.overhead = 400 * mib * cards
	l.settleBudget(b)
	l.judged("mem-weights")
	fit, _ := l.str("--fit")
	if b.weights.about > b.capacity {
		l.warn("mem-weights", nil, "the weights take about %s, and the cards have %s", shownGB(b.weights.about), shownGB(b.capacity))
	} else if fit == "off" || l.given("--ctx-size") {
		l.oneSequence(b, "--ctx-size", false)
	}
	l.publish(b)
}

// ggufBytes is what the weights take in the quantisation that the name of the file says, else in 16 bits.
func (l *launch) ggufBytes() stored {
	name, ok := l.str("--model")
	if !ok {
		name, _ = l.str("--hf-repo")
		if !strings.Contains(name, ":") && name != "" {
			name += ":Q4_K_M"
		}
	}
	name = strings.ToUpper(name)
	bits := 16.0
	for _, q := range []struct {
		name string
		bits float64
	}{{"Q2_K", 2.8}, {"IQ2", 2.5}, {"Q3_K", 3.7}, {"IQ3", 3.4}, {"Q4_K", 4.8}, {"Q4_0", 4.6}, {"Q4_1", 5}, {"IQ4", 4.4}, {"Q5_K", 5.7}, {"Q5_", 5.6}, {"Q6_K", 6.6}, {"Q8_0", 8.5}, {"MXFP4", 4.3}, {"F32", 32}} {
		if strings.Contains(name, q.name) {
			bits = q.bits
			break
		}
	}
	about := int64(float64(l.weigh().total()) * bits / 8)
	return stored{0, about}
}
