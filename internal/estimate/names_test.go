package estimate

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/catalog"
)

// TestEnginesNameNoType reads the engines' code: what a type means stands in its own file of the catalogue, and no engine compares the id of
// a type with a word.
func TestEnginesNameNoType(t *testing.T) {
	for _, dir := range []string{".", "../tape", "../clock", "../op", "../allocator"} {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatal(dir, err)
		}
		for _, path := range files {
			if strings.HasSuffix(path, "_test.go") {
				continue
			}
			for _, where := range namesIn(t, path) {
				t.Errorf("%s names a component type", where)
			}
		}
	}
}

// namesIn finds where a file compares an id with that of a type of the catalogue: id == "linear", or a case of a switch of ids.
func namesIn(t *testing.T, path string) (where []string) {
	t.Helper()
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, path, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	look := func(e ast.Expr) {
		lit, is := e.(*ast.BasicLit)
		if !is || lit.Kind != token.STRING {
			return
		}
		if word, err := strconv.Unquote(lit.Value); err == nil && catalog.Lookup(word) != nil {
			where = append(where, files.Position(lit.Pos()).String())
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			if isID(n.X) || isID(n.Y) {
				look(n.X)
				look(n.Y)
			}
		case *ast.SwitchStmt:
			for _, s := range n.Body.List {
				for _, e := range s.(*ast.CaseClause).List {
					if isID(n.Tag) {
						look(e)
					}
				}
			}
		case *ast.CallExpr:
			if f, is := n.Fun.(*ast.SelectorExpr); is && f.Sel.Name == "Lookup" && len(n.Args) == 1 {
				look(n.Args[0])
			}
		}
		return true
	})
	return where
}

// isID reports whether an expression is the id or the type of something.
func isID(e ast.Expr) bool {
	s, is := e.(*ast.SelectorExpr)
	return is && (s.Sel.Name == "ID" || s.Sel.Name == "Type")
}
