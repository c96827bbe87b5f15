package hf

import (
	"strings"
	"testing"
)

// refusals imports configs, and compares what is said of each with a part of it; "" is an import.
func refusals(t *testing.T, cases [][2]string) {
	t.Helper()
	for _, c := range cases {
		_, err := Import([]byte(c[0]), Options{SeqLen: 16})
		switch {
		case c[1] == "" && err != nil:
			t.Errorf("%s: %v", c[0], err)
		case c[1] != "" && (err == nil || !strings.Contains(err.Error(), c[1])):
			t.Errorf("%s: %v, want %q", c[0], err, c[1])
		}
	}
}

// TestValuesOfOtherTypesAreRefused: what transformers 5.17.0 raises StrictDataclassFieldValidationError for.
func TestValuesOfOtherTypesAreRefused(t *testing.T) {
	refusals(t, [][2]string{
		{`{"model_type": "llama", "hidden_size": null}`, "config.hidden_size: is null but LlamaConfig takes an integer"},
		{`{"model_type": "llama", "hidden_size": 4096.0}`, "config.hidden_size: is 4096.0 but LlamaConfig takes an integer"},
		{`{"model_type": "llama", "use_cache": 1}`, "config.use_cache: is 1 but LlamaConfig takes true or false"},
		{`{"model_type": "llama", "rms_norm_eps": 0}`, "config.rms_norm_eps: is 0 but LlamaConfig takes a float, as 1.0"},
		{`{"model_type": "llama", "architectures": "LlamaModel"}`, `"LlamaModel" but LlamaConfig takes a list of texts or null`},
		{`{"model_type": "llama", "problem_type": "other"}`, `takes "regression" or "single_label_classification" or`},
		{`{"model_type": "llama", "eos_token_id": [1, "2"]}`, "takes an integer or a list of integers or null"},
		{`{"model_type": "eurobert", "num_key_value_heads": "4"}`, `is "4" but EuroBertConfig takes an integer or null`},
		{`{"model_type": "llama", "eos_token_id": [1, 2], "pad_token_id": null, "attention_dropout": 0}`, ""},
		{`{"model_type": "granite_swa", "num_hidden_layers": 1, "layer_rope_theta": [1e999]}`,
			"config.layer_rope_theta: is 1e999, which is no number that fits"},
		{`{"model_type": "hiera", "out_features": [null]}`, "config.out_features: is [null] but HieraConfig takes a list of texts or null"},
		{`{"model_type": "llama", "some_key": {"a": null}}`, ""},
	})
}

// TestPaddingTokensHaveARow: nn.Embedding raises "Padding_idx must be within num_embeddings", where the class hands it on.
func TestPaddingTokensHaveARow(t *testing.T) {
	refusals(t, [][2]string{
		{`{"model_type": "eurobert", "vocab_size": 100, "pad_token_id": 100}`, "config.pad_token_id: is 100, but model.embed_tokens has 100 rows"},
		{`{"model_type": "eurobert", "vocab_size": 100, "pad_token_id": -101}`, "padding_idx takes -100 to 99"},
		{`{"model_type": "eurobert", "vocab_size": 100, "pad_token_id": -100}`, ""},
		{`{"model_type": "eurobert", "vocab_size": 100, "pad_token_id": 99}`, ""},
		{`{"model_type": "phi3", "vocab_size": 1000}`, "config.pad_token_id: is 32000, but model.embed_tokens has 1000 rows"},
		{`{"model_type": "phi3", "vocab_size": 1000, "pad_token_id": null}`, ""},
		{`{"model_type": "marian", "vocab_size": 1000}`, "config.pad_token_id: is 58100"},
		{`{"model_type": "modernbert", "vocab_size": 1000}`, "config.pad_token_id: is 50283"},
		{`{"model_type": "flex_olmo", "vocab_size": 1000}`, "config.pad_token_id: is 100277"},
		{`{"model_type": "kimi_linear", "vocab_size": 1000, "pad_token_id": 1000}`, "config.pad_token_id: is 1000"},
		{`{"model_type": "olmo_hybrid", "vocab_size": 1000}`, "config.pad_token_id"},
		{`{"model_type": "phi4_multimodal", "vocab_size": 1000}`, "config.pad_token_id"},
		{`{"model_type": "bert", "vocab_size": 1000, "pad_token_id": 1000}`, "config.pad_token_id: is 1000"},
		{`{"model_type": "gpt2", "vocab_size": 1000, "pad_token_id": 1000}`, ""},
	})
}

