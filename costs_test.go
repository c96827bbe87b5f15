package verifier

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestCostlyTestsRunLast holds tools/test.sh: every test that measures what something costs of a processor is left out of the run of all
// packages, where others take its caches, and runs behind it, package by package.
func TestCostlyTestsRunLast(t *testing.T) {
	script, err := os.ReadFile("tools/test.sh")
	if err != nil {
		t.Fatal(err)
	}
	costly := regexp.MustCompile(`costly='(.+)'\n`).FindSubmatch(script)
	costs := regexp.MustCompile(`costs="([^"]+)"\n`).FindSubmatch(script)
	if costly == nil || costs == nil {
		t.Fatal("tools/test.sh does not say which tests come last")
	}
	last, named, found := regexp.MustCompile(string(costly[1])), strings.Fields(string(costs[1])), 0
	for folder, measuring := range measuringTests(t) {
		for name, measures := range measuring {
			switch comesLast := last.MatchString(name); {
			case measures && !comesLast:
				t.Errorf("%s: %s measures a cost, and its name does not end as those that come last: %s", folder, name, costly[1])
			case comesLast && !slices.Contains(named, "./"+folder):
				t.Errorf("%s: %s comes last, and tools/test.sh does not name its package", folder, name)
			case measures:
				found++
			}
		}
	}
	if found < 20 {
		t.Errorf("%d tests measure what something costs", found)
	}
}

// measuringTests are the tests of each folder, and whether they measure a cost: by themselves, or by a function that they call.
func measuringTests(t *testing.T) map[string]map[string]bool {
	calls := map[string]map[string][]string{} // by folder and function
	for _, root := range []string{"cmd", "conformance", "internal", "truth", "worker"} {
		err := fs.WalkDir(os.DirFS("."), root, func(file string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(file, "_test.go") {
				return err
			}
			parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			folder := path.Dir(file)
			if calls[folder] == nil {
				calls[folder] = map[string][]string{}
			}
			for _, d := range parsed.Decls {
				if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil {
					calls[folder][f.Name.Name] = called(f)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	out := map[string]map[string]bool{}
	for folder, functions := range calls {
		out[folder] = map[string]bool{}
		for name := range functions {
			if strings.HasPrefix(name, "Test") && name != "TestMain" {
				out[folder][name] = measures(functions, name, map[string]bool{})
			}
		}
	}
	return out
}

// called are the functions that a function calls, without their packages and receivers.
func called(f *ast.FuncDecl) (names []string) {
	ast.Inspect(f, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			switch fun := call.Fun.(type) {
			case *ast.Ident:
				names = append(names, fun.Name)
			case *ast.SelectorExpr:
				names = append(names, fun.Sel.Name)
			}
		}
		return true
	})
	return names
}

func measures(functions map[string][]string, name string, seen map[string]bool) bool {
	if seen[name] {
		return false
	}
	seen[name] = true
	return slices.ContainsFunc(functions[name], func(callee string) bool {
		return measurements[callee] || measures(functions, callee, seen)
	})
}

// measurements are the functions of internal/adversary and internal/hostile that measure what something costs.
var measurements = map[string]bool{"Measure": true, "MeasureAgainst": true, "Promise": true}
