package graph

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// Parse reads the short text notation:
//
//	graph "small net"
//	x: input shape=[3,32,32]
//	c "first": conv2d outChannels=16 kernelSize=3   // a comment
//	x -> c -> r
//	a, b -> sum
//
//	n: rmsNorm @as=transformers.T5LayerNorm
//
// A line defines a component, or connects components; several sources before an arrow feed its target in that order.
// Words that are not numbers, true, false or null need no quotes; everything else is written as in JSON. A name with an @ before it is no
// parameter but a member of the component beside its parameters, or of the graph or an arrow where it stands behind those.
func Parse(text string) (*Graph, error) { return ParseWithin(text, LocalLimits) }

// ParseWithin reads the notation as Parse does, under the limits of the caller.
func ParseWithin(text string, limits Limits) (*Graph, error) {
	p := &lineParser{limits: limits}
	if over(len(text), limits.Bytes) {
		return nil, ceiling{limits.Bytes, CodeBytes, "bytes"}.exceeded()
	}
	g := &Graph{}
	for line := range strings.SplitSeq(text, "\n") {
		p.rest = line
		p.line++
		if err := p.statement(g); err != nil {
			return nil, err
		}
	}
	return g, nil
}

// ParseParams reads the parameters of a component in the short notation: `kernelSize=3 padding=same`.
func ParseParams(text string) ([]Param, error) {
	p := &lineParser{rest: text, line: 1, limits: LocalLimits}
	return p.params(nil)
}

// over reports whether there are more than a limit allows, if there is one.
func over(n, limit int) bool { return limit > 0 && n > limit }

type lineParser struct {
	rest   string
	line   int
	given  int // parameters so far
	items  int // of all lists so far
	limits Limits

	repeated int             // bytes that connections of one arrow say again
	names    map[string]bool // of the members that are being read, where they are many
}

func (p *lineParser) errorf(format string, args ...any) error {
	return errorf(CodeNotation, "line "+strconv.Itoa(p.line), format, args...)
}

// exceeded is the error of a limit that this line passes.
func (p *lineParser) exceeded(limit int, code, what string) error {
	e := ceiling{limit, code, what}.exceeded()
	e.Path = "line " + strconv.Itoa(p.line)
	return e
}

// space steps over blanks, and over the rest of the line from a comment on.
func (p *lineParser) space() {
	p.rest = strings.TrimLeft(p.rest, " \t\r")
	if strings.HasPrefix(p.rest, "//") || strings.HasPrefix(p.rest, "#") {
		p.rest = ""
	}
}

func (p *lineParser) take(token string) bool {
	p.space()
	if !strings.HasPrefix(p.rest, token) {
		return false
	}
	p.rest = p.rest[len(token):]
	return true
}

func (p *lineParser) statement(g *Graph) error {
	p.space()
	if p.rest == "" {
		return nil
	}
	if rest, ok := strings.CutPrefix(p.rest, "graph"); ok && opensGraph(rest) {
		p.rest = rest
		return p.finish(p.graph(g))
	}
	first, err := p.word("a component")
	if err != nil {
		return err
	}
	p.space()
	if strings.HasPrefix(p.rest, ",") || strings.HasPrefix(p.rest, "->") {
		return p.finish(p.chain(g, first))
	}
	return p.finish(p.component(g, first))
}

// opensGraph reports whether a name or a member follows, so that the word before it is not the id of a component.
func opensGraph(rest string) bool {
	after := strings.TrimLeft(rest, " \t")
	return strings.HasPrefix(after, `"`) || strings.HasPrefix(after, "@") && len(after) < len(rest)
}

func (p *lineParser) graph(g *Graph) (err error) {
	if p.space(); strings.HasPrefix(p.rest, `"`) {
		if g.Name, err = p.word("a name"); err != nil {
			return err
		}
	}
	g.Extra, err = p.members(graphDepth, "name", "components", "connections")
	return err
}

func (p *lineParser) finish(err error) error {
	if p.space(); err == nil && p.rest != "" {
		return p.errorf("cannot read %q", clip(p.rest))
	}
	return err
}

func (p *lineParser) component(g *Graph, id string) (err error) {
	c := Component{ID: id}
	if strings.HasPrefix(p.rest, `"`) {
		if c.Name, err = p.word("a name"); err != nil {
			return err
		}
	}
	if !p.take(":") {
		return p.errorf(`expected ":" and a type, or "->" and a component, after %q`, clip(id))
	}
	if c.Type, err = p.word("a type"); err != nil {
		return err
	}
	if c.Params, err = p.params(&c.Extra); err != nil {
		return err
	}
	g.Components = append(g.Components, c)
	if over(len(g.Components), p.limits.Components) {
		return p.exceeded(p.limits.Components, CodeComponents, "components")
	}
	return nil
}

func (p *lineParser) chain(g *Graph, first string) error {
	sources := []string{first}
	for {
		for p.take(",") {
			s, err := p.word("a component")
			if err != nil {
				return err
			}
			sources = append(sources, s)
			if over(len(sources), p.limits.Connections) {
				return p.exceeded(p.limits.Connections, CodeConnections, "connections")
			}
		}
		if !p.take("->") {
			if len(sources) > 1 {
				return p.errorf(`expected "->"`)
			}
			return nil
		}
		to, err := p.word("a component")
		if err != nil {
			return err
		}
		for _, from := range sources {
			g.Connections = append(g.Connections, Connection{From: from, To: to})
		}
		if over(len(g.Connections), p.limits.Connections) {
			return p.exceeded(p.limits.Connections, CodeConnections, "connections")
		}
		if err := p.edgeMembers(g.Connections[len(g.Connections)-len(sources):]); err != nil {
			return err
		}
		sources = append(sources[:0], to)
	}
}

