package data

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestRulesAreThoseOfTheChecks reads the name of every check out of the source; image alone never warns or blocks.
func TestRulesAreThoseOfTheChecks(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			lit, ok := n.(*ast.CompositeLit)
			if !ok {
				return true
			}
			if id, ok := lit.Type.(*ast.Ident); !ok || id.Name != "Check" {
				return true
			}
			for _, e := range lit.Elts {
				if kv, ok := e.(*ast.KeyValueExpr); ok && kv.Key.(*ast.Ident).Name == "Name" {
					want = append(want, "data-"+strings.Trim(kv.Value.(*ast.BasicLit).Value, `"`))
				}
			}
			return true
		})
	}
	slices.Sort(want)
	want = slices.DeleteFunc(slices.Compact(want), func(id string) bool { return id == "data-image" })
	var got []string
	for _, r := range Rules() {
		got = append(got, r.ID)
	}
	if !slices.Equal(got, want) {
		t.Errorf("%v, the checks are %v", got, want)
	}
}
