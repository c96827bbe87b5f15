package transformers

import (
	"strings"
	"testing"

	"github.com/modelverifier/verifier/internal/catalog"
)

func TestEveryVariantIsOfATypeAndSaysWhatItIs(t *testing.T) {
	for _, v := range All() {
		if catalog.Lookup(v.Type) == nil {
			t.Errorf("%s is of %s, which is no type", v.Name, v.Type)
		}
		class, found := strings.CutPrefix(v.Name, Library+".")
		if !found || class == "" || strings.ContainsAny(v.Name, " /\"\\") || v.Says == "" {
			t.Errorf("%q of %s says %q", v.Name, v.Type, v.Says)
		}
		if Lookup(v.Type, v.Name) != v || Find(v.Type, v.Module) != v {
			t.Errorf("%s of %s is not found by its name, or by its module", v.Name, v.Type)
		}
	}
	for _, v := range All() { // a name lets nobody train less than the weights of such a table; a component detach does, in sight
		if v.Less() && v.Type != "learnedPositionalEmbedding" {
			t.Errorf("%s of %s has weights that are not trained", v.Name, v.Type)
		}
	}
	for typ := range byType {
		if catalog.Lookup(typ) == nil {
			t.Errorf("%s is no type", typ)
		}
	}
}
