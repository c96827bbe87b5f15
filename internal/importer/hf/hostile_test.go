package hf

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/importer/hf/config"
)

// TestHostileValuesAreRefusedOrBuilt puts what nobody means into every key of every config, one kind of it after the other, and
// into the keys of its parts: the answer is a model or a fault that is coded, never a panic, and it comes soon.
func TestHostileValuesAreRefusedOrBuilt(t *testing.T) {
	hostile(t, `{"model_type": "t5", "num_layers": 2147483648}`)
	for _, modelType := range ModelTypes() {
		c, _ := config.ClassOf(modelType)
		values := []string{`0`, `-1`, `2147483648`, `"x"`, `[]`}
		for i, key := range config.SortedKeys(c.Fields) {
			value := values[(i+len(modelType))%len(values)]
			if value == values[2] && strings.Contains(key, "layers") {
				value = values[0] // as many layers as a graph may have take their time; one type shows that they end
			}
			hostile(t, fmt.Sprintf(`{"model_type": %q, %q: %s}`, modelType, key, value))
		}
		for _, part := range parts(c) {
			for _, key := range []string{"hidden_size", "num_attention_heads", "num_hidden_layers", "vocab_size", "d_model", "encoder_layers", "head_dim"} {
				hostile(t, fmt.Sprintf(`{"model_type": %q, %q: {%q: 0}}`, modelType, part, key))
			}
		}
	}
}

// parts are the keys of the configs inside a config.
func parts(c config.Class) []string {
	var out []string
	for _, key := range config.SortedKeys(c.Fields) {
		if strings.HasSuffix(key, "_config") || key == "encoder" || key == "decoder" {
			out = append(out, key)
		}
	}
	return out
}

func hostile(t *testing.T, text string) {
	t.Helper()
	const tooLong = 20 * time.Second
	for range 3 { // others may have had the processor
		start := time.Now()
		_, err := Import([]byte(text), Options{SeqLen: 8})
		var fault *graph.Error
		if err != nil && (!errors.As(err, &fault) || fault.Code == "" || fault.Message == "") {
			t.Errorf("%s: %v", text, err)
		}
		if time.Since(start) < tooLong {
			return
		}
	}
	t.Errorf("%s takes more than %v", text, tooLong)
}

// FuzzImport holds that no text makes the importer panic.
func FuzzImport(f *testing.F) {
	for _, modelType := range ModelTypes() {
		f.Add([]byte(fmt.Sprintf(`{"model_type": %q, "num_hidden_layers": 1, "encoder_layers": 1}`, modelType)))
	}
	f.Add([]byte(`{"architectures": ["T5Model"], "feed_forward_proj": "gated--x", "n": NaN}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var small struct {
			Layers json.Number `json:"num_hidden_layers"`
		}
		if json.Unmarshal(text, &small) == nil && len(small.Layers) > 2 {
			t.Skip("many layers only take time")
		}
		_, _ = Import(text, Options{SeqLen: 8})
	})
}
