package verifier

import (
	"io/fs"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"
)

// TestCostlyTestsRun holds tools/test.sh: what it leaves out of the run of all packages it runs behind it, package by package.
func TestCostlyTestsRun(t *testing.T) {
	script, err := os.ReadFile("tools/test.sh")
	if err != nil {
		t.Fatal(err)
	}
	costly := regexp.MustCompile(`costly='(.+)'\n`).FindSubmatch(script)
	costs := regexp.MustCompile(`costs="(.+)"\n`).FindSubmatch(script)
	if costly == nil || costs == nil {
		t.Fatal("tools/test.sh does not say which tests come last")
	}
	last, name, found := regexp.MustCompile(string(costly[1])), regexp.MustCompile(`(?m)^func (Test\w+)\(`), 0
	packages := " " + string(costs[1]) + " "
	for _, root := range []string{"cmd", "conformance", "internal", "truth", "worker"} {
		err := fs.WalkDir(os.DirFS("."), root, func(file string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(file, "_test.go") {
				return err
			}
			text, err := os.ReadFile(file)
			for _, m := range name.FindAllSubmatch(text, -1) {
				if !last.Match(m[1]) {
					continue
				}
				if found++; !strings.Contains(packages, " ./"+path.Dir(file)+" ") {
					t.Errorf("%s: %s comes last, and tools/test.sh does not name its package", file, m[1])
				}
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
	if found == 0 {
		t.Error("no test comes last")
	}
}
