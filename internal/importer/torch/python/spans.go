package python

// Span is where a node stands in its source: the bytes from Start up to, and without, End. Brackets around an expression that are no part of
// it are outside.
type Span struct{ Start, End int }

// Spans holds the spans of the expressions and statements of a source, by their nodes. Expressions inside formatted strings have none.
type Spans map[any]Span

// ParseSpans is Parse of a source that somebody wants to change.
func ParseSpans(file, src string) (*File, Spans, error) {
	spans := Spans{}
	out, err := parse(file, src, spans)
	return out, spans, err
}

// mark notes where a node begins and that it ends before the next token, unless that is known already. A node that is read twice, as behind
// a bracket that was tried as something else, is two nodes.
func (p *parser) mark(start int, x Expr) Expr {
	if p.spans == nil {
		return x
	}
	if _, known := p.spans[x]; known {
		return x
	}
	last := p.at - 1
	for last > start && p.toks[last].text == "" { // line ends and blocks
		last--
	}
	t := p.toks[start]
	p.spans[x] = Span{t.end - len(t.text), p.toks[last].end}
	return x
}
