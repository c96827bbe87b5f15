package serve

import (
	"embed"
	"fmt"
	"slices"
	"strings"

	words "github.com/modelverifier/verifier/internal/spelling"
)

//go:embed flags/*.txt flags/*.archs
var tables embed.FS

// The kinds of value that a flag takes.
const (
	kindFlag      = "flag"      // none
	kindBool      = "bool"      // none, and there is a --no- form
	kindBoolWord  = "boolword"  // true or false
	kindBoolValue = "boolvalue" // none, or true or false
	kindInt       = "int"
	kindHuman     = "human" // a whole number, or one with a suffix
	kindFloat     = "float"
	kindChoice    = "choice" // one of a list
	kindText      = "str"
	kindOptional  = "optstr" // none or one
	kindTexts     = "strs"   // one or more
	kindInts      = "ints"
	kindJSON      = "json"
	kindJSONText  = "jsonorstr"
	kindPair      = "pair" // two
)

// flag is one flag of an engine over all of its versions.
type flag struct {
	name       string // the canonical long one
	names      []spelling
	kind       string
	values     []string // that the newest version takes, where there is a list
	old        []string // that only older versions took
	since      string   // first version, "" where it is as old as the table
	until      string   // last version, "" where it is still there
	deprecated bool     // accepted with a warning
	refused    bool     // known, and refused with a hint
	env        string   // the environment variable that sets it too
}

// spelling is one name of a flag, in the versions that had it.
type spelling struct{ name, since, until string }

// table is every flag of an engine.
type table struct {
	flags  []*flag
	byName map[string]*flag
}

// loadTable reads a table that is part of the program; one that cannot be read is a fault of the build.
func loadTable(file string) *table {
	data, err := tables.ReadFile("flags/" + file)
	if err != nil {
		panic(fmt.Sprintf("serve: %v", err))
	}
	t := &table{byName: map[string]*flag{}}
	for i, line := range strings.Split(string(data), "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		f, ok := parseFlag(line)
		if !ok {
			panic(fmt.Sprintf("serve: flags/%s:%d: %q", file, i+1, line))
		}
		t.flags = append(t.flags, f)
		for _, s := range f.names {
			t.byName[s.name] = f
		}
	}
	return t
}

func parseFlag(line string) (*flag, bool) {
	c := strings.Split(line, "\t")
	if len(c) < 5 {
		return nil, false
	}
	f := &flag{kind: c[1], since: dash(c[3]), until: dash(c[4])}
	for _, n := range strings.Split(c[0], ",") {
		s := spelling{since: f.since, until: f.until}
		n, s.until, _ = cutOr(n, "~", s.until)
		s.name, s.since, _ = cutOr(n, "@", s.since)
		f.names = append(f.names, s)
	}
	f.name = f.names[0].name
	if c[2] != "-" {
		for _, v := range strings.Split(c[2], ",") {
			if o, old := strings.CutPrefix(v, "~"); old {
				f.old = append(f.old, o)
			} else {
				f.values = append(f.values, v)
			}
		}
	}
	if len(c) > 5 {
		switch c[5] {
		case "deprecated":
			f.deprecated = true
		case "error":
			f.refused = true
		default:
			f.env = dash(c[5])
		}
	}
	return f, true
}

func dash(s string) string {
	if s == "-" {
		return ""
	}
	return s
}

func cutOr(s, sep, or string) (before, after string, found bool) {
	if before, after, found = strings.Cut(s, sep); found {
		return before, after, true
	}
	return s, or, false
}

// alive reports whether a spelling is there in a version.
func (s spelling) alive(v version) bool {
	return (s.since == "" || v.since(s.since)) && (s.until == "" || !mustVersion(s.until).before(v))
}

// alive reports whether any spelling of a flag is there in a version.
func (f *flag) alive(v version) bool {
	return slices.ContainsFunc(f.names, func(s spelling) bool { return s.alive(v) })
}

// shownName is the best name of a flag in a version.
func (f *flag) shownName(v version) string {
	for _, s := range f.names {
		if s.alive(v) && strings.HasPrefix(s.name, "--") {
			return s.name
		}
	}
	return f.name
}

// spelt returns the spelling of a name.
func (f *flag) spelt(name string) spelling {
	for _, s := range f.names {
		if s.name == name {
			return s
		}
	}
	return spelling{name: name, since: f.since, until: f.until}
}

// prefixed lists the flags of a version that begin with a text, and the spellings: argparse takes one that is unique.
func (t *table) prefixed(text string, v version, negations bool) (flags []*flag, names []string) {
	for _, f := range t.flags {
		for _, s := range f.names {
			if !s.alive(v) || !strings.HasPrefix(s.name, "--") {
				continue
			}
			if strings.HasPrefix(s.name, text) {
				flags, names = append(flags, f), append(names, s.name)
			}
			if no := "--no-" + s.name[2:]; negations && f.kind == kindBool && strings.HasPrefix(no, text) {
				flags, names = append(flags, f), append(names, no)
			}
		}
	}
	return flags, names
}

// nearest returns the flag of a version whose name is closest to a text, "" where none is close.
func (t *table) nearest(text string, v version) string {
	best, least := "", max(2, len(text)/4)+1
	if len(text) > 64 {
		return ""
	}
	for _, f := range t.flags {
		for _, s := range f.names {
			if d := words.Distance(text, s.name, least); s.alive(v) && d < least {
				best, least = s.name, d
			}
		}
	}
	return best
}

// kindIn is the kind of a flag in a version: before vLLM 0.8.5 some switches took a word.
func (f *flag) kindIn(v version) string {
	switch f.name {
	case "--enable-chunked-prefill", "--multi-step-stream-outputs", "--disable-chunked-mm-input":
		if !v.since("0.8.5") {
			return kindBoolValue
		}
	}
	return f.kind
}
