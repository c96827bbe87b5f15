package policy

import (
	"slices"
	"strings"

	"github.com/modelverifier/verifier/internal/graph"
)

// Waiver says that findings of a rule, or violations of a policy line, fail no command. They are still found and shown, with
// the reason; the verdict and every body on the wire stay as they are.
type Waiver struct {
	selection
	Rule      string // as it was written: id of a rule, or key of a policy line; a checker and a slash may stand before it
	Component string // pattern for the id or the name; "" stands for every one, and for findings on the graph
	Reason    string
	Expires   string // the last day, as 2027-01-31, or ""

	firm []selection // that a file above has a line on, and this one does not waive
}

// Waiver returns the first waiver that holds on a day (as 2027-01-31) for a finding of a rule on a component known by these
// names, or nil. Where no day is given, the empty one, nothing has run out.
func (f *File) Waiver(checker, rule, day string, names ...string) *Waiver {
	if f == nil {
		return nil
	}
	for i := range f.Waivers {
		w := &f.Waivers[i]
		if !w.covers(checker, rule) || w.Expired(day) || slices.ContainsFunc(w.firm, func(s selection) bool { return s.covers(checker, rule) }) {
			continue // before any name is looked at: there may be many of both, and long ones
		}
		if w.Component == "" || slices.ContainsFunc(names, func(n string) bool { return glob(w.Component, n) }) {
			return w
		}
	}
	return nil
}

// Expired reports whether the last day is over. Days written as 2027-01-31 compare as text.
func (w *Waiver) Expired(day string) bool { return w.Expires != "" && day > w.Expires }

func (n Names) waivers(v item) ([]Waiver, *graph.Error) {
	if v.kind != graph.List {
		return nil, v.wrong("a list of waivers")
	}
	var out []Waiver
	for _, e := range v.list {
		w, err := n.waiver(e)
		if err != nil {
			return nil, err
		}
		out = append(out, w)
	}
	return out, nil
}

func (n Names) waiver(v item) (w Waiver, err *graph.Error) {
	if err := v.only("part of a waiver", "rule", "component", "reason", "expires"); err != nil {
		return w, err
	}
	for _, part := range []struct {
		name     string
		into     *string
		required bool
	}{{"rule", &w.Rule, true}, {"component", &w.Component, false}, {"reason", &w.Reason, true}, {"expires", &w.Expires, false}} {
		m := v.member(part.name)
		switch {
		case m == nil && part.required:
			return w, v.errorf(graph.CodeMissing, "a waiver needs a %s", part.name)
		case m == nil:
			continue
		case m.kind != graph.String || strings.TrimSpace(m.text) == "":
			return w, m.wrong("a string that says something")
		}
		*part.into = m.text
	}
	var known []string
	if w.selection, known = n.selects(w.Rule); known != nil {
		return w, n.unknownRule(*v.member("rule"), CodeValue, "rule or policy line", w.Rule, known)
	}
	if len(w.Component) > maxPattern {
		return w, v.member("component").errorf(CodeValue, "is a pattern of %d bytes, at most %d are read", len(w.Component), maxPattern)
	}
	if w.Expires != "" && !IsDay(w.Expires) {
		return w, v.member("expires").errorf(CodeValue, "must be a day such as 2027-01-31, not %q", clip(w.Expires))
	}
	return w, nil
}

// IsDay reports whether a text is a day of the Gregorian calendar in the form 2027-01-31.
func IsDay(s string) bool {
	if len(s) != 10 || s[4] != '-' || s[7] != '-' || !digits(s[:4]) || !digits(s[5:7]) || !digits(s[8:]) {
		return false
	}
	number := func(t string) (n int) {
		for i := range len(t) {
			n = n*10 + int(t[i]-'0')
		}
		return n
	}
	year, month, day := number(s[:4]), number(s[5:7]), number(s[8:])
	if month < 1 || month > 12 {
		return false
	}
	days := [...]int{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}[month-1]
	if month == 2 && year%4 == 0 && (year%100 != 0 || year%400 == 0) {
		days++
	}
	return day >= 1 && day <= days
}
