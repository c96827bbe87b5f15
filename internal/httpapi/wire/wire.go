// Package wire writes answers as JSON: byte for byte what encoding/json writes without its escapes for web pages, in a fraction
// of the time. It looks at a type once, and follows the same struct tags, so that no field is named a second time; what it
// does not know (a map, a float, a type that marshals itself) it hands to encoding/json.
//
// It knows no action and no result. The command line, but for many requests of one stream, and WebAssembly write with encoding/json itself, and the conformance cases hold the
// bytes of all of them against each other.
package wire

import (
	"bytes"
	"encoding"
	"encoding/json"
	"errors"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// MaxBytes is the size of the largest answer: twice that of the largest request. One id in a request may be a megabyte long, and an
// answer names it with everything that was found on it.
const MaxBytes = 16 << 20

// ErrTooLarge is returned of an answer that is larger. No memory is taken for it.
var ErrTooLarge = errors.New("wire: the answer is larger than 16 MiB")

// Append appends a value. What it appended is of no use where it returns an error.
func Append(b []byte, v any) (out []byte, err error) {
	if v == nil {
		return append(b, "null"...), nil
	}
	value := reflect.ValueOf(v)
	form := of(value.Type())
	out, err = form.append(b, value)
	if errors.Is(err, errLarge) {
		if out, err = form.measured(b, value); err == nil {
			out, err = form.append(out, value)
		}
	}
	if err != nil {
		return b, err
	}
	return out, nil
}

// append appends a value, or returns why that cannot be done.
func (f *form) append(b []byte, v reflect.Value) (out []byte, err error) {
	defer caught(&err)
	out = f.write(b, v)
	bounded(len(out))
	return out, nil
}

// caught is deferred to return the failure by which a value was left.
func caught(err *error) {
	if p := recover(); p != nil {
		f, ours := p.(failure)
		if !ours {
			panic(p)
		}
		*err = f.error
	}
}

// failure is how an error leaves a value however deep it lies: no value of ours has one, and the way there stays short.
type failure struct{ error }

// form is how the values of a type are written.
type form struct {
	write func(b []byte, v reflect.Value) []byte // appends one
	size  func(v reflect.Value) int              // is how many bytes that are
}

// types has the form of every type that was seen: one for each type of our own.
var types sync.Map

func of(t reflect.Type) *form {
	if found, ok := types.Load(t); ok {
		return found.(*form)
	}
	made := compile(t)
	types.Store(t, made)
	return made
}

// Compact is JSON without blanks, which is written as it is. Other JSON is a json.RawMessage.
type Compact []byte

// MarshalJSON returns it.
func (c Compact) MarshalJSON() ([]byte, error) { return c, nil }

// number is a type whose JSON is a number, which leaves nothing for encoding/json to do.
type number interface{ AppendNumber(b []byte) []byte }

var (
	numberType = reflect.TypeFor[number]()
	marshalers = []reflect.Type{reflect.TypeFor[json.Marshaler](), reflect.TypeFor[encoding.TextMarshaler]()}
)

func compile(t reflect.Type) *form {
	if t.Kind() == reflect.Pointer {
		elem := sync.OnceValue(func() *form { return of(t.Elem()) }) // when it is first needed: it may be the type that holds it
		return orNull(
			func(b []byte, v reflect.Value) []byte { return elem().write(b, v.Elem()) },
			func(v reflect.Value) int { return elem().size(v.Elem()) })
	}
	if t == reflect.TypeFor[Compact]() {
		return &form{func(b []byte, v reflect.Value) []byte { return append(b, v.Bytes()...) }, reflect.Value.Len}
	}
	if t.Kind() == reflect.Struct && t.Implements(numberType) {
		return short(writeNumber)
	}
	for _, m := range marshalers {
		if t.Implements(m) || reflect.PointerTo(t).Implements(m) {
			return short(hand)
		}
	}
	switch t.Kind() {
	case reflect.Bool:
		return short(func(b []byte, v reflect.Value) []byte { return strconv.AppendBool(b, v.Bool()) })
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return &form{func(b []byte, v reflect.Value) []byte { return strconv.AppendInt(b, v.Int(), 10) }, digits}
	case reflect.String:
		return &form{writeString, func(v reflect.Value) int { return sizeOf(v.String()) }}
	case reflect.Interface:
		return orNull(
			func(b []byte, v reflect.Value) []byte { return of(v.Elem().Type()).write(b, v.Elem()) },
			func(v reflect.Value) int { return of(v.Elem().Type()).size(v.Elem()) })
	case reflect.Slice:
		return compileSlice(t)
	case reflect.Struct:
		return compileStruct(t)
	}
	return short(hand)
}

// orNull writes null for what is nil.
func orNull(write func(b []byte, v reflect.Value) []byte, size func(v reflect.Value) int) *form {
	return &form{
		func(b []byte, v reflect.Value) []byte {
			if v.IsNil() {
				return append(b, "null"...)
			}
			return write(b, v)
		},
		func(v reflect.Value) int {
			if v.IsNil() {
				return len("null")
			}
			return size(v)
		},
	}
}

func compileSlice(t reflect.Type) *form {
	if t.Elem().Kind() == reflect.Uint8 {
		return short(hand) // text in base 64
	}
	elem := sync.OnceValue(func() *form { return of(t.Elem()) })
	return orNull(func(b []byte, v reflect.Value) []byte {
		write := elem().write
		b = append(b, '[')
		for i := range v.Len() {
			if i > 0 {
				b = append(b, ',')
			}
			b = write(b, v.Index(i))
			bounded(len(b)) // numbers are no strings, for which room is made
		}
		return append(b, ']')
	}, func(v reflect.Value) int {
		size, n := elem().size, max(2, v.Len()+1) // brackets, and commas between
		for i := range v.Len() {
			n = bounded(n + size(v.Index(i)))
		}
		return n
	})
}

// field is one member of a struct.
type field struct {
	index int
	key   string // with the comma before it, quotes and the colon
	omit  bool   // where it is empty
	*form
}

// compileStruct leaves to encoding/json what a tag says beyond a name and omitempty, and fields of embedded structs.
func compileStruct(t reflect.Type) *form {
	var fields []field
	for i := range t.NumField() {
		f := t.Field(i)
		tag := f.Tag.Get("json")
		name, options, _ := strings.Cut(tag, ",")
		switch {
		case f.Anonymous:
			return short(hand)
		case !f.IsExported() || tag == "-":
			continue
		case options != "" && options != "omitempty", !isPlain(name):
			return short(hand)
		case name == "":
			name = f.Name
		}
		fields = append(fields, field{i, `,"` + name + `":`, options != "", of(f.Type)})
	}
	return &form{func(b []byte, v reflect.Value) []byte {
		first := len(b)
		for i := range fields {
			if f, value := &fields[i], v.Field(fields[i].index); !f.omit || !isEmpty(value) {
				b = f.write(append(b, f.key...), value)
			}
		}
		if len(b) == first {
			return append(b, "{}"...)
		}
		b[first] = '{' // in the place of the first comma
		return append(b, '}')
	}, func(v reflect.Value) (n int) {
		for i := range fields {
			if f, value := &fields[i], v.Field(fields[i].index); !f.omit || !isEmpty(value) {
				n = bounded(n + len(f.key) + f.size(value))
			}
		}
		return max(2, n+1)
	}}
}

// isEmpty is what omitempty leaves out.
func isEmpty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Array, reflect.Map, reflect.Slice, reflect.String:
		return v.Len() == 0
	case reflect.Struct:
		return false
	}
	return v.IsZero()
}

