package adversary

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// letters are what long words are made of: each was chosen because some code treats it by itself.
var letters = []string{
	"a", "a ", "ab.", "0.", "a.0.", "a#", "a_", "é", "日", "\u0001", "\u2028", "\"", "\\", "<b>", "`", "|", "*", "\n", "\t", ",", "-", "--", "'", "$", "%", "%d", "{", "[", "1", "9",
	"\U0001F600", "\u0301", "\u202e", "&amp;", "conv2d", "linear", "Linear ", "->", "a,b->", "a;", "a=b ", "../", "https://a.b/", "x", "\u00ad", "T4",
}

// word draws a word of about a size. It does not begin with a letter of its own, so that two of one size may be equal.
func (d *draw) word(size int) string {
	if size <= 0 {
		return ""
	}
	unit := pick(d, letters...)
	if d.chance(4) {
		unit += pick(d, letters...)
	}
	return strings.Repeat(unit, max(1, size/len(unit)))
}

// quote writes a string as JSON.
func quote(s string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(s) != nil {
		return `""`
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// value draws a JSON value of about a size.
func (d *draw) value(size int) string {
	switch d.IntN(12) {
	case 0:
		return quote(d.word(size))
	case 1:
		return list(min(size/2, d.items()), func(int) string { return "1" })
	case 2:
		return list(min(size/20, d.items()), func(int) string { return "9223372036854775807" })
	case 3:
		return list(min(size/3, d.items()), func(int) string { return "[]" })
	case 4:
		return list(min(size/8, d.items()), strconv.Itoa)
	case 5: // as deep as it goes
		n := d.IntN(60)
		return strings.Repeat("[", n) + strings.Repeat("]", n)
	case 6:
		return d.object(size, 1024)
	case 7:
		n := d.IntN(60)
		return strings.Repeat(`{"a":`, n) + "1" + strings.Repeat("}", n)
	case 8:
		return "9223372036854775807"
	case 9:
		return pick(d, "null", "true", "-1", "0", "1", "2", "1.5", "1e308", "1000000007", `""`, "4294967296")
	case 10:
		n := min(size/16, d.items())
		return list(n, func(i int) string { return quote(fmt.Sprint("w", i) + d.word(min(size/max(n, 1)-8, 64))) })
	}
	return "1e-300" + strings.Repeat(" ", min(size, 1<<d.IntN(20)))
}

func (d *draw) items() int { return pick(d, 3, 60, 64, 65, 100, 1000, 20_000, 199_000) }

// object draws an object with so many members at the most.
func (d *draw) object(size, most int) string {
	n := max(1, min(size/8, d.IntN(most)+1))
	each := size/n - 12
	var b strings.Builder
	b.WriteByte('{')
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "%s:%s", quote(fmt.Sprint(i, d.word(min(each/2, 1<<d.IntN(20))))), pick(d, "1", `"a"`, "[1]", quote(d.word(min(each/2, 1<<d.IntN(20))))))
	}
	return b.String() + "}"
}

func list(n int, item func(i int) string) string {
	var b strings.Builder
	b.WriteByte('[')
	for i := range max(n, 0) {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(item(i))
	}
	return b.String() + "]"
}
