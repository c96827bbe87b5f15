package torch

import (
	"context"
	"fmt"
	"os/exec"
	"strings"
	"testing"
)

// oddCalls are layers that are given True or None where others give a number, with their input.
var oddCalls = map[string]string{
	"Conv1d(4, 4, 3, padding=True)": "4x9", "Conv2d(4, 4, 3, padding=True)": "4x9x9", "Conv2d(4, 4, 3, padding=(True, True))": "4x9x9",
	"Conv2d(4, 4, 3, stride=True)": "4x9x9", "Conv2d(4, 4, 3, dilation=True)": "4x9x9", "Conv2d(4, 4, 3, groups=True)": "4x9x9",
	"Conv2d(4, 4, 3, stride=None)": "4x9x9", "Conv2d(4, 4, 3, padding=None)": "4x9x9", "Conv2d(4, 4, 3, dilation=None)": "4x9x9",
	"ConvTranspose2d(4, 4, 3, stride=None)": "4x9x9", "MaxPool2d(3, stride=None)": "4x9x9", "Conv2d(4, 4, 3, padding=(1, True))": "4x9x9",
	"Conv2d(4, 4, True)": "4x9x9", "Conv2d(True, 4, 3)": "1x9x9", "Conv2d(4, True, 3)": "4x9x9", "Conv3d(4, 4, 3, stride=True)": "4x9x9x9",
	"ConvTranspose2d(4, 4, 3, stride=True)": "4x9x9", "ConvTranspose2d(4, 4, 3, groups=True)": "4x9x9",
	"ConvTranspose2d(4, 4, 3, stride=2, output_padding=True)": "4x9x9", "MaxPool2d(True)": "4x9x9", "MaxPool2d(3, True)": "4x9x9",
	"AvgPool2d(3, padding=True)": "4x9x9", "LPPool2d(2, True)": "4x9x9", "AdaptiveAvgPool2d(True)": "4x9x9", "AdaptiveMaxPool2d(True)": "4x9x9",
	"ZeroPad2d(True)": "4x9x9", "ReflectionPad2d(True)": "4x9x9", "ConstantPad1d(True, 0.0)": "4x9", "Unfold(3, padding=True)": "4x9x9",
	"Linear(9, True)": "4x9", "Linear(True, 4)": "4x1", "BatchNorm2d(True)": "1x9x9", "LayerNorm(True)": "4x1", "LayerNorm((True,))": "4x1",
	"GroupNorm(True, 4)": "4x9", "Upsample(scale_factor=True)": "4x9x9", "Upsample(size=True)": "4x9x9", "PixelShuffle(True)": "4x9x9",
	"LSTM(9, True)": "4x9", "LSTM(9, 4, True)": "4x9", "Flatten(True)": "4x9x9", "Softmax(True)": "4x9", "LogSoftmax(True)": "4x9", "Dropout(True)": "4x9",
	"ChannelShuffle(True)": "4x9x9", "GLU(True)": "4x9x9", "Unflatten(1, (True, 4))": "4x9x9", "PReLU(True)": "4x9x9", "LocalResponseNorm(True)": "4x9x9",
}

// TestTrueAndNoneAreNumbersWherePyTorchTakesThem runs each layer in the installed PyTorch, and reads it.
func TestTrueAndNoneAreNumbersWherePyTorchTakesThem(t *testing.T) {
	needTorch(t)
	code := "import torch, torch.nn as nn\n"
	for call, shape := range oddCalls {
		code += fmt.Sprintf("try:\n    nn.%s(torch.zeros(2, %s)); print(%q, 'runs')\nexcept TypeError: print(%q, 'raises')\n",
			call, strings.ReplaceAll(shape, "x", ", "), call, call)
	}
	out, err := exec.Command(debianPython, "-W", "ignore", "-c", code).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for call, shape := range oddCalls {
		source := "import torch.nn as nn\nclass Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.f = nn." + call +
			"\n    def forward(self, x):\n        return self.f(x)\n"
		m, err := importAt(context.Background(), write(t, source), "m.py", "Net", Options{Inputs: []Input{input(t, shape)}})
		if err != nil {
			t.Errorf("%s: %v", call, err)
			continue
		}
		rule, message := blocked(t, m)
		if runs := strings.Contains(string(out), call+" runs\n"); runs != (rule == "") || len(m.Problems) > 0 && runs {
			t.Errorf("%s: %s %s %v, runs in PyTorch: %v", call, rule, message, m.Problems, runs)
		}
	}
}

// TestRangesThatAreTurnedRoundRaise has what a constructor fills its weights with.
func TestRangesThatAreTurnedRoundRaise(t *testing.T) {
	needTorch(t)
	calls := map[string]bool{"uniform_(0.5, -0.5)": false, "uniform_(-0.5, 0.5)": true, "uniform_(2.0)": false, "uniform_(to=-1.0)": false,
		"normal_(0, -1)": false, "normal_(0, 1)": true, "normal_(std=0.0)": true}
	code := "import torch\n"
	for call := range calls {
		code += "try:\n    torch.nn.Parameter(torch.zeros(3)).data." + call + "\n    print('runs', '" + call + "')\nexcept RuntimeError:\n    print('raises', '" + call + "')\n"
	}
	said, err := exec.Command(debianPython, "-c", code).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	for call, runs := range calls {
		if word := map[bool]string{true: "runs", false: "raises"}[runs]; !strings.Contains(string(said), word+" "+call+"\n") {
			t.Errorf("%s: PyTorch does not say that it %s: %s", call, word, said)
		}
		source := "import torch\nimport torch.nn as nn\nclass Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n" +
			"        self.w = nn.Parameter(torch.zeros(3))\n        self.w.data." + call + "\n    def forward(self, x):\n        return x * self.w\n"
		m, err := importAt(context.Background(), write(t, source), "m.py", "Net", Options{Inputs: []Input{input(t, "3")}})
		if err != nil {
			t.Errorf("%s: %v", call, err)
			continue
		}
		if rule, message := blocked(t, m); (rule == "") != runs {
			t.Errorf("%s: %s %s", call, rule, message)
		}
	}
}
