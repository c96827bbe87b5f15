package python

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxBytes is the size beyond which a source is not read.
const MaxBytes = 1 << 20

// maxDepth bounds the nesting of expressions, blocks and brackets, as CPython's own parser does with 200 parentheses.
const maxDepth = 200

// Error is a source that cannot be read.
type Error struct {
	File    string
	Line    int
	Message string
}

func (e *Error) Error() string { return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Message) }

type kind uint8

const (
	eof kind = iota
	newline
	indent
	dedent
	name
	number
	text // a string literal with its prefix and quotes
	op
)

type token struct {
	kind kind
	line int
	text string
	end  int // the byte behind it
}

// lexer cuts a source into tokens, with Python's indentation as tokens of their own.
type lexer struct {
	file    string
	src     string
	base    int // bytes of a mark before src
	at      int
	line    int
	open    int // brackets that are open: lines go on inside them
	indents []int
	out     []token
}

// fail stops the parser; parse turns it into an error.
type fail struct{ err *Error }

func (l *lexer) fail(format string, args ...any) {
	panic(fail{&Error{l.file, l.line, fmt.Sprintf(format, args...)}})
}

func (l *lexer) run() []token {
	l.line, l.indents = 1, []int{0}
	if text, marked := strings.CutPrefix(l.src, "\ufeff"); marked {
		l.src, l.base = text, len("\ufeff")
	}
	l.beginLine()
	for l.at < len(l.src) {
		l.next()
	}
	if n := len(l.out); n > 0 && l.out[n-1].kind != newline && l.out[n-1].kind != dedent {
		l.emit(newline, "")
	}
	if l.open > 0 {
		l.fail("a bracket is never closed")
	}
	for range l.indents[1:] {
		l.emit(dedent, "")
	}
	l.emit(eof, "")
	return l.out
}

func (l *lexer) emit(k kind, s string) {
	if len(l.out) == cap(l.out) {
		l.out = slices.Grow(l.out, len(l.out)+64) // doubled: a long file has a million tokens
	}
	l.out = append(l.out, token{k, l.line, s, l.base + l.at})
}

// beginLine reads the indentation of a logical line, passing over blank and comment lines.
func (l *lexer) beginLine() {
	for {
		width := 0
		for l.at < len(l.src) {
			switch l.src[l.at] {
			case ' ':
				width++
			case '\t':
				width += 8 - width%8
			case '\f':
				width = 0
			default:
				goto counted
			}
			l.at++
		}
	counted:
		if l.at >= len(l.src) {
			return
		}
		switch l.src[l.at] {
		case '#':
			l.comment()
			continue
		case '\n', '\r':
			l.lineBreak()
			continue
		case '\\':
			if l.continued() {
				continue
			}
		}
		l.setIndent(width)
		return
	}
}

func (l *lexer) setIndent(width int) {
	top := l.indents[len(l.indents)-1]
	if width > top {
		if len(l.indents) > maxDepth/2 {
			l.fail("blocks are nested more than %d deep", maxDepth/2)
		}
		l.indents = append(l.indents, width)
		l.emit(indent, "")
		return
	}
	for width < top {
		l.indents = l.indents[:len(l.indents)-1]
		l.emit(dedent, "")
		top = l.indents[len(l.indents)-1]
	}
	if width != top {
		l.fail("the indentation fits no block before it")
	}
}

func (l *lexer) comment() {
	for l.at < len(l.src) && l.src[l.at] != '\n' {
		l.at++
	}
}

func (l *lexer) lineBreak() {
	if l.src[l.at] == '\r' && l.at+1 < len(l.src) && l.src[l.at+1] == '\n' {
		l.at++
	}
	l.at++
	l.line++
}

// continued passes over a backslash at the end of a line.
func (l *lexer) continued() bool {
	rest := l.src[l.at+1:]
	if strings.HasPrefix(rest, "\n") || strings.HasPrefix(rest, "\r") {
		l.at++
		l.lineBreak()
		return true
	}
	return false
}

