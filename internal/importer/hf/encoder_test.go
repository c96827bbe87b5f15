package hf

import (
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/infer"
)

// TestPublishedEncodersHaveTheirWeights reads configs as the hub has them; the numbers are those of their weight files.
func TestPublishedEncodersHaveTheirWeights(t *testing.T) {
	for _, c := range []struct {
		name, config string
		params       int64
	}{
		{"bert-base-uncased", `{"architectures": ["BertForMaskedLM"], "hidden_act": "gelu", "hidden_size": 768, "intermediate_size": 3072,
			"max_position_embeddings": 512, "model_type": "bert", "num_attention_heads": 12, "num_hidden_layers": 12, "pad_token_id": 0,
			"position_embedding_type": "absolute", "type_vocab_size": 2, "vocab_size": 30522}`, 109_514_298},
		{"all-MiniLM-L6-v2", `{"architectures": ["BertModel"], "hidden_size": 384, "intermediate_size": 1536, "model_type": "bert",
			"num_attention_heads": 12, "num_hidden_layers": 6, "vocab_size": 30522}`, 22_713_216},
		{"roberta-base", `{"architectures": ["RobertaForMaskedLM"], "hidden_size": 768, "intermediate_size": 3072, "max_position_embeddings": 514,
			"model_type": "roberta", "num_attention_heads": 12, "num_hidden_layers": 12, "pad_token_id": 1, "type_vocab_size": 1, "vocab_size": 50265}`, 124_697_433},
		{"xlm-roberta-base", `{"architectures": ["XLMRobertaForMaskedLM"], "hidden_size": 768, "intermediate_size": 3072, "max_position_embeddings": 514,
			"model_type": "xlm-roberta", "num_attention_heads": 12, "num_hidden_layers": 12, "pad_token_id": 1, "type_vocab_size": 1, "vocab_size": 250002}`, 278_295_186},
		{"distilbert-base-uncased", `{"architectures": ["DistilBertForMaskedLM"], "dim": 768, "hidden_dim": 3072, "max_position_embeddings": 512,
			"model_type": "distilbert", "n_heads": 12, "n_layers": 6, "tie_weights_": true, "vocab_size": 30522}`, 66_985_530},
		{"deberta-v3-base", `{"model_type": "deberta-v2", "architectures": ["DebertaV2Model"], "hidden_size": 768, "intermediate_size": 3072, "num_attention_heads": 12,
			"num_hidden_layers": 12, "max_position_embeddings": 512, "relative_attention": true, "position_buckets": 256, "norm_rel_ebd": "layer_norm",
			"share_att_key": true, "pos_att_type": "p2c|c2p", "max_relative_positions": -1, "position_biased_input": false, "type_vocab_size": 0,
			"pad_token_id": 0, "vocab_size": 128100}`, 183_831_552},
		{"ModernBERT-base", `{"architectures": ["ModernBertForMaskedLM"], "attention_bias": false, "classifier_pooling": "mean", "decoder_bias": true,
			"global_attn_every_n_layers": 3, "global_rope_theta": 160000.0, "hidden_size": 768, "intermediate_size": 1152, "local_rope_theta": 10000.0,
			"max_position_embeddings": 8192, "model_type": "modernbert", "num_attention_heads": 12, "num_hidden_layers": 22, "pad_token_id": 50283,
			"vocab_size": 50368}`, 149_655_232},
	} {
		model, err := Import([]byte(c.config), Options{})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		} else if model.Params != c.params {
			t.Errorf("%s has %d weights, not %d", c.name, model.Params, c.params)
		}
		check(t, c.name, c.config)
	}
}

