// Package digest computes the list of digests that package ruleset embeds: of everything that the build links into an answer. It
// runs the go command and reads the disk, and is used only to generate that list and to test that it is fresh; no program links it.
package digest

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Roots are the packages that make an answer: the bodies of the four actions, what the command line and the tools for agents print,
// the records, and what the HTTP service and the browser's build make of a body. Whatever they import decides or words an answer
// too. One list serves every program, so that all of them have the same id.
//
// The hosted service and the site are not among them: what they add to an answer (history, a page around a plan) depends on
// a database, not on the input alone.
var Roots = []string{"./internal/action/all", "./internal/action/fix", "./internal/cli", "./internal/httpapi", "./internal/wasm"}

// skip is the list itself, which is embedded and cannot hold its own digest.
const skip = "internal/ruleset/digests.txt"

// Of returns one line for each file and module that decides or words an answer, sorted: the SHA-256 of the file and its path from
// root, the root of the repository; the SHA-256 of the line of go.sum and "module path@version". Tests and what is not embedded
// decide nothing.
//
// The Go toolchain is not in the list, though its library takes part: builds of one commit by two releases of Go must be able to
// repeat each other's runs, and the conformance cases hold the answers to the same bytes.
func Of(root string) (string, error) {
	build, err := list(root, Roots...)
	if err != nil {
		return "", err
	}
	var lines []string
	for _, pkg := range build.packages {
		files, err := pkg.files()
		if err != nil {
			return "", err
		}
		for _, path := range files {
			line, err := fileLine(build.root, path)
			if err != nil {
				return "", err
			}
			lines = append(lines, line)
		}
	}
	modules, err := moduleLines(root, build.modules)
	if err != nil {
		return "", err
	}
	lines = append(lines, modules...)
	slices.SortFunc(lines, func(a, b string) int { return strings.Compare(a[64:], b[64:]) })
	return strings.Join(slices.Compact(lines), ""), nil
}

// files are the Go files of a package for every platform, and the files that it embeds. Every folder is read, also for a test's sake:
// the go command remembers a test's result until a folder or a file that it opened changes.
func (p *linked) files() ([]string, error) {
	entries, err := os.ReadDir(p.Dir)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, e := range entries {
		if name := e.Name(); decides(name) {
			out = append(out, filepath.Join(p.Dir, name))
		}
	}
	for _, name := range p.EmbedFiles {
		path := filepath.Join(p.Dir, filepath.FromSlash(name))
		if !strings.HasSuffix(filepath.ToSlash(path), "/"+skip) {
			out = append(out, path)
		}
		if _, err := os.ReadDir(filepath.Dir(path)); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// decides reports whether a file of a package's folder is compiled, on whatever platform.
func decides(name string) bool {
	compiled := strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") || strings.HasSuffix(name, ".s")
	return compiled && name[0] != '_' && name[0] != '.'
}

func fileLine(root, path string) (string, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	rel, err := filepath.Rel(root, path)
	if err != nil {
		return "", err
	}
	if bytes.IndexByte(data, 0) < 0 { // a checkout with other line ends is the same rule set
		data = bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))
	}
	return fmt.Sprintf("%x  %s\n", sha256.Sum256(data), filepath.ToSlash(rel)), nil
}

// moduleLines digests the line of go.sum that holds each module's content, with its line end:
// grep '^path version h1:' go.sum | sha256sum.
func moduleLines(root string, modules []string) ([]string, error) {
	data, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		return nil, err
	}
	sums := map[string]string{}
	for line := range strings.Lines(string(data)) {
		if f := strings.Fields(line); len(f) == 3 {
			sums[f[0]+"@"+f[1]] = strings.Join(f, " ") + "\n"
		}
	}
	var out []string
	for _, m := range modules {
		if sums[m] == "" {
			return nil, fmt.Errorf("go.sum has no line for %s: run go mod tidy", m)
		}
		out = append(out, fmt.Sprintf("%x  module %s\n", sha256.Sum256([]byte(sums[m])), m))
	}
	return out, nil
}
