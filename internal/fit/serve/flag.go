package serve

import (
	"cmp"
	"embed"
	"fmt"
	"slices"
	"strings"
	"sync"

	words "github.com/modelverifier/verifier/internal/spelling"
)

//go:embed flags/*.txt flags/*.archs
var tables embed.FS

// The kinds of value that a flag takes. In a table one with a question mark behind it also takes None.
const (
	kindFlag        = "flag"      // none
	kindBool        = "bool"      // none, and there is a --no- form
	kindBoolWord    = "boolword"  // true or false
	kindBoolValue   = "boolvalue" // none, or true or false
	kindInt         = "int"
	kindHuman       = "human"     // a whole number, or one with a suffix
	kindHumanAuto   = "humanauto" // the same, or auto
	kindFloat       = "float"
	kindChoice      = "choice" // a text, one of a list
	kindText        = "str"
	kindOptional    = "optstr"   // none or one
	kindOptFloat    = "optfloat" // none or one
	kindTexts       = "strs"     // one or more
	kindAny         = "strs*"    // any number
	kindInts        = "ints"
	kindIntList     = "intlist" // with commas between them
	kindFloats      = "floats"
	kindJSON        = "json"
	kindObject      = "object"      // a JSON object, in which numbers may have a suffix
	kindJSONText    = "jsonorstr"   // a JSON object, or a text
	kindJSONPairs   = "jsonkvs"     // a JSON object, or key=value pairs
	kindPairs       = "kvs"         // key=value pairs
	kindCompilation = "compilation" // a level, or a JSON object
	kindPair        = "pair"        // two
	kindUnsigned    = "uint"        // what C's stoul reads, which takes a sign too
	kindIntOrWord   = "intorword"   // a whole number, or one of a list
	kindWords       = "words"       // of a list, with commas between them
	kindShares      = "shares"      // decimal numbers with commas or slashes between them, fewer than 16
)

// span is from which version to which something is there. A version without a text is open.
type span struct{ since, until version }

// alive reports whether it is there in a version.
func (s span) alive(v version) bool {
	return (s.since.text == "" || v.reaches(s.since)) && (s.until.text == "" || !s.until.before(v))
}

// spelling is one name of a flag or one of its values, in the versions that have it.
type spelling struct {
	name string
	span
}

// phase is what kind of value a flag takes from a version on.
type phase struct {
	kind     string
	nullable bool // None stands for none
	since    version
}

// flag is one flag of an engine over all of its versions.
type flag struct {
	name       string // the canonical long one
	names      []spelling
	phases     []phase
	values     []spelling // where there is a list
	limits     limits     // of a number, none where any is taken
	span                  // of the first version and the last
	deprecated *span      // accepted with a warning
	refused    *span      // known, and refused with a hint
	env        string     // the environment variable that sets it too
}

// table is every flag of an engine.
type table struct {
	flags   []*flag
	byName  map[string]*flag
	spelled []spelledFlag // by their text, for prefixes
}

// spelledFlag is a text that can be abbreviated: a name of a flag, or the negation of one.
type spelledFlag struct {
	text string
	flag *flag
	spelling
	negated bool // only while the flag is a switch
	place   int  // in the table
}

// tableOf is a table that is part of the program; one that cannot be read is a fault of the build. It is read when it is first asked for:
// the tables took more of every start than all else, in a browser a second, and most runs judge no command.
func tableOf(file string) func() *table {
	return sync.OnceValue(func() *table { return readTable(file, builtIn(file)) })
}

// builtIn is the text of a file that is part of the program.
func builtIn(file string) string {
	data, err := tables.ReadFile("flags/" + file)
	if err != nil {
		panic(fmt.Sprintf("serve: %v", err))
	}
	return string(data)
}

