package serve

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/modelverifier/verifier/internal/quantity"
)

// concept is what several engines have a flag for, under names of their own.
type concept uint8

// The concepts.
const (
	tensorParallel   concept = iota // cards that share a layer
	pipelineParallel                // stages
	dataParallel                    // copies
	contextLength                   // tokens of the longest sequence
	memoryShare                     // of a card
	sequences                       // that run at once
	batchTokens                     // tokens of a step
	quantisation                    // of the weights
	cacheType                       // of keys and values
	remoteCode                      // the model's own
	modelName                       // what is served
	eagerMode                       // no graphs
	servedName                      // of the model, to clients
	hostName                        // to listen at
)

// conceptual finds what the engine calls a flag that another has.
func (l *launch) conceptual(name string) (other *engine, mine string) {
	spelled := strings.ReplaceAll(name, "_", "-")
	for _, e := range engines {
		if e == l.engine {
			continue
		}
		f := e.flags().byName[name]
		if f == nil {
			f = e.flags().byName[spelled]
		}
		if f == nil || !strings.HasPrefix(name, "--") {
			continue
		}
		for c := tensorParallel; c <= hostName; c++ {
			if its := e.calls[c]; its != "" && slices.ContainsFunc(f.names, func(s spelling) bool { return s.name == its }) {
				return e, l.engine.calls[c]
			}
		}
		if other == nil {
			other = e
		}
	}
	return other, ""
}

// flagRules judges every flag by itself: whether the version has it, and whether its value can be read.
func (l *launch) flagRules() {
	l.flagsJudged()
	seen := map[string]bool{}
	for i := range l.args {
		a := &l.args[i]
		switch a.problem {
		case unknownFlag:
			l.unknown(a)
		case ambiguous:
			l.refuse("flag-ambiguous-prefix", rename(a.written, first(a.names, 8)...), "%s could mean %s", a.written, quantity.Own(strings.Join(first(a.names, 8), ", ")))
		case missingValue:
			l.refuse("flag-value-missing", nil, "%s has no value", a.written)
		case extraValue:
			l.refuse("flag-bool-value", remedy{{{op: opAlone, flag: a.written}}}, "%s takes no value, but has %q", a.written, clip(a.values[0].text, 60))
		default:
			l.value(a)
		}
		if a.flag == nil || a.problem == unknownFlag {
			continue
		}
		if r := a.flag.refused; r != nil && r.alive(l.version) {
			l.refuse("flag-removed", l.instead(a), "%s is refused by %s %s", a.written, l.engine.label, l.version.text)
		} else if d := a.flag.deprecated; d != nil && d.alive(l.version) {
			l.warn("flag-deprecated", nil, "%s is deprecated in %s %s", a.written, l.engine.label, l.version.text)
		}
		if a.key == "" && seen[a.flag.name] && a.written != a.flag.env && !repeatable[a.flag.name] {
			if l.engine.dialect == clap {
				l.refuse("flag-duplicate", nil, "%s is given more than once, which %s refuses", a.flag.shownName(l.version), l.engine.label)
			} else {
				l.warn("flag-duplicate", nil, "%s is given more than once: the last one holds", a.flag.shownName(l.version))
			}
		}
		seen[a.flag.name] = seen[a.flag.name] || a.written != a.flag.env
	}
	l.strayRules()
}

var repeatable = map[string]bool{"--middleware": true, "--lora": true, "--lora-scaled": true, "--control-vector": true, "--logit-bias": true, "--override-kv": true, "--spec-type": true,
	"--custom_module_dirs": true, "--override-tensor": true, "--cors-allow-origin": true, "--rpc": true, "--device": true}

func first(list []string, n int) []string { return list[:min(n, len(list))] }

// versed reports whether the table was read at the version, or around it.
func (l *launch) versed() bool {
	return !l.version.before(l.engine.oldest) && (!l.engine.newest.before(l.version) || !l.named) && (l.named || l.box == nil || !l.box.young)
}

// certain reports whether the table says everything about the version, so that what is not in it is refused.
func (l *launch) certain() bool { return l.engine.complete && l.versed() }

// refuse blocks what the table says of a flag where it was read at the version, and warns else.
func (l *launch) refuse(rule string, fix remedy, format string, args ...any) {
	if l.refusal() == Block {
		l.block(rule, fix, format, args...)
	} else {
		l.warn(rule, fix, format, args...)
	}
}

// refusal is how much weighs what the table says.
func (l *launch) refusal() Severity {
	if l.versed() {
		return Block
	}
	return Warn
}

// unknown says why a flag is none of this version.
func (l *launch) unknown(a *argument) {
	severity := Warn
	if l.certain() || l.neverClick(a.name) {
		severity = Block
	}
	if f := a.flag; f != nil {
		s := f.spelt(a.name)
		if s.until.text != "" && s.until.before(l.version) {
			l.add(severity, "flag-removed", l.instead(a), a.written+" was last in "+l.engine.label+" "+s.until.text+", and is refused by "+l.version.text+l.hint(f.name))
			return
		}
		if !l.named {
			severity = Warn // a younger engine than the assumed one has it
		}
		l.add(severity, "flag-not-yet", drop(a.written), a.written+" came with "+l.engine.label+" "+s.since.text+", and is refused by "+l.version.text)
		return
	}
	g := l.guess(a)
	l.add(severity, g.rule, g.fix, g.text)
}

