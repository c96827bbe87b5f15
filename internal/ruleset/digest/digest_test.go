package digest

import (
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/ruleset"
)

const (
	root       = "../../.."
	mainModule = "github.com/modelverifier/verifier/"
)

// committed are the names in the list, with the folders of its files.
func committed() (names, folders map[string]bool) {
	names, folders = map[string]bool{}, map[string]bool{}
	for _, f := range ruleset.Files() {
		names[f.Path] = true
		folders[path.Dir(f.Path)] = true
	}
	return names, folders
}

func TestCommittedDigestsAreFresh(t *testing.T) {
	want, err := Of(root)
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
	names, _ := committed()
	for _, p := range []string{"internal/graph/decode.go", "internal/catalog/linear.go", "internal/infer/walk.go", "internal/rules/cycle.go", "internal/action/lint/lint.go",
		"internal/cli/judge.go", "internal/hardware/gpus/h100.json", "models/resnet18.graph", "internal/importer/torch/group_other.go"} {
		if !names[p] {
			t.Errorf("%s is not among the digests", p)
		}
	}
	if len(ruleset.ID()) != 12 {
		t.Errorf("the id is %q", ruleset.ID())
	}
}

// TestWhatAnAnswerIsLinkedFromIsInTheRuleSet asks the build about each package that decides or words an answer, not about Roots.
func TestWhatAnAnswerIsLinkedFromIsInTheRuleSet(t *testing.T) {
	names, folders := committed()
	build, err := list(root, "./internal/action/...", "./internal/report/...", "./internal/attest", "./internal/load/...", "./internal/edit", "./internal/policy",
		"./internal/exporter/...", "./internal/importer/...", "./internal/manifest", "./internal/mcp", "./internal/cli", "./internal/httpapi/wire", "./internal/wasm", "./cmd/verifier")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range build.packages {
		if p.ImportPath+"/" == mainModule {
			continue // the version, which cmd/verifier stamps: answers that have it say so
		}
		if dir := strings.TrimPrefix(p.ImportPath, mainModule); !folders[dir] && dir != "cmd/verifier" && dir != "web" { // pages decide no answer
			t.Errorf("%s is linked into an answer, but not in the rule set", dir)
		}
	}
	for _, m := range build.modules {
		if !names["module "+m] {
			t.Errorf("%s is linked into an answer, but not in the rule set", m)
		}
	}
	for _, m := range []string{"github.com/goccy/go-yaml@", "github.com/go-json-experiment/json@", "google.golang.org/protobuf@"} {
		if !slices.ContainsFunc(build.modules, func(s string) bool { return strings.HasPrefix(s, m) }) {
			t.Errorf("%s is not linked: does go list see modules?", m)
		}
	}
}

// TestEveryPlatformImportsFromTheRuleSet reads the imports of every file, those of other platforms too, which go list leaves out.
func TestEveryPlatformImportsFromTheRuleSet(t *testing.T) {
	names, folders := committed()
	for name := range names {
		if !strings.HasSuffix(name, ".go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, name), nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range f.Imports {
			imported, _ := strconv.Unquote(spec.Path.Value)
			if dir, ok := strings.CutPrefix(imported, mainModule); ok && !folders[dir] {
				t.Errorf("%s imports %s, which is not in the rule set", name, dir)
			}
		}
	}
}

func TestTestsAndTheListItselfDecideNothing(t *testing.T) {
	build, err := list(root, Roots...)
	if err != nil {
		t.Fatal(err)
	}
	embedded := map[string]bool{}
	for _, p := range build.packages {
		for _, f := range p.EmbedFiles {
			embedded[path.Join(strings.TrimPrefix(p.ImportPath, mainModule), f)] = true
		}
	}
	for _, f := range ruleset.Files() {
		switch {
		case f.IsModule():
		case strings.HasSuffix(f.Path, "_test.go"), f.Path == skip:
			t.Errorf("%s decides nothing", f.Path)
		case !strings.HasSuffix(f.Path, ".go") && !embedded[f.Path]:
			t.Errorf("%s is neither compiled nor embedded", f.Path)
		}
	}
	if !embedded[skip] {
		t.Errorf("%s is not embedded", skip)
	}
}

func TestAnotherContentOfAModuleIsAnotherRuleSet(t *testing.T) {
	build, err := list(root, Roots...)
	if err != nil {
		t.Fatal(err)
	}
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	of := func(sums string) ([]string, error) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "go.sum"), []byte(sums), 0o644); err != nil {
			t.Fatal(err)
		}
		return moduleLines(dir, build.modules)
	}
	before, err := of(string(sums))
	if err != nil {
		t.Fatal(err)
	}
	if again, err := of(strings.ReplaceAll(string(sums), "\n", "\r\n")); err != nil || !slices.Equal(again, before) {
		t.Errorf("other line ends give another rule set, or %v", err)
	}
	for i, m := range build.modules {
		start := strings.Index(string(sums), strings.ReplaceAll(m, "@", " ")+" h1:")
		if start < 0 {
			t.Fatalf("go.sum has no line of %s", m)
		}
		end := start + strings.Index(string(sums[start:]), "\n")
		after, err := of(string(sums[:end-2]) + "!" + string(sums[end-1:])) // one digit of one hash
		if err != nil || after[i] == before[i] {
			t.Errorf("%s: %v, the line stays %s", m, err, before[i])
		}
		if _, err := of(string(sums[:start]) + string(sums[end+1:])); err == nil {
			t.Errorf("%s: no error though go.sum does not have it", m)
		}
	}
}
