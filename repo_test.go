package verifier

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/modelverifier/verifier/"

// layers is the order of ARCHITECTURE.md: a package may import only packages above it. An entry covers the folders below it
// that have none of their own.
var layers = []string{
	"internal/arena", "internal/spelling", "internal/yamltext", "internal/graph", "internal/quantity", "internal/op", "internal/allocator", "internal/catalog", "internal/hardware", "internal/infer", "internal/importer/neurarch", "internal/transformers", "internal/tape", "internal/clock", "internal/rules", "internal/estimate",
	"internal/fit", "internal/solve", "internal/training", "internal/policy", "internal/ruleset", "internal/action", "internal/edit", "internal/patch", "internal/report", "internal/attest", "models",
	"internal/fence", "internal/importer", "internal/importer/hf/config", "internal/importer/hf/build", "internal/importer/hf/family",
	"internal/importer/hf/nn", "internal/importer/hf/vision", "internal/importer/hf/audio", "internal/importer/hf/stack",
	"internal/importer/hf/families", "internal/importer/hf", "internal/importer/diffusers", "internal/exporter", "internal/bench", "internal/hub", "internal/runfile", "internal/manifest", "internal/load", "internal/fix", "internal/action/fix", "worker", "internal/training/data", "internal/training/protocol", "internal/training/run", "internal/worker", "internal/client", "internal/secret", "internal/account", "internal/ledger", "internal/corpus", "internal/share", "internal/rate",
	"internal/blob", "internal/jobs", "internal/store", "internal/account/accounttest", "internal/nodetest", "internal/seed", "internal/blob/s3test", "internal/hostile", "internal/pythontest", "internal/adversary", "internal/llm", "internal/bench/agent", "internal/bench/env", "internal/telemetry", "docs", "web", "truth", "internal/datasets", "internal/site", "internal/discover", "internal/comment",
	"internal/ndjson", "internal/httpapi", "internal/tracing", "internal/hostedapi", "internal/bench/server", "internal/mcp", "internal/lsp", "internal/cli", "internal/wasm", "internal/view", "internal/files",
	"cmd", "deploy", "truth/outcomes", "truth/sources", "conformance", "deploy/soak", "tools",
}

// pure is the number of layers, from the top, that give the same bytes on every machine.
const pure = 23

// tools read the disk to make what a pure package embeds; no program links them.
var tools = map[string]bool{"internal/ruleset/digest": true, "internal/ruleset/gen": true}

// impure are packages that would let a clock, a disk, a network, chance or a log into a verdict.
var impure = []string{"os", "time", "net", "log", "context", "math/rand", "crypto/rand", "syscall", "unsafe", "io/fs", "os/exec", "runtime", "sync"}

// packedValue keeps a parameter in three words, the way log/slog keeps its values: half of what a graph takes is parameters.
const packedValue = "internal/graph/value.go"

// Sizes beyond which a file or a function should have been split. Tests may be longer.
const maxFileLines, maxFunctionLines = 400, 60

type source struct {
	path, dir string
	test      bool
	lines     int
	file      *ast.File
	set       *token.FileSet
}

