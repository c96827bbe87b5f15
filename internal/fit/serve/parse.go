package serve

import (
	"fmt"
	"slices"
	"strings"
)

// dialect is how an engine's parser reads flags.
type dialect uint8

// The dialects.
const (
	argparse dialect = iota // Python: unique prefixes, --k=v, values that do not begin with a dash
	flexible                // vLLM's argparse: "_" is "-", dotted keys, -O3
	click                   // exact names, --k=v, any value
	clap                    // exact names, --k=v
	plain                   // llama.cpp: exact names, "_" is "-", no --k=v
)

// The reasons why an argument cannot be taken as it stands.
const (
	unknownFlag  = "unknown"
	ambiguous    = "ambiguous"
	missingValue = "missing"
	extraValue   = "extra"
)

// argument is one flag of a command, with its values.
type argument struct {
	flag    *flag  // nil where the engine never had it
	name    string // the spelling that it stands for
	written string
	key     string // what follows the first point of a dotted name
	dotted  bool
	inline  bool // the value is written with "="
	negated bool
	values  []word
	problem string
	names   []string // that an ambiguous prefix could mean
}

// parser reads the words behind an entry point.
type parser struct {
	t       *table
	d       dialect
	v       version
	all     []word // a copy, since a letter with its value is taken apart in it
	words   []word // those of all that were not read yet
	args    []argument
	strays  []word // positional words
	strayAt []int  // the number of arguments before each of them
	named   bool   // whether the version was given

	prefixed map[string]abbreviations // that were looked for: one that is written again and again is listed once
	apart    int                      // letters that were taken apart from what stands behind them
	unread   error                    // why the words are not read to their end
}

// isNegativeNumber reports whether a word is one as argparse sees it: -1, -.5 or -1.5, and no exponent.
func isNegativeNumber(s string) bool {
	rest, minus := strings.CutPrefix(s, "-")
	whole, fraction, point := strings.Cut(rest, ".")
	if !point {
		return minus && isDigits(whole)
	}
	return minus && (whole == "" || isDigits(whole)) && isDigits(fraction)
}

func parseArguments(t *table, d dialect, v version, words []word, named bool) *parser {
	p := &parser{t: t, d: d, v: v, all: slices.Clone(words), named: named}
	p.words = p.all
	for len(p.words) > 0 && p.unread == nil {
		w := p.words[0]
		p.words = p.words[1:]
		switch {
		case d != plain && w.text == "--" && w.known(): // the rest is positional
			for _, w := range p.words {
				p.stray(w)
			}
			p.words = nil
		case p.isFlag(w):
			p.read(w)
		default:
			p.stray(w)
		}
	}
	return p
}

func (p *parser) stray(w word) {
	p.strays, p.strayAt = append(p.strays, w), append(p.strayAt, len(p.args))
}

// isFlag reports whether a word begins a flag. In argparse a negative number and a word with a blank in it do not.
func (p *parser) isFlag(w word) bool {
	if len(w.text) < 2 || w.text[0] != '-' || w.nameless() {
		return false
	}
	return !isNegativeNumber(w.text) && (p.d == click || p.d == clap || p.d == plain || !strings.Contains(strings.SplitN(w.text, "=", 2)[0], " "))
}

// nameless reports whether a word may be a flag, of which not even the name is known.
func (w word) nameless() bool {
	name, _, _ := strings.Cut(w.raw, "=")
	return !w.known() && strings.HasPrefix(w.text, "-") && strings.ContainsAny(name, "$`")
}

// read takes one flag with its values.
func (p *parser) read(w word) {
	a := argument{written: w.text}
	name, value, hasValue := w.text, "", false
	if p.d != plain {
		name, value, hasValue = strings.Cut(w.text, "=")
	}
	a.written = name
	a.name = p.normal(name)
	if p.d == flexible {
		if level, ok := optimisation(w.text); ok {
			a.name, value, hasValue = "--optimization-level", level, level != ""
			if !p.v.since("0.12.0") { // the level of the compilation
				a.name = "--compilation-config.level"
				if !hasValue && len(p.words) > 0 && !isDigits(p.words[0].text) {
					a.name = "--compilation-config"
				}
			}
		}
		a.name, a.key, a.dotted = strings.Cut(a.name, ".")
	}
	p.find(&a)
	inline := word{text: value, raw: quote(value), vars: w.vars}
	if len(w.vars) > 0 {
		_, inline.raw, _ = strings.Cut(w.raw, "=")
	}
	a.inline = hasValue && strings.HasPrefix(w.text, name+"=")
	p.take(&a, inline, hasValue)
	p.args = append(p.args, a)
}

// optimisation reads -O3 and -O=3. The letter alone takes the next word.
func optimisation(s string) (level string, ok bool) {
	rest, ok := strings.CutPrefix(s, "-O")
	return strings.TrimPrefix(rest, "="), ok && !strings.HasPrefix(rest, "-")
}

// normal is a name as the dialect compares it.
func (p *parser) normal(name string) string {
	if (p.d != flexible && p.d != plain) || !strings.HasPrefix(name, "--") {
		return name
	}
	head, tail, dotted := strings.Cut(name, ".")
	if p.d == plain {
		return strings.ReplaceAll(name, "_", "-")
	}
	if dotted {
		tail = "." + tail
	}
	return strings.ReplaceAll(head, "_", "-") + tail
}

