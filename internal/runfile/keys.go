package runfile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/modelverifier/verifier/internal/spelling"
)

// Use says what became of a key.
type Use string

// What becomes of a key.
const (
	Read     Use = "read"
	NoEffect Use = "no effect" // known, and without effect on memory and on the time of a step
	Unknown  Use = "unknown"
)

// Key is one key of a file, and what became of it. A mapping that has no effect is one key with all that is in it.
type Key struct {
	Path    string `json:"path"`
	File    string `json:"file,omitempty"` // where it is not the file that was asked for
	Line    int    `json:"line,omitempty"`
	Use     Use    `json:"use"`
	Why     string `json:"why,omitempty"`     // it has no effect
	Nearest string `json:"nearest,omitempty"` // known key, of one that is unknown
}

// key is what a trainer takes under a name.
type key struct {
	name  string // with dots where mappings nest
	takes kind
	read  func(*reader, *value) // nil for one without effect
	why   string
}

// table finds keys by their names.
type table struct {
	keys   map[string]key
	beside map[string][]string // the names that a mapping can have, sorted, by the path to it: "" is the top
}

// tableOf joins what trainers share with what one has of its own, which comes later and replaces.
func tableOf(parts ...[]key) table {
	t := table{map[string]key{}, map[string][]string{}}
	for _, p := range parts {
		for _, k := range p {
			t.keys[k.name] = k
		}
	}
	for name := range t.keys {
		below := ""
		for part := range strings.SplitSeq(name, ".") {
			t.beside[below] = append(t.beside[below], part)
			below = join(below, part)
		}
	}
	for below, names := range t.beside {
		slices.Sort(names)
		t.beside[below] = slices.Compact(names)
	}
	return t
}

// has reports whether the table has keys below a name.
func (t table) has(name string) bool { return name != "" && len(t.beside[name]) > 0 }

// without declares keys that change neither memory nor the time of a step, and why.
func without(why, names string) (out []key) {
	for name := range strings.FieldsSeq(names) {
		out = append(out, key{name: name, why: why})
	}
	return out
}

// Reasons why a key has no effect.
const (
	whyLog     = "it says what is logged"
	whySave    = "it says what is saved, and where"
	whyEval    = "it is of evaluation, and the training step is estimated"
	whyRate    = "it changes the numbers that are learned, and not what is computed"
	whyData    = "it says which samples are trained on, and how they are written"
	whyLaunch  = "it says how processes are started and talk"
	whyToken   = "it is of the tokenizer, the processor or the chat template"
	whyLoader  = "it is of the loader of data, which works beside the step"
	whyRandom  = "it is of random numbers"
	whyLoad    = "it says how the model is loaded, before the first step"
	whyReward  = "it changes rewards and losses, and not the models that are run"
	whyComm    = "it is a buffer or an order of communication, which is not estimated"
	whyInfer   = "it is of the use of the model, and not of its training"
	whyProfile = "it is of profiling and debugging"
)

func integer(name string, to func(*Run) **Setting[int64]) key {
	return key{name: name, takes: whole, read: func(r *reader, v *value) {
		if v.int < 1 {
			r.fault(v, "is %s but must be at least 1", v.show())
			return
		}
		give(r, to(r.run), v, v.int)
	}}
}

// optional is an integer for which -1 or 0 stands for none.
func optional(name string, to func(*Run) **Setting[int64]) key {
	return key{name: name, takes: whole, read: func(r *reader, v *value) {
		if v.int > 0 {
			give(r, to(r.run), v, v.int)
		}
	}}
}

func float(name string, to func(*Run) **Setting[float64]) key {
	return key{name: name, takes: whole | number, read: func(r *reader, v *value) {
		if v.float < 0 {
			r.fault(v, "is %s but must not be negative", v.show())
			return
		}
		give(r, to(r.run), v, v.float)
	}}
}

func toggle(name string, to func(*Run) **Setting[bool]) key {
	return key{name: name, takes: boolean, read: func(r *reader, v *value) { give(r, to(r.run), v, v.is()) }}
}

func word(name string, to func(*Run) **Setting[string]) key {
	return key{name: name, takes: text, read: func(r *reader, v *value) { give(r, to(r.run), v, v.text) }}
}

// reads is a key whose meaning takes more than to be stored.
func reads(name string, takes kind, read func(*reader, *value)) key {
	return key{name: name, takes: takes, read: read}
}

// costs is a switch that costs memory or time in a way that has no field.
func costs(what, names string) (out []key) {
	for name := range strings.FieldsSeq(names) {
		out = append(out, key{name: name, takes: boolean | whole | number | text | list | mapping, read: func(r *reader, v *value) {
			if v.kind == boolean && !v.is() || v.kind == whole && v.int <= 0 {
				return
			}
			r.run.Also = append(r.run.Also, Setting[string]{Value: what, From: v.path, place: r.place(v)})
		}})
	}
	return out
}

