package fix_test

import (
	"context"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/fix"
	"github.com/modelverifier/verifier/internal/patch"
)

// propose mends one source.
func propose(t *testing.T, src, symbol string, inputs ...string) fix.Result {
	t.Helper()
	r, err := fix.Propose(context.Background(), fix.Request{
		Files:   []patch.File{{Path: "net.py", Text: src}},
		Targets: []fix.Target{{Path: "net.py", Symbol: symbol, Inputs: inputs}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

const head = "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n\n\n"

// mends are sources with one fault, and the line that takes its place.
var mends = []struct{ name, src, input, want string }{
	{"a literal of the reader", `
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Conv2d(3, 16, 3)
        self.b = nn.BatchNorm2d(15)

    def forward(self, x):
        return self.b(self.a(x))
`, "3x32x32", "+        self.b = nn.BatchNorm2d(16)"},
	{"a default above", `
class Net(nn.Module):
    def __init__(self, hidden=15):
        super().__init__()
        self.a = nn.Linear(8, 16)
        self.b = nn.Linear(hidden, 4)

    def forward(self, x):
        return self.b(self.a(x))
`, "8", "+    def __init__(self, hidden=16):"},
	{"a constant of the module", `
HIDDEN = 30


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(8, 32)
        self.b = nn.Linear(HIDDEN, 4)

    def forward(self, x):
        return self.b(F.relu(self.a(x)))
`, "8", "+HIDDEN = 32"},
	{"the producer, where the readers agree", `
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Conv2d(3, 65, 3)
        self.b = nn.BatchNorm2d(64)
        self.c = nn.Conv2d(64, 64, 3)

    def forward(self, x):
        return self.c(self.b(self.a(x)))
`, "3x32x32", "+        self.a = nn.Conv2d(3, 64, 3)"},
	{"a flatten in the forward", `
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Conv2d(3, 4, 3)
        self.b = nn.Linear(4 * 30 * 30, 10)

    def forward(self, x):
        x = F.relu(self.a(x))
        return self.b(x)
`, "3x32x32", "+        x = torch.flatten(x, 1)"},
	{"a flatten in a row of layers", `
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Sequential(
            nn.Conv2d(3, 4, 3),
            nn.Linear(3600, 10),
        )

    def forward(self, x):
        return self.a(x)
`, "3x32x32", "+            nn.Flatten(),"},
	{"a method that nothing calls", `
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(8, 4)
        self.scale = nn.Parameter(torch.ones(4))
        self.scale()

    def reset(self):
        nn.init.ones_(self.scale)

    def forward(self, x):
        return self.a(x) * self.scale
`, "8", "+        self.reset()"},
	{"a method of nn.Module that is misspelt", `
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(8, 4)
        self.regitser_buffer("scale", torch.ones(4))

    def forward(self, x):
        return self.a(x) * self.scale
`, "8", "+        self.register_buffer(\"scale\", torch.ones(4))"},
	{"another name of the scope", `
class Net(nn.Module):
    def __init__(self, width=8, hidden=24):
        super().__init__()
        self.a = nn.Linear(width, hidden)
        self.b = nn.Linear(width, 4)

    def forward(self, x):
        return self.b(self.a(x))
`, "8", "+        self.b = nn.Linear(hidden, 4)"},
	{"a layer that is misspelt", `
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(8, 8)

    def forward(self, x):
        return self.frist(x)
`, "8", "+        return self.first(x)"},
	{"a layer that is made and never called", `
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(8, 16)
        self.b = nn.Linear(16, 12)
        self.c = nn.Linear(12, 4)

    def forward(self, x):
        x = F.relu(self.a(x))
        x = F.relu(x)
        return self.c(x)
`, "8", "+        x = self.b(x)"},
	{"arguments in the wrong order", `
class Net(nn.Module):
    def __init__(self, width=8, hidden=24, classes=3):
        super().__init__()
        self.a = nn.Linear(width, hidden)
        self.b = nn.Linear(classes, hidden)

    def forward(self, x):
        return self.b(self.a(x))
`, "8", "+        self.b = nn.Linear(hidden, classes)"},
	{"a field of a dataclass", `
from dataclasses import dataclass


@dataclass
class Config:
    width: int = 8
    hidden: int = 20


class Net(nn.Module):
    def __init__(self, config=Config()):
        super().__init__()
        self.a = nn.Linear(config.width, 24)
        self.b = nn.Linear(config.hidden, 4)

    def forward(self, x):
        return self.b(self.a(x))
`, "8", "+    hidden: int = 24"},
	{"an argument that nothing reads", `
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(8, 8)

    def forward(self, x, y):
        out = self.a(x) + out
        return out
`, "8;8", "+        out = self.a(x) + y"},
	{"a keyword that is misspelt", `
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(3, 8, kernelsize=3)

    def forward(self, x):
        return self.first(x)
`, "3x8x8", "+        self.first = nn.Conv2d(3, 8, kernel_size=3)"},
}

func TestListsWhatIsAsGood(t *testing.T) {
	r := propose(t, head+`class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(8, 4)
        self.a = nn.Linear(8, 2)

    def forward(self, x):
        return torch.cat([self.a(x), self.b(x)], dim=1)
`, "Net", "8")
	if len(r.Patches) != 0 || len(r.Choices) != 1 || len(r.Choices[0].Options) != 2 {
		t.Errorf("%+v", r)
	}
}

func TestAFaultBehindAFaultIsMended(t *testing.T) {
	r := propose(t, head+`class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(8, 4)
        self.b = nn.Linear(5, 3)
        self.c = nn.Linear(7, 2)

    def forward(self, x):
        return self.c(self.b(self.a(x)))
`, "Net", "8")
	if len(r.Patches) != 2 || !r.Patches[0].Proved || !r.Patches[1].Proved || !strings.Contains(r.Files[0].Text, "Linear(4, 3)") || !strings.Contains(r.Files[0].Text, "Linear(3, 2)") {
		t.Errorf("%+v", r)
	}
}

func TestMendsASource(t *testing.T) {
	for _, c := range mends {
		t.Run(c.name, func(t *testing.T) {
			r := propose(t, head+strings.TrimPrefix(c.src, "\n"), "Net", c.input)
			if len(r.Patches) != 1 || !r.Patches[0].Proved || !strings.Contains(r.Patches[0].Diff, c.want+"\n") {
				t.Errorf("want %s, got %+v", c.want, r)
			}
		})
	}
}

// TestWhatOneSampleAllowsIsNoMending has a reshape that loses the batch: another number in it would do for one sample alone.
func TestWhatOneSampleAllowsIsNoMending(t *testing.T) {
	r := propose(t, head+`
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.c = nn.Parameter(torch.zeros(10))

    def forward(self, z):
        z = z.view(*z.shape, 1)
        z = self.c - z
        return z.view(*z.shape[:-2], -2)
`, "Net", "1,")
	for _, p := range r.Patches {
		if p.Proved && !strings.Contains(p.Diff, "+        return z.view(*z.shape[:-2], -1)") {
			t.Errorf("%s\n%s", p.Why, p.Diff)
		}
	}
	if len(r.Patches) == 0 {
		t.Error("nothing is proposed")
	}
}
