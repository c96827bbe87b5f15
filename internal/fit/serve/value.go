package serve

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/modelverifier/verifier/internal/graph"
)

// value judges whether the value of a flag can be read.
func (l *launch) value(a *argument) {
	kind := a.flag.in(l.version)
	if a.key != "" {
		switch kind.kind {
		case kindJSON, kindObject, kindJSONText, kindJSONPairs, kindCompilation:
			if !l.version.since("0.9.0") && !strings.HasPrefix(a.written, "-O") {
				l.refuse("flag-unknown", nil, "%s.%s: keys behind a point came with vLLM 0.9.0", a.flag.name, graph.Brief(a.key))
			}
			if tooDeep(a.key) {
				l.warn("flag-json", nil, "%s.%s has %d points, and is not read: at most %d are", a.flag.name, clip(a.key, 40), strings.Count(a.key, "."), mostPoints)
			}
		default:
			l.refuse("flag-unknown", rename(a.written, a.flag.name), "%s.%s: %s takes no JSON", a.flag.name, graph.Brief(a.key), a.flag.name)
		}
		return
	}
	for _, v := range a.values {
		if v.known() && !(kind.nullable && isNone(v.text)) {
			l.oneValue(a.flag, kind.kind, a.written, v.text)
		}
	}
}

func (l *launch) oneValue(f *flag, kind, name, s string) {
	switch kind {
	case kindInt, kindInts:
		l.intValue(name, s)
	case kindIntList:
		refused := map[string]bool{}
		for n := range strings.SplitSeq(s, ",") {
			if !refused[n] && !l.intValue(name, n) {
				refused[n] = true
			}
			if l.full(l.refusal(), "flag-value") {
				break
			}
		}
	case kindHuman, kindHumanAuto:
		l.humanValue(kind, name, s)
	case kindFloat, kindFloats, kindOptFloat:
		l.floatValue(name, s)
	case kindUnsigned:
		l.leadingNumber(name, s, false, math.MaxUint64)
	case kindIntOrWord:
		if !contains(f.choices(l.version), s) {
			l.intValue(name, s)
		}
		return
	case kindShares:
		l.shares(name, s)
	case kindWords:
		seen := map[string]bool{}
		for word := range strings.SplitSeq(s, ",") {
			if !seen[word] {
				seen[word] = true
				l.choice(f, name, word)
			}
			if l.full(l.notListed(f), "flag-choice") {
				break
			}
		}
		return
	case kindBoolWord, kindBoolValue:
		if s != "true" && s != "false" && (kind == kindBoolWord || !strings.EqualFold(s, "true") && !strings.EqualFold(s, "false")) {
			l.refuse("flag-value", nil, "%s is %q, but takes true or false", name, clip(s, 60))
		}
	case kindJSON, kindObject, kindJSONText, kindJSONPairs, kindPairs, kindCompilation:
		l.jsonValue(kind, name, s)
	}
	l.within(f, name, s)
	l.choice(f, name, s)
}

// within judges a number against the limits of its flag.
func (l *launch) within(f *flag, name, s string) {
	if f.limits == nil {
		return
	}
	number := strings.TrimSpace(s)
	if l.engine.dialect == plain {
		number, _ = leading(s, true)
	}
	if x, err := strconv.ParseFloat(number, 64); err == nil && !f.limits.hold(x) {
		l.refuse("flag-value-range", nil, "%s is %s but must be %s", name, clip(number, 60), f.limits)
	}
}

// leadingNumber judges a number as llama.cpp reads it, with C++'s stoi, stoul and stof: what follows it is forgotten, and one that is
// too large is refused.
func (l *launch) leadingNumber(name, s string, decimal bool, most float64) {
	number, rest := leading(s, decimal)
	x, err := strconv.ParseFloat(number, 64)
	switch {
	case number == "" || err != nil && !errors.Is(err, strconv.ErrRange):
		l.refuse("flag-value", nil, "%s is %q, which is no number", name, clip(s, 60))
	case math.Abs(x) > most && !(math.IsInf(x, 0) && err == nil):
		l.refuse("flag-value-range", nil, "%s is %s, which is too large for %s", name, clip(number, 60), l.engine.label)
	case rest != "":
		l.warn("flag-value", nil, "%s is %q, of which %s reads only %s", name, clip(s, 60), l.engine.label, clip(number, 60))
	}
}

