package torch

import (
	"fmt"
	"strings"
	"testing"
)

// TestUsagesOfAModel holds what tests, scripts and examples say of how a model is made and called.
func TestUsagesOfAModel(t *testing.T) {
	for name, c := range map[string]struct{ src, want string }{
		"script":     {"import torch\nfrom nets import Net\nnet = Net(dim=64, act='gelu', p=0.5, depths=[2, 2], bias=True, norm=None).eval()\nx = torch.randn(1, 3, 32, 32)\ny = net(x)\n", "5 Net(dim=64, act=\"gelu\", p=0.5, depths=[2, 2], bias=True, norm=None)(3x32x32)"},
		"positional": {"net = nets.Net(64, -1, (3,), (1, 2))\n", "1 Net(64, -1, (3,), (1, 2))()"},
		"test":       {"class TestNet(unittest.TestCase):\n    def setUp(self):\n        self.net = Net(8)\n    def test_it(self):\n        B, T = 2, 16\n        Net(8)(torch.zeros(B, T, dtype=torch.long))\n", "3 Net(8)(); 6 Net(8)(16:int64)"},
		"own method": {"def test_net():\n    size = 32\n    net = Net(size=size)\n    with torch.no_grad():\n        out = net(torch.rand(2, 3, size, size), torch.randint(0, 9, (2,)))\n", "5 Net(size=32)(3x32x32; :int64)"},
		"main":       {"if __name__ == '__main__':\n    for s in [1]:\n        m = Net()\n        m(torch.ones(4, 9))\n", "4 Net()(9)"},
		"unknown":    {"net = Net(args.dim)\nnet(torch.randn(1, 3))\n", ""},
		"starred":    {"net = Net(**config)\n", ""},
		"other":      {"net = Other(3)\nnet(torch.randn(1, 3))\n", ""},
		"rebound":    {"net = Net()\nnet = load()\nnet(torch.randn(1, 3))\n", "1 Net()()"},
		"by name":    {"net = Net()\nnet(x=torch.randn(1, 3))\n", "1 Net()()"},
		"not Python": {"net = Net(\n", ""},
	} {
		var got []string
		for _, u := range Usages(c.src, []string{"Net"}) {
			var args, inputs []string
			for _, a := range u.Args {
				args = append(args, strings.TrimPrefix(a.Name+"="+a.Value, "="))
			}
			for _, in := range u.Inputs {
				inputs = append(inputs, in.String())
			}
			got = append(got, fmt.Sprintf("%d %s(%s)(%s)", u.Line, u.Name, strings.Join(args, ", "), strings.Join(inputs, "; ")))
		}
		if text := strings.Join(got, "; "); text != c.want {
			t.Errorf("%s: %s\nwant %s", name, text, c.want)
		}
	}
}