// TestVariantsOfEncodersAreBuilt builds what no default and no measured row shows.
func TestVariantsOfEncodersAreBuilt(t *testing.T) {
	for _, config := range []string{
		`{"model_type": "bert", "architectures": ["BertLMHeadModel"], "is_decoder": true, "add_cross_attention": true}`,
		`{"model_type": "albert", "num_hidden_groups": 3, "inner_group_num": 2, "num_hidden_layers": 2}`,
		`{"model_type": "convbert", "num_groups": 2, "conv_kernel_size": 3, "is_decoder": true, "add_cross_attention": true}`,
		`{"model_type": "deberta", "relative_attention": true, "pos_att_type": ["c2p", "p2c"], "embedding_size": 128}`,
		`{"model_type": "deberta-v2", "relative_attention": true, "pos_att_type": "c2p|p2c", "position_buckets": 16, "conv_kernel_size": 3}`,
		`{"model_type": "deberta-v2", "relative_attention": true, "pos_att_type": "p2c", "norm_rel_ebd": "layer_norm", "legacy": false}`,
		`{"model_type": "funnel", "block_sizes": [1, 2], "block_repeats": [2, 1], "separate_cls": false, "pooling_type": "max"}`,
		`{"model_type": "funnel", "attention_type": "factorized", "truncate_seq": false, "pool_q_only": false}`,
		`{"model_type": "funnel", "attention_type": "factorized", "block_sizes": [1, 1, 1, 1, 1, 1, 1]}`,
		`{"model_type": "luke", "use_entity_aware_attention": false, "entity_vocab_size": 100}`,
		`{"model_type": "modernvbert", "vision_config": {"image_size": 512, "vision_use_head": false}}`,
		`{"model_type": "neomme", "num_key_value_heads": 16, "tie_word_embeddings": false}`,
		`{"model_type": "mobilebert", "normalization_type": "layer_norm", "use_bottleneck": false, "trigram_input": false, "embedding_size": 512}`,
		`{"model_type": "nystromformer", "segment_means_seq_len": 48, "num_landmarks": 48}`,
		`{"model_type": "perceiver", "num_blocks": 2, "num_self_attends_per_block": 2}`,
		`{"model_type": "roc_bert", "enable_shape": false}`,
		`{"model_type": "roformer", "rotary_value": true, "embedding_size": 64}`,
		`{"model_type": "xmod", "languages": ["en_XX", "de_DE"], "pre_norm": true, "adapter_layer_norm": true}`,
		`{"model_type": "xmod", "pre_norm": true, "ln_before_adapter": false}`,
		`{"model_type": "yoso", "conv_window": 3, "use_expectation": false}`,
	} {
		if !check(t, config, config) {
			t.Errorf("%s is not built", config)
		}
	}
}

// TestTextsThatAreTooLongAreRefused holds a text to the rows of its table that positions may use, and a table of distances to
// what is read of it.
func TestTextsThatAreTooLongAreRefused(t *testing.T) {
	for _, c := range []struct {
		config string
		length int64
		why    string // "" where it runs
	}{
		{`{"model_type": "bert"}`, 512, ""},
		{`{"model_type": "bert"}`, 513, "maxLen is 512 but 513 positions arrive"},
		{`{"model_type": "roberta", "max_position_embeddings": 514}`, 512, ""},
		{`{"model_type": "roberta", "max_position_embeddings": 514}`, 513, "do not fit"},
		{`{"model_type": "mpnet", "pad_token_id": 7}`, 510, ""},
		{`{"model_type": "mpnet", "pad_token_id": 7}`, 511, "do not fit"},
		{`{"model_type": "mpnet", "relative_attention_num_buckets": 25}`, 12, ""},
		{`{"model_type": "mpnet", "relative_attention_num_buckets": 25}`, 13, "index is 25"},
		{`{"model_type": "yoso"}`, 4097, "do not fit"},
		{`{"model_type": "roformer"}`, 1537, "do not fit"},
		{`{"model_type": "tapas"}`, 2000, ""},
		{`{"model_type": "tapas", "reset_position_index_per_cell": false}`, 2000, "maxLen is 1024"},
		{`{"model_type": "nystromformer", "segment_means_seq_len": 64, "num_landmarks": 8, "max_position_embeddings": 80}`, 64, ""},
		{`{"model_type": "nystromformer", "segment_means_seq_len": 64, "num_landmarks": 8, "max_position_embeddings": 80}`, 65, "elements arrive"},
	} {
		model, err := Import([]byte(c.config), Options{SeqLen: c.length})
		if err != nil {
			t.Errorf("%s: %v", c.config, err)
			continue
		}
		g := model.Graph.Clone()
		g.Normalize(catalog.Vocabulary)
		got := ""
		if res := infer.Walk(g); len(res.Refusals) > 0 {
			got = res.Refusals[0].Message
		}
		if (got == "") != (c.why == "") || !strings.Contains(got, c.why) {
			t.Errorf("%s with %d positions: %q, not %q", c.config, c.length, got, c.why)
		}
	}
}
