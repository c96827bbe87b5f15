// Package spelling measures how far two words are apart, for messages that name what was probably meant. It must not know any
// list of words.
package spelling

import "strings"

// short is the length of a word for which no memory is taken.
const short = 64

// Distance is the number of letters to insert, remove, replace, or swap with the one beside it, or limit where it is not less.
func Distance(a, b string, limit int) int {
	if len(a)-len(b) >= limit || len(b)-len(a) >= limit {
		return limit
	}
	var room [3 * (short + 1)]int
	rows := room[:]
	if len(b) > short {
		rows = make([]int, 3*(len(b)+1))
	}
	n := len(b) + 1
	before, above, row := rows[:n], rows[n:2*n], rows[2*n:3*n] // two letters of a ago, one ago, and this one
	for j := range above {
		above[j] = j
	}
	for i := 1; i <= len(a); i++ {
		least := i
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := above[j-1]
			if a[i-1] != b[j-1] {
				cost++
			}
			row[j] = min(cost, above[j]+1, row[j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
			least = min(least, row[j])
		}
		if least >= limit { // what a swap reaches from the row before is no less
			return limit
		}
		before, above, row = above, row, before
	}
	return min(above[len(b)], limit)
}

// Nearest returns the known word that takes the least edits from a word, or "" where none is near enough to be meant: less than a
// third of its letters, and one more. Case and separators count for nothing. Of two that are equally near the first is named.
func Nearest(word string, known []string) string {
	key := fold(word)
	best, least := "", len(key)/3+1
	if len(key) > short {
		return ""
	}
	for _, k := range known {
		if d := Distance(key, fold(k), least); d < least {
			best, least = k, d
		}
	}
	return best
}

// Part returns the known word that shares most with a word, being part of it or having it as a part, or "": gpus for num_gpus.
func Part(word string, known []string) (best string) {
	const enough = 4 // letters: fewer stand in another word by chance
	key, shared := fold(word), 0
	for _, k := range known {
		f := fold(k)
		n := min(len(f), len(key))
		if n >= enough && n > shared && (strings.Contains(key, f) || strings.Contains(f, key)) {
			best, shared = k, n
		}
	}
	return best
}

// DidYouMean is the end of a message that names the nearest of the known words, or "" where none is near.
func DidYouMean(word string, known []string) string {
	if near := Nearest(word, known); near != "" {
		return "; did you mean " + near + "?"
	}
	return ""
}

var separators = strings.NewReplacer("-", "", "_", "", " ", "", ".", "")

func fold(word string) string { return strings.ToLower(separators.Replace(word)) }
