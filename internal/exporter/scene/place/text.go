package place

import "strings"

// BoldWidth is about how wide a text is in bold letters.
func BoldWidth(s string, size int) int { return TextWidth(s, size) * 114 / 100 }

// TextWidth is about how wide a text is in pixels, in the widest of the fonts that are asked for.
func TextWidth(s string, size int) int {
	n := 0
	for _, r := range s {
		switch {
		case strings.ContainsRune("iljtfrI.,:;|'!()[]/ ·", r):
			n += 37
		case strings.ContainsRune("mwMW@%→×…", r):
			n += 90
		case r >= 'A' && r <= 'Z' || r >= 0x2e80:
			n += 72
		default:
			n += 61
		}
	}
	return (n*size + 99) / 100
}
