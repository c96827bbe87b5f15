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

// ErrTooLarge is returned of an answer that is larger. It is noticed while it is written, so that no more memory is taken.
var ErrTooLarge = errors.New("wire: the answer is larger than 16 MiB")

// bounded stops the writing of an answer that is too large.
func bounded(b []byte) []byte {
	if len(b) > MaxBytes {
		panic(failure{ErrTooLarge})
	}
	return b
}

// Append appends a value. What it appended is of no use where it returns an error.
func Append(b []byte, v any) (out []byte, err error) {
	if v == nil {
		return append(b, "null"...), nil
	}
	defer func() {
		if p := recover(); p != nil {
			f, ours := p.(failure)
			if !ours {
				panic(p)
			}
			out, err = b, f.error
		}
	}()
	return of(reflect.TypeOf(v))(b, reflect.ValueOf(v)), nil
}

// failure is how an error leaves a value however deep it lies: no value of ours has one, and the way there stays short.
type failure struct{ error }

// write appends one value of the type that it was made for.
type write func(b []byte, v reflect.Value) []byte

// types has the write of every type that was seen: one for each type of our own.
var types sync.Map

func of(t reflect.Type) write {
	if found, ok := types.Load(t); ok {
		return found.(write)
	}
	made := compile(t)
	types.Store(t, made)
	return made
}

// number is a type whose JSON is a number, which leaves nothing for encoding/json to do.
type number interface{ AppendNumber(b []byte) []byte }

var (
	numberType = reflect.TypeFor[number]()
	marshalers = []reflect.Type{reflect.TypeFor[json.Marshaler](), reflect.TypeFor[encoding.TextMarshaler]()}
)

func compile(t reflect.Type) write {
	if t.Kind() == reflect.Pointer {
		elem := sync.OnceValue(func() write { return of(t.Elem()) }) // when it is first needed: it may be the type that holds it
		return orNull(func(b []byte, v reflect.Value) []byte { return elem()(b, v.Elem()) })
	}
	if t.Kind() == reflect.Struct && t.Implements(numberType) {
		return writeNumber
	}
	for _, m := range marshalers {
		if t.Implements(m) || reflect.PointerTo(t).Implements(m) {
			return hand
		}
	}
	switch t.Kind() {
	case reflect.Bool:
		return func(b []byte, v reflect.Value) []byte { return strconv.AppendBool(b, v.Bool()) }
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return func(b []byte, v reflect.Value) []byte { return strconv.AppendInt(b, v.Int(), 10) }
	case reflect.String:
		return writeString
	case reflect.Interface:
		return orNull(func(b []byte, v reflect.Value) []byte { return of(v.Elem().Type())(b, v.Elem()) })
	case reflect.Slice:
		return compileSlice(t)
	case reflect.Struct:
		return compileStruct(t)
	}
	return hand
}

// orNull writes null for what is nil.
func orNull(write write) write {
	return func(b []byte, v reflect.Value) []byte {
		if v.IsNil() {
			return append(b, "null"...)
		}
		return write(b, v)
	}
}

func compileSlice(t reflect.Type) write {
	if t.Elem().Kind() == reflect.Uint8 {
		return hand // text in base 64
	}
	elem := sync.OnceValue(func() write { return of(t.Elem()) })
	return orNull(func(b []byte, v reflect.Value) []byte {
		write := elem()
		b = append(b, '[')
		for i := range v.Len() {
			if i > 0 {
				b = append(b, ',')
			}
			b = bounded(write(b, v.Index(i)))
		}
		return append(b, ']')
	})
}

// field is one member of a struct.
type field struct {
	index int
	key   string // with the comma before it, quotes and the colon
	omit  bool   // where it is empty
	write write
}

// compileStruct leaves to encoding/json what a tag says beyond a name and omitempty, and fields of embedded structs.
func compileStruct(t reflect.Type) write {
	var fields []field
	for i := range t.NumField() {
		f := t.Field(i)
		tag := f.Tag.Get("json")
		name, options, _ := strings.Cut(tag, ",")
		switch {
		case f.Anonymous:
			return hand
		case !f.IsExported() || tag == "-":
			continue
		case options != "" && options != "omitempty", !isPlain(name):
			return hand
		case name == "":
			name = f.Name
		}
		fields = append(fields, field{i, `,"` + name + `":`, options != "", of(f.Type)})
	}
	return func(b []byte, v reflect.Value) []byte {
		first := len(b)
		for i := range fields {
			f := &fields[i]
			value := v.Field(f.index)
			if f.omit && isEmpty(value) {
				continue
			}
			b = bounded(f.write(append(b, f.key...), value))
		}
		if len(b) == first {
			return append(b, "{}"...)
		}
		b[first] = '{' // in the place of the first comma
		return append(b, '}')
	}
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

// room is a slice with a capacity of n more bytes. It grows fourfold: append grows a large slice by a quarter, and what that leaves to the collector is
// several times the answer. Where they are more than an answer has, it is given up at once: n is at most slack more than what will be written.
func room(b []byte, n int) []byte {
	need := len(b) + n
	if need > MaxBytes+slack {
		panic(failure{ErrTooLarge})
	}
	if need > cap(b) {
		return append(make([]byte, 0, min(max(need, 4*cap(b)), MaxBytes+slack)), b...)
	}
	return b
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
	from := 0
	for i := 0; i < len(s); {
		c := s[i]
		if plain[c] || c == 0x7f {
			i++
			continue
		}
		size, r := 1, rune(c)
		if c >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(s[i:])
			if (r != utf8.RuneError || size != 1) && r != '\u2028' && r != '\u2029' {
				i += size
				continue
			}
		}
		b = append(room(b, len(s)-from+slack), s[from:i]...)
		if letter := letters[c]; letter != 0 {
			b = append(b, '\\', letter)
		} else {
			b = append(b, '\\', 'u', hexDigits[r>>12&15], hexDigits[r>>8&15], hexDigits[r>>4&15], hexDigits[r&15])
		}
		i += size
		from = i
		bounded(b)
	}
	return append(append(b, s[from:]...), '"')
}

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
