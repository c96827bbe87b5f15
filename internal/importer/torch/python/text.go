package python

import (
	"strconv"
	"strings"
	"unicode"
)

var escapes = map[byte]string{
	'\n': "", '\\': "\\", '\'': "'", '"': "\"", 'a': "\a", 'b': "\b", 'f': "\f", 'n': "\n", 'r': "\r", 't': "\t", 'v': "\v",
}

// codeDigits are how many digits the escapes of characters by their codes have.
var codeDigits = map[byte]int{'x': 2, 'u': 4, 'U': 8}

// unescape replaces the escapes of a string literal; those that Python does not know stay as they are.
func unescape(s string, raw bool) string {
	if raw || !strings.Contains(s, "\\") {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		if r, ok := escapes[s[i]]; ok {
			b.WriteString(r)
			continue
		}
		if n := codeDigits[s[i]]; n > 0 && i+n < len(s) {
			if code, err := strconv.ParseUint(s[i+1:i+1+n], 16, 32); err == nil {
				b.WriteRune(rune(code))
				i += n
				continue
			}
		}
		if s[i] >= '0' && s[i] <= '7' {
			end := i
			for end < len(s) && end < i+3 && s[end] >= '0' && s[end] <= '7' {
				end++
			}
			code, _ := strconv.ParseUint(s[i:end], 8, 32)
			b.WriteRune(rune(code))
			i = end - 1
			continue
		}
		b.WriteByte('\\')
		b.WriteByte(s[i])
	}
	return b.String()
}

// skipString returns where the literal ends whose quotes begin at i and whose prefix is in lower case, or -1. An expression in an
// f-string may have strings of its own, since Python 3.12 with the same quotes (PEP 701).
func skipString(s string, i int, prefix string, depth int) int {
	quote := s[i : i+1]
	if triple := quote + quote + quote; strings.HasPrefix(s[i:], triple) {
		quote = triple
	}
	formatted, raw := strings.Contains(prefix, "f"), strings.Contains(prefix, "r")
	for i += len(quote); i < len(s); {
		switch c := s[i]; {
		case strings.HasPrefix(s[i:], quote):
			return i + len(quote)
		case c == '\n' && len(quote) == 1:
			return -1
		case c == '\\':
			i += escaped(s[i:], formatted, raw)
		case formatted && strings.HasPrefix(s[i:], "{{"):
			i += 2
		case formatted && c == '{':
			end, _ := braced(s, i+1, depth+1)
			if end < 0 {
				return -1
			}
			i = end + 1
		default:
			i++
		}
	}
	return -1
}

// longestName is more bytes than the name of any character has in Unicode, with the escape around it.
const longestName = 128

// escaped is how many bytes a backslash takes with it. In an f-string it takes no brace, but the name of a character.
func escaped(s string, formatted, raw bool) int {
	switch {
	case formatted && !raw && strings.HasPrefix(s, `\N{`):
		return max(strings.IndexByte(s[:min(len(s), longestName)], '}')+1, 2)
	case len(s) == 1 || formatted && (s[1] == '{' || s[1] == '}'):
		return 1
	}
	return 2
}

// maxFields bounds how many formatted strings, and formats with expressions of their own, lie in one another: each is read anew within the
// one around it.
const maxFields = 20

// formatted reads the parts of an f-string: the text, and the expressions between braces. What follows a ! or : in the braces
// is how the value is printed, and is passed over.
func (p *parser) formatted(line int, body string, raw bool) []Expr {
	defer p.deeper()()
	if p.fields++; p.fields > maxFields {
		p.fail("formatted strings are nested more than %d deep", maxFields)
	}
	defer func() { p.fields-- }()
	var out []Expr
	var plain strings.Builder
	flush := func() {
		if plain.Len() > 0 {
			out = append(out, &Const{Pos(line), unescape(plain.String(), raw)})
			plain.Reset()
		}
	}
	at, counted := line, 0 // the line of what is before counted
	for i := 0; i < len(body); i++ {
		c := body[i]
		if c == '\\' {
			n := escaped(body[i:], true, raw)
			plain.WriteString(body[i : i+n])
			i += n - 1
			continue
		}
		if (c == '{' || c == '}') && i+1 < len(body) && body[i+1] == c {
			plain.WriteByte(c)
			i++
			continue
		}
		if c != '{' {
			plain.WriteByte(c)
			continue
		}
		end, code := braced(body, i+1, 0)
		if end < 0 {
			p.fail("an expression in a formatted string is never closed")
		}
		flush()
		p.chained(len(out) / 2) // each is parsed for itself
		spelled := code
		if text, debug := strings.CutSuffix(strings.TrimRight(code, " \t\n"), "="); debug && !strings.HasSuffix(text, "=") && !strings.HasSuffix(text, "!") {
			plain.WriteString(code)
			flush()
			code = text
		}
		at += strings.Count(body[counted:i], "\n")
		counted = i
		if strings.TrimSpace(code) == "" {
			p.fail("an expression in a formatted string is missing")
		}
		out = append(out, p.inner(at, code))
		if _, format, ok := strings.Cut(body[i+1+len(spelled):end], ":"); ok { // how it is printed must be Python, too
			p.formatted(at, format, raw)
		}
		i = end
	}
	flush()
	return out
}

// braced returns where the brace that is open at i closes, and the expression without its conversion and format; -1 where it does not
// close, or where strings are in one another deeper than anybody writes.
func braced(s string, i, depth int) (int, string) {
	if depth > maxDepth {
		return -1, ""
	}
	start, level := i, 0
	for ; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\'' || c == '"':
			end := skipString(s, i, prefixBefore(s[start:i]), depth+1)
			if end < 0 {
				return -1, ""
			}
			i = end - 1
		case c == '#': // a comment may have quotes and braces
			for i+1 < len(s) && s[i+1] != '\n' {
				i++
			}
		case c == '(' || c == '[' || c == '{':
			level++
		case level > 0:
			if c == ')' || c == ']' || c == '}' {
				level--
			}
		case c == '}':
			return i, s[start:i]
		case c == ':' || c == '!' && i+1 < len(s) && s[i+1] != '=':
			return format(s, i+1, depth), s[start:i]
		}
	}
	return -1, ""
}

// format returns where the braces close around a format, which may have expressions in braces of its own.
func format(s string, i, depth int) int {
	for ; i < len(s); i++ {
		switch s[i] {
		case '}':
			return i
		case '{':
			end, _ := braced(s, i+1, depth+1)
			if end < 0 {
				return -1
			}
			i = end
		}
	}
	return -1
}

// prefixBefore returns the letters at the end of code that belong to the quotes behind it.
func prefixBefore(code string) string {
	word := strings.ToLower(code[len(strings.TrimRightFunc(code, unicode.IsLetter)):])
	if len(word) > 2 || strings.Trim(word, "rbuf") != "" {
		return ""
	}
	return word
}

// inner parses the expression of an f-string.
func (p *parser) inner(line int, code string) Expr {
	l := &lexer{file: p.file, src: "(" + code + ")"}
	l.out = make([]token, 0, min(len(code), 64)+4) // for what is short, which most are, as many as there can be
	toks := l.run()
	for i := range toks {
		toks[i].line += line - 1
	}
	q := &parser{file: p.file, toks: toks, depth: p.depth, fields: p.fields, yields: p.yields}
	x := q.exprList()
	if q.tok().kind != newline && q.tok().kind != eof {
		q.unexpected()
	}
	return x
}
