package fix_test

import (
	"strings"
	"testing"
)

// places are sources whose fault is mended away from the line that does not run, or by a word that is known of PyTorch.
var places = []struct{ name, src, input, want string }{
	{"a name that is not bound yet", `
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(8, 8)
        self.b = nn.Linear(8, 4)

    def forward(self, x):
        hidden = self.a(out)
        out = self.b(hidden)
        return out
`, "8", "+        hidden = self.a(x)"},
	{"a keyword of a function of PyTorch", `
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("grid", torch.linspace(0, 1, stps=8))

    def forward(self, x):
        return x * self.grid
`, "8", `+        self.register_buffer("grid", torch.linspace(0, 1, steps=8))`},
	{"a keyword of two letters", `
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.f = nn.Linear(16, 4)

    def forward(self, x):
        return self.f(torch.cat([x, x], im=-1))
`, "8", "+        return self.f(torch.cat([x, x], dim=-1))"},
	{"a keyword without which an argument is missing", `
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.f = self.layer(8, strid=2)

    def layer(self, width, stride):
        return nn.Linear(width, width * stride)

    def forward(self, x):
        return self.f(x)
`, "8", "+        self.f = self.layer(8, stride=2)"},
	{"the first argument of super", `
class Net(nn.Module):
    def __init__(self, width=8):
        super(width, self).__init__()
        self.f = nn.Linear(width, 4)

    def forward(self, x):
        return self.f(x)
`, "8", "+        super(Net, self).__init__()"},
	{"another axis", `
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.f = nn.Conv2d(4, 4, 3)

    def forward(self, x):
        return self.f(torch.cat([x, x[:, :1]], 2))
`, "3x8x8", "+        return self.f(torch.cat([x, x[:, :1]], 1))"},
	{"the call of a helper class", `
class Part(nn.Module):
    def __init__(self, width, out):
        super().__init__()
        self.conv = nn.Conv2d(width, out, 1)
        self.norm = nn.BatchNorm2d(out)

    def forward(self, x):
        return self.norm(self.conv(x))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = Part(3, 16)
        self.last = Part(12, 10)

    def forward(self, x):
        return self.last(self.first(x))
`, "3x8x8", "+        self.last = Part(16, 10)"},
}

func TestMendsWhereTheFaultComesFrom(t *testing.T) {
	for _, c := range places {
		t.Run(c.name, func(t *testing.T) {
			r := propose(t, head+c.src[1:], "Net", c.input)
			if len(r.Patches) != 1 || !r.Patches[0].Proved || !strings.Contains(r.Patches[0].Diff, c.want+"\n") {
				t.Fatalf("want %s, got %+v", c.want, r)
			}
		})
	}
}
