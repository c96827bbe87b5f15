//go:build unix

package fix

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/adversary"
	"github.com/modelverifier/verifier/internal/graph"
	"github.com/modelverifier/verifier/internal/patch"
)

// listed is n items of a list.
func listed(n int, item string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.ReplaceAll(item, "#", fmt.Sprint(i)))
	}
	return b.String()
}

// crowded are sources in which a fault has very many things near it.
func crowded() map[string]string {
	const net = "import torch\nfrom torch import nn\n\n\nclass Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.a = nn.Linear(8, 8)\n"
	const forward = "\n    def forward(self, x):\n"
	return map[string]string{
		"one name":             net + "        self.b = nn.Linear(9, 8)\n" + forward + "        return self.b(self.a(x)) + [" + listed(25_000, "x,") + "][0]\n",
		"names":                net + "        self.b = nn.Linear(9, 8)\n" + forward + listed(5_000, "        a# = x\n") + "        return self.b(self.a(x)) + [" + listed(5_000, "a#,") + "][0]\n",
		"parameters":           net + "        self.b = nn.Linear(9, 8)\n\n    def g(self, " + listed(4_000, "a#=0,") + "):\n        return self.b([" + listed(4_000, "a#,") + "][0])\n" + forward + "        x = self.a(x)\n        return self.g(x) + 0 * len([" + listed(2_500, "self.g,") + "])\n        self.g(" + listed(10_000, "1,") + ")\n",
		"numbers":              net + "        self.b = nn.Linear(9, sum([" + listed(25_000, "1,") + "]))\n" + forward + "        return self.b(self.a(x))\n",
		"other numbers":        net + "        self.b = nn.Linear(9, len([" + listed(15_000, "#,") + "]))\n" + forward + "        return self.b(self.a(x))\n",
		"keywords":             net + "        self.b = nn.Linear(8, 8, q=1)\n" + forward + "        return self.b(self.a(x))\n\n\ndef f(p=0):\n    return p\n\n\ndef g():\n" + listed(7_500, "    f(q=1)\n"),
		"attributes":           net + listed(6_000, "        self.a# = 1\n") + forward + "        return self.a(x) + self.missing\n",
		"read attributes":      net + listed(3_000, "        self.a# = 1\n") + forward + "        return self.a(x) + [" + listed(3_000, "self.missing,") + "][0]\n",
		"keys":                 net + "        self.c = {" + listed(4_000, "'k#':1,") + "}\n" + forward + "        return self.a(x) + [" + listed(2_500, "self.c['kk'],") + "][0]\n",
		"calls":                net + "        self.b = nn.Linear(9, 8)\n" + forward + "        return self.b(x) if x.dim() else [" + listed(5_000, "self.b(x),") + "]\n",
		"functions":            listed(4_000, "def f#():\n    return 1\n\n\n") + net + "        self.b = nn.Linear(9, len([" + listed(4_000, "f#,") + "]))\n" + forward + "        return self.b(self.a(x))\n        " + listed(4_000, "f#(),") + "0\n",
		"methods":              net + listed(5_000, "    def m#(self):\n        return 1\n") + forward + "        return self.a(x)([" + listed(2_500, "self.a(),") + "])\n",
		"layers nobody calls":  net + listed(30, "        self.c# = nn.Linear(8, 8)\n") + "        self.b = nn.Linear(9, 8)\n" + forward + listed(5_000, "        y = x\n") + "        return self.b(x)\n",
		"values within values": net + "        self.b = nn.Linear(9, 8)\n" + forward + "        return " + strings.Repeat("self.b(", 60) + "x + 0 * len('" + strings.Repeat("a", 300_000) + "')" + strings.Repeat(")", 60) + "\n",
		"a long name":          net + forward + "        " + strings.Repeat("a", 200_000) + "x = x\n        return self.a(" + strings.Repeat("a", 200_000) + "y)\n",
	}
}

// TestCandidatesCostNoMoreThanTheirSource looks for changes in sources with a fault that very many things stand beside.
func TestCandidatesCostNoMoreThanTheirSource(t *testing.T) {
	for name, text := range crowded() {
		t.Run(name, func(t *testing.T) {
			files, target := []patch.File{{Path: "net.py", Text: text}}, Target{Path: "net.py", Symbol: "Net", Inputs: []string{"8"}}
			p := project{ctx: context.Background(), Request: &Request{Files: files, Targets: []Target{target}, Limits: graph.ServiceLimits}}
			v := p.judge(files, &target)
			if v.err != nil || len(v.blocks) == 0 {
				t.Fatalf("nothing is found: %v", v.err)
			}
			found := 0
			cost := adversary.Measure(t, func() { found = len(p.newFault(files, &target, v, v.blocks[0]).candidates()) })
			if !cost.Within(adversary.Bar) {
				t.Errorf("%d candidates take %.2f s and %d MB", found, cost.Seconds, cost.Bytes>>20)
			}
			t.Logf("%.80s: %d candidates, %.3f s, %d MB of %d bytes", v.blocks[0].Detail, found, cost.Seconds, cost.Bytes>>20, len(text))
		})
	}
}
