package discover

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/policy"
)

func write(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

var tree = map[string]string{
	"a.graph":                 "x: input",
	"b/net.json":              `{"name": "x", "components": [], "connections": []}`,
	"b/sbom.json":             `{"bomFormat": "CycloneDX", "components": []}`,
	"b/package.json":          `{"components": "x"}`,
	"llama/config.json":       `{"architectures": ["LlamaForCausalLM"], "model_type": "llama"}`,
	"app/config.json":         `{"port": 8080}`,
	"c.ONNX":                  "\x08",
	"src/net.py":              "import torch\nfrom torch import nn\nclass Net(nn.Module):\n    class Inner(nn.Module): pass\nclass Other(object): pass\nclass Deep(Base, torch.nn.Module):\n    pass\n",
	"src/plain.py":            "class Net(nn.Module): pass\n",
	"node_modules/x/a.graph":  "x",
	".hidden/a.graph":         "x",
	"broken/config.json":      `{"model_type": `,
	"listed/config.json":      `[{"model_type": "x"}]`,
	"testdata/case/net.graph": "x",
}

func TestModelsAreFoundByWhatTheyAre(t *testing.T) {
	root := write(t, tree)
	if err := os.Symlink(filepath.Join(root, "a.graph"), filepath.Join(root, "link.graph")); err != nil {
		t.Log("no links here:", err)
	}
	found, cut, err := Walk(root)
	if err != nil || cut {
		t.Fatal(cut, err)
	}
	want := []Model{{"a.graph", Graph}, {"b/net.json", Graph}, {"c.ONNX", ONNX}, {"llama/config.json", Config}, {"src/net.py:Deep", Class}, {"src/net.py:Net", Class}}
	if !slices.Equal(found, want) {
		t.Errorf("%v", found)
	}
	if _, _, err := Walk(filepath.Join(root, "nowhere")); err == nil {
		t.Error("a folder that is not there has no models")
	}
}

func TestChangedModelsArePicked(t *testing.T) {
	root := write(t, tree)
	diff := strings.Join([]string{"M", "a.graph", "A", "b/net.json", "D", "gone.graph", "R087", "old/config.json", "llama/config.json", "M", "app/config.json", "M", "src/plain.py", "T", "c.ONNX", ""}, "\x00")
	changes, err := Parse(diff)
	if err != nil || len(changes) != 6 {
		t.Fatal(changes, err)
	}
	for _, c := range []struct {
		patterns []string
		want     []Change
	}{
		{nil, []Change{{"a.graph", "a.graph"}, {"b/net.json", ""}, {"c.ONNX", "c.ONNX"}, {"llama/config.json", "old/config.json"}}},
		{[]string{"llama/*"}, []Change{{"llama/config.json", "old/config.json"}}},
		{[]string{"*.json", "a.graph"}, []Change{{"a.graph", "a.graph"}, {"b/net.json", ""}, {"llama/config.json", "old/config.json"}}},
		{[]string{"app/config.json"}, []Change{{"app/config.json", "app/config.json"}}}, // named, whatever it is
		{[]string{"src/net.py:Net"}, []Change{{"src/net.py:Net", "src/net.py"}}},
		{[]string{"src/plain.py:Net", "src/plain.py"}, []Change{{"src/plain.py:Net", "src/plain.py"}}},
		{[]string{"src/*"}, nil},
		{[]string{"none"}, nil},
	} {
		got, err := Pick(root, changes, c.patterns, policy.Match)
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%q: %v, %v", c.patterns, got, err)
		}
	}
	for _, name := range []string{"a\nb.graph", "a\tb.graph", "a\x1bb.graph", "a\xff.graph"} {
		if got, err := Pick(root, []Change{{name, ""}}, nil, policy.Match); err == nil || strings.ContainsAny(err.Error(), "\n\x1b") {
			t.Errorf("%q: %v, %v", name, got, err)
		}
	}
}

func TestWhatGitDoesNotWriteIsRefused(t *testing.T) {
	for _, bad := range []string{"M", "M\x00", "\x00", "X\x00a\x00", "R100\x00a\x00", "M a", "M\x00a\x00M", "Mx\x00a\x00"} {
		if got, err := Parse(bad); err == nil {
			t.Errorf("%q: %v", bad, got)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("M\x00a.graph\x00R100\x00b\x00c\x00D\x00x\x00")
	f.Fuzz(func(t *testing.T, text string) {
		changes, err := Parse(text)
		if err != nil {
			return
		}
		for _, c := range changes {
			if c.Path == "" {
				t.Error("a file without a name")
			}
		}
		picked, err := Pick(t.TempDir(), changes, []string{"*", "a.py:B"}, policy.Match)
		for _, c := range picked {
			if err == nil && strings.ContainsAny(c.Path+c.Was, "\n\t") {
				t.Errorf("%q cannot stand on a line", c.Path)
			}
		}
	})
}
