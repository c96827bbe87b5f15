package gguf

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/graph"
)

// family is how the metadata of an architecture becomes the config.json of a model type.
type family struct {
	modelType, class string
	keys             map[string]string // beyond the common ones
	change           func(m *Model, config map[string]any)
}

// common are the keys that most architectures share: their names in GGUF (gguf-py/constants.py) and in config.json.
var common = map[string]string{
	"block_count": "num_hidden_layers", "embedding_length": "hidden_size", "feed_forward_length": "intermediate_size", "attention.head_count": "num_attention_heads",
	"attention.head_count_kv": "num_key_value_heads", "context_length": "max_position_embeddings", "rope.freq_base": "rope_theta",
	"attention.sliding_window": "sliding_window",
}

var (
	heads   = map[string]string{"attention.key_length": "head_dim"}
	experts = map[string]string{"attention.key_length": "head_dim", "expert_count": "num_experts", "expert_used_count": "num_experts_per_tok",
		"expert_feed_forward_length": "moe_intermediate_size", "expert_shared_feed_forward_length": "shared_expert_intermediate_size"}
)

// configs are the architectures that can be imported.
var configs = map[string]family{
	"llama":      {"llama", "LlamaForCausalLM", heads, llamaOrMixtral},
	"qwen2":      {"qwen2", "Qwen2ForCausalLM", nil, nil},
	"qwen3":      {"qwen3", "Qwen3ForCausalLM", heads, nil},
	"qwen2moe":   {"qwen2_moe", "Qwen2MoeForCausalLM", experts, nil},
	"qwen3moe":   {"qwen3_moe", "Qwen3MoeForCausalLM", experts, nil},
	"gemma":      {"gemma", "GemmaForCausalLM", heads, nil},
	"gemma2":     {"gemma2", "Gemma2ForCausalLM", heads, nil},
	"gemma3":     {"gemma3_text", "Gemma3ForCausalLM", heads, nil},
	"phi3":       {"phi3", "Phi3ForCausalLM", nil, nil},
	"granite":    {"granite", "GraniteForCausalLM", nil, nil},
	"olmo2":      {"olmo2", "Olmo2ForCausalLM", nil, nil},
	"smollm3":    {"smollm3", "SmolLM3ForCausalLM", nil, nil},
	"starcoder2": {"starcoder2", "Starcoder2ForCausalLM", nil, nil},
	"gpt2":       {"gpt2", "GPT2LMHeadModel", map[string]string{"feed_forward_length": "n_inner"}, nil},
	"gptneox":    {"gpt_neox", "GPTNeoXForCausalLM", nil, nil},
}

// Config is the config.json that the metadata amounts to. What is not in it, a bias or a head of its own, is read off the tensors.
func (m *Model) Config() ([]byte, error) {
	f, ok := configs[m.Architecture()]
	if !ok {
		known := make([]string, 0, len(configs))
		for name := range configs {
			known = append(known, name)
		}
		slices.Sort(known)
		return nil, &graph.Error{Code: action.CodeUnsupported, Path: "general.architecture", Allowed: known,
			Message: "the architecture " + quoted(m.Architecture()) + " is not modelled; modelled are " + strings.Join(known, ", ")}
	}
	config := map[string]any{"model_type": f.modelType, "architectures": []string{f.class}}
	for _, keys := range []map[string]string{common, f.keys} {
		for from, to := range keys {
			v := m.Of(from)
			if n, ok := v.Int(); ok {
				config[to] = n
			} else if x, ok := v.Float(); ok {
				config[to] = x
			}
		}
	}
	m.readOff(config)
	if f.change != nil {
		f.change(m, config)
	}
	return json.Marshal(config)
}

// readOff adds what only the tensors say.
func (m *Model) readOff(config map[string]any) {
	if t := m.shape("token_embd.weight"); len(t) == 2 {
		config["vocab_size"] = t[0]
	}
	config["tie_word_embeddings"] = m.shape("output.weight") == nil
	bias := m.shape("blk.0.attn_q.bias") != nil
	if m.Architecture() != "qwen2" && m.Architecture() != "qwen2moe" { // these have it in any case, and no key for it
		config["attention_bias"] = bias
	}
	config["mlp_bias"] = m.shape("blk.0.ffn_up.bias") != nil
	config["use_bias"] = bias
}

// llamaOrMixtral: converters write both under one name.
func llamaOrMixtral(m *Model, config map[string]any) {
	n, ok := m.Of("expert_count").Int()
	if !ok || n == 0 {
		return
	}
	config["model_type"], config["architectures"] = "mixtral", []string{"MixtralForCausalLM"}
	config["num_local_experts"] = n
	if used, ok := m.Of("expert_used_count").Int(); ok {
		config["num_experts_per_tok"] = used
	}
}

// shape is that of a tensor, or nil where there is none.
func (m *Model) shape(name string) []int64 {
	for i := range m.Tensors {
		if m.Tensors[i].Name == name {
			return m.Tensors[i].Shape
		}
	}
	return nil
}

func quoted(s string) string {
	b, err := json.Marshal(s)
	if err != nil || len(b) > 80 {
		return "that it names"
	}
	return string(b)
}
