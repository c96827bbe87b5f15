package gguf

import (
	"regexp"
	"slices"
	"strings"

	"github.com/modelverifier/verifier/internal/importer"
)

// Converting a checkpoint to GGUF renames its tensors and changes the form of some (llama.cpp, gguf-py/tensor_mapping.py and the converters).
// For the architectures below both are known, so that a file can be compared with what a configuration implies, tensor by tensor. For others
// only totals can be compared.

// comparables are the architectures whose tensors can be given the names that transformers has for them.
var comparables = []string{
	"gemma", "gemma2", "gemma3", "gpt2", "gptneox", "granite", "llama", "olmo2", "phi3", "qwen2", "qwen2moe", "qwen3", "qwen3moe", "smollm3", "starcoder2",
}

// wholes are the names of tensors outside the layers.
var wholes = map[string][]string{
	"token_embd":    {"model.embed_tokens", "transformer.wte", "gpt_neox.embed_in"},
	"position_embd": {"transformer.wpe"},
	"output_norm":   {"model.norm", "transformer.ln_f", "gpt_neox.final_layer_norm"},
	"output":        {"lm_head", "embed_out"},
}

// layers are what the layers are called.
var layers = []string{"model.layers.", "transformer.h.", "gpt_neox.layers."}

// parts are the names of tensors of a layer. Where one has several, a model has only one of them; the first that it has is meant.
var parts = map[string][]string{
	"attn_norm":           {"input_layernorm", "ln_1"},
	"attn_q":              {"self_attn.q_proj"},
	"attn_k":              {"self_attn.k_proj"},
	"attn_v":              {"self_attn.v_proj"},
	"attn_qkv":            {"self_attn.qkv_proj", "attn.c_attn", "attention.query_key_value"},
	"attn_output":         {"self_attn.o_proj", "attn.c_proj", "attention.dense"},
	"attn_q_norm":         {"self_attn.q_norm"},
	"attn_k_norm":         {"self_attn.k_norm"},
	"post_attention_norm": {"post_attention_layernorm"},
	"ffn_norm":            {"pre_feedforward_layernorm", "post_attention_layernorm", "ln_2"},
	"post_ffw_norm":       {"post_feedforward_layernorm"},
	"ffn_gate":            {"mlp.gate_proj"},
	"ffn_up":              {"mlp.up_proj", "mlp.gate_up_proj", "mlp.c_fc", "mlp.dense_h_to_4h"},
	"ffn_down":            {"mlp.down_proj", "mlp.c_proj", "mlp.dense_4h_to_h"},
	"ffn_gate_inp":        {"mlp.gate", "block_sparse_moe.gate"},
	"ffn_gate_shexp":      {"mlp.shared_expert.gate_proj"},
	"ffn_up_shexp":        {"mlp.shared_expert.up_proj"},
	"ffn_down_shexp":      {"mlp.shared_expert.down_proj"},
	"ffn_gate_inp_shexp":  {"mlp.shared_expert_gate"},
}

// stacked are the names of weights that all experts share a tensor for; they have no .weight behind them.
var stacked = map[string][]string{
	"ffn_gate_up_exps": {"mlp.experts.gate_up_proj"},
	"ffn_down_exps":    {"mlp.experts.down_proj"},
}

var inLayer = regexp.MustCompile(`^blk\.([0-9]{1,6})\.([a-z_]+)\.(weight|bias)$`)

// Names returns what a tensor may be called in transformers.
func Names(name string) []string {
	var out []string
	if m := inLayer.FindStringSubmatch(name); m != nil {
		for _, layer := range layers {
			for _, part := range parts[m[2]] {
				out = append(out, layer+m[1]+"."+part+"."+m[3])
			}
			for _, part := range stacked[m[2]] {
				out = append(out, layer+m[1]+"."+part)
			}
		}
		return out
	}
	if i := strings.LastIndexByte(name, '.'); i > 0 {
		for _, whole := range wholes[name[:i]] {
			out = append(out, whole+name[i:])
		}
	}
	return out
}

// Compare compares the model with the tensors that its configuration implies. The result is false where the architecture's names are not known.
func (m *Model) Compare(derived []importer.Tensor) (importer.Report, bool) {
	if !slices.Contains(comparables, m.Architecture()) {
		return importer.Report{}, false
	}
	r := importer.CompareCheckpoint(derived, m.restore(), Names)
	total, ok := importer.Sum(m.Tensors)
	r.Stored, r.Overflow = total, r.Overflow || !ok
	return r, true
}

// restore gives tensors the form that they had before they were converted.
func (m *Model) restore() []importer.Tensor {
	gates := map[string]importer.Tensor{} // of all experts, by layer
	for _, t := range m.Tensors {
		if layer, ok := strings.CutSuffix(t.Name, ".ffn_gate_exps.weight"); ok {
			gates[layer] = t
		}
	}
	var out []importer.Tensor
	for _, t := range m.Tensors {
		layer, up := strings.CutSuffix(t.Name, ".ffn_up_exps.weight")
		gate, gated := gates[layer]
		switch {
		case up && gated && len(t.Shape) == 3 && slices.Equal(t.Shape, gate.Shape):
			t.Name = layer + ".ffn_gate_up_exps.weight"
			t.Shape = []int64{t.Shape[0], 2 * t.Shape[1], t.Shape[2]}
			t.Bytes += gate.Bytes
			delete(gates, layer)
		case strings.HasSuffix(t.Name, ".ffn_gate_inp_shexp.weight") && len(t.Shape) == 1:
			t.Shape = []int64{1, t.Shape[0]}
		case m.Architecture() == "gpt2" && turned(t):
			t.Shape = []int64{t.Shape[1], t.Shape[0]}
		}
		out = append(out, t)
	}
	// A gate that was put together with its ups is gone.
	return slices.DeleteFunc(out, func(t importer.Tensor) bool {
		layer, ok := strings.CutSuffix(t.Name, ".ffn_gate_exps.weight")
		_, alone := gates[layer]
		return ok && !alone
	})
}

// turned reports whether GPT-2 keeps a matrix the other way round.
func turned(t importer.Tensor) bool {
	if m := inLayer.FindStringSubmatch(t.Name); m != nil && len(t.Shape) == 2 {
		return slices.Contains([]string{"attn_qkv", "attn_output", "ffn_up", "ffn_down"}, m[2])
	}
	return false
}
