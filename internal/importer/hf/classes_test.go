package hf

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/importer/hf/config"
	"github.com/modelverifier/verifier/internal/importer/hf/family"
	"github.com/modelverifier/verifier/internal/infer"
)

var classesFile = flag.String("classes", "", "write the classes of each model type to this file, for truth/hf_built.py")

// TestClassesAreListed writes the classes of each model type, and the one of a config that names none.
func TestClassesAreListed(t *testing.T) {
	type listed struct {
		Default string   `json:"default"`
		Classes []string `json:"classes"`
	}
	all := map[string]listed{}
	for _, modelType := range ModelTypes() {
		all[modelType] = listed{family.Of(modelType).Default, Classes(modelType)}
	}
	text, err := json.Marshal(all)
	if err == nil && *classesFile != "" {
		err = os.WriteFile(*classesFile, text, 0o644)
	}
	if err != nil || len(all) == 0 {
		t.Errorf("%d model types: %v", len(all), err)
	}
}

// TestEveryClassHasTheWeightsThatItLists builds every class from its defaults: what the components weigh is what the tensors do,
// and where the graph runs its weights do not depend on the length of the text.
func TestEveryClassHasTheWeightsThatItLists(t *testing.T) {
	built := 0
	for _, modelType := range ModelTypes() {
		for _, class := range Classes(modelType) {
			config := fmt.Sprintf(`{"model_type": %q, "architectures": [%q]}`, modelType, class)
			if check(t, class, config) {
				built++
			}
		}
	}
	t.Logf("%d classes are built from their defaults", built)
}

// TestVariantsOfAConfigAreBuilt builds what no default shows.
func TestVariantsOfAConfigAreBuilt(t *testing.T) {
	for _, config := range []string{
		`{"model_type": "longt5", "encoder_attention_type": "transient-global"}`,
		`{"model_type": "mvp", "use_prompt": true}`,
		`{"model_type": "marian", "share_encoder_decoder_embeddings": false, "decoder_vocab_size": 100, "pad_token_id": 99}`,
		`{"model_type": "fsmt", "tie_word_embeddings": true}`,
		`{"model_type": "trocr", "cross_attention_hidden_size": 768, "use_learned_position_embeddings": false, "layernorm_embedding": false}`,
		`{"model_type": "speecht5", "feat_extract_norm": "layer", "conv_bias": true}`,
		`{"model_type": "seamless_m4t", "architectures": ["SeamlessM4TForSpeechToText"], "position_embeddings_type": "rotary"}`,
		`{"model_type": "kyutai_speech_to_text", "codec_config": {"model_type": "mimi", "use_conv_shortcut": true, "use_causal_conv": false, "num_residual_layers": 2}}`,
		`{"model_type": "kyutai_speech_to_text", "codec_config": {"model_type": "mimi", "frame_rate": 25, "vector_quantization_hidden_dimension": 512}}`,
		`{"model_type": "t5gemma2", "encoder": {"mm_tokens_per_image": 49}}`,
		`{"model_type": "whisper", "architectures": ["WhisperForAudioClassification"], "num_labels": 7}`,
	} {
		if !check(t, config, config) {
			t.Errorf("%s is not built", config)
		}
	}
}

// check builds a config and reports whether that was possible. A class may need keys that have no default, and a part may be modelled elsewhere.
func check(t *testing.T, name, config string) bool {
	t.Helper()
	model, err := Import([]byte(config), Options{SeqLen: 48})
	var fault *graph.Error
	if errors.As(err, &fault) && (fault.Code == graph.CodeMissing || fault.Code == CodeArchitecture) {
		t.Logf("%s: %v", name, err)
		return false
	}
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return false
	}
	g := model.Graph.Clone()
	g.Normalize(catalog.Vocabulary)
	res := infer.Walk(g)
	if len(res.Refusals) > 0 {
		r := res.Refusals[0]
		if !strings.HasPrefix(model.ModelType, "granite_speech") && model.ModelType != "modernvbert" { // their defaults contradict each other
			t.Errorf("%s: %s: %s", name, res.Nodes[r.Node].Component.ID, r.Message)
		}
		return true
	}
	if res.Params != model.Params {
		t.Errorf("%s: the components have %d weights, the tensors %d", name, res.Params, model.Params)
	}
	if longer, err := Import([]byte(config), Options{SeqLen: 49}); err != nil || longer.Params != model.Params {
		t.Errorf("%s: a longer text changes the weights from %d (%v)", name, model.Params, err)
	}
	return true
}

// TestPublishedModelsHaveTheirWeights reads configs as the hub has them, old spellings and all.
func TestPublishedModelsHaveTheirWeights(t *testing.T) {
	for _, c := range []struct {
		name, config string
		params       int64
	}{
		{"t5-small", `{"architectures": ["T5ForConditionalGeneration"], "d_ff": 2048, "d_kv": 64, "d_model": 512, "decoder_start_token_id": 0,
			"dropout_rate": 0.1, "is_encoder_decoder": true, "layer_norm_epsilon": 1e-06, "model_type": "t5", "n_positions": 512, "num_heads": 8,
			"num_layers": 6, "relative_attention_num_buckets": 32, "vocab_size": 32128}`, 60_506_624},
		{"bart-base", `{"architectures": ["BartModel"], "activation_function": "gelu", "d_model": 768, "decoder_attention_heads": 12,
			"decoder_ffn_dim": 3072, "decoder_layers": 6, "encoder_attention_heads": 12, "encoder_ffn_dim": 3072, "encoder_layers": 6,
			"max_position_embeddings": 1024, "model_type": "bart", "num_hidden_layers": 6, "vocab_size": 50265, "add_final_layer_norm": false}`, 139_420_416},
		{"whisper-tiny", `{"architectures": ["WhisperForConditionalGeneration"], "d_model": 384, "decoder_attention_heads": 6, "decoder_ffn_dim": 1536,
			"decoder_layers": 4, "encoder_attention_heads": 6, "encoder_ffn_dim": 1536, "encoder_layers": 4, "max_source_positions": 1500,
			"max_target_positions": 448, "model_type": "whisper", "num_hidden_layers": 4, "num_mel_bins": 80, "vocab_size": 51865}`, 37_760_640},
	} {
		model, err := Import([]byte(c.config), Options{})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		} else if model.Params != c.params {
			t.Errorf("%s has %d weights, not %d", c.name, model.Params, c.params)
		}
	}
}

// TestEveryModelTypeHasDefaults: a family is no use without what truth/hf_defaults.py writes of its class.
func TestEveryModelTypeHasDefaults(t *testing.T) {
	for _, modelType := range ModelTypes() {
		if _, ok := config.ClassOf(modelType); !ok {
			t.Errorf("model type %s has no defaults", modelType)
		}
	}
}
