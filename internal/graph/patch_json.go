package graph

import (
	"bytes"
	"encoding/json"
	"sort"
)

// PatchJSON changes values of parameters in the text of a graph so that it says another one, and leaves everything else as it is
// written. It reports false where more than that differs.
func PatchJSON(data []byte, to *Graph) ([]byte, bool) {
	from, err := Decode(data, "", LocalLimits)
	if err != nil || len(from.Components) != len(to.Components) {
		return nil, false
	}
	var changes []replacement
	components, ok := memberOf(data, skipSpace(data, 0), "components")
	if !ok || data[components.start] != '[' {
		return nil, false
	}
	for i, item := range items(data, components.start) {
		if i >= len(from.Components) {
			return nil, false
		}
		more, ok := patchParams(data, item.start, &from.Components[i], &to.Components[i])
		if !ok {
			return nil, false
		}
		changes = append(changes, more...)
	}
	out := applied(data, changes)
	got, err := Decode(out, "", LocalLimits)
	if err != nil || !bytes.Equal(got.AppendJSON(nil), to.AppendJSON(nil)) {
		return nil, false
	}
	return out, true
}

// extent is a part of a text; key is where the name of a member begins, of what is one.
type extent struct{ key, start, end int }

// replacement puts text in place of a part.
type replacement struct {
	extent
	text string
}

// patchParams finds what has to be written to give a component its new parameters.
func patchParams(data []byte, at int, from, to *Component) ([]replacement, bool) {
	params, ok := memberOf(data, at, "params")
	if !ok || data[params.start] != '{' {
		return nil, len(from.Params) == 0 && len(to.Params) == 0
	}
	members := items(data, params.start)
	var out []replacement
	for _, m := range members {
		name := memberName(data, m)
		old, _ := from.Param(name)
		if now, has := to.Param(name); !has {
			return nil, false
		} else if !now.Equal(old) {
			out = append(out, replacement{m, now.String()})
		}
	}
	for _, p := range to.Params {
		if _, had := from.Param(p.Name); had {
			continue
		}
		if len(members) == 0 {
			return nil, false
		}
		last := members[len(members)-1] // in the style of the last one
		blank := last.key
		for blank > 0 && (data[blank-1] == ' ' || data[blank-1] == '\n' || data[blank-1] == '\t' || data[blank-1] == '\r') {
			blank--
		}
		name := memberName(data, last)
		colon := data[last.key+len(quote(name)) : last.start]
		out = append(out, replacement{extent{0, last.end, last.end}, "," + string(data[blank:last.key]) + quote(p.Name) + string(colon) + p.Value.String()})
	}
	return out, true
}

// applied writes changes into a text.
func applied(data []byte, changes []replacement) []byte {
	sort.SliceStable(changes, func(a, b int) bool { return changes[a].start < changes[b].start })
	var b bytes.Buffer
	at := 0
	for _, c := range changes {
		b.Write(data[at:c.start])
		b.WriteString(c.text)
		at = c.end
	}
	b.Write(data[at:])
	return b.Bytes()
}

// memberOf finds a member of the object that begins at a position.
func memberOf(data []byte, at int, name string) (extent, bool) {
	if at >= len(data) || data[at] != '{' {
		return extent{}, false
	}
	for _, m := range items(data, at) {
		if memberName(data, m) == name {
			return m, true
		}
	}
	return extent{}, false
}

func memberName(data []byte, m extent) string {
	var s string
	_ = json.Unmarshal(data[m.key:skipValue(data, m.key)], &s) // the text was read before
	return s
}

// items lists what is in the object or list that begins at a position. The text is JSON.
func items(data []byte, at int) []extent {
	var out []extent
	object := data[at] == '{'
	for at = skipSpace(data, at+1); at < len(data) && data[at] != '}' && data[at] != ']'; {
		m := extent{key: at, start: at}
		if object {
			m.start = skipSpace(data, skipSpace(data, skipValue(data, at))+1)
		}
		m.end = skipValue(data, m.start)
		out = append(out, m)
		if at = skipSpace(data, m.end); at < len(data) && data[at] == ',' {
			at = skipSpace(data, at+1)
		}
	}
	return out
}

func skipSpace(data []byte, at int) int {
	for at < len(data) && (data[at] == ' ' || data[at] == '\n' || data[at] == '\t' || data[at] == '\r') {
		at++
	}
	return at
}

// skipValue goes behind the value that begins at a position.
func skipValue(data []byte, at int) int {
	level := 0
	for ; at < len(data); at++ {
		switch data[at] {
		case '"':
			for at++; at < len(data) && data[at] != '"'; at++ {
				if data[at] == '\\' {
					at++
				}
			}
		case '{', '[':
			level++
		case '}', ']':
			if level == 0 {
				return at // of what the value is in
			}
			level--
		case ',', ' ', '\n', '\t', '\r', ':':
			if level == 0 {
				return at
			}
			continue
		default:
			continue // a number, true, false or null goes on
		}
		if level == 0 {
			return min(at+1, len(data))
		}
	}
	return min(at, len(data))
}
