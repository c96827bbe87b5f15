package graph

import (
	"bytes"
	"strings"
)

// Text prints the graph in the short notation. What Parse reads from it is the same graph.
func (g *Graph) Text() string {
	var b bytes.Buffer
	if g.Name != "" || len(g.Extra) > 0 {
		b.WriteString("graph")
		if g.Name != "" {
			b.WriteString(" " + quote(g.Name))
		}
		b.WriteString(memberText(g.Extra) + "\n")
	}
	for i := range g.Components {
		c := &g.Components[i]
		b.WriteString(bareOrQuoted(c.ID))
		if c.Name != "" {
			b.WriteString(" " + quote(c.Name))
		}
		b.WriteString(": " + bareOrQuoted(c.Type))
		for _, p := range c.Params {
			b.WriteString(" " + p.notation())
		}
		b.WriteString(memberText(c.Extra) + "\n")
	}
	for i := range g.Connections {
		b.WriteString(edgeText(&g.Connections[i]) + "\n")
	}
	return b.String()
}

// notation quotes a name that would be that of a member.
func (p Param) notation() string {
	name := bareOrQuoted(p.Name)
	if strings.HasPrefix(name, "@") {
		name = quote(name)
	}
	return name + "=" + p.Value.notation()
}

func quote(s string) string { return string(appendString(nil, s)) }

func bareOrQuoted(s string) string {
	p := &lineParser{rest: s}
	if w, err := p.word(""); err != nil || w != s || s == "graph" || strings.HasPrefix(s, "#") {
		return quote(s)
	}
	return s
}

// notation writes a value so that it is read back as the same kind: words that look like something else are quoted.
func (v Value) notation() string {
	switch v.kind {
	case String:
		if s := v.text(); s == "true" || s == "false" || s == "null" || looksNumeric(s) {
			return quote(s)
		}
		return bareOrQuoted(v.text())
	case List:
		parts := make([]string, v.num)
		for i, item := range v.List() {
			parts[i] = item.notation()
		}
		return "[" + strings.Join(parts, ",") + "]"
	}
	return v.String()
}
