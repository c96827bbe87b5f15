package torch

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// pythons are the interpreters with PyTorch that the tests of traces run: Debian's, and the one that VERIFIER_TORCH_PYTHON names.
func pythons(t *testing.T) []string {
	t.Helper()
	needTorch(t)
	out := []string{debianPython}
	if named := os.Getenv("VERIFIER_TORCH_PYTHON"); named != "" {
		out = append(out, named)
	}
	return out
}

const traceable = `import argparse
import torch
from torch import nn
parser = argparse.ArgumentParser()
parser.add_argument("--width", type=int, default=16)
opt = parser.parse_args()
%s
class Net(nn.Module):
    def __init__(self, dim=8):
        super().__init__()
        rates = [r.item() for r in torch.linspace(0, 0.5, 4)]
        self.l = nn.Linear(dim, opt.width)
        self.d = nn.Dropout(rates[1])
        self.scale = torch.ones(opt.width)
    def forward(self, x):
        return self.d(self.l(x)) * self.scale + torch.zeros(opt.width, device=x.device)
%s`

// TestTracesOfScripts holds that a script with argparse is traced, that nothing of it runs behind the class but what defines names, that a
// large model takes no memory, and that nothing is downloaded.
func TestTracesOfScripts(t *testing.T) {
	for name, c := range map[string]struct {
		before, after, args, want string
		params                    int64
	}{
		"argparse":  {params: 144},
		"training":  {after: "net = Net()\nfor i in range(10 ** 12):\n    pass\nraise SystemExit(3)\n", params: 144},
		"main":      {after: "if __name__ == '__main__':\n    raise SystemExit(3)\n", params: 144},
		"huge":      {args: "4000000000", params: 64000000016},
		"required":  {before: "parser.add_argument('--data', required=True)\nopt = parser.parse_args()", want: "the following arguments are required: --data"},
		"download":  {before: "import urllib.request\nurllib.request.urlopen('https://example.org/weights.pth')", want: "a trace downloads nothing"},
		"weights":   {before: "import torch.hub\nstate = torch.hub.load_state_dict_from_url('https://example.org/weights.pth')\nnn.Linear(2, 2).load_state_dict(state['model'])", params: 144},
		"on a card": {after: "class Card(Net):\n    pass\nNet = lambda dim=8: Card(dim).cuda().to('cuda')\n", params: 144},
	} {
		opt := Options{Inputs: []Input{{Shape: []int64{8}}}}
		if c.args != "" {
			opt.Args, opt.Inputs = map[string]string{"dim": c.args}, []Input{{Shape: []int64{4000000000}}}
		}
		dir := write(t, strings.Replace(strings.Replace(traceable, "%s", c.before, 1), "%s", c.after, 1))
		for _, python := range pythons(t) {
			m, err := Trace(context.Background(), python, dir, "m.py", "Net", opt, time.Minute)
			switch {
			case c.want != "":
				if err == nil || !strings.Contains(err.Error(), c.want) {
					t.Errorf("%s with %s: %v, want %s", name, python, err, c.want)
				}
			case err != nil:
				t.Errorf("%s with %s: %v", name, python, err)
			default:
				if out, _ := outcome(m); m.Params != c.params || !slices.Equal(out, []int64{16}) {
					t.Errorf("%s with %s: %d weights, %v", name, python, m.Params, out)
				}
			}
		}
	}
}

// TestTracesWithNumbers holds that what the meta device cannot do runs on real numbers, and that a note says so.
func TestTracesWithNumbers(t *testing.T) {
	dir := write(t, `import torch
from torch import nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.l = nn.Linear(8, 2)
    def forward(self, x):
        if x.sum().item() > 1e9:
            return x
        return self.l(x)
model = Net()
`)
	for _, python := range pythons(t) {
		for _, name := range []string{"Net", "model"} {
			m, err := Trace(context.Background(), python, dir, "m.py", name, Options{Inputs: []Input{{Shape: []int64{8}}}}, time.Minute)
			if err != nil {
				t.Errorf("%s: %v", python, err)
				continue
			}
			if m.Params != 18 || len(m.Notes) == 0 || !strings.Contains(m.Notes[0].Message, "real numbers") {
				t.Errorf("%s: %d weights, notes %v", python, m.Params, m.Notes)
			}
		}
	}
}

// TestTracesFindSiblings holds that a script of a repository imports what lies beside and above it.
func TestTracesFindSiblings(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		".git/HEAD":       "",
		"layers/fc.py":    "from torch import nn\ndef fc(n):\n    return nn.Linear(n, 2)\n",
		"models/net.py":   "from torch import nn\nfrom layers.fc import fc\nclass Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.l = fc(8)\n    def forward(self, x):\n        return self.l(x)\n",
		"models/other.py": "",
	} {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, python := range pythons(t) {
		m, err := Trace(context.Background(), python, filepath.Join(root, "models"), "net.py", "Net", Options{Inputs: []Input{{Shape: []int64{8}}}}, time.Minute)
		if err != nil || m.Params != 18 {
			t.Errorf("%s: %v, %v", python, m, err)
		}
	}
}
