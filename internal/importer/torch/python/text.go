package python

import (
	"strconv"
	"strings"
)

var escapes = map[byte]string{
	'\n': "", '\\': "\\", '\'': "'", '"': "\"", 'a': "\a", 'b': "\b", 'f': "\f", 'n': "\n", 'r': "\r", 't': "\t", 'v': "\v",
}

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
		if n := map[byte]int{'x': 2, 'u': 4, 'U': 8}[s[i]]; n > 0 && i+n < len(s) {
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

// formatted reads the parts of an f-string: the text, and the expressions between braces. What follows a ! or : in the braces
// is how the value is printed, and is passed over.
func (p *parser) formatted(line int, body string, raw bool) []Expr {
	defer p.deeper()()
	var out []Expr
	var plain strings.Builder
	flush := func() {
		if plain.Len() > 0 {
			out = append(out, &Const{Pos(line), unescape(plain.String(), raw)})
			plain.Reset()
		}
	}
	for i := 0; i < len(body); i++ {
		c := body[i]
		if (c == '{' || c == '}') && i+1 < len(body) && body[i+1] == c {
			plain.WriteByte(c)
			i++
			continue
		}
		if c != '{' {
			plain.WriteByte(c)
			continue
		}
		end, code := braced(body, i+1)
		if end < 0 {
			p.fail("an expression in a formatted string is never closed")
		}
		flush()
		if text, debug := strings.CutSuffix(strings.TrimRight(code, " "), "="); debug && !strings.HasSuffix(text, "=") && !strings.HasSuffix(text, "!") {
			plain.WriteString(code)
			flush()
			code = text
		}
		out = append(out, p.inner(line, code))
		i = end
	}
	flush()
	return out
}

// braced returns where the brace that is open at i closes, and the expression without its conversion and format.
func braced(s string, i int) (int, string) {
	start, cut, level := i, -1, 0
	var quote byte
	for ; i < len(s); i++ {
		switch c := s[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"':
			if cut < 0 {
				quote = c
			}
		case c == '(' || c == '[' || c == '{':
			level++
		case c == '}' && level == 0:
			if cut < 0 {
				cut = i
			}
			return i, s[start:cut]
		case c == ')' || c == ']' || c == '}':
			level--
		case level == 0 && cut < 0 && (c == ':' || c == '!' && i+1 < len(s) && s[i+1] != '='):
			cut = i
		}
	}
	return -1, ""
}

// inner parses the expression of an f-string.
func (p *parser) inner(line int, code string) Expr {
	l := &lexer{file: p.file, src: "(" + code + ")"}
	toks := l.run()
	for i := range toks {
		toks[i].line += line - 1
	}
	q := &parser{file: p.file, toks: toks, depth: p.depth, yields: p.yields}
	x := q.exprList()
	if q.tok().kind != newline && q.tok().kind != eof {
		q.unexpected()
	}
	return x
}
