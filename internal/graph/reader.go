package graph

import (
	"slices"

	"github.com/modelverifier/verifier/internal/arena"
)

// Limits that hold for every document, whoever sends it.
const (
	MaxDepth = 64
	MaxKeys  = 1024
)

// reader is a strict JSON reader: it refuses duplicate keys, deep nesting, wide objects and numbers that do not fit. It is
// our own because jsontext's tokens took four times as long. Strings and kept members are parts of one copy of the
// document. Errors come back with the path below the value at hand; each level puts its own name in front.
type reader struct {
	text   string
	at     int // the byte to be read next
	depth  int
	items  int  // of all lists among the parameters, so far
	any    bool // whether numbers of any size are stepped over
	again  bool // the text was read before: no object in it has a name twice
	limits Limits
	keys   keys
	stack  []Value // the items of the lists that are still open
	values arena.Of[Value]
}

func newReader(text string, limits Limits) *reader { return &reader{text: text, limits: limits} }

// kindWord names the kind of value that begins with c, or "" where none does.
func kindWord(c byte) string {
	switch c {
	case 'n':
		return "null"
	case 't', 'f':
		return "a boolean"
	case '"':
		return "a string"
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return "a number"
	case '{':
		return "an object"
	case '[':
		return "a list"
	}
	return ""
}

// wrongKind is the error where a value of another kind stands, or none. A first byte does not make a value: what begins with an n
// is read before it is called null.
func (r *reader) wrongKind(expected byte) *Error {
	found := kindWord(r.space())
	if found == "" {
		return r.syntax(kindWord(expected))
	}
	start := r.at
	if err := r.skip(); err != nil && err.Code == CodeSyntax {
		if found == kindWord('n') || found == kindWord('t') { // none of JSON's three words
			r.at = start
			return r.syntax(kindWord(expected))
		}
		return err
	}
	switch c := r.space(); {
	case r.depth == 0 && r.at < len(r.text):
		return r.syntax("nothing behind the document")
	case r.depth > 0 && c != ',' && c != '}' && c != ']':
		return r.syntax("a comma or the end of what is open")
	}
	return errorf(CodeType, "", "must be %s, not %s", kindWord(expected), found)
}

// open reads the start of an object or a list.
func (r *reader) open(bracket byte) *Error {
	if r.space() != bracket {
		return r.wrongKind(bracket)
	}
	if r.depth == MaxDepth {
		return errorf(CodeDepth, "", "nested deeper than %d levels", MaxDepth).limited(MaxDepth)
	}
	r.at++
	r.depth++
	return nil
}

// more steps to the next member or item, over a comma unless it is the first, and reports whether there is one.
func (r *reader) more(first bool, end byte) (bool, *Error) {
	switch c := r.space(); {
	case c == end:
		r.at++
		r.depth--
		return false, nil
	case first:
		return true, nil
	case c == ',':
		r.at++
		return true, nil
	case end == '}':
		return false, r.syntax("a comma or the end of the object")
	}
	return false, r.syntax("a comma or the end of the list")
}

// object calls member for every member; member must read the value.
func (r *reader) object(member func(name string) *Error) *Error {
	if err := r.open('{'); err != nil {
		return err
	}
	base, escaped := len(r.keys.names), len(r.keys.escaped)
	for count := 0; ; count++ {
		if more, err := r.more(count == 0, '}'); !more {
			r.keys.names, r.keys.escaped = r.keys.names[:base], r.keys.escaped[:escaped]
			return err
		}
		name, at, err := r.key()
		if err != nil {
			return err
		}
		if count == MaxKeys {
			return errorf(CodeKeys, "", "an object with more than %d keys", MaxKeys).limited(MaxKeys)
		}
		if !r.again && !r.isNew(base, name, at) {
			return errorf(CodeDuplicate, "", "an object has the key %q twice", clip(name)).under(name)
		}
		if err := member(name); err != nil {
			return err.under(name)
		}
	}
}

// key reads the name of a member and the colon behind it. Names without escapes and blanks around them, nearly all of
// them, are read in one go.
func (r *reader) key() (name string, at span, err *Error) {
	if r.space() != '"' {
		return "", at, r.syntax("a key in quotes")
	}
	text, start := r.text, r.at+1
	end := plainEnd(text, start)
	if end+1 < len(text) && text[end] == '"' && text[end+1] == ':' {
		r.at = end + 2
		return text[start:end], span{int32(start), int32(end)}, nil
	}
	if name, err = r.quoted(); err != nil {
		return "", at, err
	}
	at = span{int32(start), int32(r.at - 1)}
	if r.space() != ':' {
		return "", at, r.syntax("a colon behind a key")
	}
	r.at++
	return name, at, nil
}

