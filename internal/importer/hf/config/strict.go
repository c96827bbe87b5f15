package config

import "bytes"

// Strict rewrites the numbers that Python writes and JSON does not have, NaN and Infinity, as texts. A config.json of a
// state-space model has them in its limits of the step.
func Strict(text []byte) []byte {
	if !bytes.Contains(text, []byte("Infinity")) && !bytes.Contains(text, []byte("NaN")) {
		return text
	}
	out := make([]byte, 0, len(text)+16)
	for i := 0; i < len(text); {
		switch c := text[i]; c {
		case '"':
			end := afterString(text, i)
			out = append(out, text[i:end]...)
			i = end
		case 'N', 'I', '-':
			word := bareWord(text[i:])
			if word == "" {
				out = append(out, c)
				i++
				continue
			}
			out = append(append(append(out, '"'), word...), '"')
			i += len(word)
		default:
			out = append(out, c)
			i++
		}
	}
	return out
}

// afterString is the place behind the text that starts at i.
func afterString(text []byte, i int) int {
	for i++; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(text)
}

func bareWord(text []byte) string {
	for _, word := range []string{"NaN", "Infinity", "-Infinity"} {
		if bytes.HasPrefix(text, []byte(word)) {
			return word
		}
	}
	return ""
}
