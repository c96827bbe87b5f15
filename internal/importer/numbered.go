package importer

import "strings"

// Numbered takes the name of a file that is one of several apart: "model-00002-of-00004.safetensors" is "model", 2, 4.
func Numbered(name, ending string) (stem string, number, of int, ok bool) {
	rest, ok := strings.CutSuffix(name, ending)
	i, j := strings.LastIndex(rest, "-of-"), 0
	if ok = ok && i > 0; ok {
		j = strings.LastIndexByte(rest[:i], '-')
	}
	if !ok || j <= 0 {
		return "", 0, 0, false
	}
	number, ok = digits(rest[j+1 : i])
	of, also := digits(rest[i+4:])
	return rest[:j], number, of, ok && also && number >= 1 && number <= of
}

// digits reads the five digits of a numbered file.
func digits(s string) (n int, ok bool) {
	if len(s) != 5 {
		return 0, false
	}
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
		n = n*10 + int(s[i]-'0')
	}
	return n, true
}
