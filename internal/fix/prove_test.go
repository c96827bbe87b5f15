package fix

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/action"
	"github.com/modelverifier/verifier/internal/patch"
	"github.com/modelverifier/verifier/internal/policy"
)

// TestAPatchThatEndsTheReadingIsNotProved holds that a finding that is gone because its line is not read any more is not mended, though
// another one, of the policy, is there as it was.
func TestAPatchThatEndsTheReadingIsNotProved(t *testing.T) {
	for with, want := range map[string]bool{"mystery(x)": false, "self.a(x)": true} {
		text := `import torch
import torch.nn as nn
from elsewhere import mystery


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(10, 4)
        self.b = nn.Linear(8, 4)

    def forward(self, x):
        x = torch.relu(x)
        return self.b(x)
`
		forbids, failed := policy.Decode(`{"forbid_types":["relu"]}`, "policy", nil)
		if failed != nil {
			t.Fatal(failed)
		}
		files := []patch.File{{Path: "net.py", Text: text}}
		req := Request{Files: files, Targets: []Target{{Path: "net.py", Symbol: "Net", Inputs: []string{"10"}}}}
		req.Judge.Policy = forbids
		p, err := open(context.Background(), &req)
		if err != nil {
			t.Fatal(err)
		}
		before := p.judge(files, &req.Targets[0])
		i := slices.IndexFunc(before.blocks, func(f action.Finding) bool { return strings.Contains(f.Detail, "inFeatures") })
		if len(before.blocks) != 2 || i < 0 {
			t.Fatalf("%+v", before.blocks)
		}
		at := strings.Index(text, "self.b(x)")
		edits := []patch.Edit{{Path: "net.py", Start: at, End: at + len("self.b(x)"), New: with}}
		changed, err := patch.Apply(files, edits)
		if err != nil {
			t.Fatal(err)
		}
		out := Result{Patches: []Patch{{Path: "net.py", Edits: edits, Findings: before.blocks[i : i+1], Target: "net.py:Net"}}, Files: changed}
		if err := p.together(&out); err != nil {
			t.Fatal(err)
		}
		if out.Patches[0].Proved != want {
			t.Errorf("%s: proved is %v: %s", with, !want, out.Patches[0].Why)
		}
	}
}