// shares judges a list with a number for each card (common/arg.cpp: fewer than llama_max_devices, which is 16).
func (l *launch) shares(name, s string) {
	var parts []string
	count := 0
	for p := range strings.SplitSeq(strings.ReplaceAll(s, "/", ","), ",") {
		if p == "" && count > 0 { // several of them are one, and what ends the list is not read
			continue
		}
		if count++; count < 16 {
			parts = append(parts, p)
		}
	}
	if count >= 16 {
		l.refuse("flag-value", nil, "%s lists %d numbers, and takes at most 15", name, count)
		return
	}
	for _, p := range parts {
		l.leadingNumber(name, p, true, math.MaxFloat32)
	}
}

// intValue judges a whole number: Python's, or one that llama.cpp reads, which forgets what follows the digits. It is false for what is
// no such number.
func (l *launch) intValue(name, s string) bool {
	if l.engine.dialect == plain {
		l.leadingNumber(name, s, false, math.MaxInt32)
		return true
	}
	n, ok := pythonInt(s)
	switch {
	case !ok && l.full(l.refusal(), "flag-value"):
	case !ok:
		var fix remedy
		if h, ok := humanNumber(s, l.suffixes()); ok && h > 0 && l.engine.flags().byName[name] != nil {
			fix = setSize(name, h)
		}
		l.refuse("flag-value", fix, "%s is %q, which is no whole number", name, clip(s, 60))
	case n < 0 && l.engine.dialect == clap:
		l.refuse("flag-value", nil, "%s is %d, which is below zero", name, n)
	default:
		return true
	}
	return false
}

func (l *launch) humanValue(kind, name, s string) {
	if kind == kindHumanAuto && isAuto(s) {
		return
	}
	if _, ok := humanNumber(s, l.suffixes()); !ok {
		l.refuse("flag-value", nil, "%s is %q, which is no whole number, nor one such as %s", name, clip(s, 60), l.suffixes().example)
	}
}

func isAuto(s string) bool { return strings.EqualFold(strings.TrimSpace(s), "auto") }

// floatValue judges a decimal number, among which Python counts infinities and nan.
func (l *launch) floatValue(name, s string) {
	if l.engine.dialect == plain {
		l.leadingNumber(name, s, true, math.MaxFloat32)
		return
	}
	if _, err := strconv.ParseFloat(strings.TrimSpace(s), 64); err != nil && !errors.Is(err, strconv.ErrRange) {
		l.refuse("flag-value", nil, "%s is %q, which is no number", name, clip(s, 60))
	}
}

