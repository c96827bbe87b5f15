package verifier

import (
	"go/ast"
	"slices"
	"strings"
	"testing"
)

// TestPropertiesDrawFromOneSeed finds the packages whose property tests would draw other values in every run.
func TestPropertiesDrawFromOneSeed(t *testing.T) {
	draws, seeded := map[string]bool{}, map[string]bool{module + "internal/seed": true}
	for _, s := range sources(t) {
		if !s.test {
			continue
		}
		for _, path := range imports(s) {
			draws[module+s.dir] = draws[module+s.dir] || path == "pgregory.net/rapid"
			seeded[module+s.dir] = seeded[module+s.dir] || path == module+"internal/seed"
		}
	}
	for dir, does := range draws {
		if does && !seeded[dir] {
			t.Errorf("a test of %s imports rapid: import _ %q too, once in the package", strings.TrimPrefix(dir, module), module+"internal/seed")
		}
	}
}

// TestTestsDrawFromASeed finds the tests that draw from math/rand's own source, which nobody can draw from again.
func TestTestsDrawFromASeed(t *testing.T) {
	made := []string{"New", "NewPCG", "NewSource", "NewChaCha8", "NewZipf", "Rand", "Source", "PCG", "ChaCha8", "Zipf"}
	for _, s := range sources(t) {
		if in := imports(s); !s.test || !slices.Contains(in, "math/rand") && !slices.Contains(in, "math/rand/v2") {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			if sel, ok := n.(*ast.SelectorExpr); ok && !slices.Contains(made, sel.Sel.Name) {
				if pkg, ok := sel.X.(*ast.Ident); ok && pkg.Name == "rand" {
					t.Errorf("%s: rand.%s draws something else in every run: draw from rand.New(rand.NewPCG(1, 2))", s.set.Position(n.Pos()), sel.Sel.Name)
				}
			}
			return true
		})
	}
}