func writeNumber(b []byte, v reflect.Value) []byte { return boxed(v).(number).AppendNumber(b) }

// boxed is a value as an interface, or a pointer to it, which needs no copy and has the methods of both.
func boxed(v reflect.Value) any {
	if v.CanAddr() {
		return v.Addr().Interface()
	}
	return v.Interface()
}

func writeString(b []byte, v reflect.Value) []byte {
	s := v.String()
	if !isPlain(s) {
		return escaped(b, s)
	}
	return append(append(append(room(b, len(s)+2), '"'), s...), '"')
}

// room is a slice with a capacity of n more bytes, for a string. It grows fourfold: append grows a large slice by a quarter, and what that leaves to
// the collector is several times the answer. A large answer is measured first: n is at most slack more than what will be written.
func room(b []byte, n int) []byte {
	need := len(b) + n
	if need <= cap(b) {
		return b
	}
	if need > large {
		panic(failure{errLarge})
	}
	return append(make([]byte, 0, min(max(need, 4*cap(b)), large)), b...)
}

// slack is the longest escape, and the quote behind it.
const slack = len(`\u0000"`)

// letters are those of the escapes that have one.
var letters = [256]byte{'"': '"', '\\': '\\', '\b': 'b', '\f': 'f', '\n': 'n', '\r': 'r', '\t': 't'}