// names reads a list of names, or one that stands for a list: with commas between.
func (r *reader) names(v *value) []string {
	if v.kind == text {
		var out []string
		for name := range strings.SplitSeq(v.text, ",") {
			if name = strings.TrimSpace(name); name != "" {
				out = append(out, name)
			}
		}
		return out
	}
	var out []string
	for i := range v.list {
		if w := &v.list[i]; w.kind != text {
			r.fault(w, "is %s but must be text", w.show())
		} else {
			out = append(out, w.text)
		}
	}
	return out
}

// oneOf refuses a word that is none of those allowed.
func (r *reader) oneOf(v *value, allowed ...string) bool {
	if slices.Contains(allowed, v.text) {
		return true
	}
	r.fault(v, "is %s but takes one of %s%s", v.show(), strings.Join(allowed, ", "), spelling.DidYouMean(v.text, allowed))
	return false
}

// reader goes through one file.
type reader struct {
	file   string // named in keys and findings; empty for the file that was asked for
	run    *Run
	report *Report
	faults Faults
	loose  bool // whether the trainer takes "2" for 2 and "true" for true
	open   func(name string) ([]byte, error)
	nested int

	guesses int // of what an unknown key was meant to be
}

func (r *reader) place(v *value) place { return place{r.file, v.line} }

func (r *reader) fault(v *value, format string, args ...any) {
	r.faults = append(r.faults, Fault{File: r.file, Line: v.line, Path: v.path, Message: fmt.Sprintf(format, args...)})
}

// give stores a setting. Two keys that say different things of one are found; a trainer's default gives way.
func give[T any](r *reader, to **Setting[T], v *value, it T) {
	s := &Setting[T]{Value: it, From: v.path, place: r.place(v)}
	if old := *to; old != nil && !old.Default && fmt.Sprint(old.Value) != fmt.Sprint(it) {
		r.report.contradiction(s.From, s.place, fmt.Sprintf("%s is %v but %s is %v", old.name(), old.Value, s.name(), it),
			"give one of them")
		return
	}
	*to = s
}

// assume stores a trainer's default where nothing is said.
func assume[T any](to **Setting[T], from string, it T) {
	if *to == nil {
		*to = &Setting[T]{Value: it, From: from, Default: true}
	}
}

// name is the path of a setting's key, with its file where that is another.
func (s *Setting[T]) name() string {
	if s.file == "" {
		return s.From
	}
	return s.From + " of " + s.file
}

// walk goes through the keys of a mapping. below is the path within the table.
func (r *reader) walk(t table, v *value, below string) {
	for i := range v.members {
		m := &v.members[i]
		name := join(below, m.name)
		k, found := t.keys[name]
		switch {
		case found && k.read == nil:
			r.account(&m.value, Key{Use: NoEffect, Why: k.why})
		case found:
			r.account(&m.value, Key{Use: Read})
			r.take(k, &m.value)
		case m.kind == mapping && t.has(name):
			r.walk(t, &m.value, name)
		case m.kind == null && t.has(name):
			r.account(&m.value, Key{Use: Read})
		case t.has(name):
			r.account(&m.value, Key{Use: Read})
			r.fault(&m.value, "is %s but takes a mapping", m.show())
		default:
			r.unknown(t, m, below)
		}
	}
}

func (r *reader) account(v *value, k Key) {
	k.Path, k.Line, k.File = v.path, v.line, r.file
	r.report.Keys = append(r.report.Keys, k)
}

// mostGuesses is how many unknown keys of a file are compared with all those that are known. A file with more is not one of the trainer.
const mostGuesses = 100

// unknown lists a key that the trainer does not have, with the one that was probably meant.
func (r *reader) unknown(t table, m *member, below string) {
	near := ""
	if r.guesses++; r.guesses <= mostGuesses {
		near = spelling.Nearest(m.name, t.beside[below])
	}
	if near != "" {
		near = join(below, near)
	}
	r.account(&m.value, Key{Use: Unknown, Nearest: near})
	r.report.unknownKey(r.report.Keys[len(r.report.Keys)-1], r.run.Trainer)
}

// take reads the value of a key, once it is known to be of a kind that the key takes.
func (r *reader) take(k key, v *value) {
	if v.kind == null {
		return // as if the key were not there
	}
	got := *v
	if r.loose && got.kind == text && k.takes&text == 0 {
		got = plain(got, got.text)
	}
	if got.kind == number && k.takes&whole != 0 && k.takes&number == 0 && got.float == float64(int64(got.float)) {
		got.kind, got.int = whole, int64(got.float) // 1e3, and JSON's 2.0
	}
	if got.kind == whole && k.takes&number != 0 {
		got.kind = number
	}
	if got.kind&k.takes == 0 {
		r.fault(v, "is %s but takes %s", v.show(), k.takes.name())
		return
	}
	k.read(r, &got)
}
