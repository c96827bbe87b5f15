package hf

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/importer/hf/config"
	"github.com/modelverifier/verifier/internal/infer"
)

// few are the keys of the number of layers, which a test keeps small.
var few = []string{"num_hidden_layers", "num_layers", "n_layer", "n_layers", "encoder_layers", "decoder_layers", "num_decoder_layers"}

// TestEverySizeKeyChangesComponentsAndTensorsAlike changes one size of a config after the other: what the components weigh is
// still the sum over the shapes of the tensors, so that no size of one of them is a constant.
func TestEverySizeKeyChangesComponentsAndTensorsAlike(t *testing.T) {
	compared, moved := 0, 0
	for _, modelType := range ModelTypes() {
		c, _ := config.ClassOf(modelType)
		base := weigh(t, modelType, c, "", 0)
		for _, key := range config.SortedKeys(c.Fields) {
			n, ok := c.Fields[key].(json.Number)
			if !ok {
				continue
			}
			v, err := n.Int64()
			if err != nil || v < 2 || strings.HasSuffix(key, "_id") || strings.HasSuffix(key, "_index") {
				continue
			}
			if w := weigh(t, modelType, c, key, 2*v); w >= 0 {
				compared++
				if w != base {
					moved++
				}
			}
		}
	}
	t.Logf("%d configs with one size doubled run and weigh what their tensors do; %d of them weigh something else than before", compared, moved)
	if moved < compared/3 {
		t.Errorf("only %d of %d sizes have an influence", moved, compared)
	}
}

// weigh imports a small config with one key changed and returns its weights, or -1 where it cannot be built or does not run.
func weigh(t *testing.T, modelType string, c config.Class, key string, value int64) int64 {
	t.Helper()
	values := map[string]any{"model_type": modelType}
	for _, k := range few {
		if _, ok := c.Fields[k].(json.Number); ok {
			values[k] = 2
		}
	}
	if key != "" {
		values[key] = value
	}
	text, err := json.Marshal(values)
	if err != nil {
		t.Fatal(err)
	}
	m, err := Import(text, Options{SeqLen: 32})
	if err != nil {
		return -1
	}
	g := m.Graph.Clone()
	g.Normalize(catalog.Vocabulary)
	res := infer.Walk(g)
	if len(res.Refusals) > 0 {
		return -1
	}
	if res.Params != m.Params {
		t.Errorf("%s: the components have %d weights, the tensors %d", text, res.Params, m.Params)
	}
	return m.Params
}

// The configs whose import is timed.
var timed = map[string]string{
	"llama-8b": `{"model_type":"llama","hidden_size":4096,"intermediate_size":14336,"num_hidden_layers":32,"num_attention_heads":32,
		"num_key_value_heads":8,"vocab_size":128256,"max_position_embeddings":131072,"rope_theta":500000.0}`,
	"deepseek-v3": `{"model_type":"deepseek_v3"}`,
}

// BenchmarkImport times config.json to graph, and to the verdict of the walk behind it.
func BenchmarkImport(b *testing.B) {
	for _, name := range config.SortedKeys(timed) {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := Import([]byte(timed[name]), Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("%s/walk", name), func(b *testing.B) {
			for b.Loop() {
				m, err := Import([]byte(timed[name]), Options{})
				if err != nil {
					b.Fatal(err)
				}
				m.Graph.Normalize(catalog.Vocabulary)
				infer.Walk(m.Graph)
			}
		})
	}
}
