package digest

import (
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/ruleset"
)

func TestCommittedDigestsAreFresh(t *testing.T) {
	want, err := Of("../../..")
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for _, f := range ruleset.Files() {
		got.WriteString(f.SHA256 + "  " + f.Path + "\n")
	}
	if got.String() != want {
		t.Error("internal/ruleset/digests.txt is stale: run make generate and commit it with your change")
	}
}

func TestEveryTypeAndRuleIsInTheRuleSet(t *testing.T) {
	paths := map[string]bool{}
	for _, f := range ruleset.Files() {
		paths[f.Path] = true
		if strings.HasSuffix(f.Path, "_test.go") || strings.Contains(f.Path, "testdata") {
			t.Errorf("%s decides nothing", f.Path)
		}
	}
	for _, p := range []string{"internal/graph/decode.go", "internal/catalog/linear.go", "internal/infer/walk.go", "internal/rules/cycle.go", "internal/action/lint/lint.go"} {
		if !paths[p] {
			t.Errorf("%s is not among the digests", p)
		}
	}
	if len(ruleset.ID()) != 12 {
		t.Errorf("the id is %q", ruleset.ID())
	}
}