func readTable(file, text string) *table {
	t := &table{byName: map[string]*flag{}}
	for i, line := range strings.Split(text, "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		f, ok := parseFlag(line)
		if !ok {
			panic(fmt.Sprintf("serve: flags/%s:%d: %q", file, i+1, line))
		}
		t.flags = append(t.flags, f)
		for _, s := range f.names {
			if t.byName[s.name] != nil {
				panic(fmt.Sprintf("serve: flags/%s:%d: %s is there twice", file, i+1, s.name))
			}
			t.byName[s.name] = f
			t.spelled = append(t.spelled, spelledFlag{text: s.name, flag: f, spelling: s, place: len(t.spelled)})
			if rest, long := strings.CutPrefix(s.name, "--"); long {
				t.spelled = append(t.spelled, spelledFlag{text: "--no-" + rest, flag: f, spelling: s, negated: true, place: len(t.spelled)})
			}
		}
	}
	slices.SortFunc(t.spelled, func(a, b spelledFlag) int {
		return cmp.Or(strings.Compare(a.text, b.text), cmp.Compare(a.place, b.place))
	})
	return t
}

func parseFlag(line string) (*flag, bool) {
	c := strings.Split(line, "\t")
	if len(c) < 5 {
		return nil, false
	}
	f := &flag{span: span{versionOr(c[3], version{}), versionOr(c[4], version{})}}
	for _, n := range strings.Split(c[0], ",") {
		f.names = append(f.names, parseSpelling(n, f.span))
	}
	f.name = f.names[0].name
	for _, k := range strings.Split(c[1], ",") {
		s := parseSpelling(k, f.span)
		kind, nullable := strings.CutSuffix(s.name, "?")
		f.phases = append(f.phases, phase{kind, nullable, s.since})
	}
	switch {
	case c[2] == "-":
	case strings.Contains(c[2], ".."):
		if f.limits = parseLimits(c[2]); f.limits == nil {
			return nil, false
		}
	default:
		for _, v := range strings.Split(c[2], ",") {
			f.values = append(f.values, parseSpelling(v, f.span))
		}
	}
	if len(c) > 5 {
		switch mark := parseSpelling(c[5], f.span); mark.name {
		case "deprecated":
			f.deprecated = &mark.span
		case "error":
			f.refused = &mark.span
		case "-":
		default:
			f.env = mark.name
		}
	}
	return f, true
}

// parseSpelling reads name@since~until; what is left out is that of the flag.
func parseSpelling(s string, whole span) spelling {
	s, until, _ := strings.Cut(s, "~")
	s, since, _ := strings.Cut(s, "@")
	return spelling{s, span{versionOr(since, whole.since), versionOr(until, whole.until)}}
}

func versionOr(s string, or version) version {
	if s == "" || s == "-" {
		return or
	}
	return mustVersion(s)
}

// in is what the flag takes in a version.
func (f *flag) in(v version) phase {
	best := f.phases[0]
	for _, p := range f.phases[1:] {
		if v.reaches(p.since) {
			best = p
		}
	}
	return best
}

// choices lists the values of a version, none where any is taken.
func (f *flag) choices(v version) []string {
	var out []string
	for _, c := range f.values {
		if c.alive(v) {
			out = append(out, c.name)
		}
	}
	return out
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
	return spelling{name, f.span}
}

// abbreviations are the flags that begin with a text, and how those are spelt.
type abbreviations struct {
	flags []*flag
	names []string
}

// prefixed lists the flags of a version that begin with a text: argparse takes one that is unique. They come in the order of the table.
func (t *table) prefixed(text string, v version) (out abbreviations) {
	first, _ := slices.BinarySearchFunc(t.spelled, text, func(s spelledFlag, text string) int { return strings.Compare(s.text, text) })
	var found []spelledFlag
	for _, s := range t.spelled[first:] {
		if !strings.HasPrefix(s.text, text) {
			break
		}
		alike := strings.HasPrefix(s.text, "--") == strings.HasPrefix(text, "--")
		if alike && s.alive(v) && (!s.negated || s.flag.in(v).kind == kindBool) {
			found = append(found, s)
		}
	}
	slices.SortFunc(found, func(a, b spelledFlag) int { return cmp.Compare(a.place, b.place) })
	for _, s := range found {
		out.flags, out.names = append(out.flags, s.flag), append(out.names, s.text)
	}
	return out
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
