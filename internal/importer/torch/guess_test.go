package torch

import (
	"context"
	"fmt"
	"strings"
	"testing"
)

const guessable = `import torch
import torch.nn as nn
class Net(nn.Module):
    %s
    def __init__(self):
        super().__init__()
        self.f = nn.Flatten()%s
    def forward(self, x):
        %s
        return self.f(x)
def make():
    return Net()
`

// TestShapesAreTakenFromTheFile holds what a file says of its inputs, and that what it does not say is asked for.
func TestShapesAreTakenFromTheFile(t *testing.T) {
	for name, c := range map[string]struct{ class, init, doc, after, want, at string }{
		"main":        {after: "if __name__ == '__main__':\n    net = Net()\n    net(torch.randn(1, 3, 8, 8))\n", want: "3x8x8", at: "m.py:15: net(torch.randn(1, 3, 8, 8))"},
		"named":       {after: "net = Net().eval()\nx = torch.zeros((2, 16))\ny = net(x)\n", want: "16", at: "m.py:15: y = net(x)"},
		"direct":      {after: "print(Net()(torch.ones(1, 5)).shape)\n", want: "5", at: "m.py:13: print(Net()"},
		"test":        {after: "def test_net():\n    m = make().to('cpu')\n    assert m(torch.rand(4, 3, 2)).shape == (4, 6)\n", want: "3x2", at: "m.py:15: assert"},
		"tokens":      {after: "net = Net()\nnet(torch.randint(0, 100, (2, 12)))\n", want: "12:int64", at: "m.py:14"},
		"numbers":     {after: "B, C = 2, 3\nBATCH = 4\nWIDTH = 7\nnet = Net()\nnet(torch.randn(BATCH, WIDTH))\n", want: "7", at: "m.py:17"},
		"on a card":   {after: "net = Net().cuda()\nx = torch.randn(2, 9).cuda()\nnet(x)\n", want: "9", at: "m.py:15"},
		"lightning":   {init: "\n        self.example_input_array = torch.randn(1, 4, 4)", want: "4x4", at: "m.py:8: self.example_input_array"},
		"export":      {after: "net = Net()\ntorch.onnx.export(net, torch.randn(1, 3, 6, 6), 'a.onnx')\n", want: "3x6x6", at: "m.py:14"},
		"torchinfo":   {after: "from torchinfo import summary\nsummary(Net(), input_size=(1, 3, 6, 6))\n", want: "3x6x6", at: "m.py:14"},
		"torchsum":    {after: "from torchsummary import summary\nsummary(Net(), input_size=(3, 6, 6))\n", want: "3x6x6", at: "m.py:14"},
		"doc":         {doc: "\"\"\"x: (B, 3, 32, 32)\"\"\"", want: "3x32x32", at: "m.py:9: x: (B, 3, 32, 32)"},
		"class doc":   {class: "\"\"\"A net.\n\n    Input: (N, 4, 10)\n    Output: (N, 40)\n    \"\"\"", want: "4x10", at: "m.py:6: Input: (N, 4, 10)"},
		"names only":  {doc: "\"\"\"x: (B, C, H, W)\"\"\""},
		"result only": {doc: "\"\"\"returns (B, 10)\"\"\""},
		"unknown":     {after: "import sys\nnet = Net()\nnet(torch.randn(1, int(sys.argv[1])))\n"},
		"another":     {after: "other = nn.Flatten()\nother(torch.randn(1, 5))\n"},
		"rebound":     {after: "net = Net()\nnet = 3\nx = torch.randn(1, 3)\nx = load()\nnet(x)\n"},
		"two of one":  {after: "net = Net()\nnet(torch.randn(1, 3), torch.randn(1, 3))\n"},
	} {
		class := c.class
		if class == "" {
			class = "pass"
		}
		doc := c.doc
		if doc == "" {
			doc = "pass"
		}
		m, err := importAt(context.Background(), write(t, fmt.Sprintf(guessable, class, c.init, doc)+c.after), "m.py", "Net", Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got := ""
		if len(m.Inputs) > 0 {
			got = m.Inputs[0].String()
		}
		if got != c.want || !strings.HasPrefix(m.InputsFrom, c.at) || (got == "") != (m.Status == Partly) {
			t.Errorf("%s: %q from %q (%s), want %q at %s", name, got, m.InputsFrom, m.Status, c.want, c.at)
		}
		if rule, message := blocked(t, m); rule != "" {
			t.Errorf("%s: blocked by %s: %s", name, rule, message)
		}
	}
}
