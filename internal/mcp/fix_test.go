package mcp_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const brokenNet = `import torch.nn as nn
from parts.width import WIDTH


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(8, 16)
        self.b = nn.Linear(WIDTH, 3)

    def forward(self, x):
        return self.b(self.a(x))
`

// TestFixGivesADiffThatApplies to a source and what it imports, writes nothing, and stays in the root.
func TestFixGivesADiffThatApplies(t *testing.T) {
	dir := folder(t)
	if err := os.MkdirAll(filepath.Join(dir, "parts"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"net.py": brokenNet, "parts/width.py": "WIDTH = 12\n", "wrong.graph": "x: input shape=[8]\nb: linear inFeatures=7 outFeatures=4\no: output\n\nx -> b -> o\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	s := connect(t, dir, nil)
	r := call(t, s, "fix", `{"model":"net.py:Net","inputs":["1,8"]}`)
	diff, _ := r.body["diff"].(string)
	if r.failed || !strings.Contains(diff, "--- parts/width.py\n+++ parts/width.py\n") || !strings.Contains(diff, "+WIDTH = 16\n") || !strings.Contains(r.text, "(proved)") {
		t.Fatalf("%s", r.text)
	}
	if now, _ := os.ReadFile(filepath.Join(dir, "parts/width.py")); string(now) != "WIDTH = 12\n" {
		t.Errorf("written: %s", now)
	}
	cmd := exec.Command("patch", "-p0", "-s")
	cmd.Dir, cmd.Stdin = dir, strings.NewReader(diff)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	if r := call(t, s, "fix", `{"model":"net.py:Net","inputs":["1,8"]}`); r.failed || r.text != "Nothing blocks.\n" || r.body["diff"] != "" {
		t.Errorf("%s", r.text)
	}
	for args, code := range map[string]string{
		`{"model":{"components":[]}}`: "missing-field", `{"model":"../net.py:Net"}`: "outside-root", `{"model":"none.py:Net"}`: "model-not-found",
		`{"model":"parts"}`: "model-not-found", `{"model":"net.py:Net","policy":{"max_parms":1}}`: "unknown-key",
	} {
		if r := call(t, s, "fix", args); !r.failed || r.body["code"] != code {
			t.Errorf("%s: %v %s", args, r.body["code"], r.text)
		}
	}
}