// find looks a name up: exactly, as a negation, and in argparse as a unique prefix.
func (p *parser) find(a *argument) {
	if f := p.t.byName[a.name]; f != nil && f.spelt(a.name).alive(p.v) {
		a.flag = f
		return
	}
	if p.d == argparse || p.d == flexible {
		if positive, no := strings.CutPrefix(a.name, "--no-"); no {
			if f := p.t.byName["--"+positive]; f != nil && f.in(p.v).kind == kindBool && f.spelt("--"+positive).alive(p.v) {
				a.flag, a.negated = f, true
				return
			}
		}
		if p.abbreviated(a) {
			return
		}
	}
	a.flag, a.problem = p.t.byName[a.name], unknownFlag
}

// abbreviated takes a name as a prefix, as argparse does, and -n2 as a letter with its value.
func (p *parser) abbreviated(a *argument) bool {
	could := p.could(a.name)
	flags, names := slices.Clip(could.flags), slices.Clip(could.names)
	if short := a.name[:min(2, len(a.name))]; short != "--" && len(a.name) > 2 {
		if f := p.t.byName[short]; f != nil && f.spelt(short).alive(p.v) {
			if len(flags) == 0 {
				p.behind(a.name[2:])
				a.flag, a.name = f, short
				return true
			}
			flags, names = append(flags, f), append(names, short)
		}
	}
	switch len(flags) {
	case 0:
		return false
	case 1:
		a.flag, a.name = flags[0], names[0]
		a.negated = strings.HasPrefix(names[0], "--no-") && p.t.byName[names[0]] == nil
	default:
		a.problem, a.names = ambiguous, names
	}
	return true
}

// could is the flags that a prefix can mean.
func (p *parser) could(text string) abbreviations {
	out, known := p.prefixed[text]
	if known {
		return out
	}
	if out = p.t.prefixed(text, p.v); len(out.flags) > 0 {
		if p.prefixed == nil {
			p.prefixed = map[string]abbreviations{}
		}
		p.prefixed[text] = out
	}
	return out
}

// mostLetters is how many bytes a word may have that begins with a letter as a flag: what is behind each letter is read again.
const mostLetters = 1 << 10

// behind reads what stands behind a letter as a word of its own, in the place of the one that was read last.
func (p *parser) behind(rest string) {
	switch p.apart++; {
	case len(rest) > mostLetters:
		p.unread = &shellError{fmt.Sprintf("a word of the command is a flag of one letter with %d bytes behind it; at most %d are read", len(rest), mostLetters), true}
	case p.apart > maxWords:
		p.unread = &shellError{fmt.Sprintf("the command has more than %d flags of one letter with something behind them, which are not read", maxWords), true}
	}
	last := len(p.all) - len(p.words) - 1
	p.all[last] = word{text: rest, raw: quote(rest)}
	p.words = p.all[last:]
}

// take reads the values of a flag.
func (p *parser) take(a *argument, inline word, hasInline bool) {
	kind := kindText
	if a.flag != nil {
		kind = a.flag.in(p.v).kind
	} else if a.problem != "" && !hasInline { // nothing is known of it: the next word is its value if it looks like one
		if len(p.words) > 0 && !p.isFlag(p.words[0]) {
			p.next(a)
		}
		return
	}
	if a.key != "" {
		kind = kindText
	}
	switch kind {
	case kindFlag, kindBool:
		if hasInline {
			a.values, a.problem = []word{inline}, firstOf(a.problem, extraValue)
		}
		return
	}
	if hasInline {
		a.values = []word{inline}
		return
	}
	switch kind {
	case kindOptional, kindOptFloat, kindBoolValue:
		if len(p.words) > 0 && !p.isFlag(p.words[0]) {
			p.next(a)
		}
	case kindTexts, kindInts, kindFloats, kindAny:
		for len(p.words) > 0 && !p.isFlag(p.words[0]) {
			p.next(a)
		}
		if kind != kindAny {
			p.need(a, 1)
		}
	case kindPair:
		for len(p.words) > 0 && len(a.values) < 2 {
			p.next(a)
		}
		p.need(a, 2)
	default:
		if !p.named && a.flag != nil && a.flag.name == flashAttention && len(p.words) > 0 && p.isFlag(p.words[0]) {
			return // older versions of llama.cpp took no value
		}
		if len(p.words) > 0 && (p.d == click || p.d == plain || !p.isFlag(p.words[0])) {
			p.next(a)
		}
		p.need(a, 1)
	}
}

func (p *parser) next(a *argument) {
	a.values = append(a.values, p.words[0])
	p.words = p.words[1:]
}

func (p *parser) need(a *argument, n int) {
	if len(a.values) < n {
		a.problem = firstOf(a.problem, missingValue)
	}
}

func firstOf(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// shown is an argument as it can be printed and read again.
func (a *argument) shown(d dialect) string {
	name := a.name
	if a.flag != nil && a.problem == "" {
		name = a.flag.spelt(a.name).name
	}
	if a.dotted {
		name += "." + a.key
	}
	var out strings.Builder
	out.WriteString(quote(name))
	if len(a.values) == 1 && d != plain && (a.problem == extraValue || a.flag == nil && a.inline || strings.HasPrefix(a.values[0].text, "-") && a.values[0].known()) {
		return out.String() + "=" + a.values[0].shown()
	}
	for _, v := range a.values {
		out.WriteString(" " + v.shown())
	}
	return out.String()
}
