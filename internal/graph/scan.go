package graph

import (
	"math"
	"math/bits"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// The tokens of RFC 8259. Each function here is called with the token's first byte at r.at and leaves r.at behind the
// token; none of them knows about objects, lists or paths.

// plainEnd returns the index of the first byte from i on that does not stand for itself inside a string: a quote, a
// backslash, a control character or a byte of a longer character. It looks at eight bytes at once, since a loop over
// single bytes ends where the processor does not expect it, in every string anew.
func plainEnd(text string, i int) int {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	for ; i+8 <= len(text); i += 8 {
		s := text[i : i+8]
		x := uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
			uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
		quote, slash := x^ones*'"', x^ones*'\\'
		// Each term has the top bit of a byte set where that byte is zero, below a blank, or beyond ASCII. A borrow can
		// set bits wrongly only above the first right one.
		if found := ((quote-ones)&^quote | (slash-ones)&^slash | (x-ones*' ')&^x | x) & tops; found != 0 {
			return i + bits.TrailingZeros64(found)/8
		}
	}
	for i < len(text) && text[i] >= ' ' && text[i] < utf8.RuneSelf && text[i] != '"' && text[i] != '\\' {
		i++
	}
	return i
}

// space steps over blanks and returns the byte behind them, or 0 at the end of the document.
func (r *reader) space() byte {
	if r.at < len(r.text) && r.text[r.at] > ' ' {
		return r.text[r.at]
	}
	return r.blanks()
}

func (r *reader) blanks() byte {
	for ; r.at < len(r.text); r.at++ {
		if c := r.text[r.at]; c != ' ' && c != '\n' && c != '\t' && c != '\r' {
			return c
		}
	}
	return 0
}

// syntax is the error of a document that is not JSON.
func (r *reader) syntax(expected string) *Error {
	if r.at >= len(r.text) {
		return errorf(CodeSyntax, "", "the document ends too early: expected %s at byte %d", expected, r.at)
	}
	c, size := utf8.DecodeRuneInString(r.text[r.at:])
	if c == utf8.RuneError && size == 1 {
		return r.notUTF8()
	}
	return errorf(CodeSyntax, "", "not JSON at byte %d: expected %s, found %q", r.at, expected, c)
}

func (r *reader) notUTF8() *Error {
	return errorf(CodeSyntax, "", "not JSON at byte %d: not UTF-8", r.at)
}

// word steps over true, false or null.
func (r *reader) word(w string) *Error {
	if end := r.at + len(w); end <= len(r.text) && r.text[r.at:end] == w {
		r.at = end
		return nil
	}
	return r.syntax("a value")
}

// quoted reads a string. One without escapes is a part of the document, not a copy.
func (r *reader) quoted() (string, *Error) {
	start := r.at + 1
	r.at = plainEnd(r.text, start)
	if r.at < len(r.text) && r.text[r.at] == '"' {
		r.at++
		return r.text[start : r.at-1], nil
	}
	return r.unquote(start)
}

// closing is where the quote lies that closes a string, or the end of the text.
func (r *reader) closing(at int) int {
	for ; at < len(r.text) && r.text[at] != '"'; at++ {
		if r.text[at] == '\\' {
			at++
		}
	}
	return min(at, len(r.text))
}

// unquote reads the rest of a string that began at start and has something other than plain bytes at r.at.
func (r *reader) unquote(start int) (string, *Error) {
	var out strings.Builder // what was read up to start, once an escape has been seen
	for r.at < len(r.text) {
		switch c := r.text[r.at]; {
		case c == '"':
			s := r.text[start:r.at]
			r.at++
			if out.Len() > 0 {
				out.WriteString(s)
				s = out.String()
			}
			return s, nil
		case c == '\\':
			if out.Len() == 0 {
				out.Grow(r.closing(r.at) - start) // at once: a text full of escapes would leave several times itself behind
			}
			out.WriteString(r.text[start:r.at])
			for r.at+1 < len(r.text) && r.text[r.at] == '\\' && escapes[r.text[r.at+1]] != 0 { // many follow one another, if there are many
				out.WriteByte(escapes[r.text[r.at+1]])
				r.at += 2
			}
			if r.at < len(r.text) && r.text[r.at] == '\\' {
				char, err := r.escape()
				if err != nil {
					return "", err
				}
				out.WriteRune(char)
			}
			start = r.at
		case c < ' ':
			return "", r.syntax("no control character inside a string")
		case c < utf8.RuneSelf:
			r.at = plainEnd(r.text, r.at)
		default:
			char, size := utf8.DecodeRuneInString(r.text[r.at:])
			if char == utf8.RuneError && size == 1 {
				return "", r.notUTF8()
			}
			r.at += size
		}
	}
	return "", r.syntax("the end of a string")
}

// escapes is what a letter behind a backslash stands for; u is none of these.
var escapes = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// escape reads one escape, or the two that stand for one character beyond the first 65,536.
func (r *reader) escape() (rune, *Error) {
	if r.at+1 >= len(r.text) {
		r.at = len(r.text)
		return 0, r.syntax("the end of a string")
	}
	r.at += 2
	c := r.text[r.at-1]
	if c == 'u' {
		return r.unicode()
	}
	if plain := escapes[c]; plain != 0 {
		return rune(plain), nil
	}
	r.at--
	return 0, r.syntax("an escape")
}

func (r *reader) unicode() (rune, *Error) {
	begin := r.at - 2
	first, ok := r.hex()
	if !ok {
		return 0, r.syntax("four hexadecimal digits")
	}
	if !utf16.IsSurrogate(first) {
		return first, nil
	}
	if r.at+1 < len(r.text) && r.text[r.at] == '\\' && r.text[r.at+1] == 'u' {
		r.at += 2
		second, ok := r.hex()
		if char := utf16.DecodeRune(first, second); ok && char != utf8.RuneError {
			return char, nil
		}
	}
	r.at = begin
	return 0, errorf(CodeSyntax, "", "not JSON at byte %d: half of a surrogate pair", begin)
}

// hex reads four hexadecimal digits. On a wrong one r.at stays there.
func (r *reader) hex() (v rune, ok bool) {
	for end := r.at + 4; r.at < end; r.at++ {
		if r.at >= len(r.text) {
			return 0, false
		}
		switch c := r.text[r.at]; {
		case c >= '0' && c <= '9':
			v = v<<4 | rune(c-'0')
		case c >= 'a' && c <= 'f':
			v = v<<4 | rune(c-'a'+10)
		case c >= 'A' && c <= 'F':
			v = v<<4 | rune(c-'A'+10)
		default:
			return 0, false
		}
	}
	return v, true
}

// digits steps over decimal digits and returns how many there were.
func (r *reader) digits() int {
	start := r.at
	for r.at < len(r.text) && r.text[r.at]-'0' <= 9 {
		r.at++
	}
	return r.at - start
}

// numeral is a number as it is written.
type numeral struct {
	text  string
	whole bool // without fraction and exponent
	short bool // so few digits and so small an exponent that it certainly fits
}

// numeral reads a number and checks how it is written, not how large it is.
func (r *reader) numeral() (numeral, *Error) {
	start := r.at
	if r.text[r.at] == '-' {
		r.at++
	}
	first := r.at
	n := r.digits()
	if n == 0 {
		return numeral{}, r.syntax("a digit")
	}
	if n > 1 && r.text[first] == '0' {
		r.at = first + 1
		return numeral{}, r.syntax("no digit behind a leading zero")
	}
	if r.at == len(r.text) || r.text[r.at] != '.' && r.text[r.at]|' ' != 'e' {
		return numeral{r.text[start:r.at], true, n <= 18}, nil
	}
	if r.text[r.at] == '.' {
		r.at++
		if r.digits() == 0 {
			return numeral{}, r.syntax("a digit")
		}
	}
	exponent := 0
	if r.at < len(r.text) && r.text[r.at]|' ' == 'e' {
		r.at++
		if r.at < len(r.text) && (r.text[r.at] == '+' || r.text[r.at] == '-') {
			r.at++
		}
		if exponent = r.digits(); exponent == 0 {
			return numeral{}, r.syntax("a digit")
		}
	}
	return numeral{r.text[start:r.at], false, n <= 200 && exponent <= 2}, nil
}

// smallInt reads an integer of up to 18 digits that does not begin with zero, or leaves r.at where it is.
func (r *reader) smallInt() (v int64, ok bool) {
	text, at := r.text, r.at
	for ; at < len(text) && text[at]-'0' <= 9; at++ {
		v = v*10 + int64(text[at]-'0')
	}
	if at-r.at > 18 || at < len(text) && (text[at] == '.' || text[at]|' ' == 'e') {
		return 0, false
	}
	r.at = at
	return v, true
}

// number reads a number.
func (r *reader) number() (Value, *Error) {
	n, err := r.numeral()
	if err != nil {
		return Value{}, err
	}
	return n.value()
}

// value turns a numeral into a number: an integer must fit in an int64, anything else must be finite.
func (n numeral) value() (Value, *Error) {
	if n.whole {
		v, err := strconv.ParseInt(n.text, 10, 64)
		if err != nil {
			return Value{}, errorf(CodeNumber, "", "the integer %s does not fit in 64 bits", clip(n.text))
		}
		return IntValue(v), nil
	}
	f, err := strconv.ParseFloat(n.text, 64)
	if err != nil || math.IsInf(f, 0) {
		return Value{}, errorf(CodeNumber, "", "the number %s is too large", clip(n.text))
	}
	return FloatValue(f), nil
}
