// Command licenses writes the licence texts of everything that is linked into programs: Go's own, and those of each module
// that the programs' build information names. A module without one is an error, so that nothing ships without its terms.
//
//	licenses -out bin/licenses.txt bin/verifier bin/verifier-server
package main

import (
	"bytes"
	"cmp"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
)

// goCommand is the one that the Makefile builds with.
var goCommand = cmp.Or(os.Getenv("GO"), "go")

func main() {
	out := flag.String("out", "bin/licenses.txt", "the file to write")
	flag.Parse()
	if err := run(*out, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "licenses:", err)
		os.Exit(1)
	}
}

func run(out string, programs []string) error {
	linked, err := modules(programs)
	if err != nil {
		return err
	}
	text, err := collect(linked)
	if err != nil {
		return err
	}
	return os.WriteFile(out, text, 0o644)
}

// modules returns path@version of every module that one of the programs was built from, sorted.
func modules(programs []string) ([]string, error) {
	if len(programs) == 0 {
		return nil, errors.New("name the programs whose licences are wanted")
	}
	var all []string
	for _, program := range programs {
		info, err := buildinfo.ReadFile(program)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", program, err)
		}
		for _, m := range info.Deps {
			all = append(all, source(m))
		}
	}
	slices.Sort(all)
	return slices.Compact(all), nil
}

// source is the module whose files were compiled: the replacement, where there is one.
func source(m *debug.Module) string {
	if m.Replace != nil {
		m = m.Replace
	}
	return m.Path + "@" + m.Version
}

// collect joins the texts of Go and of the modules, each under a heading.
func collect(modules []string) ([]byte, error) {
	goroot, err := exec.Command(goCommand, "env", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("go env GOROOT: %w", err)
	}
	out := new(bytes.Buffer)
	if err := add(out, "Go's runtime and standard library", strings.TrimSpace(string(goroot))); err != nil {
		return nil, err
	}
	for _, m := range modules {
		dir, err := download(m)
		if err != nil {
			return nil, err
		}
		if err := add(out, m, dir); err != nil {
			return nil, err
		}
	}
	return out.Bytes(), nil
}

// download returns the folder of a module in the module cache, which a build has filled.
func download(module string) (string, error) {
	cmd := exec.Command(goCommand, "mod", "download", "-json", module)
	cmd.Stderr = os.Stderr
	answer, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w", module, err)
	}
	var found struct{ Dir string }
	if err := json.Unmarshal(answer, &found); err != nil {
		return "", fmt.Errorf("%s: %w", module, err)
	}
	return found.Dir, nil
}

// terms are the names that modules give to their licences and notices.
var terms = regexp.MustCompile(`(?i)^(licen[cs]e|copying|copyright|notice|patents)([.-].*)?$`)

// add writes every file of terms in a folder.
func add(out *bytes.Buffer, heading, dir string) error {
	entries, err := os.ReadDir(dir) // sorted by name
	if err != nil {
		return fmt.Errorf("%s: %w", heading, err)
	}
	found := false
	for _, e := range entries {
		if !e.Type().IsRegular() || !terms.MatchString(e.Name()) || strings.HasSuffix(e.Name(), ".go") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return fmt.Errorf("%s: %w", heading, err)
		}
		found = true
		fmt.Fprintf(out, "==== %s: %s ====\n\n%s\n\n", heading, e.Name(), bytes.TrimSpace(text))
	}
	if !found {
		return fmt.Errorf("%s has no licence text", heading)
	}
	return nil
}
