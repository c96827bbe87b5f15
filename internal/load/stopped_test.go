package load

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestWhereReadingStops holds the form of messages: one path, one line, the cause and then the ways out.
func TestWhereReadingStops(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"net.py": "import torch\nfrom torch import nn\nimport strange.layers as s\nfrom parts import part\nclass Net(nn.Module):\n    def __init__(self, dim=8):\n        super().__init__()\n" +
			"        self.l = nn.Linear(dim, s.width())\n    def forward(self, x):\n        return self.l(x)\n" +
			"class Far(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.p = part()\n" +
			"class Needs(nn.Module):\n    def __init__(self, dim):\n        super().__init__()\n" +
			"class Half(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.l = nn.Linear(8, 8)\n    def forward(self, x):\n        return self.l(s.twist(x))\n",
		"parts.py": "from torch import nn\nimport os\ndef part():\n    return nn.Linear(int(os.environ['N']), 2)\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	ref := filepath.Join(dir, "net.py") + ":"
	for name, want := range map[string]string{
		"Net": "line 8: out_features of Linear is not known: line 3: module strange.layers is not known. Read the packages that it imports, too, with --site-packages DIR, " +
			"or run it in your own Python, on the meta device: verifier import --trace " + ref + "Net --input SHAPE -o net.graph",
		"Needs": "needs dim, which the source does not give: pass --arg dim=…",
		"Gone":  "is not defined there; the file has Far, Half, Needs, Net",
	} {
		_, err := Open(context.Background(), ref+name, Options{Inputs: []string{"8"}})
		if err == nil || err.Error() != ref+name+": "+want {
			t.Errorf("%s: %v\nwant %s", name, err, want)
		}
	}
	_, err := Open(context.Background(), ref+"Far", Options{Inputs: []string{"8"}})
	if err == nil || !strings.HasPrefix(err.Error(), ref+"Far: parts.py line 4: ") || strings.Contains(err.Error(), ":0:") || strings.Count(err.Error(), dir) != 2 {
		t.Errorf("in another file: %v", err)
	}
	m, err := Open(context.Background(), ref+"Half", Options{Inputs: []string{"8"}})
	if err != nil || !strings.HasSuffix(m.Notes[len(m.Notes)-1], "verifier import --trace "+ref+"Half --input SHAPE -o net.graph") {
		t.Errorf("a part: %v, %v", m, err)
	}
}