// TestNullHeadDim: a class that does not declare head_dim does not derive it either, and its modules find the null.
func TestNullHeadDim(t *testing.T) {
	refusals(t, [][2]string{
		{`{"model_type": "moonshine", "head_dim": null}`, "config.head_dim: is null, and MoonshineConfig does not derive it"},
		{`{"model_type": "phi", "head_dim": null}`, "config.head_dim: is null, and PhiConfig does not derive it"},
		{`{"model_type": "vit", "head_dim": null}`, "config.head_dim: is null, and ViTConfig does not derive it"},
		{`{"model_type": "llama", "head_dim": null}`, ""},
		{`{"model_type": "starcoder2", "head_dim": null}`, ""},
		{`{"model_type": "moonshine"}`, ""},
	})
}

// TestSizesThatAreNotReadAreNotJudged: transformers builds the first two; the bare model of Data2VecVision has no pooler.
func TestSizesThatAreNotReadAreNotJudged(t *testing.T) {
	refusals(t, [][2]string{
		{`{"model_type": "recurrent_gemma", "num_hidden_layers": 1, "num_key_value_heads": -1}`, ""},
		{`{"model_type": "minicpm3", "head_dim": 0}`, ""},
		{`{"model_type": "marian", "vocab_size": 200, "decoder_vocab_size": 100, "pad_token_id": 150}`, ""},
		{`{"model_type": "marian", "vocab_size": 200, "decoder_vocab_size": 100, "pad_token_id": 150, "tie_word_embeddings": false}`, "model.decoder.embed_tokens has 100 rows"},
		{`{"model_type": "led", "encoder_layers": -3, "attention_window": [512]}`, "config.attention_window: has 1 number but the model has -3 layers"},
		{`{"model_type": "led", "pad_token_id": null}`, "config.pad_token_id: is null, but a text of 16 tokens is filled up"},
		{`{"model_type": "deberta-v2", "num_hidden_layers": 0}`, "config.num_hidden_layers: is 0 but the encoder needs a layer"},
	})
	m, err := Import([]byte(`{"model_type": "data2vec-vision", "architectures": ["Data2VecVisionModel"], "num_hidden_layers": 0}`), Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range m.Tensors {
		if strings.HasPrefix(x.Name, "pooler.") {
			t.Errorf("the bare model has %s", x.Name)
		}
	}
}

// TestValidatorsOfEveryClass: what PreTrainedConfig of transformers 5.17.0 raises for, whatever the class.
func TestValidatorsOfEveryClass(t *testing.T) {
	refusals(t, [][2]string{
		{`{"model_type": "llama", "num_labels": null}`, "config.num_labels: is null but takes an integer"},
		{`{"model_type": "llama", "num_labels": 3, "id2label": {"0": "a"}}`, ""},
		{`{"model_type": "llama", "num_labels": 1, "problem_type": "single_label_classification"}`, "needs more than 1 label"},
		{`{"model_type": "llama", "dtype": "half16"}`, `config.dtype: is "half16" but takes the name of a dtype`},
		{`{"model_type": "llama", "dtype": "bfloat16", "torch_dtype": "auto"}`, ""},
		{`{"model_type": "longformer", "layer_types": ["full_attention"]}`, "names 1 layer but num_hidden_layers is 12"},
		{`{"model_type": "qwen2", "num_hidden_layers": 1, "layer_types": ["other"]}`, `config.layer_types: holds "other" but takes full_attention`},
		{`{"model_type": "qwen2", "num_hidden_layers": 1, "layer_types": ["full_attention", "full_attention"]}`, "names 2 layers"},
		{`{"model_type": "bert", "rope_parameters": {"rope_type": "linear"}}`, "config.rope_parameters.factor: is missing, and rope_type linear needs it"},
		{`{"model_type": "bert", "rope_parameters": {"rope_type": "other"}}`, ""},
		{`{"model_type": "llama", "rope_scaling": {"type": "other"}}`, `config.rope_scaling.rope_type: is "other" but takes axial, default, dynamic`},
		{`{"model_type": "llama", "rope_scaling": {"type": "llama3", "factor": 8.0}}`, "config.rope_scaling.low_freq_factor: is missing"},
		{`{"model_type": "llama", "rope_scaling": {"type": "linear", "factor": 2.0}}`, ""},
		{`{"model_type": "metaclip_2", "architectures": ["MetaClip2ForImageClassification"], "text_config": {"num_attention_heads": 10}}`, "config.text_config"},
		{`{"model_type": "metaclip_2", "architectures": ["MetaClip2ForImageClassification"], "text_config": {"hidden_size": "512"}}`, "config.text_config.hidden_size"},
	})
}
