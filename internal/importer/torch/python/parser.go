package python

import "fmt"

// parser goes down the grammar over a list of tokens.
type parser struct {
	file   string
	toks   []token
	at     int
	depth  int
	fields int    // formatted strings and formats that are open around this
	yields []bool // for each function that is open, whether its body yields
	spans  Spans  // nil where nobody asks
}

// Parse reads a source. The error is an *Error.
func Parse(file, src string) (*File, error) { return parse(file, src, nil) }

func parse(file, src string, spans Spans) (out *File, err error) {
	if len(src) > MaxBytes {
		return nil, &Error{file, 1, fmt.Sprintf("the file has %d bytes, more than %d", len(src), MaxBytes)}
	}
	defer func() {
		if r := recover(); r != nil {
			f, ours := r.(fail)
			if !ours {
				panic(r)
			}
			out, err = nil, f.err
		}
	}()
	l := &lexer{file: file, src: src}
	p := &parser{file: file, toks: l.run(), spans: spans}
	out = &File{Name: file}
	for p.tok().kind != eof {
		out.Body = append(out.Body, p.statement()...)
	}
	return out, nil
}

func (p *parser) tok() token { return p.toks[p.at] }

func (p *parser) pos() Pos { return Pos(p.toks[p.at].line) }

func (p *parser) fail(format string, args ...any) {
	panic(fail{&Error{p.file, p.tok().line, fmt.Sprintf(format, args...)}})
}

func (p *parser) unexpected() {
	t := p.tok()
	switch t.kind {
	case eof:
		p.fail("the file ends in the middle of a statement")
	case newline:
		p.fail("the line ends too early")
	case indent, dedent:
		p.fail("the indentation has no place here")
	}
	p.fail("%q has no place here", clip(t.text))
}

func clip(s string) string {
	if len(s) > 40 {
		return s[:40] + "…"
	}
	return s
}

// deeper counts nesting; the result undoes it.
func (p *parser) deeper() func() {
	if p.depth++; p.depth > maxDepth {
		p.fail("expressions and blocks are nested more than %d deep", maxDepth)
	}
	return func() { p.depth-- }
}

// maxChain bounds what stands in a row, such as a.b.c or 1 + 2 + 3: each is an expression inside the next, and CPython's compiler ends at a
// few thousand, too.
const maxChain = 2000

// chained counts what stands in a row.
func (p *parser) chained(n int) {
	if n > maxChain {
		p.fail("an expression has more than %d parts in a row", maxChain)
	}
}

// is reports whether the next token is an operator or keyword.
func (p *parser) is(s string) bool {
	t := p.tok()
	return (t.kind == op || t.kind == name) && t.text == s
}

// take passes over an operator or keyword if it is next.
func (p *parser) take(s string) bool {
	if p.is(s) {
		p.at++
		return true
	}
	return false
}

func (p *parser) want(s string) {
	if !p.take(s) {
		t := p.tok()
		if t.kind == op || t.kind == name {
			p.fail("%q is missing before %q", s, clip(t.text))
		}
		p.fail("%q is missing", s)
	}
}

func (p *parser) kind(k kind) bool {
	if p.tok().kind == k {
		p.at++
		return true
	}
	return false
}

var keywords = map[string]bool{
	"False": true, "None": true, "True": true, "and": true, "as": true, "assert": true, "async": true, "await": true, "break": true,
	"class": true, "continue": true, "def": true, "del": true, "elif": true, "else": true, "except": true, "finally": true, "for": true,
	"from": true, "global": true, "if": true, "import": true, "in": true, "is": true, "lambda": true, "nonlocal": true, "not": true,
	"or": true, "pass": true, "raise": true, "return": true, "try": true, "while": true, "with": true, "yield": true,
}

func (p *parser) identifier() string {
	t := p.tok()
	if t.kind != name || keywords[t.text] {
		p.unexpected()
	}
	p.at++
	return t.text
}