func (l *lexer) next() {
	switch c := l.src[l.at]; {
	case c == '\n' || c == '\r':
		l.endLine()
	case c == ' ' || c == '\t' || c == '\f':
		l.at++
	case c == '#':
		l.comment()
	case c == '\\':
		if !l.continued() {
			l.fail("a backslash must end its line")
		}
	case c >= '0' && c <= '9' || c == '.' && l.at+1 < len(l.src) && isDigit(l.src[l.at+1]):
		l.number()
	case c == '"' || c == '\'':
		l.str(l.at)
	case c == '_' || isLetter(c) || c >= utf8.RuneSelf:
		l.word()
	default:
		l.operator()
	}
}

func (l *lexer) endLine() {
	if l.open > 0 {
		l.lineBreak()
		return
	}
	l.emit(newline, "")
	l.lineBreak()
	l.beginLine()
}

func isDigit(c byte) bool  { return c >= '0' && c <= '9' }
func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

func (l *lexer) number() {
	start := l.at
	for l.at < len(l.src) {
		c := l.src[l.at]
		exponent := (c == '+' || c == '-') && (l.src[l.at-1] == 'e' || l.src[l.at-1] == 'E') && l.at > start && !strings.HasPrefix(l.src[start:], "0x")
		if !isDigit(c) && !isLetter(c) && c != '.' && c != '_' && !exponent {
			break
		}
		l.at++
	}
	// 1if x else y: the keyword belongs to the next token; CPython warns about it, and no model needs it.
	l.emit(number, l.src[start:l.at])
}

func (l *lexer) word() {
	start := l.at
	for l.at < len(l.src) {
		r, size := utf8.DecodeRuneInString(l.src[l.at:])
		if r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) {
			break
		}
		l.at += size
	}
	if l.at == start {
		r, _ := utf8.DecodeRuneInString(l.src[l.at:])
		l.fail("%q has no place here", r)
	}
	word := l.src[start:l.at]
	if l.at < len(l.src) && (l.src[l.at] == '"' || l.src[l.at] == '\'') && len(word) <= 2 && strings.Trim(strings.ToLower(word), "rbuf") == "" {
		l.str(start)
		return
	}
	l.emit(name, word)
}

// str reads a string literal whose prefix begins at start.
func (l *lexer) str(start int) {
	prefix := strings.ToLower(l.src[start:l.at])
	end := skipString(l.src, l.at, prefix, 0)
	if end < 0 && strings.Contains(prefix, "f") && skipString(l.src, l.at, "", 0) >= 0 {
		l.fail("an expression in a formatted string is never closed")
	} else if end < 0 {
		l.fail("a string is never closed")
	}
	quote := l.at
	l.at = end
	l.emit(text, l.src[start:end])
	l.line += strings.Count(l.src[quote:end], "\n")
}

var operators = []string{
	"**=", "//=", ">>=", "<<=", "...",
	"**", "//", ">>", "<<", "<=", ">=", "==", "!=", "->", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "@=", ":=",
	"+", "-", "*", "/", "%", "@", "&", "|", "^", "~", "<", ">", "(", ")", "[", "]", "{", "}", ",", ":", ".", ";", "=",
}

// operatorsOf has the operators that begin with a byte, the longest first.
var operatorsOf = func() (of [128][]string) {
	for _, o := range operators {
		of[o[0]] = append(of[o[0]], o)
	}
	return of
}()

func (l *lexer) operator() {
	for _, o := range operatorsOf[l.src[l.at]&127] {
		if !strings.HasPrefix(l.src[l.at:], o) {
			continue
		}
		switch o {
		case "(", "[", "{":
			if l.open++; l.open > maxDepth {
				l.fail("brackets are nested more than %d deep", maxDepth)
			}
		case ")", "]", "}":
			if l.open--; l.open < 0 {
				l.fail("%q closes nothing", o)
			}
		}
		l.at += len(o)
		l.emit(op, o)
		return
	}
	l.fail("%q has no place here", l.src[l.at])
}
