package serve

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"os"
	"testing"

	"github.com/modelverifier/verifier/internal/catalog"
	"github.com/modelverifier/verifier/internal/hardware"
	"github.com/modelverifier/verifier/internal/importer/hf"
	"github.com/modelverifier/verifier/internal/infer"
)

// A command that asks for nothing special is legal for every small model of transformers on a large card.
func TestAPlainCommandIsNeverBlocked(t *testing.T) {
	f, err := os.Open("../../../truth/hf.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(z)
	lines.Buffer(nil, 1<<24)
	tried := 0
	for n := 0; lines.Scan(); n++ {
		if n%4 != 0 && testing.Short() {
			continue
		}
		var row struct{ Config json.RawMessage }
		if json.Unmarshal(lines.Bytes(), &row) != nil {
			continue // Python writes infinities, which JSON has not
		}
		m, err := hf.Import(row.Config, hf.Options{SeqLen: 64})
		if err != nil {
			continue // not modelled
		}
		m.Graph.Normalize(catalog.Vocabulary)
		res := infer.Walk(m.Graph)
		if res.Params > 2e9 {
			continue // may not fit
		}
		for _, command := range []string{"vllm serve m --max-model-len auto", "python -m sglang.launch_server --model-path m", "trtllm-serve m", "text-generation-launcher --model-id m", "llama-server -m m.gguf"} {
			tried++
			if out := Check(res, &Request{Command: command, GPU: hardware.Lookup("H200"), GPUs: 1}); out.Verdict == "block" {
				t.Errorf("%s of %s: %s", command, m.ModelType, explain(out))
			}
		}
	}
	if tried < 1000 {
		t.Errorf("only %d were tried", tried)
	}
	t.Logf("%d commands", tried)
}
