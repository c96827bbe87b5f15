package graph

import (
	"bytes"
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
	members, before, after := items(data, params.start), from.lookup(), to.lookup()
	var out []replacement
	for _, m := range members {
		name := memberName(data, m)
		old, _ := before(name)
		if now, has := after(name); !has {
			return nil, false
		} else if !now.Equal(old) {
			out = append(out, replacement{m, now.String()})
		}
	}
	for _, p := range to.Params {
		if _, had := before(p.Name); had {
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
