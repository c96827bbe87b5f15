package rules

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// raisers are the packages that refuse components and name a rule of this one by a constant.
var raisers = []string{"../catalog", "../infer"}

var ruleID = regexp.MustCompile(`^[a-z]+(-[a-z0-9]+)+$`)

// sources parses the files of a package, tests left out.
func sources(t *testing.T, dir string) map[string]*ast.File {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil || len(names) == 0 {
		t.Fatalf("no Go files in %s: %v", dir, err)
	}
	files := map[string]*ast.File{}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files[filepath.Base(name)] = f
	}
	return files
}

// ruleConstants returns, by name, the constants of a package whose value is a rule id.
func ruleConstants(files map[string]*ast.File) map[string]string {
	out := map[string]string{}
	for _, f := range files {
		for _, d := range f.Decls {
			decl, ok := d.(*ast.GenDecl)
			if !ok || decl.Tok != token.CONST {
				continue
			}
			for _, s := range decl.Specs {
				spec := s.(*ast.ValueSpec)
				for i, v := range spec.Values {
					if id, ok := stringLit(v); ok && spec.Type == nil && ruleID.MatchString(id) {
						out[spec.Names[i].Name] = id
					}
				}
			}
		}
	}
	return out
}

func stringLit(e ast.Expr) (string, bool) {
	lit, ok := e.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return "", false
	}
	s, err := strconv.Unquote(lit.Value)
	return s, err == nil
}

// named returns the names that a package uses other than to declare or to compare them: a rule that is only compared with
// cannot be raised.
func named(files map[string]*ast.File) map[string]bool {
	out := map[string]bool{}
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GenDecl:
				return n.Tok != token.CONST
			case *ast.BinaryExpr:
				return n.Op != token.EQL && n.Op != token.NEQ || !isName(n.X) && !isName(n.Y)
			case *ast.Ident:
				out[n.Name] = true
			}
			return true
		})
	}
	return out
}

// isName reports whether an expression is a name of a package, with or without the package before it.
func isName(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Ident:
		return ast.IsExported(e.Name)
	case *ast.SelectorExpr:
		_, ok := e.X.(*ast.Ident)
		return ok && ast.IsExported(e.Sel.Name)
	}
	return false
}

func TestEveryRefusalHasARule(t *testing.T) {
	constants, used := map[string]string{}, map[string]bool{}
	for _, dir := range raisers {
		files := sources(t, dir)
		for name, id := range ruleConstants(files) {
			constants[name] = id
		}
		for name := range named(files) {
			used[name] = true
		}
	}
	raised := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(constants)) {
		id := constants[name]
		raised[id] = true
		switch r := Lookup(id); {
		case r == nil:
			t.Errorf("%s is %q, which has no file in package rules", name, id)
		case r.Whole != nil || r.Severity != Block:
			t.Errorf("%s is %q, which must block and have no code: the catalogue or inference decides it", name, id)
		}
		if !used[name] {
			t.Errorf("%s (%q) is never raised: a rule that nothing can break is a lie", name, id)
		}
	}
	for _, r := range Rules() {
		if r.Whole == nil && !raised[r.ID] {
			t.Errorf("%s has no code, and no constant of %v names it", r.ID, raisers)
		}
	}
}

func TestEveryRuleHasAFileOfItsName(t *testing.T) {
	defined := 0
	for name, f := range sources(t, ".") {
		ids := definedIn(f)
		defined += len(ids)
		if len(ids) > 1 {
			t.Errorf("%s defines %q: one file is one rule", name, ids)
		}
		for _, id := range ids {
			if want := strings.ReplaceAll(id, "-", "_") + ".go"; name != want {
				t.Errorf("%s is in %s, not in %s", id, name, want)
			}
		}
	}
	if defined != len(Rules()) {
		t.Errorf("found %d definitions of %d rules: each must be a literal Rule with a literal ID", defined, len(Rules()))
	}
}

// definedIn returns the ids of the rules that a file defines.
func definedIn(f *ast.File) []string {
	var out []string
	ast.Inspect(f, func(n ast.Node) bool {
		lit, ok := n.(*ast.CompositeLit)
		if !ok {
			return true
		}
		if name, ok := lit.Type.(*ast.Ident); !ok || name.Name != "Rule" {
			return true
		}
		for _, e := range lit.Elts {
			kv, ok := e.(*ast.KeyValueExpr)
			if !ok {
				continue
			}
			if key, ok := kv.Key.(*ast.Ident); ok && key.Name == "ID" {
				if id, ok := stringLit(kv.Value); ok {
					out = append(out, id)
				}
			}
		}
		return true
	})
	return out
}
