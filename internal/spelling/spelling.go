// Package spelling measures how far two words are apart, for messages that name what was probably meant. It must not know any
// list of words: whoever has one says how near is near enough.
package spelling

// short is the length of a word for which no memory is taken.
const short = 64

// Distance is the number of letters to insert, remove or replace, or limit where it is not less.
func Distance(a, b string, limit int) int {
	if len(a)-len(b) >= limit || len(b)-len(a) >= limit {
		return limit
	}
	var room [short + 1]int
	row := room[:]
	if len(b) > short {
		row = make([]int, len(b)+1)
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
	return min(row[len(b)], limit)
}
