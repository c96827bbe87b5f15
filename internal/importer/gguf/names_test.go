package gguf

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/importer"
)

// list reads "name[2,3] other[4]".
func list(text string) []importer.Tensor {
	var out []importer.Tensor
	for _, f := range strings.Fields(text) {
		name, shape, _ := strings.Cut(strings.TrimSuffix(f, "]"), "[")
		t := importer.Tensor{Name: name}
		for n := range strings.SplitSeq(shape, ",") {
			var size int64
			fmt.Sscan(n, &size)
			t.Shape = append(t.Shape, size)
		}
		out = append(out, t)
	}
	return out
}

func model(architecture, tensors string) *Model {
	return &Model{Metadata: []Entry{{"general.architecture", Value{Type: String, text: architecture}}}, Tensors: list(tensors)}
}

func TestAConvertedModelAgreesWithItsConfiguration(t *testing.T) {
	cases := []struct{ architecture, derived, stored string }{
		{"llama", "model.embed_tokens.weight[9,4] model.layers.11.input_layernorm.weight[4] model.layers.11.self_attn.q_proj.weight[4,4] model.layers.11.self_attn.k_proj.weight[2,4] model.layers.11.self_attn.v_proj.weight[2,4] model.layers.11.self_attn.o_proj.weight[4,4] model.layers.11.post_attention_layernorm.weight[4] model.layers.11.mlp.gate_proj.weight[6,4] model.layers.11.mlp.up_proj.weight[6,4] model.layers.11.mlp.down_proj.weight[4,6] model.norm.weight[4] lm_head.weight[9,4]",
			"token_embd.weight[9,4] blk.11.attn_norm.weight[4] blk.11.attn_q.weight[4,4] blk.11.attn_k.weight[2,4] blk.11.attn_v.weight[2,4] blk.11.attn_output.weight[4,4] blk.11.ffn_norm.weight[4] blk.11.ffn_gate.weight[6,4] blk.11.ffn_up.weight[6,4] blk.11.ffn_down.weight[4,6] output_norm.weight[4] output.weight[9,4] rope_freqs.weight[32]"},
		{"llama", "model.layers.0.mlp.gate.weight[2,4] model.layers.0.mlp.experts.gate_up_proj[2,12,4] model.layers.0.mlp.experts.down_proj[2,4,6]",
			"blk.0.ffn_gate_inp.weight[2,4] blk.0.ffn_gate_exps.weight[2,6,4] blk.0.ffn_up_exps.weight[2,6,4] blk.0.ffn_down_exps.weight[2,4,6]"},
		{"qwen2moe", "model.layers.0.mlp.shared_expert_gate.weight[1,4] model.layers.0.mlp.shared_expert.up_proj.weight[6,4] model.layers.0.self_attn.q_proj.bias[4]",
			"blk.0.ffn_gate_inp_shexp.weight[4] blk.0.ffn_up_shexp.weight[6,4] blk.0.attn_q.bias[4]"},
		{"gemma2", "model.embed_tokens.weight[9,4] model.layers.0.input_layernorm.weight[4] model.layers.0.post_attention_layernorm.weight[4] model.layers.0.pre_feedforward_layernorm.weight[4] model.layers.0.post_feedforward_layernorm.weight[4]",
			"token_embd.weight[9,4] blk.0.attn_norm.weight[4] blk.0.post_attention_norm.weight[4] blk.0.ffn_norm.weight[4] blk.0.post_ffw_norm.weight[4]"},
		{"phi3", "model.layers.0.self_attn.qkv_proj.weight[8,4] model.layers.0.mlp.gate_up_proj.weight[12,4]", "blk.0.attn_qkv.weight[8,4] blk.0.ffn_up.weight[12,4] rope_factors_long.weight[4] rope_factors_short.weight[4]"},
		{"gpt2", "transformer.wte.weight[9,4] transformer.wpe.weight[8,4] transformer.h.0.ln_1.bias[4] transformer.h.0.attn.c_attn.weight[4,12] transformer.h.0.attn.c_proj.weight[4,4] transformer.h.0.mlp.c_fc.weight[4,16] transformer.h.0.mlp.c_proj.weight[16,4] transformer.h.0.ln_2.weight[4] transformer.ln_f.weight[4]",
			"token_embd.weight[9,4] position_embd.weight[8,4] blk.0.attn_norm.bias[4] blk.0.attn_qkv.weight[12,4] blk.0.attn_output.weight[4,4] blk.0.ffn_up.weight[16,4] blk.0.ffn_down.weight[4,16] blk.0.ffn_norm.weight[4] output_norm.weight[4] output.weight[9,4]"},
		{"gptneox", "gpt_neox.embed_in.weight[9,4] gpt_neox.layers.0.attention.query_key_value.bias[12] gpt_neox.layers.0.mlp.dense_h_to_4h.weight[16,4] gpt_neox.final_layer_norm.bias[4] embed_out.weight[9,4]",
			"token_embd.weight[9,4] blk.0.attn_qkv.bias[12] blk.0.ffn_up.weight[16,4] output_norm.bias[4] output.weight[9,4]"},
	}
	for _, c := range cases {
		r, ok := model(c.architecture, c.stored).Compare(list(c.derived))
		if !ok || !r.Agrees() {
			t.Errorf("%s: %v %v\nmissing %v\nextra %v\ndifferent %v", c.architecture, ok, r, r.Missing, r.Extra, r.Different)
		}
		for i, d := range list(c.derived) { // and every derived tensor is needed
			changed := list(c.derived)
			changed[i].Shape = slices.Concat(d.Shape, []int64{5})
			if r, _ := model(c.architecture, c.stored).Compare(changed); r.Agrees() {
				t.Errorf("%s: a change of %s is not seen", c.architecture, d.Name)
			}
		}
	}
}

func TestWhatDiffersInAConvertedModelIsNamed(t *testing.T) {
	derived := list("model.layers.0.mlp.experts.gate_up_proj[2,12,4] model.norm.weight[4]")
	r, ok := model("llama", "blk.0.ffn_gate_exps.weight[2,6,4] blk.0.ffn_up_exps.weight[2,7,4] output_norm.weight[5] other.weight[1]").Compare(derived)
	if !ok || len(r.Missing) != 1 || len(r.Extra) != 3 || len(r.Different) != 1 || r.Different[0].String() != "model.norm.weight: derived [4], stored [5]" || r.Stored.Tensors != 4 {
		t.Errorf("%+v", r)
	}
	if _, ok := model("mamba", "").Compare(nil); ok {
		t.Error("compares what it has no names for")
	}
}
