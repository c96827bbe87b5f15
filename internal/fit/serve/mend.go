package serve

import (
	"slices"
	"strings"
)

// Mend is a change of a command that was judged to do away with a finding.
type Mend struct {
	Words   string `json:"words"`
	Command string `json:"command"` // the whole text, with the change made in it and all else as it was written
}

// Mends are the changes that the fix of a finding names, as far as they can be made in the text: what comes of a change is read again,
// and is offered where it is the command that was judged. Of a change of a container, or of a name that a variable sets, there is none.
func (r *Result) Mends(f *Finding) []Mend {
	l := r.launch
	if l == nil || l.origin == nil || f.Fix == "" {
		return nil
	}
	i := slices.IndexFunc(l.remedies, func(r remedy) bool { return strings.ToValidUTF8(r.String(), "\uFFFD") == f.Fix })
	if i < 0 {
		return nil
	}
	var out []Mend
	for _, ch := range l.remedies[i] {
		want := l.origin.with(ch, l.asked.EngineVersion)
		text, ok := l.written(ch)
		if want == nil || !ok {
			continue
		}
		if got, err := read(text, l.asked.EngineVersion); err == nil && got != nil && got.String() == want.String() {
			out = append(out, Mend{remedy{ch}.String(), text})
		}
	}
	return out
}

// written is the text of the command with a change made in it.
func (l *launch) written(ch change) (text string, ok bool) {
	text = l.asked.Command
	for _, s := range ch {
		if text, ok = l.origin.rewrite(text, s); !ok {
			return "", false
		}
	}
	return text, len(ch) > 0
}

// rewrite makes one step in a text.
func (c *command) rewrite(text string, s step) (string, bool) {
	switch s.op {
	case opSet:
		if a := c.lastOf(s.flag); a != nil {
			return replaced(text, a, quote(s.value))
		}
		return c.appended(text, s.flag+" "+quote(s.value))
	case opAdd:
		if c.lastOf(s.flag) != nil {
			return "", false
		}
		return c.appended(text, s.flag)
	case opDrop, opRename, opAlone:
		done := false
		for i := range c.args {
			if a := &c.args[i]; a.written == s.flag || a.flag != nil && a.flag.name == s.flag {
				to := map[operation]string{opRename: s.value, opAlone: a.written}[s.op]
				if text, done = changed(text, a, to, s.op == opRename); !done {
					return "", false
				}
			}
		}
		return text, done
	case opNoWord:
		return cut(text, placesOf(text, quote(s.value), nil), "")
	}
	return "", false
}

// lastOf is the last argument of a flag, or of a member of its object, nil where there is none.
func (c *command) lastOf(name string) *argument {
	name, key, _ := strings.Cut(name, ".")
	for i := len(c.args) - 1; i >= 0; i-- {
		if a := &c.args[i]; a.flag != nil && a.flag == c.engine.flags().byName[name] && a.key == key {
			return a
		}
	}
	return nil
}

// replaced gives an argument another value, behind what stands between its name and its value now.
func replaced(text string, a *argument, value string) (string, bool) {
	names := placesOf(text, a.written, nil)
	whole := placesOf(text, a.written, a.values)
	if len(names) == 0 || len(names) != len(whole) {
		return "", false
	}
	name, all := names[len(names)-1], whole[len(whole)-1]
	between := " "
	if len(a.values) > 0 && a.values[0].raw != "" && all.To > name.To {
		between, _, _ = strings.Cut(text[name.To:all.To], a.values[0].raw)
	}
	return text[:name.To] + between + value + text[all.To:], true
}

// changed writes something in place of an argument, or of its name alone, "" for nothing.
func changed(text string, a *argument, to string, nameAlone bool) (string, bool) {
	values := a.values
	if nameAlone {
		values = nil
	}
	return cut(text, placesOf(text, a.written, values), to)
}

// cut writes something in place of the only place of a word; nothing takes the space before it along, and a line that it leaves empty.
func cut(text string, at []Place, to string) (string, bool) {
	if len(at) != 1 {
		return "", false
	}
	before, after := text[:at[0].From], text[at[0].To:]
	if to == "" {
		before = strings.TrimRight(before, " \t")
		if rest, broken := strings.CutSuffix(before, "\\\n"); broken && strings.TrimSpace(after) == "" {
			before = strings.TrimRight(rest, " \t")
		}
	}
	return before + to + after, true
}

// appended writes something behind the last word of the command that stands in the text.
func (c *command) appended(text, more string) (string, bool) {
	end := -1
	for i := range c.args {
		for _, p := range placesOf(text, c.args[i].written, c.args[i].values) {
			end = max(end, p.To)
		}
	}
	for _, w := range c.strays {
		for _, p := range placesOf(text, w.raw, nil) {
			end = max(end, p.To)
		}
	}
	if end < 0 {
		return "", false
	}
	return text[:end] + " " + more + text[end:], true
}
