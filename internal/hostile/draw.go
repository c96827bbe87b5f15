package hostile

import (
	"math/rand/v2"
	"slices"
	"strings"
)

// size of the largest file that is drawn.
const mostDrawn = 8 << 20

// Draw makes a file out of others of its format: pieces of one are repeated, moved and put into another, so that what each of them is
// expensive by comes together. The same choices give the same file.
func Draw(rng *rand.Rand, pool []string) string {
	text := pool[rng.IntN(len(pool))]
	text = text[:min(len(text), mostDrawn>>rng.IntN(12))]
	for range 1 + rng.IntN(4) {
		from := pool[rng.IntN(len(pool))]
		if rng.IntN(2) == 0 {
			from = text
		}
		text = change(rng, text, piece(rng, from))
	}
	return text[:min(len(text), mostDrawn)]
}

// piece is some part of a text: mostly a few bytes, seldom much of it.
func piece(rng *rand.Rand, text string) string {
	if text == "" {
		return ""
	}
	at := rng.IntN(len(text))
	return text[at:min(len(text), at+1+rng.IntN(1<<rng.IntN(18)))]
}

// change puts a piece into a text, once or often, in the place of something or beside it.
func change(rng *rand.Rand, text, piece string) string {
	at := rng.IntN(len(text) + 1)
	room := max(0, mostDrawn-len(text))
	switch times := 1 << rng.IntN(22); rng.IntN(4) {
	case 0: // much of it
		return text[:at] + repeat(piece, times, room) + text[at:]
	case 1: // in the place of as much
		return text[:at] + piece + text[min(len(text), at+len(piece)):]
	case 2: // wherever some letter stands
		if at == len(text) {
			return text
		}
		return replace(text, text[at:at+1], text[at:at+1]+piece[:min(len(piece), 16)], room)
	default: // nested, as far as repeating both ends of it nests it
		half := len(piece) / 2
		return text[:at] + repeat(piece[:half], times, room/2) + repeat(piece[half:], times, room/2) + text[at:]
	}
}

func repeat(s string, times, room int) string {
	if s == "" {
		return ""
	}
	return strings.Repeat(s, min(times, room/len(s)))
}

// replace replaces as many as there is room for.
func replace(text, old, by string, room int) string {
	if len(by) == len(old) {
		return text
	}
	return strings.Replace(text, old, by, room/(len(by)-len(old)))
}

// Source draws a source: some statements that grow, in loops, in one of the places.
func Source(rng *rand.Rand) string {
	place := pick(rng, places)
	var body []string
	for range 1 + rng.IntN(4) {
		times := make([]int, 1+rng.IntN(2))
		for i := range times {
			times[i] = 1 << rng.IntN(20)
		}
		body = append(body, inLoop(indents[place], growths[pick(rng, growths)], times...))
	}
	return start + strings.ReplaceAll(places[place], "{body}", strings.Join(body, "\n"))
}

// pick draws a key.
func pick(rng *rand.Rand, m map[string]string) string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys[rng.IntN(len(keys))]
}
