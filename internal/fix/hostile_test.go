package fix_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/modelverifier/verifier/internal/fix"
	"github.com/modelverifier/verifier/internal/patch"
)

func TestSaysWhatIsWrongWithARequest(t *testing.T) {
	net := patch.File{Path: "net.py", Text: "import torch.nn as nn\n"}
	for name, c := range map[string]struct {
		files  []patch.File
		target fix.Target
		want   string
	}{
		"not UTF-8":        {[]patch.File{{Path: "net.py", Text: "x = '\xff'"}}, fix.Target{Path: "net.py"}, "is not UTF-8"},
		"a path outside":   {[]patch.File{{Path: "../net.py"}}, fix.Target{Path: "../net.py"}, "is not a plain relative path"},
		"an absolute path": {[]patch.File{{Path: "/net.py"}}, fix.Target{Path: "/net.py"}, "is absolute"},
		"sent twice":       {[]patch.File{net, net}, fix.Target{Path: "net.py"}, "was sent twice"},
		"never sent":       {[]patch.File{net}, fix.Target{Path: "other.py"}, "is none of the files that were sent"},
		"no command":       {[]patch.File{net}, fix.Target{Path: "net.py", Command: "run.sh"}, "run.sh: is none of the files"},
	} {
		_, err := fix.Propose(context.Background(), fix.Request{Files: c.files, Targets: []fix.Target{c.target}})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
}

func TestSaysWhyEditsAreNotProved(t *testing.T) {
	src := head + strings.TrimPrefix(mends[0].src, "\n")
	at := strings.Index(src, "15")
	req := fix.Request{Files: []patch.File{{Path: "net.py", Text: src}}, Targets: []fix.Target{{Path: "net.py", Symbol: "Net", Inputs: []string{"3x32x32"}}}}
	for name, c := range map[string]struct {
		edits  []patch.Edit
		proved bool
		why    string
	}{
		"right":          {[]patch.Edit{{Path: "net.py", Start: at, End: at + 2, New: "16"}}, true, ""},
		"wrong":          {[]patch.Edit{{Path: "net.py", Start: at, End: at + 2, New: "17"}}, false, "numFeatures is 17 but 16 channels arrive"},
		"another":        {[]patch.Edit{{Path: "net.py", Start: at, End: at + 3, New: "16, foo=1)"}}, false, "then"},
		"no Python":      {[]patch.Edit{{Path: "net.py", Start: at, End: at + 3, New: "("}}, false, "cannot be read with it"},
		"nothing at all": {nil, false, "still b: numFeatures is 15"},
	} {
		p, err := fix.Prove(context.Background(), req, c.edits)
		if err != nil || p.Proved != c.proved || !strings.Contains(p.Why, c.why) {
			t.Errorf("%s: %v, %+v", name, err, p)
		}
	}
	if _, err := fix.Prove(context.Background(), req, []patch.Edit{{Path: "net.py", Start: 0, End: 9}, {Path: "net.py", Start: 5, End: 12}}); err == nil {
		t.Error("edits that overlap are taken")
	}
	if p, err := fix.Prove(context.Background(), fix.Request{Files: req.Files}, nil); err != nil || p.Proved || p.Judged {
		t.Errorf("without a model: %v, %+v", err, p)
	}
}

// bombs are sources that would cost without end, with a fault that a search begins at.
var bombs = map[string]string{
	"many numbers": "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.a = nn.Linear(8, 7)\n        self.b = nn.Linear(9, sum([" +
		strings.Repeat("1, ", 20000) + "1]))\n    def forward(self, x):\n        return self.b(self.a(x))\n",
	"many layers": "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.a = nn.ModuleList([nn.Linear(8, 8) for _ in range(3000)])\n" +
		"        self.b = nn.Linear(9, 8)\n    def forward(self, x):\n        for a in self.a:\n            x = a(x)\n        return self.b(x)\n",
	"an endless loop behind it": "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.b = nn.Linear(9, 8)\n" +
		"    def forward(self, x):\n        x = self.b(x)\n        while True:\n            x = x + 1\n        return x\n",
	"deep recursion": "def f(n):\n    return f(n + 1)\n\n\nclass Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.b = nn.Linear(9, 8)\n" +
		"    def forward(self, x):\n        return f(self.b(x))\n",
	"many functions": strings.Repeat("def f(n):\n    return f(n)\n\n\n", 3000) + "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.b = nn.Linear(9, 8)\n" +
		"    def forward(self, x):\n        return self.b(f(x))\n",
}

func TestABombEndsWithinTheBudget(t *testing.T) {
	for name, src := range bombs {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			r := propose(t, head+src, "Net", "8")
			t.Logf("%v: %d patches, %d choices, %d left", time.Since(start), len(r.Patches), len(r.Choices), len(r.Left))
			for _, p := range r.Patches {
				if p.Proved && strings.Contains(name, "endless") {
					t.Errorf("a model that never ends is mended: %+v", p)
				}
			}
			if took := time.Since(start); took > 2*time.Minute {
				t.Errorf("takes %v", took)
			}
		})
	}
}

func FuzzPropose(f *testing.F) {
	for _, c := range mends {
		f.Add("net.py", head+c.src)
	}
	f.Add("net.graph", notation)
	f.Add("net.json", asJSON)
	f.Add("config.json", config)
	f.Fuzz(func(t *testing.T, path, src string) {
		if len(src) > 2000 {
			return
		}
		r, err := fix.Propose(context.Background(), fix.Request{Files: []patch.File{{Path: path, Text: src}}, Targets: []fix.Target{{Path: path, Inputs: []string{"8"}}}})
		if err != nil {
			return
		}
		for _, p := range r.Patches {
			if err := patch.Check(p.Diff, patch.File{Path: path, Text: src}, applied(t, path, src, p.Edits)); err != nil {
				t.Error(err)
			}
		}
	})
}

func applied(t *testing.T, path, src string, edits []patch.Edit) string {
	t.Helper()
	out, err := patch.Apply([]patch.File{{Path: path, Text: src}}, edits)
	if err != nil {
		t.Fatal(err)
	}
	return out[0].Text
}

// TestNothingIsJudgedBeyondTheTime, also of files whose reading looks at no clock itself.
func TestNothingIsJudgedBeyondTheTime(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	req := fix.Request{Files: []patch.File{{Path: "net.json", Text: asJSON}}, Targets: []fix.Target{{Path: "net.json"}}}
	if p, err := fix.Prove(ctx, req, nil); !errors.Is(err, context.Canceled) || p.Judged && len(p.Left) > 0 {
		t.Errorf("%v %+v", err, p)
	}
	if blocks := fix.Blocks(ctx, req); len(blocks) > 0 {
		t.Errorf("%v", blocks)
	}
}
