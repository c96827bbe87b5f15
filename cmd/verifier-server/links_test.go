package main

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

type linked struct {
	ImportPath, Dir string
	Standard        bool
	GoFiles         []string
	Module          *struct{ Path string }
}

// dependencies lists every package that is in the binary.
func dependencies(t *testing.T) []linked {
	t.Helper()
	cmd := exec.Command("go", "list", "-deps", "-json=ImportPath,Dir,Standard,GoFiles,Module", ".")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var all []linked
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p linked
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}

const ours = "github.com/modelverifier/verifier"

// modules are those that the server may link. Another one is a decision, made here.
var modules = []string{ours, "github.com/go-json-experiment/json", "github.com/goccy/go-yaml"}

// TestTheBinaryLinksNoDatabase holds the promise by what is linked: no SQL, no accounts, no providers, no other program.
func TestTheBinaryLinksNoDatabase(t *testing.T) {
	all := dependencies(t)
	if len(all) < 100 {
		t.Fatalf("only %d packages: the list is not complete", len(all))
	}
	for _, p := range all {
		switch {
		case !p.Standard && (p.Module == nil || !slices.Contains(modules, p.Module.Path)):
			t.Errorf("links %s, of a module that is not on the list", p.ImportPath)
		case slices.Contains([]string{"database/sql", "database/sql/driver", "os/exec", "plugin", "net/smtp", "net/rpc", "log/syslog", "runtime/cgo"}, p.ImportPath):
			t.Errorf("links %s", p.ImportPath)
		}
		if p.ImportPath == ours+"/internal/importer/neurarch" {
			continue // translates the graph of a request, and reads nothing
		}
		for _, no := range []string{"account", "ledger", "corpus", "share", "jobs", "blob", "store", "llm", "site", "hub", "importer", "hostedapi", "cli", "mcp"} {
			if dir := ours + "/internal/" + no; p.ImportPath == dir || strings.HasPrefix(p.ImportPath, dir+"/") {
				t.Errorf("links %s", p.ImportPath)
			}
		}
	}
}

// TestNoCodeOfOursWritesFilesOrDials reads the sources that are linked. Only the health check and a stale socket (which dial
// what the operator named) and telemetry may reach out, and nothing may write a file.
func TestNoCodeOfOursWritesFilesOrDials(t *testing.T) {
	writes := "os.Create os.CreateTemp os.OpenFile os.WriteFile os.Mkdir os.MkdirAll os.MkdirTemp os.Rename os.Link os.Symlink os.Truncate os.OpenRoot"
	dials := "net.Dial net.DialTimeout net.Dialer net.DialTCP net.DialUDP net.DialUnix net.LookupHost net.LookupIP net.LookupAddr net.DefaultResolver http.Get http.Post http.PostForm http.Head http.Client http.Transport http.DefaultClient http.DefaultTransport"
	mayDial := []string{"internal/telemetry/send.go", "cmd/verifier-server/listen.go"}
	seen := map[string]bool{}
	for _, p := range dependencies(t) {
		if p.Module == nil || p.Module.Path != ours {
			continue
		}
		for _, name := range p.GoFiles {
			path := filepath.Join(p.Dir, name)
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			short := filepath.ToSlash(strings.TrimPrefix(p.ImportPath, ours+"/") + "/" + name)
			ast.Inspect(file, func(n ast.Node) bool {
				s, ok := n.(*ast.SelectorExpr)
				if !ok {
					return true
				}
				x, ok := s.X.(*ast.Ident)
				if !ok {
					return true
				}
				used := " " + x.Name + "." + s.Sel.Name + " "
				if strings.Contains(" "+writes+" ", used) {
					t.Errorf("%s uses%s", short, used)
				}
				if strings.Contains(" "+dials+" ", used) {
					seen[short] = true
					if !slices.Contains(mayDial, short) {
						t.Errorf("%s uses%s", short, used)
					}
				}
				return true
			})
		}
	}
	for _, f := range mayDial {
		if !seen[f] {
			t.Errorf("%s does not dial: take it off the list", f)
		}
	}
}
