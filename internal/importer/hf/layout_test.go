package hf

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// Sizes beyond which a package or an object has more than one job. The families are many on purpose: one file each.
const maxPackageLines, maxMethods = 4000, 60

// TestPackagesAndObjectsHaveOneJob: what model types share stays in packages that can be read, and the object that builds
// graphs has few methods. What is made of several components is a function of nn, vision, audio or stack.
func TestPackagesAndObjectsHaveOneJob(t *testing.T) {
	lines, methods := map[string]int{}, map[string]int{}
	err := filepath.WalkDir(".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		dir := filepath.ToSlash(filepath.Dir(path))
		lines[dir] += set.File(file.Pos()).LineCount()
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv != nil {
				methods[dir+"."+receiver(f.Recv.List[0].Type)]++
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(lines) < 9 || methods["build.Build"] == 0 {
		t.Fatalf("%d packages, %d methods of Build: not all was read", len(lines), methods["build.Build"])
	}
	for dir, n := range lines {
		if n >= maxPackageLines && dir != "families" {
			t.Errorf("package %s has %d lines, and may have %d", dir, n, maxPackageLines)
		}
	}
	for object, n := range methods {
		if n >= maxMethods {
			t.Errorf("%s has %d methods, and must have fewer than %d", object, n, maxMethods)
		}
	}
}

// receiver is the name of a method's type.
func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}