// params reads parameters, and members where there is a place for them.
func (p *lineParser) params(members *[]Member) ([]Param, error) {
	var out []Param
	seen := map[string]bool{}
	for p.space(); p.rest != ""; p.space() {
		if members != nil {
			m, ok, err := p.member(itemDepth)
			if err == nil && ok {
				*members, err = p.addMember(*members, m, []string{"id", "type", "name", "params"})
			}
			if err != nil {
				return nil, err
			}
			if ok {
				continue
			}
		}
		name, err := p.word("a parameter")
		if err != nil {
			return nil, err
		}
		if seen[name] {
			return nil, p.errorf("the parameter %q is given twice", clip(name))
		}
		seen[name] = true
		if len(seen) > MaxKeys {
			return nil, p.errorf("more than %d parameters", MaxKeys)
		}
		if p.given++; over(p.given, p.limits.Params) {
			return nil, p.exceeded(p.limits.Params, CodeValues, manyParams)
		}
		if !p.take("=") {
			return nil, p.errorf(`expected "=" after %q`, clip(name))
		}
		v, err := p.value(0)
		if err != nil {
			return nil, err
		}
		out = append(out, Param{name, v})
	}
	return out, nil
}

func isWordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c >= utf8.RuneSelf ||
		c == '_' || c == '.' || c == '-' || c == '+' || c == '/' || c == '@' || c == '*'
}

// word reads a bare word or a quoted string.
func (p *lineParser) word(what string) (string, error) {
	p.space()
	if strings.HasPrefix(p.rest, `"`) {
		return p.quoted()
	}
	n := 0
	for n < len(p.rest) && isWordByte(p.rest[n]) && !strings.HasPrefix(p.rest[n:], "->") && !strings.HasPrefix(p.rest[n:], "//") {
		n++
	}
	s := p.rest[:n]
	if n == 0 {
		return "", p.errorf("expected %s at %q", what, clip(p.rest))
	}
	if !utf8.ValidString(s) {
		return "", p.errorf("not UTF-8")
	}
	p.rest = p.rest[n:]
	return s, nil
}

func (p *lineParser) quoted() (string, error) {
	for n := 1; n < len(p.rest); n++ {
		switch p.rest[n] {
		case '\\':
			n++
		case '"':
			s, err := newReader(p.rest[:n+1], Limits{}).str()
			if err != nil {
				return "", p.errorf("not a string: %s", clip(p.rest[:n+1]))
			}
			p.rest = p.rest[n+1:]
			return s, nil
		}
	}
	return "", p.errorf("the string %s does not end", clip(p.rest))
}

// valueDepth is how deep the value of a parameter lies in JSON: graph, list, component, params.
const valueDepth = 4

func (p *lineParser) value(depth int) (Value, error) {
	p.space()
	switch {
	case strings.HasPrefix(p.rest, `"`):
		s, err := p.quoted()
		return StringValue(s), err
	case strings.HasPrefix(p.rest, "{"):
		return p.object(depth)
	case p.take("["):
		return p.list(depth)
	}
	s, err := p.word("a value")
	if err != nil {
		return Value{}, err
	}
	return p.bare(s)
}

func (p *lineParser) object(depth int) (Value, error) {
	r := newReader(p.rest, Limits{})
	r.depth = valueDepth + depth
	v, bad := r.value()
	if bad != nil {
		return v, p.errorf("not an object: %v", bad)
	}
	p.rest = p.rest[r.at:]
	return v, nil
}

func (p *lineParser) list(depth int) (Value, error) {
	if valueDepth+depth == MaxDepth {
		return Value{}, p.errorf("nested deeper than %d levels", MaxDepth)
	}
	var list []Value
	for !p.take("]") {
		if len(list) > 0 && !p.take(",") {
			return Value{}, p.errorf(`expected "," or "]" at %q`, clip(p.rest))
		}
		if p.items++; over(p.items, p.limits.Values) {
			return Value{}, p.exceeded(p.limits.Values, CodeValues, "list items in all parameters")
		}
		item, err := p.value(depth + 1)
		if err != nil {
			return Value{}, err
		}
		list = append(list, item)
	}
	return ListValue(list...), nil
}

// bare tells numbers, true, false and null from words.
func (p *lineParser) bare(s string) (Value, error) {
	switch s {
	case "true":
		return BoolValue(true), nil
	case "false":
		return BoolValue(false), nil
	case "null":
		return Value{}, nil
	}
	if !looksNumeric(s) {
		return StringValue(s), nil
	}
	r := newReader(s, Limits{})
	v, err := r.value()
	if err != nil || r.at < len(s) {
		return v, p.errorf("%q is not a number, or does not fit in 64 bits; quote it if it is a word", clip(s))
	}
	return v, nil
}

// looksNumeric reports whether a reader would take the word for a number, written right or wrong.
func looksNumeric(s string) bool {
	s = strings.TrimPrefix(strings.TrimLeft(s, "+-"), ".")
	return s != "" && s[0] >= '0' && s[0] <= '9'
}

func clip(s string) string {
	if len(s) > 40 {
		return strings.ToValidUTF8(s[:40], "") + "…"
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}
