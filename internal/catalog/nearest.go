package catalog

import (
	"sort"

	"github.com/modelverifier/verifier/internal/spelling"
)

// Nearest returns the type whose spelling is closest to a word, or the empty string where none is close enough to be meant.
func Nearest(word string) string {
	key := squash(word)
	if len(key) > longestSpelling {
		return ""
	}
	best, distance := "", len(key)/3+1
	for _, s := range spellings {
		if d := spelling.Distance(key, s, distance); d < distance {
			best, distance = bySpelling[s].ID, d
		}
	}
	return best
}

// spellings are those of all types, sorted: of two that are equally near the first is named.
var spellings []string

func init() {
	for s := range bySpelling {
		spellings = append(spellings, s)
	}
	sort.Strings(spellings)
}

// NearestParam returns the parameter of the type whose spelling is closest to a word, or the empty string.
func (t *Type) NearestParam(word string) string {
	key := squash(word)
	if len(key) > longestSpelling {
		return ""
	}
	best, distance := "", len(key)/3+1
	try := func(p *Param, name string) {
		if d := spelling.Distance(key, squash(name), distance); d < distance {
			best, distance = p.Name, d
		}
	}
	for i := range t.Params {
		p := &t.Params[i]
		try(p, p.Name)
		for _, a := range p.Aliases {
			try(p, a)
		}
	}
	return best
}