// sources parses every Go file of the repository.
func sources(t *testing.T) []source {
	t.Helper()
	var out []source
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (strings.HasPrefix(d.Name(), ".") && path != "." || d.Name() == "testdata" || d.Name() == "node_modules") {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(path, ".go") {
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, data, parser.ParseComments)
		path = filepath.ToSlash(path)
		out = append(out, source{path, filepath.ToSlash(filepath.Dir(path)), strings.HasSuffix(path, "_test.go"), strings.Count(string(data), "\n"), file, set})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// layer returns the position of a folder in the list, or that of the nearest one around it, or -1.
func layer(dir string) int {
	for ; dir != "."; dir = path.Dir(dir) {
		if i := slices.Index(layers, dir); i >= 0 {
			return i
		}
	}
	return -1
}

func imports(s source) []string {
	var out []string
	for _, i := range s.file.Imports {
		out = append(out, strings.Trim(i.Path.Value, `"`))
	}
	return out
}

func TestPackagesImportOnlyWhatIsAboveThem(t *testing.T) {
	for _, s := range sources(t) {
		if s.test || tools[s.dir] || s.dir == "." {
			continue
		}
		mine := layer(s.dir)
		if mine < 0 {
			t.Errorf("%s is in no layer: add its folder to the list here and in ARCHITECTURE.md", s.path)
			continue
		}
		for _, path := range imports(s) {
			dir, ours := strings.CutPrefix(path, module)
			if ours && layer(dir) > mine {
				t.Errorf("%s imports %s, which is below it", s.path, dir)
			}
		}
	}
}

func TestPurePackagesReachNothingOutside(t *testing.T) {
	for _, s := range sources(t) {
		if i := layer(s.dir); s.test || tools[s.dir] || i < 0 || i >= pure {
			continue
		}
		for _, path := range imports(s) {
			for _, bad := range impure {
				if path == "sync" && readsOnce(s.file) {
					continue
				}
				if (path == bad || strings.HasPrefix(path, bad+"/")) && (path != "unsafe" || s.path != packedValue) {
					t.Errorf("%s imports %s: a pure package gives the same bytes on every machine", s.path, path)
				}
			}
		}
	}
}

// readsOnce reports whether a file has sync for OnceValue alone: a table that is part of the program, and read when it is first asked
// for, is the same for everybody.
func readsOnce(f *ast.File) bool {
	once := true
	ast.Inspect(f, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := s.X.(*ast.Ident); ok && x.Name == "sync" && s.Sel.Name != "OnceValue" {
				once = false
			}
		}
		return once
	})
	return once
}

func TestNoProgramLinksTheTools(t *testing.T) {
	for _, s := range sources(t) {
		if s.test || tools[s.dir] {
			continue
		}
		for _, path := range imports(s) {
			if tools[strings.TrimPrefix(path, module)] {
				t.Errorf("%s imports %s, which is for generating only", s.path, path)
			}
		}
	}
}

func TestEveryPackageSaysWhatItIs(t *testing.T) {
	comments := map[string]int{}
	for _, s := range sources(t) {
		if s.test {
			continue
		}
		if _, seen := comments[s.dir]; !seen {
			comments[s.dir] = 0
		}
		if s.file.Doc != nil {
			comments[s.dir]++
		}
	}
	for dir, n := range comments {
		if n != 1 {
			t.Errorf("%s has %d package comments, needs one", dir, n)
		}
	}
}

func TestFilesAndFunctionsAreSmall(t *testing.T) {
	for _, s := range sources(t) {
		if s.test {
			continue
		}
		if s.lines > maxFileLines {
			t.Errorf("%s has %d lines, more than %d", s.path, s.lines, maxFileLines)
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			var name string
			var body *ast.BlockStmt
			switch f := n.(type) {
			case *ast.FuncDecl:
				name, body = f.Name.Name, f.Body
			case *ast.FuncLit:
				name, body = "a function literal", f.Body
			}
			if body == nil {
				return true
			}
			if lines := s.set.Position(body.End()).Line - s.set.Position(body.Pos()).Line; lines > maxFunctionLines {
				t.Errorf("%s: %s has %d lines, more than %d", s.path, name, lines, maxFunctionLines)
			}
			return true
		})
	}
}

func TestDocumentsAreThere(t *testing.T) {
	for _, name := range []string{"README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "LICENSE", ".ci/run"} {
		if info, err := os.Stat(name); err != nil || info.Size() == 0 {
			t.Errorf("%s is missing", name)
		}
	}
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{"make run", "make test"} {
		if !strings.Contains(string(readme), command) {
			t.Errorf("README.md does not show %s", command)
		}
	}
}

// TestANewcomerIsNotLockedOut holds what make run starts: on the address that the README shows how to change, and with more plans an hour
// than a service allows to strangers.
func TestANewcomerIsNotLockedOut(t *testing.T) {
	if _, err := exec.LookPath("make"); err != nil {
		t.Skip("make is not installed")
	}
	cmd := exec.Command("make", "-n", "run", "RUN_ADDR=127.0.0.1:8081")
	cmd.Env = append(os.Environ(), "VERIFIER_PLAN_RATE=")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	started := regexp.MustCompile(`verifier-hosted --addr 127\.0\.0\.1:8081 --plan-rate (\d+)`).FindSubmatch(out)
	if started == nil {
		t.Fatalf("%s", out)
	}
	if rate, err := strconv.Atoi(string(started[1])); err != nil || rate < 10_000 {
		t.Errorf("%d plans an hour: %v", rate, err)
	}
}
