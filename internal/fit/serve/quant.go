package serve

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// capability is the compute capability of the card times ten, 0 where no card was named or it has none.
func (l *launch) capability() int64 {
	if l.request.GPU == nil {
		return 0
	}
	major, minor, ok := strings.Cut(l.request.GPU.Capability, ".")
	a, err := strconv.ParseInt(major, 10, 32)
	b, err2 := strconv.ParseInt(minor, 10, 32)
	if !ok || err != nil || err2 != nil {
		return 0
	}
	return a*10 + b
}

func shownCapability(n int64) string { return fmt.Sprintf("%d.%d", n/10, n%10) }

// method is how the weights are quantised: as the command says, else as the checkpoint does.
func (l *launch) method(flag string) string {
	if s, ok := l.str(flag); ok {
		return strings.ToLower(s)
	}
	return l.model.Quant.Method
}

// families are methods that are one another's kernels, so that naming one for a checkpoint of another is taken.
var families = [][]string{
	{"gptq", "gptq_marlin", "auto_gptq", "gptq_bitblas", "gptq_marlin_24", "moe_wna16", "marlin"},
	{"awq", "awq_marlin", "auto_awq", "moe_wna16", "cpu_awq", "ipex"},
	{"modelopt", "modelopt_fp4", "modelopt_fp8", "modelopt_mixed", "modelopt_mxfp8", "nvfp4", "petit_nvfp4"},
	{"compressed-tensors", "compressed_tensors", "w8a8_int8", "w8a8_fp8", "auto-round-int8"},
	{"mxfp4", "gpt_oss_mxfp4", "quark_mxfp4"},
	{"auto-round", "inc", "auto_round"}, {"auto-round", "gptq"}, {"auto-round", "awq"}, {"inc", "gptq"}, {"inc", "awq"},
	{"bitsandbytes"}, {"fp8", "modelopt_fp4", "w4afp8", "deepgemm"}, {"quark", "quark_int4fp8_moe"},
}

func related(a, b string) bool {
	if slices.Contains([]string{"humming", "quark_mxfp4", "quark_int4fp8_moe", "nvfp4_online", "unquant"}, a) { // these quantise what is quantised again
		return true
	}
	return a == b || slices.ContainsFunc(families, func(f []string) bool { return contains(f, a) && contains(f, b) })
}

// quantRules judges the method against the checkpoint, the card and the data type.
func (l *launch) quantRules(flag string, least map[string]int64) {
	m := l.method(flag)
	checkpoint := l.model.Quant.Method
	l.judgedWhere(!l.hidden(flag) && l.config != nil, "quant-mismatch")
	l.judgedWhere(!l.hidden(flag) && l.config != nil && l.capability() > 0, "quant-capability")
	if asked, ok := l.str(flag); ok && checkpoint != "" && !related(strings.ToLower(asked), checkpoint) && !l.overridden() {
		l.block("quant-mismatch", drop(flag), "%s is %s but the checkpoint is quantised with %s", flag, asked, checkpoint)
	}
	need, known := least[m]
	if cc := l.capability(); known && cc > 0 && cc < need {
		l.block("quant-capability", nil,
			"%s needs compute capability %s, and %s has %s", m, shownCapability(need), l.request.GPU.Name, shownCapability(cc))
	}
}

// overridden reports whether the engine takes the checkpoint's method whatever the command says (override_quantization_method).
func (l *launch) overridden() bool {
	m := l.model.Quant.Method
	return strings.HasPrefix(m, "modelopt") || l.engine.id == "vllm" && m == "mxfp4" && l.model.ModelType == "gpt_oss" && l.version.since("0.20.0")
}

// quantBlockBad says why a size does not go with the blocks of a quantisation, "" where it does.
func (l *launch) quantBlockBad(tp int64, s sizes) string {
	m := &l.model
	if len(m.Quant.Block) != 2 || tp <= 1 || m.Quant.Method != "fp8" && m.Quant.Method != "" {
		return ""
	}
	bn, bk := m.Quant.Block[0], m.Quant.Block[1]
	if bn <= 0 || bk <= 0 {
		return ""
	}
	try := func(what string, n, block int64) string {
		if n > 0 && n%tp == 0 && n/tp%block != 0 {
			return fmt.Sprintf("%s of %d over %d cards is %d, which blocks of %d do not divide", what, n, tp, n/tp, block)
		}
		return ""
	}
	if m.HasExperts() && !s.ep {
		if bad := firstOf(try("the width of an expert", m.ExpertIntermediate, bn), try("the width of an expert", m.ExpertIntermediate, bk)); bad != "" {
			return bad
		}
	}
	if l.hasDense() {
		if bad := firstOf(try("the feed-forward width", m.Intermediate, bn), try("the feed-forward width", m.Intermediate, bk)); bad != "" {
			return bad
		}
	}
	if s.attnTP > 0 && s.attnTP < s.tp {
		return ""
	}
	if m.HeadDim > 0 && m.Heads > 0 && !m.HasLatent() {
		return try("the queries' width", m.Heads*min(m.HeadDim, 1<<20), bn)
	}
	return ""
}

