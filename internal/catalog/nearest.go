package catalog

// Nearest returns the type whose spelling is closest to a word, or the empty string where none is close enough to be meant.
func Nearest(word string) string {
	key := squash(word)
	if len(key) > 64 {
		return ""
	}
	best, distance := "", len(key)/3+1
	for _, t := range Types() {
		for _, s := range append([]string{t.ID}, t.Aliases...) {
			if d := editDistance(key, squash(s), distance); d < distance {
				best, distance = t.ID, d
			}
		}
	}
	return best
}

// editDistance is Levenshtein's, given up at limit.
func editDistance(a, b string, limit int) int {
	if len(a)-len(b) >= limit || len(b)-len(a) >= limit {
		return limit
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diagonal := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := diagonal
			if a[i-1] != b[j-1] {
				cost++
			}
			diagonal = row[j]
			row[j] = min(cost, row[j]+1, row[j-1]+1)
		}
	}
	return row[len(b)]
}
