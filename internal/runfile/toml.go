package runfile

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// parseTOML reads a file of TOML 1.0: tables, dotted keys, strings of all four kinds, numbers, booleans, lists and inline tables. Lists of
// tables ([[name]]) and dates are refused: no trainer that is read has one.
func parseTOML(data []byte) (value, error) {
	data = bytes.TrimPrefix(data, []byte("\uFEFF"))
	if !utf8.Valid(data) {
		return value{}, Fault{Message: "is not UTF-8"}
	}
	p := &tomlParser{text: strings.ReplaceAll(string(data), "\r\n", "\n"), line: 1}
	top := value{kind: mapping}
	at := &top
	for {
		p.space(true)
		if p.done() {
			return top, nil
		}
		var err error
		if p.peek() == '[' {
			at, err = p.header(&top)
		} else {
			err = p.pair(at, 0)
		}
		if err == nil {
			err = p.endOfLine()
		}
		if err != nil {
			return top, err
		}
	}
}

type tomlParser struct {
	text   string
	at     int
	line   int
	values int
}

func (p *tomlParser) done() bool { return p.at >= len(p.text) }

func (p *tomlParser) peek() byte {
	if p.done() {
		return 0
	}
	return p.text[p.at]
}

func (p *tomlParser) fail(format string, args ...any) error {
	return Fault{Line: p.line, Message: "is not TOML: " + fmt.Sprintf(format, args...)}
}

// space skips blanks and comments, and the ends of lines where they mean nothing.
func (p *tomlParser) space(lines bool) {
	for !p.done() {
		switch c := p.peek(); {
		case c == ' ' || c == '\t':
			p.at++
		case c == '\n' && lines:
			p.at++
			p.line++
		case c == '#':
			for !p.done() && p.peek() != '\n' {
				p.at++
			}
		default:
			return
		}
	}
}

func (p *tomlParser) endOfLine() error {
	p.space(false)
	if !p.done() && p.peek() != '\n' {
		return p.fail("%q follows a value on its line", clip(p.rest()))
	}
	return nil
}

func (p *tomlParser) rest() string {
	line, _, _ := strings.Cut(p.text[p.at:], "\n")
	return line
}

// header reads [a.b] and returns its table.
func (p *tomlParser) header(top *value) (*value, error) {
	if strings.HasPrefix(p.text[p.at:], "[[") {
		return nil, p.fail("lists of tables such as [[name]] are not read")
	}
	p.at++
	names, err := p.key()
	if err != nil {
		return nil, err
	}
	p.space(false)
	if p.peek() != ']' {
		return nil, p.fail("the name of a table has no closing bracket")
	}
	p.at++
	return p.table(top, names)
}

// table is the one that names lead to, made where it is not there.
func (p *tomlParser) table(at *value, names []string) (*value, error) {
	if len(names) > maxDepth {
		return nil, tooDeep(value{line: p.line})
	}
	for _, name := range names {
		next := at.member(name)
		if next == nil {
			if err := p.count(); err != nil {
				return nil, err
			}
			path, err := at.below(name, p.line)
			if err != nil {
				return nil, err
			}
			at.add(name, value{kind: mapping, path: path, line: p.line})
			next = at.member(name)
		}
		if next.kind != mapping {
			return nil, Fault{Line: p.line, Path: next.path, Message: "is a value and a table"}
		}
		at = next
	}
	return at, nil
}

func (p *tomlParser) count() error {
	if p.values++; p.values > maxValues {
		return Fault{Line: p.line, Message: fmt.Sprintf("has more than %d values", maxValues)}
	}
	return nil
}

// key reads a name, or several with dots.
func (p *tomlParser) key() (names []string, err error) {
	for {
		p.space(false)
		var name string
		switch c := p.peek(); c {
		case '"', '\'':
			if name, err = p.quoted(); err != nil {
				return nil, err
			}
		default:
			from := p.at
			for !p.done() && bare(p.peek()) {
				p.at++
			}
			if name = p.text[from:p.at]; name == "" {
				return nil, p.fail("%q is no name of a key", clip(p.rest()))
			}
		}
		names = append(names, name)
		if p.space(false); p.peek() != '.' {
			return names, nil
		}
		p.at++
	}
}

func bare(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-'
}

// pair reads key = value into a table.
func (p *tomlParser) pair(into *value, depth int) error {
	line := p.line
	names, err := p.key()
	if err != nil {
		return err
	}
	if p.peek() != '=' {
		return p.fail("%s has no = behind it", clip(strings.Join(names, ".")))
	}
	p.at++
	p.space(false)
	last := len(names) - 1
	at, err := p.table(into, names[:last])
	if err != nil {
		return err
	}
	path, err := at.below(names[last], line)
	if err != nil {
		return err
	}
	if at.member(names[last]) != nil {
		return Fault{Line: line, Path: path, Message: "stands here twice"}
	}
	v, err := p.value(value{path: path, line: line}, depth)
	if err != nil {
		return err
	}
	at.add(names[last], v)
	return nil
}