// quantGroupBad says why a size does not go with the groups of a quantisation, "" where it does.
func (l *launch) quantGroupBad(tp int64, s sizes) string {
	m := &l.model
	g := m.Quant.GroupSize
	switch m.Quant.Method {
	case "gptq", "awq", "auto-round":
	case "compressed-tensors":
		if m.Quant.Bits != 4 && m.Quant.Bits != 8 {
			return ""
		}
	default:
		return ""
	}
	if g <= 1 || tp <= 1 {
		return ""
	}
	if l.hasDense() && m.Intermediate%tp == 0 && m.Intermediate/tp%g != 0 {
		return fmt.Sprintf("the feed-forward width of %d over %d cards is %d, which groups of %d do not divide", m.Intermediate, tp, m.Intermediate/tp, g)
	}
	if w := m.Heads * min(m.HeadDim, 1<<20); !m.HasLatent() && w > 0 && w%tp == 0 && w/tp%g != 0 {
		return fmt.Sprintf("the heads' width of %d over %d cards is %d, which groups of %d do not divide", w, tp, w/tp, g)
	}
	return ""
}

// shardRules reports shapes that the quantisation cannot divide.
func (l *launch) shardRules(flag string, s sizes) {
	l.judgedWhere(l.config != nil && l.model.Layers > 0, "quant-fp8-block-tp", "quant-group-tp")
	if bad := l.quantBlockBad(s.tp, s); bad != "" {
		fix := l.tpFix(flag, s)
		if l.model.HasExperts() && !s.ep {
			fix = append(fix, l.wholeExperts(s)...)
		}
		l.block("quant-fp8-block-tp", fix, "%s", bad)
	}
	if bad := l.quantGroupBad(s.tp, s); bad != "" {
		l.block("quant-group-tp", l.tpFix(flag, s), "%s", bad)
	}
}

// wholeExperts spreads experts whole over the cards.
func (l *launch) wholeExperts(s sizes) remedy {
	switch l.engine.id {
	case "vllm":
		return add("--enable-expert-parallel")
	case "sglang":
		return setSize("--ep-size", s.tp)
	}
	return nil
}

// bitsPerWeight is what a quantised weight takes at the least and, with its scales, about. Zero where it is not quantised.
func (l *launch) bitsPerWeight(method string) (least, about float64) {
	q := &l.model.Quant
	group := float64(q.GroupSize)
	if group <= 1 {
		group = 128
	}
	switch {
	case method == "":
		return 0, 0
	case q.Bits > 0 && q.Bits < 16 && related(method, q.Method):
		bits := float64(q.Bits)
		if bits == 8 {
			return bits, bits
		}
		if strings.Contains(method, "nvfp4") || strings.Contains(method, "fp4") && method != "mxfp4" {
			return bits, bits + 0.5
		}
		if method == "mxfp4" {
			return bits, bits + 0.25
		}
		return bits, bits + 20/group
	}
	switch method {
	case "awq", "awq_marlin", "gptq", "gptq_marlin", "auto_gptq", "auto_awq", "bitsandbytes", "bitsandbytes-nf4", "bitsandbytes-fp4", "exl2", "marlin":
		return 4, 4 + 20/group
	case "fp8", "modelopt", "modelopt_fp8", "w8a8_fp8", "w8a8_int8", "eetq", "fbgemm_fp8", "ptpc_fp8", "experts_int8", "tpu_int8":
		return 8, 8
	case "modelopt_fp4", "nvfp4", "petit_nvfp4", "nvfp4_online":
		return 4, 4.5
	case "mxfp4", "gpt_oss_mxfp4", "quark_mxfp4":
		return 4, 4.25
	}
	return 3, 5 // of some kind: the lower end is safe, the other a guess
}
