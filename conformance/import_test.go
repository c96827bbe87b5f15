package conformance

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/cli"
)

const (
	smallConfig = `{"model_type":"llama","architectures":["LlamaForCausalLM"],"vocab_size":100,"hidden_size":16,"intermediate_size":32,"num_hidden_layers":1,"num_attention_heads":4}`
	raising     = "import torch.nn as nn\nclass Net(nn.Module):\n    def __init__(self, dim=10, heads=4):\n        super().__init__()\n        assert dim % heads == 0\n        self.f = nn.Linear(dim, heads)\n    def forward(self, x):\n        return self.f(x)\n"
	unfinished  = `{"components":[{"id":"x","type":"input","params":{"shape":[8]}},{"id":"f","type":"linear","params":{"outFeatures":4}},{"id":"g","type":"nosuchtype"}],"connections":[{"from":"x","to":"f"},{"from":"f","to":"g"}]}`
)

// imported is what import --json prints of a file.
func imported(t *testing.T, name, text string) map[string]json.RawMessage {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	if exit := cli.Main([]string{"import", "--json", file}, strings.NewReader(""), &stdout, &stderr); exit != 0 {
		t.Fatalf("%s: exit %d, %s", name, exit, &stderr)
	}
	out := map[string]json.RawMessage{}
	if err := json.Unmarshal(stdout.Bytes(), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// TestImportPrintsWhatTheWireSays holds import --json to its section, and that weights which nobody can count are null and never a number.
func TestImportPrintsWhatTheWireSays(t *testing.T) {
	named := map[string]bool{}
	for _, e := range entries(t) {
		if e.section != "import --json" {
			continue
		}
		for _, m := range regexp.MustCompile("`([^`.]+)`").FindAllStringSubmatch(e.name, -1) {
			named[m[1]] = true
		}
	}
	seen := map[string]bool{"id": true, "revision": true, "weights": true} // of what was found by its id, and of stored weights
	for _, c := range []struct{ name, text, params, withheld string }{
		{"config.json", smallConfig, "5808", "[]"}, {"net.py", raising, "null", "[]"}, {"model.json", unfinished, "36", `["g"]`},
	} {
		got := imported(t, c.name, c.text)
		if string(got["params"]) != c.params || string(got["paramsWithheld"]) != c.withheld {
			t.Errorf("%s: params %s, withheld %s, want %s and %s", c.name, got["params"], got["paramsWithheld"], c.params, c.withheld)
		}
		for field := range got {
			seen[field] = true
		}
	}
	if !maps.Equal(named, seen) {
		t.Errorf("docs/wire.md names %v, import prints %v", slices.Sorted(maps.Keys(named)), slices.Sorted(maps.Keys(seen)))
	}
}