// ceiling is how many items a list may have, and what the caller is told about more. The zero ceiling holds nothing back.
type ceiling struct {
	most       int
	code, what string
}

func (c ceiling) exceeded() *Error {
	return errorf(c.code, "", "more than %d %s", c.most, c.what).limited(int64(c.most))
}

// array calls item for every item; item must read the value.
func (r *reader) array(c ceiling, item func(i int) *Error) *Error {
	if err := r.open('['); err != nil {
		return err
	}
	for i := 0; ; i++ {
		if more, err := r.more(i == 0, ']'); !more {
			return err
		}
		if i == c.most && i > 0 {
			return c.exceeded()
		}
		if err := item(i); err != nil {
			return err.at(i)
		}
	}
}

// str reads a string.
func (r *reader) str() (string, *Error) {
	if r.space() != '"' {
		return "", r.wrongKind('"')
	}
	return r.quoted()
}

// value reads any parameter value.
func (r *reader) value() (Value, *Error) {
	switch r.space() {
	case '"':
		s, err := r.quoted()
		return StringValue(s), err
	case '[':
		return r.list()
	case '{':
		raw, err := r.raw()
		if err != nil {
			return Value{}, err // what was read is no whole object
		}
		return objectValue(compact(raw)), nil
	case 't':
		return BoolValue(true), r.word("true")
	case 'f':
		return BoolValue(false), r.word("false")
	case 'n':
		return Value{}, r.word("null")
	case '1', '2', '3', '4', '5', '6', '7', '8', '9':
		if n, ok := r.smallInt(); ok {
			return IntValue(n), nil
		}
		return r.number()
	case '-', '0':
		return r.number()
	}
	return Value{}, r.syntax("a value")
}

// list collects the items behind those of the lists around it, and keeps them once it knows how many there are.
func (r *reader) list() (Value, *Error) {
	base := len(r.stack)
	err := r.array(ceiling{}, func(int) *Error {
		if r.items++; over(r.items, r.limits.Values) {
			return ceiling{r.limits.Values, CodeValues, "list items in all parameters"}.exceeded()
		}
		v, err := r.value()
		if len(r.stack) == cap(r.stack) {
			r.stack = slices.Grow(r.stack, max(16, len(r.stack))) // append would add a quarter, and leave several times as much behind
		}
		r.stack = append(r.stack, v)
		return err
	})
	if n := len(r.stack) - base; n > mostOpen {
		r.values.Reserve(n) // as many and no more
	}
	r.values.PushAll(r.stack[base:])
	r.stack = r.stack[:base]
	return ListValue(r.values.Take()...), err
}

// raw reads any value under the same limits and returns its text.
func (r *reader) raw() (string, *Error) {
	r.space()
	start := r.at
	err := r.skip()
	return r.text[start:r.at], err
}

// skip steps over any value.
func (r *reader) skip() *Error {
	switch r.space() {
	case '{':
		return r.object(func(string) *Error { return r.skip() })
	case '[':
		return r.array(ceiling{}, func(int) *Error { return r.skip() })
	case '"':
		_, err := r.quoted()
		return err
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		n, err := r.numeral()
		if err == nil && !n.short && !r.any {
			_, err = n.value()
		}
		return err
	}
	_, err := r.value()
	return err
}

// end checks that nothing follows the document.
func (r *reader) end() *Error {
	if r.space(); r.at < len(r.text) {
		return r.syntax("nothing behind the document")
	}
	return nil
}

// compact takes the blanks out of the text of a valid value.
func compact(raw string) string {
	if out := compacted([]byte(raw)); len(out) < len(raw) {
		return string(out)
	}
	return raw
}

// compacted does so in the memory of the text.
func compacted(text []byte) []byte {
	out, inside := text[:0], false
	for i := 0; i < len(text); i++ {
		c := text[i]
		if !inside && (c == ' ' || c == '\n' || c == '\t' || c == '\r') {
			continue
		}
		out = append(out, c)
		if inside && c == '\\' {
			i++
			out = append(out, text[i])
		} else if c == '"' {
			inside = !inside
		}
	}
	return out
}