var suffixed = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|\b\d+(?:\.\d+)?[kKmMgGtT]\b`)

const blanks = "\t\n\f\r "

// isObject reports whether a text stands between braces, as an object of JSON does.
func isObject(s string) bool {
	s = strings.Trim(s, blanks)
	return len(s) > 1 && s[0] == '{' && s[len(s)-1] == '}'
}

// isPairs reports whether a text is key=number, with commas between them.
func isPairs(s string) bool {
	for pair := range strings.SplitSeq(s, ",") {
		key, number, ok := strings.Cut(pair, "=")
		number = strings.Trim(number, blanks)
		if number != "" && (number[0] == '+' || number[0] == '-') {
			number = number[1:]
		}
		if !ok || key == "" || !isDigits(number) {
			return false
		}
	}
	return true
}

// jsonValue judges JSON, and what a kind takes in its place.
func (l *launch) jsonValue(kind, name, s string) {
	ok := json.Valid([]byte(s))
	switch kind {
	case kindObject: // numbers in it may have a suffix
		if !ok {
			s = suffixed.ReplaceAllStringFunc(s, func(m string) string {
				if m[0] == '"' {
					return m
				}
				return m[:len(m)-1]
			})
			ok = json.Valid([]byte(s))
		}
		ok = ok && isObject(s)
	case kindJSONText:
		ok = ok || !isObject(s)
	case kindJSONPairs:
		ok = ok && isObject(s) || isPairs(s)
	case kindPairs:
		if ok = isPairs(s); !ok {
			l.refuse("flag-value", nil, "%s is %q, but takes key=number, with commas between them, in %s %s", name, clip(s, 80), l.engine.label, l.version.text)
			return
		}
	case kindCompilation:
		ok = ok && (isObject(s) || isDigits(s))
	}
	if !ok {
		l.refuse("flag-json", nil, "%s is %q, which is no JSON: quote it for the shell", name, clip(s, 80))
	}
}

// choice judges a value of which there is a list.
func (l *launch) choice(f *flag, name, s string) {
	if len(f.values) == 0 || l.engine.id == "vllm" && (f.name == "--quantization" || f.name == "--max-lora-rank") { // these have rules of their own
		return
	}
	values := f.choices(l.version)
	if len(values) == 0 || contains(values, s) {
		return
	}
	severity := l.notListed(f)
	if l.full(severity, "flag-choice") {
		return
	}
	fix := set(f.shownName(l.version), values...)
	say := func(s Severity, format string, args ...any) {
		l.add(s, "flag-choice", fix, fmt.Sprintf(format, args...))
	}
	for _, c := range f.values {
		if c.name != s {
			continue
		}
		switch {
		case c.until.text != "" && c.until.before(l.version):
			say(severity, "%s is %q, which %s took up to %s, and %s does not", name, clip(s, 60), l.engine.label, c.until.text, l.version.text)
		case l.named:
			say(severity, "%s is %q, which %s takes from %s on, and %s does not", name, clip(s, 60), l.engine.label, c.since.text, l.version.text)
		default: // a younger engine than the assumed one takes it
			say(Warn, "%s is %q, which %s takes from %s on", name, clip(s, 60), l.engine.label, c.since.text)
		}
		return
	}
	say(severity, "%s is %q, which %s does not take", name, clip(s, 60), l.engine.label)
}

// notListed is how much a value weighs that no version takes.
func (l *launch) notListed(f *flag) Severity {
	if l.versed() || l.engine.dialect == plain && l.version.before(l.engine.newest) && f.name != flashAttention { // the lists of llama.cpp only grew
		return Block
	}
	return Warn
}

// suffixes are the letters that stand for powers behind a number. Only those of a thousand go with decimals.
type suffixes struct {
	powers  map[string]float64
	binary  map[string]int // shifts
	example string
}

var (
	suffixesVLLM   = &suffixes{map[string]float64{"k": 1e3, "m": 1e6, "g": 1e9, "t": 1e12}, map[string]int{"K": 10, "M": 20, "G": 30, "T": 40}, "32k or 32K"}
	suffixesSGLang = &suffixes{map[string]float64{"k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}, map[string]int{"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40}, "32k or 32Ki"}
)

func (l *launch) suffixes() *suffixes {
	if l.engine.dialect == argparse {
		return suffixesSGLang
	}
	return suffixesVLLM
}

var withSuffix = regexp.MustCompile(`^(\d+(?:\.\d+)?)([a-zA-Z]{1,2})$`)

// humanNumber reads a number with a suffix.
func humanNumber(s string, by *suffixes) (int64, bool) {
	if n, ok := pythonInt(s); ok {
		return n, true
	}
	m := withSuffix.FindStringSubmatch(strings.TrimSpace(s))
	if m == nil {
		return 0, false
	}
	if p, ok := by.powers[m[2]]; ok {
		x, err := strconv.ParseFloat(m[1], 64)
		return int64(math.Min(x*p, 1<<62)), err == nil
	}
	shift, ok := by.binary[m[2]]
	n, err := strconv.ParseInt(m[1], 10, 64)
	if !ok || err != nil {
		return 0, false
	}
	return min(n, 1<<(62-shift)) << shift, true
}

// pythonInt reads what Python's int takes: digits with a sign, blanks around them and single underscores between. A number that is
// too large for us is the largest.
func pythonInt(s string) (int64, bool) {
	s = strings.TrimSpace(s)
	if strings.HasPrefix(s, "_") || strings.HasSuffix(s, "_") || strings.Contains(s, "__") || strings.HasPrefix(s, "+_") || strings.HasPrefix(s, "-_") {
		return 0, false
	}
	n, err := strconv.ParseInt(strings.ReplaceAll(s, "_", ""), 10, 64)
	return n, err == nil || errors.Is(err, strconv.ErrRange)
}
