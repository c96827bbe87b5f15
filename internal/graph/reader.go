package graph

import (
	"bytes"
	"errors"
	"math"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// Limits that hold for every document, whoever sends it.
const (
	MaxDepth = 64
	MaxKeys  = 1024
)

// reader is a strict JSON reader: it refuses duplicate keys, deep nesting, wide objects and numbers that do not fit, and
// knows the path of what it reads.
type reader struct {
	dec    *jsontext.Decoder
	data   []byte
	root   string            // what paths start with
	intern map[string]string // types and parameter names repeat; one string each is enough
}

func newReader(data []byte, root string) *reader {
	return &reader{dec: jsontext.NewDecoder(bytes.NewBuffer(data)), data: data, root: root, intern: map[string]string{}}
}

// path renders the decoder's position as model.components[3].params.kernelSize.
func (r *reader) path() string {
	out := []byte(r.root)
	pointer := r.dec.StackPointer()
	level := 0
	for token := range pointer.Tokens() {
		level++
		if kind, _ := r.dec.StackIndex(level); kind == '[' {
			out = append(append(append(out, '['), token...), ']')
			continue
		}
		if len(out) > 0 {
			out = append(out, '.')
		}
		out = append(out, token...)
	}
	return string(out)
}

func (r *reader) errorf(code, format string, args ...any) error {
	return errorf(code, r.path(), format, args...)
}

// fault turns an error of the decoder into ours.
func (r *reader) fault(err error) error {
	var syntax *jsontext.SyntacticError
	if !errors.As(err, &syntax) {
		return r.errorf(CodeSyntax, "the document ends too early")
	}
	if errors.Is(err, jsontext.ErrDuplicateName) {
		return r.errorf(CodeDuplicate, "an object has the key %q twice", syntax.JSONPointer.LastToken())
	}
	return r.errorf(CodeSyntax, "not JSON at byte %d: %v", syntax.ByteOffset, syntax.Err)
}

func kindWord(k jsontext.Kind) string {
	switch k {
	case 'n':
		return "null"
	case 't', 'f':
		return "a boolean"
	case '"':
		return "a string"
	case '0':
		return "a number"
	case '{':
		return "an object"
	case '[':
		return "a list"
	}
	return "something that is not JSON"
}

// open reads the start of an object or a list.
func (r *reader) open(kind jsontext.Kind) error {
	if k := r.dec.PeekKind(); k != kind {
		if k == 0 {
			_, err := r.dec.ReadToken()
			return r.fault(err)
		}
		return r.errorf(CodeType, "must be %s, not %s", kindWord(kind), kindWord(k))
	}
	if _, err := r.dec.ReadToken(); err != nil {
		return r.fault(err)
	}
	if r.dec.StackDepth() > MaxDepth {
		e := errorf(CodeDepth, r.path(), "nested deeper than %d levels", MaxDepth)
		e.Limit = MaxDepth
		return e
	}
	return nil
}

// object calls member for every member; member must read the value.
func (r *reader) object(member func(name string) error) error {
	if err := r.open('{'); err != nil {
		return err
	}
	for keys := 0; ; keys++ {
		switch r.dec.PeekKind() {
		case '}':
			_, err := r.dec.ReadToken()
			return err
		case '"':
		default:
			_, err := r.dec.ReadToken()
			return r.fault(err)
		}
		name, err := r.str()
		if err != nil {
			return err
		}
		if keys == MaxKeys {
			e := errorf(CodeKeys, r.path(), "an object with more than %d keys", MaxKeys)
			e.Limit = MaxKeys
			return e
		}
		if err := member(name); err != nil {
			return err
		}
	}
}

// array calls item for every item; item must read the value.
func (r *reader) array(item func(i int) error) error {
	if err := r.open('['); err != nil {
		return err
	}
	for i := 0; ; i++ {
		switch r.dec.PeekKind() {
		case ']':
			_, err := r.dec.ReadToken()
			return err
		case 0:
			_, err := r.dec.ReadToken()
			return r.fault(err)
		}
		if err := item(i); err != nil {
			return err
		}
	}
}

// str reads a string; equal short strings share their memory.
func (r *reader) str() (string, error) {
	if k := r.dec.PeekKind(); k != '"' && k != 0 {
		return "", r.errorf(CodeType, "must be a string, not %s", kindWord(k))
	}
	raw, err := r.dec.ReadValue()
	if err != nil {
		return "", r.fault(err)
	}
	inner := raw[1 : len(raw)-1]
	if bytes.IndexByte(inner, '\\') >= 0 {
		plain, err := jsontext.AppendUnquote(nil, raw)
		return string(plain), err
	}
	if len(inner) > 24 {
		return string(inner), nil
	}
	if s, ok := r.intern[string(inner)]; ok {
		return s, nil
	}
	s := string(inner)
	if len(r.intern) < 512 {
		r.intern[s] = s
	}
	return s, nil
}

// number reads a number: an integer must fit in an int64, anything else must be finite.
func (r *reader) number() (Value, error) {
	raw, err := r.dec.ReadValue()
	if err != nil {
		return Value{}, r.fault(err)
	}
	if bytes.IndexAny(raw, ".eE") < 0 {
		if len(raw) < 19 { // cannot overflow: skip the error path of strconv
			n, digits := int64(0), raw
			if raw[0] == '-' {
				digits = raw[1:]
			}
			for _, d := range digits {
				n = n*10 + int64(d-'0')
			}
			if raw[0] == '-' {
				n = -n
			}
			return IntValue(n), nil
		}
		n, err := strconv.ParseInt(string(raw), 10, 64)
		if err != nil {
			return Value{}, r.errorf(CodeNumber, "the integer does not fit in 64 bits")
		}
		return IntValue(n), nil
	}
	f, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || math.IsInf(f, 0) {
		return Value{}, r.errorf(CodeNumber, "the number is too large")
	}
	return FloatValue(f), nil
}

// value reads any parameter value.
func (r *reader) value() (Value, error) {
	switch r.dec.PeekKind() {
	case '"':
		s, err := r.str()
		return StringValue(s), err
	case '0':
		return r.number()
	case '[':
		var list []Value
		err := r.array(func(int) error {
			v, err := r.value()
			list = append(list, v)
			return err
		})
		return Value{kind: List, list: list}, err
	case '{':
		raw, err := r.raw()
		return objectValue(string(raw)), err
	}
	token, err := r.dec.ReadToken()
	if err != nil {
		return Value{}, r.fault(err)
	}
	if token.Kind() == 'n' {
		return Value{}, nil
	}
	return BoolValue(token.Bool()), nil
}

// raw reads any value under the same limits and returns its text.
func (r *reader) raw() ([]byte, error) {
	r.dec.PeekKind() // steps over the space and the comma or colon before the value
	start := r.dec.InputOffset()
	if err := r.skip(); err != nil {
		return nil, err
	}
	return bytes.TrimLeft(r.data[start:r.dec.InputOffset()], " \t\r\n:,"), nil
}

func (r *reader) skip() error {
	switch r.dec.PeekKind() {
	case '{':
		return r.object(func(string) error { return r.skip() })
	case '[':
		return r.array(func(int) error { return r.skip() })
	case '0':
		_, err := r.number()
		return err
	}
	if _, err := r.dec.ReadToken(); err != nil {
		return r.fault(err)
	}
	return nil
}

// end checks that nothing follows the document.
func (r *reader) end() error {
	if r.dec.PeekKind() == 0 && r.dec.InputOffset() <= int64(len(r.data)) {
		if _, err := r.dec.ReadToken(); err != nil && err.Error() == "EOF" {
			return nil
		}
	}
	return errorf(CodeSyntax, r.root, "something follows the end of the document")
}
