package serve

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// value judges whether the value of a flag can be read.
func (l *launch) value(a *argument) {
	kind := a.flag.in(l.version)
	if a.key != "" {
		switch kind.kind {
		case kindJSON, kindObject, kindJSONText, kindJSONPairs, kindCompilation:
			if !l.version.since("0.9.0") && !strings.HasPrefix(a.written, "-O") {
				l.refuse("flag-unknown", nil, "%s.%s: keys behind a point came with vLLM 0.9.0", a.flag.name, a.key)
			}
		default:
			l.refuse("flag-unknown", rename(a.written, a.flag.name), "%s.%s: %s takes no JSON", a.flag.name, a.key, a.flag.name)
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
		for _, n := range strings.Split(s, ",") {
			l.intValue(name, n)
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
		for _, word := range strings.Split(s, ",") {
			l.choice(f, name, word)
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
		l.refuse("flag-value-range", nil, "%s is %s but must be %s", name, number, f.limits)
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
		l.warn("flag-value", nil, "%s is %q, of which %s reads only %s", name, clip(s, 60), l.engine.label, number)
	}
}

var betweenShares = regexp.MustCompile(`[,/]+`)

// shares judges a list with a number for each card (common/arg.cpp: fewer than llama_max_devices, which is 16).
func (l *launch) shares(name, s string) {
	parts := betweenShares.Split(s, -1)
	if len(parts) > 1 && parts[len(parts)-1] == "" { // what ends the list is not read
		parts = parts[:len(parts)-1]
	}
	if len(parts) >= 16 {
		l.refuse("flag-value", nil, "%s lists %d numbers, and takes at most 15", name, len(parts))
		return
	}
	for _, p := range parts {
		l.leadingNumber(name, p, true, math.MaxFloat32)
	}
}

// intValue judges a whole number: Python's, or one that llama.cpp reads, which forgets what follows the digits.
func (l *launch) intValue(name, s string) {
	if l.engine.dialect == plain {
		l.leadingNumber(name, s, false, math.MaxInt32)
		return
	}
	n, ok := pythonInt(s)
	switch {
	case !ok:
		var fix remedy
		if h, ok := humanNumber(s, l.suffixes()); ok && h > 0 && l.engine.flags().byName[name] != nil {
			fix = setSize(name, h)
		}
		l.refuse("flag-value", fix, "%s is %q, which is no whole number", name, clip(s, 60))
	case n < 0 && l.engine.dialect == clap:
		l.refuse("flag-value", nil, "%s is %d, which is below zero", name, n)
	}
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

var (
	objectText = regexp.MustCompile(`(?s)^\s*\{.*\}\s*$`)
	pairsText  = regexp.MustCompile(`^\s*[^=,]+=\s*[+-]?\d+\s*(,\s*[^=,]+=\s*[+-]?\d+\s*)*$`)
	suffixed   = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|\b\d+(?:\.\d+)?[kKmMgGtT]\b`)
)

// jsonValue judges JSON, and what a kind takes in its place.
func (l *launch) jsonValue(kind, name, s string) {
	ok := json.Valid([]byte(s))
	switch kind {
	case kindObject: // numbers in it may have a suffix
		s = suffixed.ReplaceAllStringFunc(s, func(m string) string {
			if m[0] == '"' {
				return m
			}
			return m[:len(m)-1]
		})
		ok = json.Valid([]byte(s)) && objectText.MatchString(s)
	case kindJSONText:
		ok = ok || !objectText.MatchString(s)
	case kindJSONPairs:
		ok = ok && objectText.MatchString(s) || pairsText.MatchString(s)
	case kindPairs:
		if ok = pairsText.MatchString(s); !ok {
			l.refuse("flag-value", nil, "%s is %q, but takes key=number, with commas between them, in %s %s", name, clip(s, 80), l.engine.label, l.version.text)
			return
		}
	case kindCompilation:
		ok = ok && (objectText.MatchString(s) || isDigits(s))
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
	fix := set(f.shownName(l.version), values...)
	severity := Warn
	if l.versed() || l.engine.dialect == plain && l.version.before(l.engine.newest) && f.name != flashAttention { // the lists of llama.cpp only grew
		severity = Block
	}
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
