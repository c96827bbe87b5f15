package hostile

import (
	"fmt"
	"strings"
)

// YAML is expensive for the parser although it is not larger than what is read: what it does once for each letter, word or key, with all
// that stands behind.
func YAML(bytes int) map[string]File {
	return map[string]File{
		"angles":       func() string { return "a: " + fill("<", bytes) },
		"some angles":  func() string { return "a: " + fill(strings.Repeat("<", 250)+" ", bytes) },
		"blank lines":  func() string { return "a: |\n x" + fill("\n", bytes) },
		"spaced lines": func() string { return "a: |\n  x" + fill("\n ", bytes) },
		"late blanks":  func() string { return "a: |\n " + fill("x", bytes-600) + strings.Repeat("\n", 30) + "b: 1" },
		"tabs":         func() string { return `a: "` + fill("\tx", bytes) + `"` },
		"tabbed words": func() string { return "a: [" + fill("\"\tx\",", bytes) + "]" },
		"one long key": func() string { return strings.Repeat("k", bytes/2) + ": [" + fill("1,", bytes/2) + "]" },
		"long keys":    func() string { return nested(200, 15, "["+fill("1,", min(bytes, 120_000)*9/10)+"]") },
		"deep keys":    func() string { return indented(bytes) },
		"distinct":     func() string { return numbered("k%d: 1\n", bytes) },
		"some keys":    func() string { return numbered("k%d: 1\n", min(bytes, 48_000)) },
		"flow keys":    func() string { return "{" + numbered("k%d: 1,", bytes) + "}" },
		"some flow":    func() string { return "{" + numbered("k%d: 1,", min(bytes, 120_000)) + "}" },
		"open keys":    func() string { return "[" + numbered("k%d: 1\n", bytes) + "]" },
		"asked keys":   func() string { return numbered("? k%d\n", bytes) },
		"no values":    func() string { return numbered("k%d:\n", bytes) },
		"empty items":  func() string { return fill("-\n", bytes) },
		"some items":   func() string { return fill("-\n", min(bytes, 118_000)) },
		"documents":    func() string { return fill("---\na\n", bytes) },
		"ends":         func() string { return fill("a\n...\n---\n", bytes) },
		"chain":        func() string { return "[" + fill("a: ", bytes) + "]" },
		"ones":         func() string { return "a: [" + fill("1,", bytes) + "]" },
		"long alias": func() string {
			return "a: &a " + fill("x", bytes/2) + "\nb: [" + fill("*a,", min(bytes/2, 57_000)) + "]"
		},
		"digit alias": func() string {
			return "a: &a " + fill("1", bytes/2) + "e\nb: [" + fill("*a,", min(bytes/2, 57_000)) + "]"
		},
	}
}

// nested are keys of a length below each other, and what the last one is.
func nested(length, depth int, value string) string {
	var b strings.Builder
	for i := range depth {
		if i > 0 {
			b.WriteString("\n")
		}
		b.WriteString(strings.Repeat(" ", i) + strings.Repeat("k", length) + ":")
	}
	return b.String() + " " + value
}

// mostRun is the size of the largest file of a training run that is read.
const mostRun = 1 << 20

// Runs are the files of training runs in YAML, TOML and JSON, by what their names end in.
func Runs() map[string]map[string]File {
	list := "[" + fill("1,", 39_000) + "1]"
	return map[string]map[string]File{
		"/run.yaml": YAML(mostRun),
		".toml": {
			"long key":  func() string { return strings.Repeat("k", mostRun/2) + " = " + list },
			"keys":      func() string { return numbered("zq%d = 1\n", 180_000) + "[training]\nlocal_batch_size = 8\n" },
			"headers":   func() string { return numbered("k%d = 1\n", 200_000) + fill("[z]\n", mostRun-250_000) },
			"tables":    func() string { return numbered("[a.b%d]\n", 180_000) },
			"long path": func() string { return "[" + fill(strings.Repeat("k", 30)+".", 900) + "k]\na = " + list },
			"deep":      func() string { return "a = " + fill("[", mostRun-10) },
			"escapes":   func() string { return `a = "` + fill(`\u0041`, mostRun-10) + `"` },
		},
		"/run.json": {
			"long key":  func() string { return `{"` + strings.Repeat("k", mostRun/2) + `":` + list + `}` },
			"keys":      func() string { return `{"train_batch_size":8,` + numbered(`"zq%d":1,`, 180_000) + `"z":1}` },
			"long path": func() string { return fill(`{"`+strings.Repeat("k", 30)+`":`, 900) + list + fill("}", 26) },
			"near keys": func() string {
				return `{"train_batch_size":8,"zero_optimization":{` + numbered(`"stagf%d":1,`, 180_000) + `"z":1}}`
			},
		},
	}
}

// waived are waivers for a rule, each for components of names that have to be read to their end.
func waived() string {
	return "waivers:\n" + fill("  - {rule: max_params, component: '*zz', reason: y}\n", 64<<10-100)
}

// Parquet are Parquet files of which only the footer is there.
func Parquet() map[string]File {
	footer := func(text string) string {
		n := len(text)
		return "PAR1" + text + string([]byte{byte(n), byte(n >> 8), byte(n >> 16), byte(n >> 24)}) + "PAR1"
	}
	varint := func(n int) string {
		return string([]byte{byte(n)&127 | 128, byte(n>>7)&127 | 128, byte(n>>14)&127 | 128, byte(n >> 21)})
	}
	zeros := func(field string) File { // a list of empty structures
		return func() string { return footer(field + "\xfc" + varint(size) + fill("\x00", size+1)) }
	}
	return map[string]File{
		"maps of booleans": func() string { return footer("\x99\xfb" + varint(size/5) + fill(varint(size/2)+"\x11", size)) },
		"columns":          zeros("\x29"),
		"descriptions":     zeros("\x59"),
		"unknown":          zeros("\x99"),
		"names": func() string {
			var b strings.Builder
			for i := range size / 10 {
				fmt.Fprintf(&b, "\x18\x06%06x\x00", i)
			}
			return footer("\x59\xfc" + varint(size/10) + b.String() + "\x00")
		},
	}
}
