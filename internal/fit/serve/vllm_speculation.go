package serve

import (
	"maps"
	"slices"
	"strings"
)

// specFields are the keys of --speculative-config by version (the fields of SpeculativeConfig at every tag); any other is refused.
var specFields = spellings("num_speculative_tokens,method,acceptance_method~0.9.2,draft_tensor_parallel_size,disable_logprobs~0.11.0,model,quantization,max_model_len,revision,code_revision," +
	"disable_mqa_scorer~0.9.2,disable_by_batch_size~0.16.0,prompt_lookup_max,prompt_lookup_min,posterior_threshold~0.9.2,posterior_alpha~0.9.2,target_model_config,target_parallel_config," +
	"enable_chunked_prefill~0.11.0,disable_log_stats~0.11.0,draft_model_config,draft_parallel_config,speculative_token_tree@0.9.0~0.20.2,enforce_eager@0.11.0,disable_padded_drafter_batch@0.11.0," +
	"suffix_decoding_max_tree_depth@0.11.1,suffix_decoding_max_cached_requests@0.11.1,suffix_decoding_max_spec_factor@0.11.1,suffix_decoding_min_token_prob@0.11.1,tensor_parallel_size," +
	"parallel_drafting@0.16.0,use_local_argmax_reduction@0.17.0,draft_load_config@0.17.0,rejection_sample_method@0.18.0,moe_backend@0.19.0,synthetic_acceptance_rate@0.19.0~0.19.1," +
	"synthetic_acceptance_rates@0.20.0,synthetic_acceptance_length@0.20.0,attention_backend@0.21.0,draft_sample_method@0.21.0,num_speculative_tokens_per_batch_size@0.24.0," +
	"use_heterogeneous_vocab@0.25.0,kv_cache_dtype@0.26.0,enable_adaptive_verification@0.28.0,dspark_draft_topk@0.28.0")

// spellings reads a list of words with the versions that have them.
func spellings(list string) (out []spelling) {
	for _, s := range strings.Split(list, ",") {
		out = append(out, parseSpelling(s, span{}))
	}
	return out
}

// vllmSpeculation judges --speculative-config and its short flags (config/speculative.py).
func (l *launch) vllmSpeculation() {
	if !l.hidden("--speculative-config") && !l.hidden("--spec-method") && !l.hidden("--spec-model") && !l.hidden("--spec-tokens") {
		l.judged("spec-key", "spec-tokens", "spec-method", "spec-ngram", "spec-draft-tp")
		l.judgedWhere(l.config != nil, "spec-mtp-missing")
	}
	spec := l.object("--speculative-config")
	for _, short := range [][2]string{{"--spec-method", "method"}, {"--spec-model", "model"}, {"--spec-tokens", "num_speculative_tokens"}} {
		if l.hidden(short[0]) {
			return
		}
		if s, given := l.str(short[0]); given {
			if spec = maps.Clone(spec); spec == nil {
				spec = config{}
			}
			spec[short[1]] = jsonOrText(s)
		}
	}
	if spec == nil || l.hidden("--speculative-config") {
		return
	}
	for _, k := range spec.keys() {
		if l.full(l.refusal(), "spec-key") {
			break
		}
		i := slices.IndexFunc(specFields, func(s spelling) bool { return s.name == k })
		if i < 0 || !specFields[i].alive(l.version) && (l.named || specFields[i].until.text != "") {
			l.refuse("spec-key", nil, "the speculation has %q, which vLLM %s does not know", clip(k, 60), l.version.text)
		}
	}
	l.specTokens(spec)
	l.specDraft(spec)
}

func (l *launch) specTokens(spec config) {
	method := spec.str("method")
	n, has := spec.num("num_speculative_tokens")
	switch {
	case has && n <= 0:
		l.block("spec-tokens", nil, "num_speculative_tokens is %d", n)
	case !has && (method == "ngram" || spec.has("model") && method == "draft_model"):
		l.block("spec-tokens", nil, "the speculation has no num_speculative_tokens")
	case method == "" && !spec.has("model"):
		l.block("spec-method", nil, "the speculation names neither a method nor a model")
	}
	if method == "ngram" {
		low, hasLow := spec.num("prompt_lookup_min")
		high, hasHigh := spec.num("prompt_lookup_max")
		switch {
		case hasLow && hasHigh && low > high:
			l.block("spec-ngram", nil, "prompt_lookup_min is %d but prompt_lookup_max is %d", low, high)
		case hasLow && low < 1 || hasHigh && high < 1:
			l.block("spec-ngram", nil, "the n-gram lengths are %d and %d, but must be at least 1", low, high)
		}
	}
}

func (l *launch) specDraft(spec config) {
	method := spec.str("method")
	if tp, ok := spec.num("draft_tensor_parallel_size"); ok {
		if mine, known := l.size(flagTP); known && tp != 1 && tp != mine {
			l.block("spec-draft-tp", nil, "draft_tensor_parallel_size is %d but must be 1 or %d", tp, mine)
		}
	}
	if spec.has("tensor_parallel_size") {
		l.block("spec-draft-tp", nil, "the speculation has tensor_parallel_size, which is called draft_tensor_parallel_size")
	}
	if nextn, _ := l.text.num("num_nextn_predict_layers"); (method == "deepseek_mtp" || method == "mtp") && l.model.ModelType == "deepseek_v3" && l.config != nil && nextn == 0 {
		l.block("spec-mtp-missing", nil, "the model has no layers for multi-token prediction")
	}
}
