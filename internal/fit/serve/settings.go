package serve

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
)

// last returns the value in effect of a flag: the last one. Known is false where its value is a variable.
func (l *launch) last(name string) (a *argument, given bool) {
	f := l.engine.flags().byName[name]
	for i := len(l.args) - 1; i >= 0; i-- {
		if x := &l.args[i]; x.flag == f && f != nil && x.key == "" && x.problem != unknownFlag && x.problem != ambiguous {
			return x, true
		}
	}
	return nil, false
}

// given reports whether a flag stands in the command.
func (l *launch) given(name string) bool {
	_, ok := l.last(name)
	return ok
}

// str is the value of a flag; ok is false where it is not given, and known where it is a variable.
func (l *launch) str(name string) (value string, ok bool) {
	a, given := l.last(name)
	if !given || len(a.values) == 0 || !a.values[0].known() || isNone(a.values[0].text) {
		return "", false
	}
	return a.values[0].text, true
}

// isNone reports whether a value stands for none, as Python's None and the empty text do.
func isNone(s string) bool { return s == "None" || s == "" }

// hidden reports whether the value of a flag is given and cannot be known.
func (l *launch) hidden(name string) bool {
	a, given := l.last(name)
	if !given {
		return false
	}
	for _, v := range a.values {
		if !v.known() {
			return true
		}
	}
	return false
}

// num is the integer of a flag, or its default. Known is false where its value is a variable.
func (l *launch) num(name string, or int64) (n int64, known bool) {
	if l.hidden(name) {
		return or, false
	}
	s, ok := l.str(name)
	if !ok {
		return or, true
	}
	switch l.engine.flags().byName[name].in(l.version).kind {
	case kindHumanAuto:
		if isAuto(s) {
			return -1, true
		}
		n, ok = humanNumber(s, l.suffixes())
	case kindHuman:
		n, ok = humanNumber(s, l.suffixes())
	default:
		n, ok = pythonInt(s)
	}
	if !ok {
		return or, false
	}
	return n, true
}

// size is a parallel size: at least 1. Known is false where it is hidden or wrong.
func (l *launch) size(name string) (n int64, known bool) {
	n, known = l.num(name, 1)
	return max(n, 1), known && n >= 1
}

// fraction is the decimal number of a flag.
func (l *launch) fraction(name string, or float64) (x float64, known bool) {
	if l.hidden(name) {
		return or, false
	}
	s, ok := l.str(name)
	if !ok {
		return or, true
	}
	x, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
		return or, false
	}
	return x, true
}

// on is whether a switch is on.
func (l *launch) on(name string, or bool) bool {
	a, given := l.last(name)
	switch {
	case !given:
		return or
	case len(a.values) > 0 && a.values[0].known():
		return truthy(a.values[0].text)
	}
	return !a.negated
}

// object is the JSON value of a flag, with what dotted names add to it; nil where it is not given or cannot be read. Nobody changes it.
func (l *launch) object(name string) config {
	out, read := l.objects[name]
	if !read {
		out = l.decoded(name)
		l.objects[name] = out
	}
	return out
}

func (l *launch) decoded(name string) config {
	var out config
	if s, ok := l.str(name); ok {
		out = decodeConfig(s)
	}
	f, dotted := l.engine.flags().byName[name], 0
	for i := range l.args {
		a := &l.args[i]
		if a.flag != f || f == nil || a.key == "" || tooDeep(a.key) || len(a.values) == 0 || !a.values[0].known() {
			continue
		}
		if dotted++; dotted > mostDotted {
			l.warn("flag-json", nil, "%s has more than %d keys behind points: the others are not read", name, mostDotted)
			break
		}
		if out == nil {
			out = config{}
		}
		out.put(strings.TrimSuffix(a.key, "+"), jsonOrText(a.values[0].text))
	}
	return out
}

func jsonOrText(s string) any {
	var v any
	d := json.NewDecoder(strings.NewReader(s))
	d.UseNumber()
	if d.Decode(&v) == nil && !d.More() {
		return v
	}
	return s
}

// env is the value of an environment variable, "" where it is not set.
func (l *launch) envText(name string) string {
	v, _ := l.variable(name)
	return v.text
}

// wholeNumber reads what Python's int and the others take: digits with a sign.
func wholeNumber(s string) (int64, bool) {
	n, err := strconv.ParseInt(strings.TrimSpace(s), 10, 64)
	return n, err == nil
}
