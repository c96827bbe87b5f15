package load

import (
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/fit/serve"
	"github.com/modelverifier/verifier/internal/hardware"
	"github.com/modelverifier/verifier/internal/hostile"
	"github.com/modelverifier/verifier/internal/importer/hf"
	"github.com/modelverifier/verifier/internal/infer"
)

// readLaunch judges a launch script, a manifest, or a file of defaults that a command names, and reports whether a file is one.
func readLaunch(file string, data []byte) bool {
	switch {
	case strings.HasSuffix(file, ".sh"), strings.HasSuffix(file, ".compose.yaml"):
		if command, err := serve.CommandIn(string(data)); err == nil {
			judgeLaunch(command, "")
		}
	case strings.HasSuffix(file, ".defaults.yaml"):
		judgeLaunch("vllm serve m --config d.yaml -tp 3 --dtype x", string(data))
	default:
		return false
	}
	return true
}

// judgeLaunch judges a command for a small decoder, with every file that it names.
func judgeLaunch(command, defaults string) {
	m, err := hf.Import([]byte(`{"architectures":["LlamaForCausalLM"],"model_type":"llama","hidden_act":"silu","torch_dtype":"bfloat16","hidden_size":512,"num_attention_heads":8,
		"num_key_value_heads":4,"num_hidden_layers":2,"intermediate_size":1024,"vocab_size":32000,"max_position_embeddings":2048}`), hf.Options{SeqLen: 64})
	if err != nil {
		panic(err)
	}
	m.Graph.Normalize(catalog.Vocabulary)
	r := &serve.Request{Command: command, GPU: hardware.Lookup("H100"), GPUs: 8}
	adapter := `{"r":64,"x":[` + strings.Repeat("1,", 250_000) + "1]}"
	for _, name := range serve.FilesOf(command, "") {
		text := defaults
		if strings.HasSuffix(name, "/adapter_config.json") {
			text = adapter
		}
		r.Files = append(r.Files, serve.File{Name: name, Text: text})
	}
	got := serve.Check(infer.Walk(m.Graph), r)
	if len(got.Findings) > 1000 {
		panic("more than a thousand findings")
	}
	for i := range got.Findings { // as an editor does
		_ = got.Places(&got.Findings[i])
	}
}

func TestHostileManifestsCostTheirOwnCall(t *testing.T) {
	each(t, ".compose.yaml", hostile.Manifests())
}
func TestHostileDefaultsCostTheirOwnCall(t *testing.T) {
	each(t, ".defaults.yaml", hostile.Defaults())
}
