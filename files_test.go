package verifier

import (
	"go/ast"
	"slices"
	"strings"
	"testing"
)

// openers are the functions that open, list or walk files by a name alone.
var openers = map[string][]string{
	"os":       {"Open", "OpenFile", "OpenInRoot", "OpenRoot", "ReadFile", "ReadDir", "DirFS", "CopyFS"},
	"filepath": {"Walk", "WalkDir", "Glob"},
	"ioutil":   {"ReadFile", "ReadDir"},
}

// opens says of each place that opens files without internal/fence why it may. An entry ends in a slash where it is a folder.
var opens = map[string]string{
	"internal/fence/":                     "is what opens files",
	"tools/pack/":                         "compresses what make has built",
	"internal/hub/hub.go":                 "os.Open of a pipe that a person named, which is read as standard input is",
	"internal/hub/store.go":               "os.OpenRoot of the cache that downloads are written to",
	"internal/mcp/mcp.go":                 "os.OpenRoot of --root itself",
	"internal/manifest/list.go":           "os.OpenRoot of the model whose files are digested; it refuses links by rules of its own (docs/attestations.md)",
	"internal/cli/model.go":               "os.OpenRoot of --base-tree itself",
	"internal/cli/init.go":                "os.OpenRoot of the folder that the proposal is written to",
	"internal/cli/version.go":             "the program's own executable",
	"internal/cli/output.go":              "writes a report that a flag names",
	"internal/cli/record_file.go":         "writes a record that a flag names",
	"internal/cli/train_local.go":         "the weights that the trainer wrote into a folder of the command's own",
	"internal/httpapi/info.go":            "the server's own executable",
	"internal/httpapi/process.go":         "/proc/self",
	"cmd/verifier-hosted/doctor_linux.go": "the memory limit of the control group, in /sys",
	"internal/store/store.go":             "the service's own database",
	"internal/blob/":                      "the service's own folder of weights",
	"internal/jobs/slurm/":                "os.OpenRoot of the folder that the operator named for tokens and logs, and a cluster for tests",
	"internal/training/data/npm.go":       "the archive that npm left in a folder made for it",
	"cmd/verifier-hosted/store.go":        "a backup that the operator names",
	"internal/ruleset/digest/":            "reads this repository when digests are generated",
	"internal/nodetest/":                  "is for tests",
	"internal/llm/llmtest/":               "is for tests",
	"internal/store/pgtest/":              "is for tests",
	"internal/store/sqlitetest/":          "is for tests",
	"internal/httpapi/load/":              "measures servers that it started",
	"conformance/":                        "reads its own cases",
	"truth/sources/":                      "reads the rows that a flag names",
	"deploy/":                             "makes the image of what was built",
	"cmd/verifier-hosted/clock_soak.go":   "the step of the clock that make soak names; it is in no program that is delivered",
}

// TestFilesAreOpenedThroughTheFence finds what opens files by a name alone: a check of a name and its use are two steps, between which a
// link can take the place of a file.
func TestFilesAreOpenedThroughTheFence(t *testing.T) {
	used := map[string]bool{}
	for _, s := range sources(t) {
		if s.test {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			pkg, ok := sel.X.(*ast.Ident)
			if !ok || !slices.Contains(openers[pkg.Name], sel.Sel.Name) {
				return true
			}
			for place := range opens {
				if s.path == place || strings.HasSuffix(place, "/") && strings.HasPrefix(s.path, place) {
					used[place] = true
					return true
				}
			}
			t.Errorf("%s: %s.%s: open it through internal/fence, or say in opens why not", s.set.Position(n.Pos()), pkg.Name, sel.Sel.Name)
			return true
		})
	}
	for place, why := range opens {
		if !used[place] {
			t.Errorf("%s (%s) opens nothing: take it off the list", place, why)
		}
	}
}
