package discover

import (
	"fmt"
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
	found, err := Walk(root)
	if err != nil || found.Cut {
		t.Fatal(found, err)
	}
	want := "a.graph: graph|b/net.json: graph|c.ONNX: ONNX|llama/config.json: config.json of transformers|src/net.py:Deep: PyTorch class|src/net.py:Net: PyTorch class"
	if got := refs(found); got != want {
		t.Errorf("%s", got)
	}
	if _, err := Walk(filepath.Join(root, "nowhere")); err == nil {
		t.Error("a folder that is not there has no models")
	}
}

func refs(f *Found) string {
	var out []string
	for _, m := range f.Models {
		out = append(out, m.Ref+": "+string(m.Kind))
	}
	return strings.Join(out, "|")
}

// TestModelsThatAPersonWouldName holds which of the many classes of a repository are models: factories, and classes that no other is
// made with.
func TestModelsThatAPersonWouldName(t *testing.T) {
	found, err := Walk(write(t, map[string]string{
		"nets/blocks.py": "import torch.nn as nn\nclass Block(nn.Module):\n    def forward(self, x): return x\nclass Unused(Block): pass\nclass DiceLoss(nn.Module): pass\nclass _Hidden(nn.Module): pass\n",
		"nets/resnet.py": "import torch.nn as nn\nfrom .blocks import Block\nfrom .registry import register_model\nclass ResNet(nn.Module):\n    def __init__(self, depth, dim=64):\n        self.b = Block(dim)\n" +
			"def _resnet(n, **kw):\n    model = ResNet(n, **kw)\n    return model\n@register_model\ndef resnet18(pretrained=False, *, dim=64, **kw):\n    return _resnet(18, dim=dim)\n" +
			"def load(path):\n    return open(path)\ndef build(config):\n    return ResNet(config)\ndef main():\n    return ResNet(1)\n",
		"nets/vit.py":        "from torch import nn\nimport nets.blocks as blocks\nclass ViT(nn.Module):\n    def __init__(self, dim, depth=2):\n        self.b = nn.ModuleList([blocks.Block() for _ in range(depth)])\n",
		"train.py":           "import pytorch_lightning as pl\nfrom nets.vit import ViT\nclass Task(pl.LightningModule):\n    def __init__(self):\n        self.net = ViT(64)\n",
		"tests/test_vit.py":  "import torch\nfrom torch import nn\nclass Wrapper(nn.Module):\n    def __init__(self):\n        self.t = Task()\ndef make():\n    return Wrapper()\n",
		"README.md":          "text",
		"broken.py":          "import torch\nclass Net(nn.Module:\n",
		"examples/notes.txt": "x",
	}))
	if err != nil {
		t.Fatal(err)
	}
	want := "nets/blocks.py:Unused: PyTorch class|nets/resnet.py:resnet18: PyTorch function|nets/vit.py:ViT: PyTorch class|train.py:Task: PyTorch class"
	if got := refs(found); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	if got := fmt.Sprint(found.Models[1].Params, found.Models[0].Params); got != "[{pretrained false } {dim false 64}] []" {
		t.Errorf("the parameters are %s", got)
	}
	if got := strings.Join(found.Examples, " "); got != "README.md broken.py nets/blocks.py nets/resnet.py nets/vit.py tests/test_vit.py train.py" {
		t.Errorf("the examples are %s", got)
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