const hexDigits = "0123456789abcdef"

// escaped writes a string as encoding/json does: with short escapes where there are some, U+2028 and U+2029 escaped as they end lines
// in JavaScript, and U+FFFD for each byte that is not UTF-8.
func escaped(b []byte, s string) []byte {
	b = append(room(b, len(s)+2), '"')
	for from := 0; ; {
		at, size, r := escapeIn(s, from)
		b = append(room(b, len(s)-from+slack), s[from:at]...)
		switch {
		case size == 0:
			return append(b, '"')
		case r < utf8.RuneSelf && letters[r] != 0:
			b = append(b, '\\', letters[r])
		default:
			b = append(b, '\\', 'u', hexDigits[r>>12&15], hexDigits[r>>8&15], hexDigits[r>>4&15], hexDigits[r&15])
		}
		from = at + size
	}
}

// escapeIn is the next character from a place on that is written as an escape: where it is, how many bytes it has, none behind the last, and what
// stands for it.
func escapeIn(s string, from int) (at, size int, r rune) {
	for at = from; at < len(s); {
		switch c := s[at]; {
		case alone[c]:
			at++
		case c < utf8.RuneSelf:
			return at, 1, rune(c)
		case strings.HasPrefix(s[at:], lines):
			return at, len(lines), '\u2028'
		default:
			if r, size = utf8.DecodeRuneInString(s[at:]); r == '\u2029' || r == utf8.RuneError && size == 1 {
				return at, size, r
			}
			at += size
		}
	}
	return at, 0, 0
}

// lines is the character that ends a line in JavaScript.
const lines = "\u2028"

// alone are the bytes that are written as they are: plain ones, and DEL.
var alone = func() [256]bool {
	is := plain
	is[0x7f] = true
	return is
}()

// plain are the characters that stand for themselves in a string: ASCII, without controls, quotes and backslashes.
var plain = func() (is [256]bool) {
	for c := ' '; c <= '~'; c++ {
		is[c] = c != '"' && c != '\\'
	}
	return is
}()

// isPlain looks at eight bytes at once. Each term has the top bit of a byte set where that byte is below a blank or a quote, which
// changes places with a blank for it; where it is a backslash; and where it is beyond '~'. A borrow or a carry sets a wrong bit only
// beside a right one.
func isPlain(s string) bool {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	for ; len(s) >= 8; s = s[8:] {
		x := uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
			uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
		slash := x ^ ones*'\\'
		if (((x^ones*2)-ones*'!')&^x|(slash-ones)&^slash|(x+ones)|x)&tops != 0 {
			return false
		}
	}
	for i := range len(s) {
		if !plain[s[i]] {
			return false
		}
	}
	return true
}

// hand leaves a value to encoding/json.
func hand(b []byte, v reflect.Value) []byte {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	if err := e.Encode(boxed(v)); err != nil {
		panic(failure{err})
	}
	return append(b, bytes.TrimSuffix(text.Bytes(), []byte("\n"))...)
}
