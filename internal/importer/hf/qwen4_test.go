package hf

import (
	"strings"
	"testing"
)

// qwen4Tiny has what no measured config has: an indexer, and tables of n-grams. Keys may follow it.
const qwen4Tiny = `{"model_type": "qwen4_exp_text", "vocab_size": 700, "hidden_size": 64, "num_attention_heads": 4, "head_dim": 16, "num_experts": 4,
	"num_experts_per_tok": 2, "indexer_kv_heads": 1, `

// TestQwen4HasAnIndexerAndTables compares with counts of the constructors of transformers 5.17, called with shapes in place of
// tensors; on the measured configs these counts are the measured ones.
func TestQwen4HasAnIndexerAndTables(t *testing.T) {
	for _, c := range []struct {
		keys   string
		params int64
		tables map[string]int64
	}{
		{`"num_hidden_layers": 4, "moe_intermediate_size": 24, "shared_expert_intermediate_size": 40, "hc_lowrank": 12, "linear_num_key_heads": 2,
			"linear_num_value_heads": 4, "linear_key_head_dim": 8, "linear_value_head_dim": 12, "indexer_n_heads": 3, "indexer_head_dim": 16,
			"indexer_budget": 32, "indexer_compress_ratio": 8, "ple_layer_ids": [3, 1, 3], "ngram_vocab_size_base": 1000, "ple_embed_dim": 96,
			"eos_token_id": 1}`, 596_540, map[string]int64{"0": 16_896, "2": 18_688}},
		{`"num_hidden_layers": 2, "layer_types": ["linear_attention", "full_attention"], "attention_bias": true, "tie_word_embeddings": true,
			"indexer_n_heads": 2, "indexer_head_dim": 4, "rope_parameters": {"rope_theta": 10000.0, "partial_rotary_factor": 0.25},
			"indexer_budget": 2000, "indexer_compress_ratio": 1000, "ple_layer_ids": [1], "eos_token_id": [1, 2]}`, 1_282_984_552, map[string]int64{"0": 320_001_536}},
	} {
		config := qwen4Tiny + c.keys
		if !check(t, config, config) { // the text is shorter than a block of the second
			continue
		}
		m, err := Import([]byte(config), Options{SeqLen: 48})
		if err != nil || m.Params != c.params {
			t.Errorf("%s: %v, not %d weights", config, err, c.params)
			continue
		}
		found := 0
		for _, x := range m.Tensors {
			layer, isTable := strings.CutSuffix(strings.TrimPrefix(x.Name, "model.layers."), ".ple.ple_embedding.ngram_embedding.weight")
			if !isTable {
				continue
			}
			if found++; x.Shape[0] != c.tables[layer] {
				t.Errorf("%s has %d rows, not %d", x.Name, x.Shape[0], c.tables[layer])
			}
		}
		if found != len(c.tables) {
			t.Errorf("%s: %d tables, not %d", config, found, len(c.tables))
		}
	}
}

// TestQwen4RefusesWhatItsClassDoes names the key that is wrong.
func TestQwen4RefusesWhatItsClassDoes(t *testing.T) {
	const whole = `"num_hidden_layers": 4, "indexer_n_heads": 2, "indexer_head_dim": 16, "indexer_budget": 32, "indexer_compress_ratio": 8, "eos_token_id": 1, `
	for _, c := range []struct{ key, keys string }{
		{"config.indexer_n_heads", `"num_hidden_layers": 4}`},
		{"config.hc_count", whole + `"hc_count": 1}`},
		{"config.output_gate_type", whole + `"output_gate_type": "gelu"}`},
		{"config.num_experts_per_tok", whole + `"num_experts_per_tok": 5}`},
		{"config.layer_types[1]", whole + `"layer_types": ["linear_attention", "mamba", "linear_attention", "linear_attention"]}`},
		{"config.indexer_kv_heads", whole + `"indexer_kv_heads": 2}`},
		{"config.indexer_budget", whole + `"indexer_budget": 33}`},
		{"config.indexer_head_dim", whole + `"indexer_head_dim": 8}`},
		{"config.ple_layer_ids", whole + `"ple_layer_ids": [4]}`},
		{"config.ple_layer_ids", whole + `"ple_layer_ids": [5]}`},
		{"config.ple_embed_dim", whole + `"ple_layer_ids": [1], "heads_per_ngram": 7}`},
		{"config.eos_token_id", whole + `"ple_layer_ids": [1], "eos_token_id": []}`},
		{"config.heads_per_ngram", whole + `"ple_layer_ids": [1], "heads_per_ngram": 1048576, "ple_embed_dim": 2097152}`},
	} {
		if _, err := Import([]byte(qwen4Tiny+c.keys), Options{SeqLen: 48}); err == nil || !strings.HasPrefix(err.Error(), c.key+":") {
			t.Errorf("%s: %v", c.key, err)
		}
	}
}
