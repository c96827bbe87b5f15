package graph

import (
	"slices"
	"strings"
)

// Members that the specification does not name, as and scope among them, are written in the notation as @name=value: behind the
// name of the graph, behind the parameters of a component and behind the target of an arrow. They are JSON; a plain word needs no quotes.

// How deep members lie in JSON: graph; graph, list, component.
const (
	graphDepth = 1
	itemDepth  = 3
)

// inferredMember is the member of a connection that the graph has a field for.
const inferredMember = "inferred"

// member reads @name=value where one stands next.
func (p *lineParser) member(depth int) (m Member, ok bool, err error) {
	if p.space(); !strings.HasPrefix(p.rest, "@") {
		return m, false, nil
	}
	p.rest = p.rest[1:]
	if m.Name, err = p.word("the name of a member"); err != nil {
		return m, true, err
	}
	if !p.take("=") {
		return m, true, p.errorf(`expected "=" after "@%s"`, clip(m.Name))
	}
	m.Raw, err = p.raw(depth)
	return m, true, err
}

// raw reads JSON, or a word that stands for a string.
func (p *lineParser) raw(depth int) (string, error) {
	if p.space(); p.rest != "" && strings.IndexByte(`"{[`, p.rest[0]) >= 0 {
		r := newReader(p.rest, Limits{})
		r.depth = depth
		text, bad := r.raw()
		if bad != nil {
			return "", p.errorf("not JSON: %v", bad)
		}
		p.rest = p.rest[r.at:]
		return text, nil
	}
	s, err := p.word("a value")
	if err != nil {
		return "", err
	}
	v, err := p.bare(s)
	if v.Kind() == String {
		s = quote(s)
	}
	return s, err
}

// members reads all members that stand next; taken are the names that JSON has for other things.
func (p *lineParser) members(depth int, taken ...string) ([]Member, error) {
	var out []Member
	for {
		m, ok, err := p.member(depth)
		if err != nil || !ok {
			return out, err
		}
		if out, err = p.addMember(out, m, taken); err != nil {
			return nil, err
		}
	}
}

// addMember refuses a name that was there: JSON could not say both.
func (p *lineParser) addMember(list []Member, m Member, taken []string) ([]Member, error) {
	for _, name := range taken {
		if m.Name == name {
			return nil, p.errorf("@%s has a place of its own and is no member", clip(name))
		}
	}
	if p.isThere(list, m.Name) {
		return nil, p.errorf("the member @%s is given twice", clip(m.Name))
	}
	if len(list) == MaxKeys {
		return nil, p.errorf("more than %d members", MaxKeys)
	}
	return append(list, m), nil
}

// fewMembers is how many are searched one by one, which is quicker than a table.
const fewMembers = 8

// isThere reports whether one of the members that were read has a name, and remembers it as the next one's where they are many.
func (p *lineParser) isThere(list []Member, name string) bool {
	if len(list) < fewMembers {
		return slices.ContainsFunc(list, func(m Member) bool { return m.Name == name })
	}
	if len(list) == fewMembers {
		if clear(p.names); p.names == nil {
			p.names = map[string]bool{}
		}
		for i := range list {
			p.names[list[i].Name] = true
		}
	}
	before := len(p.names)
	p.names[name] = true
	return len(p.names) == before
}

// edgeMembers reads what is said of the connections of one arrow. They share the list, which is written once for all of them: what they
// would have to repeat in JSON may not be longer than a document.
func (p *lineParser) edgeMembers(edges []Connection) error {
	list, err := p.members(itemDepth, "from", "to")
	if err != nil || len(edges) == 0 {
		return err
	}
	size := len(edges[0].To)
	for i := range list {
		size += len(list[i].Name) + len(list[i].Raw)
	}
	if p.repeated += (len(edges) - 1) * size; over(p.repeated, p.limits.Bytes) {
		return p.exceeded(p.limits.Bytes, CodeBytes, "bytes that connections of several sources repeat")
	}
	inferred := ""
	list = slices.DeleteFunc(list, func(m Member) bool {
		if m.Name != inferredMember || m.Raw[0] != '"' {
			return false
		}
		inferred, _ = newReader(m.Raw, Limits{}).str() // it was read before
		return true
	})
	for i := range edges {
		edges[i].Inferred, edges[i].Extra = inferred, slices.Clip(list)
	}
	return nil
}

// memberText writes members as member reads them.
func memberText(list []Member) string {
	var b strings.Builder
	for _, m := range list {
		name := bareOrQuoted(m.Name)
		if strings.HasPrefix(name, "@") {
			name = quote(m.Name)
		}
		b.WriteString(" @" + name + "=" + memberValue(m.Raw))
	}
	return b.String()
}

// memberValue writes a string that is a word as one, and everything else as JSON on one line.
func memberValue(raw string) string {
	if strings.ContainsAny(raw, "\r\n") {
		raw = compact(raw)
	}
	if strings.HasPrefix(raw, `"`) && strings.IndexByte(raw, '\\') < 0 {
		if word := StringValue(raw[1 : len(raw)-1]).notation(); word == raw[1:len(raw)-1] {
			return word
		}
	}
	return raw
}

// edgeText is a connection on a line of its own.
func edgeText(e *Connection) string {
	text := bareOrQuoted(e.From) + " -> " + bareOrQuoted(e.To)
	if e.Inferred != "" {
		text += " @" + inferredMember + "=" + StringValue(e.Inferred).notation()
	}
	return text + memberText(e.Extra)
}
