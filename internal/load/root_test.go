package load

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/fence/fencetest"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/hub"
	"github.com/modelverifier/verifier/internal/importer/torch/python"
)

// secretSource has names that must not be in any message.
const secretSource = "import torch\nfrom torch import nn\nTOPSECRET = 'x'\n\n\nclass SecretHead(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.hidden_layer = nn.Linear(4, 3)\n\n    def forward(self, x):\n        return self.hidden_layer(x)\n"

const usesIt = "import torch\nfrom torch import nn\nfrom %s import SecretHead\n\n\nclass Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.head = SecretHead()\n\n    def forward(self, x):\n        return self.head(x)\n"

// TestImportsStayBeneathTheRoot reads sources whose imports are links, in a repository, in a folder of none, and in a package whose folder
// is the repository. What lies outside is neither read nor named.
func TestImportsStayBeneathTheRoot(t *testing.T) {
	net := func(module string) string { return strings.Replace(usesIt, "%s", module, 1) }
	top := fencetest.Lay(t, map[string]string{
		"outside/secret.py": secretSource, "outside/pkg/__init__.py": "", "outside/pkg/secret.py": secretSource,
		"repo/.git": "gitdir: x", "repo/src/net.py": net("linked"), "repo/src/linked.py": "-> ../../outside/secret.py",
		"repo/src/net2.py": net("folder.secret"), "repo/src/folder": "-> ../../outside/pkg", "repo/src/net3.py": net("inner"), "repo/src/inner.py": "-> ../lib/head.py",
		"repo/lib/head.py": secretSource, "alone/net.py": net("linked"), "alone/linked.py": "-> ../outside/secret.py", "alone/beside.py": secretSource, "alone/net2.py": net("beside"),
		"plugin/.git": "gitdir: x", "plugin/__init__.py": "", "plugin/net.py": net("outside.secret"), "plugin/net2.py": net(".inner"), "plugin/inner.py": secretSource,
		"plugin/net3.py": net("..outside.secret"), "named/net.py": "-> ../repo/src/net3.py",
	})
	for name, reads := range map[string]bool{
		"repo/src/net.py": false, "repo/src/net2.py": false, "repo/src/net3.py": true, "alone/net.py": false, "alone/net2.py": true,
		"plugin/net.py": false, "plugin/net2.py": true, "plugin/net3.py": false, "named/net.py": true,
	} {
		for _, rooted := range []bool{false, true} {
			ref, opt := filepath.Join(top, filepath.FromSlash(name)), Options{Limits: graph.LocalLimits, Inputs: []string{"4"}}
			if rooted {
				dir, within, _ := strings.Cut(name, "/")
				if dir == "named" { // which leads out of this root
					continue
				}
				root, err := os.OpenRoot(filepath.Join(top, dir))
				if err != nil {
					t.Fatal(err)
				}
				defer root.Close()
				ref, opt.Hub = within, hub.Options{Root: root}
			}
			m, err := Open(context.Background(), ref+":Net", opt)
			if reads != (err == nil && m.Params == 15) {
				t.Errorf("%s, rooted %v: %+v, %v", name, rooted, m, err)
			}
			if err != nil && (strings.Contains(err.Error(), "TOPSECRET") || strings.Contains(err.Error(), "hidden_layer")) {
				t.Errorf("%s: the message quotes a file outside: %v", name, err)
			}
		}
	}
}

// TestNoReferenceLeavesTheRoot holds that with a root given nothing else on disk is a model, by dots, from the top, or through links.
func TestNoReferenceLeavesTheRoot(t *testing.T) {
	top := fencetest.Lay(t, map[string]string{
		"outside/net.graph": "a: input", "outside/config.json": `{"model_type":"gpt2"}`, "outside/net.py": secretSource,
		"root/net.graph": "-> ../outside/net.graph", "root/llm/config.json": "-> ../../outside/config.json", "root/net.py": "-> ../outside/net.py", "root/all": "-> ../outside",
	})
	root, err := os.OpenRoot(filepath.Join(top, "root"))
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	for _, ref := range []string{"../outside/net.graph", filepath.Join(top, "outside/net.graph"), "net.graph", "llm", "llm/config.json", "net.py", "net.py:SecretHead", "all/net.graph", "all", "all/net.py:SecretHead", "gpt2"} {
		if m, err := Open(context.Background(), ref, Options{Limits: graph.LocalLimits, Inputs: []string{"4"}, Hub: hub.Options{Root: root}}); err == nil && ref != "gpt2" {
			t.Errorf("%s: %+v", ref, m)
		} else if err != nil && strings.Contains(err.Error(), "SecretHead ") {
			t.Errorf("%s: %v", ref, err)
		}
	}
}

func TestALargeSourceIsNotRead(t *testing.T) {
	top := fencetest.Lay(t, map[string]string{"net.py": "", "uses.py": strings.Replace(usesIt, "%s", "net", 1)})
	if err := os.Truncate(filepath.Join(top, "net.py"), 3<<30); err != nil {
		t.Fatal(err)
	}
	var err error
	allocated := testing.Benchmark(func(b *testing.B) {
		b.ReportAllocs()
		for range b.N {
			_, err = Open(context.Background(), filepath.Join(top, "net.py")+":Net", Options{Limits: graph.LocalLimits})
		}
	}).AllocedBytesPerOp()
	if err == nil || !strings.Contains(err.Error(), "has more than 1048576 bytes") || allocated > 16*python.MaxBytes {
		t.Errorf("%d bytes, %v", allocated, err)
	}
	m, err := Open(context.Background(), filepath.Join(top, "uses.py")+":Net", Options{Limits: graph.LocalLimits})
	if err == nil && len(m.Withheld) == 0 {
		t.Error("a large module is read")
	}
}
