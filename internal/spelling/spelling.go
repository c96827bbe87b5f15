// Package spelling measures how far two words are apart, for messages that name what was probably meant. It must not know any
// list of words.
package spelling

import "strings"

// short is the length of the longest word that Nearest looks for.
const short = 64

// Distance is the number of letters to insert, remove, replace, or swap with the one beside it, or limit where it is not less.
//
// A beginning of a and one of b are as many letters apart as their lengths differ by, or more. Only those are compared that differ by less
// than the limit, so that what two words cost grows with their length times the limit, and not with the product of their lengths.
func Distance(a, b string, limit int) int {
	if len(a)-len(b) >= limit || len(b)-len(a) >= limit {
		return limit
	}
	limit = min(limit, max(len(a), len(b))+1) // no two words are further apart than the longer one is long
	n := 2*limit + 1                          // a row is the beginnings of b that are shorter or longer by up to limit
	var room [3 * (short + 1)]int
	rows := room[:]
	if 3*n > len(room) {
		rows = make([]int, 3*n)
	}
	before, above, row := rows[:n], rows[n:2*n], rows[2*n:3*n] // two letters of a ago, one ago, and this one
	for i := 0; i <= len(a); i++ {
		least := limit
		row[0], row[n-1] = limit, limit
		for k := 1; k < n-1; k++ {
			j := i + k - limit
			switch {
			case j < 0 || j > len(b):
				row[k] = limit
			case i == 0 || j == 0:
				row[k] = i + j
			default:
				row[k] = min(above[k], above[k+1]+1, row[k-1]+1)
				if a[i-1] != b[j-1] {
					row[k] = min(above[k], above[k+1], row[k-1]) + 1
				}
				if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
					row[k] = min(row[k], before[k]+1)
				}
			}
			least = min(least, row[k])
		}
		if least >= limit { // what a swap reaches from the row before is no less
			return limit
		}
		before, above, row = above, row, before
	}
	return min(above[len(b)-len(a)+limit], limit)
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