func (p *tomlParser) value(v value, depth int) (value, error) {
	if err := p.count(); err != nil {
		return v, err
	}
	if depth > maxDepth {
		return v, tooDeep(v)
	}
	switch c := p.peek(); c {
	case '"', '\'':
		word, err := p.quoted()
		v.kind, v.text = text, word
		return v, err
	case '[':
		return p.array(v, depth)
	case '{':
		return p.inline(v, depth)
	}
	from := p.at
	for !p.done() && (bare(p.peek()) || p.peek() == '+' || p.peek() == '.' || p.peek() == ':') {
		p.at++
	}
	return p.scalar(v, p.text[from:p.at])
}

// scalar reads what stands without quotes.
func (p *tomlParser) scalar(v value, word string) (value, error) {
	if word == "true" || word == "false" {
		v.kind, v.text = boolean, word
		return v, nil
	}
	if n, err := strconv.ParseInt(word, 0, 64); err == nil && !strings.HasPrefix(word, "00") {
		v.kind, v.text, v.int, v.float = whole, word, n, float64(n)
		return v, nil
	}
	if out := plain(v, word); out.kind == number || out.kind == whole {
		return out, nil
	}
	return v, p.fail("%q is no value; text stands in quotes", clip(word))
}

func (p *tomlParser) array(v value, depth int) (value, error) {
	v.kind = list
	p.at++
	for {
		p.space(true)
		if p.peek() == ']' {
			p.at++
			return v, nil
		}
		w, err := p.value(value{path: item(v.path, len(v.list)), line: p.line}, depth+1)
		if err != nil {
			return v, err
		}
		v.list = append(v.list, w)
		p.space(true)
		switch p.peek() {
		case ',':
			p.at++
		case ']':
		default:
			return v, p.fail("a list is not closed")
		}
	}
}

func (p *tomlParser) inline(v value, depth int) (value, error) {
	v.kind = mapping
	p.at++
	for {
		p.space(false)
		if p.peek() == '}' {
			p.at++
			return v, nil
		}
		if err := p.pair(&v, depth+1); err != nil {
			return v, err
		}
		p.space(false)
		switch p.peek() {
		case ',':
			p.at++
		case '}':
		default:
			return v, p.fail("an inline table is not closed")
		}
	}
}

// quoted reads a string: basic or literal, of one line or several.
func (p *tomlParser) quoted() (string, error) {
	quote := p.text[p.at : p.at+1]
	if three := strings.Repeat(quote, 3); strings.HasPrefix(p.text[p.at:], three) {
		return p.until(three, quote == `"`)
	}
	return p.until(quote, quote == `"`)
}

func (p *tomlParser) until(quote string, escapes bool) (string, error) {
	p.at += len(quote)
	long := len(quote) == 3
	if long && p.peek() == '\n' {
		p.at++
		p.line++
	}
	var b strings.Builder
	for !p.done() {
		switch c := p.peek(); {
		case strings.HasPrefix(p.text[p.at:], quote):
			p.at += len(quote)
			return b.String(), nil
		case c == '\n' && !long:
			return "", p.fail("a text is not closed on its line")
		case c == '\\' && escapes:
			if err := p.escape(&b, long); err != nil {
				return "", err
			}
		default:
			if c == '\n' {
				p.line++
			}
			b.WriteByte(c)
			p.at++
		}
	}
	return "", p.fail("a text is not closed")
}

// escape reads what a backslash stands for.
func (p *tomlParser) escape(b *strings.Builder, long bool) error {
	p.at++
	c := p.peek()
	if one := strings.IndexByte(`btnfr"\`, c); c != 0 && one >= 0 {
		b.WriteByte("\b\t\n\f\r\"\\"[one])
		p.at++
		return nil
	}
	if digits := map[byte]int{'u': 4, 'U': 8}[c]; digits > 0 && p.at+1+digits <= len(p.text) {
		n, err := strconv.ParseInt(p.text[p.at+1:p.at+1+digits], 16, 32)
		if r := rune(n); err == nil && utf8.ValidRune(r) {
			b.WriteRune(r)
			p.at += 1 + digits
			return nil
		}
	}
	if long && (c == '\n' || c == ' ' || c == '\t') {
		p.space(false)
		if p.peek() == '\n' {
			for !p.done() && strings.IndexByte(" \t\n", p.peek()) >= 0 {
				if p.peek() == '\n' {
					p.line++
				}
				p.at++
			}
			return nil
		}
	}
	return p.fail("a backslash stands before what it does not go with")
}
