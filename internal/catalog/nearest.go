package catalog

import "sort"

// Nearest returns the type whose spelling is closest to a word, or the empty string where none is close enough to be meant.
func Nearest(word string) string {
	key := squash(word)
	if len(key) > 64 {
		return ""
	}
	best, distance := "", len(key)/3+1
	var row [65]int
	for _, s := range spellings {
		if len(s) > 64 {
			continue
		}
		if d := editDistance(key, s, distance, row[:]); d < distance {
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

// editDistance is Levenshtein's, given up at limit. row has room for b.
func editDistance(a, b string, limit int, row []int) int {
	if len(a)-len(b) >= limit || len(b)-len(a) >= limit {
		return limit
	}
	row = row[:len(b)+1]
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diagonal, least := row[0], i
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := diagonal
			if a[i-1] != b[j-1] {
				cost++
			}
			diagonal = row[j]
			row[j] = min(cost, row[j]+1, row[j-1]+1)
			least = min(least, row[j])
		}
		if least >= limit {
			return limit
		}
	}
	return row[len(b)]
}

// NearestParam returns the parameter of the type whose spelling is closest to a word, or the empty string.
func (t *Type) NearestParam(word string) string {
	key := squash(word)
	if len(key) > 64 {
		return ""
	}
	best, distance := "", len(key)/3+1
	var row [65]int
	try := func(p *Param, spelling string) {
		if s := squash(spelling); len(s) <= 64 {
			if d := editDistance(key, s, distance, row[:]); d < distance {
				best, distance = p.Name, d
			}
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
