package runfile

import (
	"fmt"
	"strconv"
	"strings"
)

// kind is what a value of a file is. Several of them together say what a key takes.
type kind uint8

const (
	null kind = 1 << iota
	boolean
	whole // a whole number
	number
	text
	list
	mapping
)

// Limits of a file. Aliases of YAML are counted each time they are followed.
const (
	MaxBytes  = 1 << 20
	maxDepth  = 32
	maxValues = 20_000
	maxText   = 100_000 // bytes of a command line or a value
	maxPath   = 1_000   // bytes of a key with those above it: every value below it has them in its own path
)

// value is one value of a file, whatever the file is written in.
type value struct {
	kind    kind
	path    string // of keys and indices: lora.target_modules[1]
	line    int    // 0 where there are no lines
	text    string // of a scalar, as it reads without quotes
	int     int64  // of a whole number
	float   float64
	list    []value
	members []member
	places  map[string]int // of the members, by their names
}

type member struct {
	name string
	value
}

// member is the value of a key, nil where the mapping has none.
func (v *value) member(name string) *value {
	if i, found := v.places[name]; found {
		return &v.members[i].value
	}
	return nil
}

// add puts a key into a mapping that does not have it.
func (v *value) add(name string, w value) {
	if v.places == nil {
		v.places = map[string]int{}
	}
	v.places[name] = len(v.members)
	v.members = append(v.members, member{name, w})
}

// at is the value that a dotted path leads to, nil where nothing is there.
func (v *value) at(path string) *value {
	for name := range strings.SplitSeq(path, ".") {
		if v = v.member(name); v == nil {
			return nil
		}
	}
	return v
}

// is reports whether a boolean is true.
func (v *value) is() bool { return v != nil && v.kind == boolean && v.text == "true" }

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// below is the path of a key of a mapping, where that is not too long.
func (v *value) below(name string, line int) (string, error) {
	path := join(v.path, name)
	if len(path) > maxPath {
		return "", Fault{Line: line, Path: clip(path), Message: fmt.Sprintf("is a key of %d bytes, with those above it, but at most %d are read",
			len(path), maxPath)}
	}
	return path, nil
}

func item(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }

// show is a value as a message quotes it.
func (v *value) show() string {
	switch v.kind {
	case null:
		return "empty"
	case list:
		return "a list"
	case mapping:
		return "a mapping"
	case text:
		return strconv.Quote(clip(v.text))
	}
	return clip(v.text)
}

// clip shortens what a message quotes.
func clip(s string) string {
	const most = 80
	s = strings.ToValidUTF8(s[:min(len(s), 4*most)], "\uFFFD") // a message has many values of a megabyte where they are aliases of one
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

// name says in words what a key takes.
func (k kind) name() string {
	var words []string
	for _, w := range []struct {
		kind kind
		word string
	}{{boolean, "true or false"}, {whole, "a whole number"}, {number, "a number"}, {text, "text"}, {list, "a list"}, {mapping,
		"a mapping"}} {
		if k&w.kind != 0 && (w.kind != whole || k&number == 0) {
			words = append(words, w.word)
		}
	}
	return strings.Join(words, " or ")
}

// plain gives a word that stands without quotes its meaning, as the trainers' YAML reader does (YAML 1.1: yes and off are booleans). A
// number with an exponent and no dot is text to that reader, and a number to the trainers.
func plain(v value, word string) value {
	const longest = 400 // letters of a number: a longer word is text, and aliases of it would be read each time
	v.text = word
	switch strings.ToLower(word[:min(len(word), len("false")+1)]) {
	case "true", "yes", "on":
		v.kind, v.text = boolean, "true"
		return v
	case "false", "no", "off":
		v.kind, v.text = boolean, "false"
		return v
	case "", "null", "~":
		v.kind = null
		return v
	}
	if len(word) > longest {
		v.kind = text
		return v
	}
	digits := strings.ReplaceAll(word, "_", "")
	if n, err := strconv.ParseInt(digits, 10, 64); err == nil {
		v.kind, v.int, v.float = whole, n, float64(n)
		return v
	}
	if f, err := strconv.ParseFloat(digits, 64); err == nil && strings.Trim(digits, "0123456789.+-eE") == "" {
		v.kind, v.float = number, f
		return v
	}
	v.kind = text
	return v
}

// Fault is what is wrong with a file: where, and what is allowed. Nothing is guessed of a file that has one.
type Fault struct {
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"`
	Path    string `json:"path,omitempty"`
	Message string `json:"message"`
}

func (f Fault) Error() string {
	var b strings.Builder
	b.WriteString(f.File)
	if f.Line > 0 {
		b.WriteString(":" + strconv.Itoa(f.Line))
	}
	if b.Len() > 0 {
		b.WriteString(": ")
	}
	if f.Path != "" {
		b.WriteString(f.Path + " ")
	}
	b.WriteString(f.Message)
	return b.String()
}

// Faults are all that is wrong with a file.
type Faults []Fault

func (f Faults) Error() string {
	lines := make([]string, len(f))
	for i := range f {
		lines[i] = f[i].Error()
	}
	return strings.Join(lines, "\n")
}
