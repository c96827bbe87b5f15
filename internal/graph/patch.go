package graph

import (
	"bytes"
	"slices"
	"strings"
)

// PatchText changes the text of a notation so that it says another graph, and touches only the lines that it must: comments, blanks and
// the order of lines stay. It reports false where that cannot be done, such as for a connection in the middle of others.
func PatchText(text string, to *Graph) (string, bool) {
	if _, err := Parse(text); err != nil {
		return "", false
	}
	p := &patcher{to: to, kept: map[string]bool{}, components: make(map[string]*Component, len(to.Components)), wanted: map[ends]int{}}
	for i := range to.Components {
		if c := &to.Components[i]; p.components[c.ID] == nil {
			p.components[c.ID] = c
		}
	}
	for i := range to.Connections {
		p.wanted[endsOf(&to.Connections[i])]++
	}
	for line := range strings.SplitSeq(text, "\n") {
		p.line(line)
	}
	p.addComponents()
	p.addConnections()
	out := strings.Join(p.out, "\n")
	got, err := Parse(out)
	if err != nil || !bytes.Equal(got.AppendJSON(nil), to.AppendJSON(nil)) {
		return "", false
	}
	return out, true
}

// patcher goes through the lines of a notation.
type patcher struct {
	to         *Graph
	out        []string
	last       int                   // behind the line of the last component
	kept       map[string]bool       // components that have a line
	components map[string]*Component // of the graph, the first of each id
	wanted     map[ends]int          // how many connections the graph has between two components that no line has yet
}

// ends are the components that a connection is between.
type ends struct{ from, to string }

func endsOf(e *Connection) ends { return ends{e.From, e.To} }

func (p *patcher) line(line string) {
	l := &lineParser{rest: line, limits: LocalLimits}
	g := &Graph{}
	if err := l.statement(g); err != nil || len(g.Components)+len(g.Connections) == 0 {
		p.out = append(p.out, line)
		return
	}
	if len(g.Connections) > 0 {
		p.chain(line, g.Connections)
		return
	}
	if c := p.components[g.Components[0].ID]; c != nil && !p.kept[c.ID] {
		p.kept[c.ID] = true
		p.out = append(p.out, patchComponent(line, &g.Components[0], c))
		p.last = len(p.out)
		return
	}
	p.leave(line) // it is gone
}

// leave keeps the comment of a line that is gone.
func (p *patcher) leave(line string) {
	if _, comment := cutComment(line); comment != "" {
		p.out = append(p.out, comment)
	}
}

// chain keeps the line of connections of which none is gone, and otherwise those that are left, one a line.
func (p *patcher) chain(line string, edges []Connection) {
	var left []Connection
	for _, e := range edges {
		if p.take(&e) {
			left = append(left, e)
		}
	}
	if len(left) == len(edges) {
		p.out = append(p.out, line)
		return
	}
	p.leave(line)
	for _, e := range left {
		p.out = append(p.out, edgeText(&e))
	}
}

// take reports whether the graph has a connection between these two components that no line has, and gives it to this one.
func (p *patcher) take(e *Connection) bool {
	if p.wanted[endsOf(e)] == 0 {
		return false
	}
	p.wanted[endsOf(e)]--
	return true
}

// addComponents puts new components behind the last that has a line.
func (p *patcher) addComponents() {
	var added []string
	for i := range p.to.Components {
		if c := p.to.Components[i]; !p.kept[c.ID] {
			added = append(added, strings.TrimSuffix((&Graph{Components: []Component{c}}).Text(), "\n"))
		}
	}
	p.out = append(p.out[:p.last:p.last], append(added, p.out[p.last:]...)...)
}

// addConnections puts new connections at the end, before the last line break.
func (p *patcher) addConnections() {
	end := len(p.out)
	for end > 0 && strings.TrimSpace(p.out[end-1]) == "" {
		end--
	}
	var added []string
	for _, e := range p.to.Connections {
		if p.take(&e) {
			added = append(added, edgeText(&e))
		}
	}
	p.out = append(p.out[:end:end], append(added, p.out[end:]...)...)
}

// cutComment splits a line before its comment. What stands in quotes is none.
func cutComment(line string) (statement, comment string) {
	quoted := false
	for i := 0; i < len(line); i++ {
		switch {
		case quoted && line[i] == '\\':
			i++
		case line[i] == '"':
			quoted = !quoted
		case !quoted && (strings.HasPrefix(line[i:], "//") || line[i] == '#' && (i == 0 || line[i-1] == ' ' || line[i-1] == '\t')):
			return line[:i], line[i:]
		}
	}
	return line, ""
}

// fewParams is how many are searched one by one, which is quicker than a table.
const fewParams = 8

// lookup is Param for whoever asks for all of them.
func (c *Component) lookup() func(name string) (Value, bool) {
	if len(c.Params) <= fewParams {
		return c.Param
	}
	index := make(map[string]Value, len(c.Params))
	for i := range slices.Backward(c.Params) { // the first of a name counts
		index[c.Params[i].Name] = c.Params[i].Value
	}
	return func(name string) (Value, bool) {
		v := index[name]
		return v, v.Kind() != Null
	}
}

// patchComponent writes the parameters of a component that differ into its line.
func patchComponent(line string, from, to *Component) string {
	if from.Type != to.Type || from.Name != to.Name || !slices.Equal(from.Extra, to.Extra) {
		_, comment := cutComment(line)
		text := strings.TrimSuffix((&Graph{Components: []Component{*to}}).Text(), "\n")
		if comment != "" {
			text += "  " + comment
		}
		return text
	}
	l := &lineParser{rest: line, limits: LocalLimits}
	at := func() int { return len(line) - len(l.rest) }
	_, _ = l.word("") // it was read before
	if l.space(); strings.HasPrefix(l.rest, `"`) {
		_, _ = l.word("")
	}
	l.take(":")
	_, _ = l.word("")
	done, end := 0, at()
	before, after := from.lookup(), to.lookup()
	var b strings.Builder
	for l.space(); l.rest != ""; l.space() {
		if _, ok, _ := l.member(itemDepth); ok {
			continue
		}
		name, _ := l.word("")
		l.take("=")
		value := at()
		v, _ := l.value(0)
		now, has := after(name)
		switch {
		case !has:
			b.WriteString(line[done:end])
			done = at()
		case !now.Equal(v):
			b.WriteString(line[done:value] + now.notation())
			done = at()
		}
		end = at()
	}
	b.WriteString(line[done:max(done, end)])
	for _, q := range to.Params {
		if _, had := before(q.Name); !had {
			b.WriteString(" " + q.notation())
		}
	}
	b.WriteString(line[max(done, end):])
	return b.String()
}
