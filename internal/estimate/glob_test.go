package estimate

import (
	"math/rand/v2"
	"path"
	"testing"
)

// TestGlobsMatchWhatPathMatchDoes compares what is asked before path.Match with path.Match alone, on patterns and names of few letters.
func TestGlobsMatchWhatPathMatchDoes(t *testing.T) {
	d := rand.New(rand.NewPCG(1, 1))
	word := func(letters string, most int) string {
		out := make([]byte, d.IntN(most))
		for i := range out {
			out[i] = letters[d.IntN(len(letters))]
		}
		return string(out)
	}
	matched := 0
	for range 200_000 {
		pattern, name := word(`ab.*?[]^-\/`, 8), word("ab./é]", 7)
		g := globOf(pattern)
		ok, err := path.Match(slashed(pattern), slashed(name))
		if want := ok && err == nil; g.match(name) != want {
			t.Fatalf("%q and %q: %v, path.Match says %v, %v", pattern, name, !want, ok, err)
		} else if want {
			matched++
		}
	}
	if matched < 1000 {
		t.Errorf("only %d matched", matched)
	}
}
