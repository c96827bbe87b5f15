package serve

import (
	"math"
	"strconv"
	"strings"
)

// limit is a span of numbers that a flag takes.
type limit struct {
	least, most float64
	above       bool // least itself is not among them
}

// limits are the spans of a flag: a number must be in one of them.
type limits []limit

// parseLimits reads 0..3, 1.., ..-1, 0<.. (above 0) and single numbers, with commas between them; nil where a text is none.
func parseLimits(text string) limits {
	var out limits
	for _, part := range strings.Split(text, ",") {
		low, high, spans := strings.Cut(part, "..")
		low, above := strings.CutSuffix(low, "<")
		if !spans {
			high = low
		}
		l := limit{math.Inf(-1), math.Inf(1), above}
		var err, err2 error
		if low != "" {
			l.least, err = strconv.ParseFloat(low, 64)
		}
		if high != "" {
			l.most, err2 = strconv.ParseFloat(high, 64)
		}
		if err != nil || err2 != nil {
			return nil
		}
		out = append(out, l)
	}
	return out
}

// hold reports whether a number is within the limits.
func (ls limits) hold(x float64) bool {
	for _, l := range ls {
		if x >= l.least && x <= l.most && (!l.above || x > l.least) {
			return true
		}
	}
	return len(ls) == 0
}

// String is what a number must be, in words.
func (ls limits) String() string {
	words := make([]string, len(ls))
	for i, l := range ls {
		low, high := strconv.FormatFloat(l.least, 'g', -1, 64), strconv.FormatFloat(l.most, 'g', -1, 64)
		switch {
		case l.least == l.most:
			words[i] = low
		case l.above:
			words[i] = "above " + low
		case math.IsInf(l.most, 1):
			words[i] = "at least " + low
		case math.IsInf(l.least, -1):
			words[i] = "at most " + high
		default:
			words[i] = "from " + low + " to " + high
		}
	}
	return strings.Join(words, " or ")
}

// leading is the number at the beginning of a text as C's strtol and strtod read it, and what follows it; "" where there is none.
func leading(s string, decimal bool) (number, rest string) {
	s = strings.TrimLeft(s, " \t\n\v\f\r")
	end := 0
	if end < len(s) && (s[end] == '+' || s[end] == '-') {
		end++
	}
	if decimal {
		for _, word := range []string{"infinity", "inf", "nan"} {
			if len(s) >= end+len(word) && strings.EqualFold(s[end:end+len(word)], word) {
				return s[:end+len(word)], s[end+len(word):]
			}
		}
	}
	digits := func() (n int) {
		for end < len(s) && s[end] >= '0' && s[end] <= '9' {
			end, n = end+1, n+1
		}
		return n
	}
	whole := digits()
	if !decimal {
		if whole == 0 {
			return "", s
		}
		return s[:end], s[end:]
	}
	if end < len(s) && s[end] == '.' {
		end++
		if whole += digits(); whole == 0 {
			return "", s
		}
	}
	if whole == 0 {
		return "", s
	}
	if mark := end; end < len(s) && (s[end] == 'e' || s[end] == 'E') {
		if end++; end < len(s) && (s[end] == '+' || s[end] == '-') {
			end++
		}
		if digits() == 0 {
			end = mark
		}
	}
	return s[:end], s[end:]
}
