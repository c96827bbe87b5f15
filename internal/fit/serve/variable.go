package serve

import (
	"fmt"
	"strings"
)

// variable reads what a dollar sign or a back-quote begins. A variable that was set in the text before is replaced, one with a
// default takes the default; what is not known is noted.
func (r *reader) variable(b *strings.Builder, w *word) error {
	rest := r.text[r.at:]
	switch {
	case rest[0] == '`':
		return r.substitution(w, 1, strings.IndexByte(rest[1:], '`'), 1)
	case strings.HasPrefix(rest, "$'"):
		return r.escaped(b)
	case strings.HasPrefix(rest, "$("):
		return r.substitution(w, 2, closing(rest[2:]), 1)
	case strings.HasPrefix(rest, "${"):
		end := strings.IndexByte(rest, '}')
		if end < 0 {
			return &shellError{message: "${ is not closed"}
		}
		r.at += end + 1
		return r.expand(rest[2:end], b, w)
	}
	n := 1
	for n < len(rest) && isNameLetter(rest[n], n == 1) {
		n++
	}
	if n == 1 && len(rest) > 1 && strings.IndexByte("0123456789@*#?", rest[1]) >= 0 {
		n = 2
	}
	r.at += n
	if n == 1 { // a dollar sign alone
		b.WriteByte('$')
		return nil
	}
	return r.expand(rest[1:n], b, w)
}

// substitution notes a command whose output is not known.
func (r *reader) substitution(w *word, open, length, shut int) error {
	if length < 0 {
		return &shellError{message: "a command substitution is not closed"}
	}
	w.vars = append(w.vars, r.text[r.at:r.at+open+length+shut])
	r.at += open + length + shut
	return nil
}

// closing finds the parenthesis that closes one opened before.
func closing(s string) int {
	depth := 1
	for i := range len(s) {
		switch s[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// expand writes the value of a variable, or notes that it is not known. A variable that is made of itself doubles, so what all of them write together
// has a limit.
func (r *reader) expand(expression string, b *strings.Builder, w *word) error {
	name, fallback := expression, ""
	hasDefault := false
	for _, sep := range []string{":-", ":=", "-", "="} {
		if n, d, ok := strings.Cut(expression, sep); ok && isName(n) {
			name, fallback, hasDefault = n, d, true
			break
		}
	}
	switch v, set := r.vars[name]; {
	case set && v.known():
		if r.expanded += len(v.text); r.expanded > maxCommandBytes {
			return &shellError{fmt.Sprintf("the variables of the command write more than %d bytes, which are not read", maxCommandBytes), true}
		}
		b.WriteString(v.text)
	case !set && hasDefault && !strings.ContainsAny(fallback, "$`\"'\\"):
		b.WriteString(fallback)
	default:
		w.vars = append(w.vars, "$"+name)
	}
	return nil
}

// escapes are the letters that stand for others behind a backslash.
var escapes = strings.NewReplacer("n", "\n", "t", "\t", "r", "\r")

// escaped reads $'…', in which a backslash stands for a letter that cannot be written.
func (r *reader) escaped(b *strings.Builder) error {
	for r.at += 2; r.at < len(r.text); r.at++ {
		switch c := r.text[r.at]; {
		case c == '\'':
			r.at++
			return nil
		case c == '\\' && r.at+1 < len(r.text):
			r.at++
			b.WriteString(escapes.Replace(r.text[r.at : r.at+1]))
		default:
			b.WriteByte(c)
		}
	}
	return &shellError{message: "a single quote is not closed"}
}
