package serve

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Room is how many sequences of a length fit in the KV cache at once.
type Room struct {
	Context    int64  `json:"context"`    // tokens of the longest sequence
	Concurrent *int64 `json:"concurrent"` // null where it is not known
	Blocks     bool   `json:"blocks"`     // whether the engine refuses the command with that length
}

// Capacity judges the command again with other lengths of context. It is nil where the engine has no flag for it, or
// no card is named.
func (r *Result) Capacity(lengths []int64) []Room {
	flag := r.flagFor(contextLength)
	if flag == "" || r.launch.request.GPU == nil {
		return nil
	}
	var out []Room
	for _, n := range lengths {
		then := r.launch.withSize(flag, n)
		if then == nil {
			continue
		}
		out = append(out, Room{n, then.MaxConcurrentSequences, refused(then)})
	}
	return out
}

// Split is what becomes of the command with another tensor-parallel size.
type Split struct {
	Size       int64    `json:"size"`
	Legal      bool     `json:"legal"`  // nothing blocks with it
	Blocks     []string `json:"blocks"` // the rules that refuse it
	Why        string   `json:"why,omitempty"`
	Memory     *Memory  `json:"memory"`
	Concurrent *int64   `json:"concurrent"`
}

// Splits judges the command again with every tensor-parallel size up to a limit.
func (r *Result) Splits(most int64) []Split {
	flag := r.flagFor(tensorParallel)
	if flag == "" {
		return nil
	}
	var out []Split
	for n := int64(1); n <= most; n++ {
		then := r.launch.withSize(flag, n)
		if then == nil {
			continue
		}
		s := Split{Size: n, Legal: !refused(then), Blocks: []string{}, Memory: then.Memory,
			Concurrent: then.MaxConcurrentSequences}
		for _, f := range then.Findings {
			if f.Severity != Block {
				continue
			}
			if s.Blocks = append(s.Blocks, f.Rule); s.Why == "" {
				s.Why = f.Detail
			}
		}
		out = append(out, s)
	}
	return out
}

func refused(r *Result) bool {
	return slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Severity == Block })
}

// flagFor is the engine's flag for a number that others have too, empty where it has none.
func (r *Result) flagFor(c concept) string {
	if r.launch == nil || r.launch.command == nil || r.launch.origin == nil {
		return ""
	}
	e := r.launch.engine
	name := e.calls[c]
	f := e.flags().byName[name]
	if f == nil || !f.alive(r.launch.version) {
		return ""
	}
	switch f.in(r.launch.version).kind {
	case kindInt, kindHuman, kindHumanAuto, kindUnsigned:
		return name
	}
	return ""
}

// withSize judges the command with one flag at another value, nil where that cannot be written.
func (l *launch) withSize(flag string, n int64) *Result {
	c := l.origin.with(change{{opSet, flag, strconv.FormatInt(n, 10)}}, l.asked.EngineVersion)
	if c == nil {
		return nil
	}
	next := l.again(c)
	next.judge()
	sortFindings(next.out.Findings)
	return next.out
}

// Place is a part of the text of a command, in bytes.
type Place struct{ From, To int }

// mention is how messages name flags.
var mention = regexp.MustCompile(`--?[A-Za-z][A-Za-z0-9_.-]*`)

// Places are the parts of the command that a finding is about: the flags, variables and words that its detail names,
// else those that its fix does. Of a finding about the model or the card there are none.
func (r *Result) Places(f *Finding) []Place {
	if r.launch == nil || r.launch.command == nil {
		return nil
	}
	if out := r.launch.places(f.Detail); len(out) > 0 {
		return out
	}
	return r.launch.places(f.Fix)
}

func (l *launch) places(message string) []Place {
	text := l.asked.Command
	var out []Place
	named := mention.FindAllString(message, -1)
	for i := range l.args {
		a := &l.args[i]
		if len(out) >= mostPlaces || !slices.ContainsFunc(named, func(m string) bool { return a.is(strings.TrimRight(m, ".-"), l.engine) }) {
			continue
		}
		out = append(out, placesOf(text, a.written, a.values)...)
	}
	for _, s := range l.env {
		if len(out) < mostPlaces && strings.Contains(message, s.name) {
			out = append(out, placesOf(text, s.name, nil)...)
		}
	}
	for _, w := range l.strays {
		if len(out) < mostPlaces && w.text != "" && strings.Contains(message, strconv.Quote(w.text)) {
			out = append(out, placesOf(text, w.raw, nil)...)
		}
	}
	slices.SortFunc(out, func(a, b Place) int { return a.From - b.From })
	return slices.Compact(out)
}

// mostPlaces is how many places of a word are looked for, and about how many a finding is marked at.
const mostPlaces = 1000

// is reports whether a message that names a flag means this argument.
func (a *argument) is(name string, e *engine) bool {
	if a.written == name || a.name == name {
		return true
	}
	return a.flag != nil && (a.flag.name == name || e.flags().byName[name] == a.flag)
}

// placesOf finds the occurrences of a word in a text, with the values behind it.
func placesOf(text, written string, values []word) []Place {
	var out []Place
	for at := 0; written != "" && len(out) < mostPlaces; {
		i := strings.Index(text[at:], written)
		if i < 0 {
			break
		}
		from := at + i
		end := from + len(written)
		at = end
		if from > 0 && !strings.ContainsRune(" \t\n\r'\"=[,", rune(text[from-1])) ||
			end < len(text) && !strings.ContainsRune(" \t\n\r'\"=\\],;&|", rune(text[end])) {
			continue
		}
		for _, v := range values {
			rest := strings.TrimLeft(text[end:], " \t\n\r\\=\"',")
			if v.raw == "" || !strings.HasPrefix(rest, v.raw) {
				break
			}
			end = len(text) - len(rest) + len(v.raw)
		}
		out = append(out, Place{from, end})
	}
	return out
}