// guess is the message about a flag that no version has.
type guess struct {
	rule string
	fix  remedy
	text string
}

// mostGuesses is how many unknown flags of a command are compared with every known one: more of them are not misspelt.
const mostGuesses = 32

// guess finds what an unknown flag was probably meant to be, once for each, however often the command is judged again.
func (l *launch) guess(a *argument) guess {
	if g, seen := l.guesses[a.written]; seen {
		return g
	}
	plain := guess{"flag-unknown", nil, l.engine.label + " has no flag " + clip(a.written, 80)}
	if len(l.guesses) == mostGuesses {
		return plain
	}
	l.guesses[a.written] = l.meant(a, plain)
	return l.guesses[a.written]
}

func (l *launch) meant(a *argument, plain guess) guess {
	if spelled := l.respelled(a.name); spelled != "" {
		plain.fix = rename(a.written, spelled)
		return plain
	}
	other, mine := l.conceptual(a.name)
	if other == nil {
		other, mine = l.conceptual(a.written)
	}
	if other != nil {
		fix := drop(a.written)
		if mine != "" {
			fix = rename(a.written, mine)
		}
		return guess{"flag-wrong-engine", fix, a.written + " is a flag of " + other.label + ", not of " + l.engine.label}
	}
	if near := l.engine.flags().nearest(a.name, l.version); near != "" {
		plain.fix = rename(a.written, near)
	}
	return plain
}

// neverClick reports whether a name is none of a command whose options are all written with underscores and without letters alone, as
// those of trtllm-serve are in every version that was read.
func (l *launch) neverClick(name string) bool {
	return l.engine.dialect == click && l.versed() && (!strings.HasPrefix(name, "--") || strings.Contains(name[2:], "-"))
}

// respelled finds a flag that differs only in dashes and underscores, or in being short for a size.
func (l *launch) respelled(name string) string {
	squashed := squash(name)
	for _, f := range l.engine.flags().flags {
		for _, s := range f.names {
			if s.alive(l.version) && (squash(s.name) == squashed || strings.HasPrefix(name, "--") && s.name == name[1:]) {
				return s.name
			}
		}
	}
	return ""
}

var separators = strings.NewReplacer("-", "", "_", "")

func squash(s string) string { return separators.Replace(s) }

// strayRules judges positional words: an engine takes one, the model, or none.
func (l *launch) strayRules() {
	takes := l.positionals()
	for i, w := range l.strays {
		if !w.known() || i < takes {
			continue
		}
		before := l.strayAt[i] - 1
		if before >= 0 && before < len(l.args) {
			if a := &l.args[before]; a.flag != nil && len(a.values) == 0 && isBoolWord(w.text) {
				fix := remedy{{{op: opNoWord, value: w.text}}}
				if !truthy(w.text) && a.flag.in(l.version).kind == kindBool {
					fix = remedy{{{op: opNoWord, value: w.text}, {opRename, a.written, "--no-" + a.flag.name[2:]}}}
				}
				l.block("flag-bool-value", fix, "%s takes no value, but %q follows it", a.written, w.text)
				continue
			}
		}
		l.block("extra-argument", nil, "%q is one word too many: %s takes %s", clip(w.text, 60), l.engine.label, [...]string{"only flags", "one model"}[min(takes, 1)])
	}
}

func isBoolWord(s string) bool {
	switch strings.ToLower(s) {
	case "true", "false", "0", "1", "yes", "no", "on", "off":
		return true
	}
	return false
}

// between blocks a number that is outside what the engine takes.
func (l *launch) between(name string, least, most float64) {
	x, known := l.fraction(name, math.NaN())
	if l.engine.flags().byName[name].in(l.version).kind != kindFloat {
		n, ok := l.num(name, math.MinInt64)
		x, known = float64(n), ok && n != math.MinInt64
	}
	if !known || math.IsNaN(x) || x >= least && x <= most {
		return
	}
	shown := strconv.FormatFloat(x, 'g', -1, 64)
	if math.IsInf(most, 1) {
		l.block("flag-value-range", set(name, strconv.FormatFloat(least, 'f', -1, 64)), "%s is %s but must be at least %g", name, shown, least)
		return
	}
	l.block("flag-value-range", nil, "%s is %s but must be from %g to %g", name, shown, least, most)
}

// enormous blocks sizes that no cluster has; the other rules do not reckon with them.
func (l *launch) enormous(names ...string) {
	for _, name := range names {
		if n, known := l.num(name, 1); known && n >= MaxGPUs {
			l.block("flag-value-range", nil, "%s is %d: so many cards there are not", name, n)
		}
	}
}
