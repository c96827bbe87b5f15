package serve

import (
	"math"
	"strings"
)

// lengthKeys are where vLLM looks for the longest sequence of a model; the smallest is used, and model_max_length overrides them all.
var lengthKeys = []string{"max_position_embeddings", "n_positions", "max_seq_len", "seq_length", "model_max_length", "max_target_positions", "max_sequence_length", "max_seq_length", "seq_len"}

// rope is the set of rotary positions that counts, with what --hf-overrides changes.
func (l *launch) rope(over config) config {
	for _, c := range []config{over.object("text_config"), over, l.text} {
		for _, key := range []string{"rope_parameters", "rope_scaling"} {
			r := c.object(key)
			if r == nil {
				continue
			}
			if full := r.object("full_attention"); full != nil {
				r = full
			}
			return r
		}
	}
	return nil
}

func ropeType(r config) string { return firstOf(r.str("rope_type"), r.str("type")) }

// derivedVLLM is the longest sequence as vLLM derives it (config/model.py, _get_and_verify_max_len), and the key that it is from.
// Known is false where nothing says it.
func (l *launch) derivedVLLM(over config) (length int64, key string, known bool) {
	best := int64(math.MaxInt64)
	look := func(name string) (int64, bool) {
		for _, c := range []config{over.object("text_config"), over, l.text} {
			if n, ok := c.num(name); ok {
				return n, n > 0
			}
		}
		return 0, false
	}
	for _, name := range lengthKeys {
		if n, ok := look(name); ok && n < best {
			best, key = n, name
		}
	}
	if n, ok := look("model_max_length"); ok {
		best, key = n, "model_max_length"
	}
	if best == math.MaxInt64 {
		return 0, "", false
	}
	r := l.rope(over)
	if r != nil && !strings.Contains(l.model.ModelType, "gemma3") {
		kind := ropeType(r)
		factor, has := r.float("factor")
		if kind != "su" && kind != "longrope" && kind != "llama3" && kind != "" {
			if n, ok := r.num("original_max_position_embeddings"); ok && kind == "yarn" && n > 0 {
				best = n
			}
			if has && factor > 0 && kind != "default" && kind != "mrope" {
				best = int64(float64(best) * factor)
			}
		}
	}
	return best, key, true
}

// contextVLLM judges --max-model-len, and returns the length in effect. Auto is true where the engine shortens it by itself.
func (l *launch) contextVLLM() (length int64, auto, known bool) {
	over := l.object("--hf-overrides")
	derived, key, have := l.derivedVLLM(over)
	if w := l.model.SlidingWindow; have && l.on("--disable-sliding-window", false) && w > 0 && w < derived {
		derived, key = w, "sliding_window"
	}
	asked, readable := l.num("--max-model-len", 0)
	l.judgedWhere(readable && have && !l.hidden("--hf-overrides"), "max-len-derived", "max-len-longrope")
	if !readable || l.hidden("--hf-overrides") {
		return derived, false, false
	}
	if !have {
		if asked > 0 {
			return asked, false, true
		}
		if l.config != nil && l.model.Positions == 0 {
			return 2048, asked == -1, true // what vLLM assumes where no key says it
		}
		return l.model.Positions, asked == -1, l.model.Positions > 0
	}
	if !l.given("--max-model-len") || asked == -1 {
		if r := l.rope(over); ropeType(r) == "longrope" {
			if n, ok := l.text.num("original_max_position_embeddings"); ok && n > 0 {
				l.warn("max-len-longrope", setSize("--max-model-len", derived), "the model stretches its positions (longrope): without --max-model-len the context is %d, not %d", n, derived)
				return n, asked == -1, true
			}
		}
		return derived, asked == -1, true
	}
	if asked <= derived {
		return asked, false, true
	}
	if n, ok := l.text.num("model_max_length"); ok && asked <= n {
		return asked, false, true
	}
	if truthy(l.envText("VLLM_ALLOW_LONG_MAX_MODEL_LEN")) {
		l.warn("max-len-derived", nil, "--max-model-len is %d but the model is made for %d (%s)", asked, derived, key)
		return asked, false, true
	}
	l.block("max-len-derived", setSize("--max-model-len", derived), "--max-model-len is %d but the model is made for %d (%s)%s", asked, derived, key, l.yarnHint())
	return derived, false, true
}

// yarnHint says how a model without stretched positions is given them.
func (l *launch) yarnHint() string {
	if l.model.PositionKind != "rope" || l.rope(nil) != nil && ropeType(l.rope(nil)) != "default" {
		return ""
	}
	return "; --hf-overrides can stretch its positions (rope_parameters of type yarn)"
}

// derivedSGLang is the longest sequence as SGLang derives it (utils/hf_transformers, get_context_length).
func (l *launch) derivedSGLang(over config) (length int64, known bool) {
	factor := 1.0
	if r := l.rope(over); r != nil {
		if f, ok := r.float("factor"); ok && f > 0 && !r.has("original_max_position_embeddings") && ropeType(r) != "llama3" {
			factor = f
		}
	}
	for _, name := range []string{"max_sequence_length", "seq_length", "max_seq_len", "model_max_length", "max_position_embeddings"} {
		for _, c := range []config{over, l.text} {
			if n, ok := c.num(name); ok && n > 0 {
				return int64(float64(n) * factor), true
			}
		}
	}
	return l.model.Positions, l.model.Positions > 0
}
