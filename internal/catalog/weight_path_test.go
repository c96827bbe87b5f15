package catalog

import "testing"

// TestWeightIsWhatItsPathSays compares with the paths written out.
func TestWeightIsWhatItsPathSays(t *testing.T) {
	words := []string{"", "a", "b", "ab", "a.b", "b.a", "a.a", "a.b.a", "ab.a", "a.ba"}
	for _, module := range words {
		for _, name := range words[1:] {
			w := Weight{Module: module, Name: name}
			for _, other := range words {
				for _, part := range words[1:] {
					if got, want := w.is(other, part), w.Path() == join(other, part); got != want {
						t.Errorf("%q in %q is %q in %q: %t", name, module, part, other, got)
					}
				}
			}
		}
	}
}
