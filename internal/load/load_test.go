package load

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/hub"
	"github.com/modelverifier/verifier/internal/importer"
	"github.com/modelverifier/verifier/internal/importer/hf"
)

const tiny = `{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 2,
	"num_attention_heads": 4, "num_key_value_heads": 2, "vocab_size": 100, "max_position_embeddings": 64}`

func open(ref string) (*Model, error) {
	return Open(context.Background(), ref, Options{Limits: graph.LocalLimits})
}

// write puts files into a folder of the test's own.
func write(t *testing.T, files map[string][]byte) string {
	t.Helper()
	dir := t.TempDir()
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func tensorsOf(t *testing.T, config string) []importer.Tensor {
	t.Helper()
	m, err := hf.Import([]byte(config), hf.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return m.Tensors
}

// checkpoint is a safetensors file of half-precision zeros.
func checkpoint(t *testing.T, tensors []importer.Tensor) []byte {
	t.Helper()
	header, at := map[string]any{}, int64(0)
	for _, x := range tensors {
		n, _ := x.Elements()
		header[x.Name] = map[string]any{"dtype": "BF16", "shape": x.Shape, "data_offsets": []int64{at, at + 2*n}}
		at += 2 * n
	}
	text, err := json.Marshal(header)
	if err != nil {
		t.Fatal(err)
	}
	out := binary.LittleEndian.AppendUint64(nil, uint64(len(text)))
	return append(append(out, text...), make([]byte, at)...)
}

func TestWeightsBesideAConfigAreCompared(t *testing.T) {
	all := tensorsOf(t, tiny)
	whole := write(t, map[string][]byte{"config.json": []byte(tiny), "model.safetensors": checkpoint(t, all)})
	m, err := open(whole)
	if err != nil {
		t.Fatal(err)
	}
	if m.Weights == nil || !m.Weights.Agrees() || m.Params != 7_888 {
		t.Errorf("%d weights, compared: %v", m.Params, m.Weights)
	}
	wrong := append([]importer.Tensor{}, all[1:]...)
	wrong[0].Shape = []int64{17}
	m, err = open(write(t, map[string][]byte{"config.json": []byte(tiny), "model.safetensors": checkpoint(t, wrong)}))
	if err != nil {
		t.Fatal(err)
	}
	if m.Weights == nil || len(m.Weights.Missing) != 1 || len(m.Weights.Different) != 1 {
		t.Errorf("compared: %v", m.Weights)
	}
}

func TestWhatIsNotModelledIsStillCounted(t *testing.T) {
	weights := checkpoint(t, tensorsOf(t, tiny))
	for name, files := range map[string]map[string][]byte{
		"a model type of one's own": {"config.json": []byte(`{"model_type": "mine"}`), "model.safetensors": weights},
		"weights alone":             {"model.safetensors": weights},
	} {
		_, err := open(write(t, files))
		if err == nil || !strings.Contains(err.Error(), "7,888 parameters in 21 tensors") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestQuantisedWeightsAreNotCompared(t *testing.T) {
	config := strings.Replace(tiny, "{", `{"quantization_config": {"quant_method": "gptq", "bits": 4}, `, 1)
	m, err := open(write(t, map[string][]byte{"config.json": []byte(config), "model.safetensors": checkpoint(t, nil)}))
	if err != nil {
		t.Fatal(err)
	}
	if m.Weights != nil || len(m.Notes) == 0 || !strings.Contains(string(m.Graph.AppendJSON(nil)), `"quant_method":"gptq"`) {
		t.Errorf("compared: %v, notes: %v", m.Weights, m.Notes)
	}
}

// ggufFile is a file of the format, version 3, with facts and half-precision zeros.
func ggufFile(facts []any, tensors []importer.Tensor) []byte {
	le := binary.LittleEndian
	text := func(b []byte, s string) []byte { return append(le.AppendUint64(b, uint64(len(s))), s...) }
	b := le.AppendUint32([]byte("GGUF"), 3)
	b = le.AppendUint64(le.AppendUint64(b, uint64(len(tensors))), uint64(len(facts)/2))
	for i := 0; i < len(facts); i += 2 {
		b = text(b, facts[i].(string))
		switch v := facts[i+1].(type) {
		case string:
			b = text(le.AppendUint32(b, 8), v)
		case int:
			b = le.AppendUint32(le.AppendUint32(b, 4), uint32(v))
		}
	}
	at := uint64(0)
	for _, x := range tensors {
		b = le.AppendUint32(text(b, x.Name), uint32(len(x.Shape)))
		for i := len(x.Shape) - 1; i >= 0; i-- { // the fastest axis comes first
			b = le.AppendUint64(b, uint64(x.Shape[i]))
		}
		n, _ := x.Elements()
		b = le.AppendUint64(le.AppendUint32(b, 1), at)
		at += (uint64(2*n) + 31) / 32 * 32
	}
	for len(b)%32 != 0 {
		b = append(b, 0)
	}
	return append(b, make([]byte, at)...)
}

// inGGUF are the names that tensors of a Llama get in GGUF.
var inGGUF = strings.NewReplacer("model.embed_tokens", "token_embd", "model.norm", "output_norm", "lm_head", "output", "model.layers.", "blk.",
	"input_layernorm", "attn_norm", "post_attention_layernorm", "ffn_norm", "self_attn.q_proj", "attn_q", "self_attn.k_proj", "attn_k",
	"self_attn.v_proj", "attn_v", "self_attn.o_proj", "attn_output", "mlp.gate_proj", "ffn_gate", "mlp.up_proj", "ffn_up", "mlp.down_proj", "ffn_down")

func TestAGGUFFileIsAModel(t *testing.T) {
	tensors := tensorsOf(t, tiny)
	for i := range tensors {
		tensors[i].Name = inGGUF.Replace(tensors[i].Name)
	}
	facts := []any{"general.architecture", "llama", "llama.block_count", 2, "llama.embedding_length", 16, "llama.feed_forward_length", 32,
		"llama.attention.head_count", 4, "llama.attention.head_count_kv", 2, "llama.context_length", 64}
	m, err := open(filepath.Join(write(t, map[string][]byte{"tiny.gguf": ggufFile(facts, tensors)}), "tiny.gguf"))
	if err != nil {
		t.Fatal(err)
	}
	if m.Params != 7_888 || m.Type != "LlamaForCausalLM" {
		t.Errorf("%s with %d weights", m.Type, m.Params)
	}
	for name, change := range map[string]func() []byte{
		"is not modelled":                 func() []byte { return ggufFile(append([]any{"general.architecture", "mine"}, facts[2:]...), tensors) },
		"are not those that the metadata": func() []byte { return ggufFile(facts, tensors[:len(tensors)-2]) },
		"the file holds 7,888 parameters": func() []byte { return ggufFile([]any{"general.architecture", "mine"}, tensors) },
		"num_attention_heads": func() []byte {
			return ggufFile(append(append([]any{}, facts[:8]...), "llama.attention.head_count", 0), tensors)
		},
	} {
		_, err := open(filepath.Join(write(t, map[string][]byte{"tiny.gguf": change()}), "tiny.gguf"))
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAGraphIsReadAsItIs(t *testing.T) {
	dir := write(t, map[string][]byte{
		"a.graph":      []byte("x: input shape=[8]\ny: output\nx -> y"),
		"b.json":       []byte(`{"components": [{"id": "x", "type": "input"}]}`),
		"request.json": []byte(`{"model": {"components": []}}`),
	})
	for name, components := range map[string]int{"a.graph": 2, "b.json": 1} {
		m, err := open(filepath.Join(dir, name))
		if err != nil || len(m.Graph.Components) != components {
			t.Errorf("%s: %v %v", name, m, err)
		}
	}
	if m, err := open(filepath.Join(dir, "request.json")); err != nil || m.Body == nil {
		t.Errorf("request: %v", err)
	}
	if _, err := open(filepath.Join(dir, fmt.Sprint("nothing", ".json"))); err == nil {
		t.Error("a file that is not there was read")
	}
}

// What a record lists of the importers must be what the reader of a kind imports.
func TestImportersAreThoseOfTheReaders(t *testing.T) {
	const prefix = "github.com/modelverifier/verifier/internal/importer/"
	kinds := map[string][]hub.Kind{"config.go": {hub.Config}, "gguf.go": {hub.GGUF}, "onnx.go": {hub.ONNX}, "python.go": {hub.Python}, "keras.go": {hub.Keras}}
	registered := 0
	for file, list := range kinds {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		registered += len(list)
		for _, i := range f.Imports {
			name, ok := strings.CutPrefix(strings.Trim(i.Path.Value, `"`), prefix)
			if ok && !slices.Contains(Importers(list[0]), name) {
				t.Errorf("%s imports %s, which is not among those of %s", file, name, list[0])
			}
		}
	}
	if want := len(readers) - 2; registered != want { // graphs are imported by nobody, safetensors alone beside config.json
		t.Errorf("%d kinds are looked at, want %d", registered, want)
	}
}
