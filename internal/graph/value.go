package graph

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"unsafe"
)

// Kind is the JSON type of a value, with whole numbers apart from others.
type Kind uint8

// The kinds of a value.
const (
	Null Kind = iota
	Bool
	Int
	Float
	String
	List
	Object
)

var kindNames = [...]string{"null", "a boolean", "an integer", "a number", "a string", "a list", "an object"}

func (k Kind) String() string { return kindNames[k] }

// Value is one parameter value. The zero Value is null. An object is kept as its JSON text without blanks: no parameter of
// ours has one. The three words hold every kind, as slog.Value does it: a document of 8 MiB can have millions of values.
type Value struct {
	ptr  unsafe.Pointer // the bytes of a string or an object, the items of a list
	num  uint64         // the integer, the bits of the float, 1 for true, or how many bytes or items
	kind Kind
}

// IntValue returns a whole number.
func IntValue(n int64) Value { return Value{kind: Int, num: uint64(n)} }

// FloatValue returns a number that was written with a fraction or an exponent.
func FloatValue(f float64) Value { return Value{kind: Float, num: math.Float64bits(f)} }

// StringValue returns a string.
func StringValue(s string) Value { return textValue(String, s) }

func objectValue(text string) Value { return textValue(Object, text) }

func textValue(k Kind, s string) Value {
	return Value{kind: k, num: uint64(len(s)), ptr: unsafe.Pointer(unsafe.StringData(s))}
}

// BoolValue returns true or false.
func BoolValue(b bool) Value {
	if b {
		return Value{kind: Bool, num: 1}
	}
	return Value{kind: Bool}
}

// ListValue returns a list. The values are not copied.
func ListValue(values ...Value) Value {
	return Value{kind: List, num: uint64(len(values)), ptr: unsafe.Pointer(unsafe.SliceData(values))}
}

// IntsValue returns a list of whole numbers.
func IntsValue(ns ...int64) Value {
	list := make([]Value, len(ns))
	for i, n := range ns {
		list[i] = IntValue(n)
	}
	return ListValue(list...)
}

// Kind returns the JSON type of the value.
func (v Value) Kind() Kind { return v.kind }

// Int returns a whole number, and 0 for every other kind.
func (v Value) Int() int64 {
	if v.kind == Int {
		return int64(v.num)
	}
	return 0
}

// Float returns a number, whole or not, and 0 for every other kind.
func (v Value) Float() float64 {
	switch v.kind {
	case Int:
		return float64(int64(v.num))
	case Float:
		return math.Float64frombits(v.num)
	}
	return 0
}

// Bool returns whether the value is true.
func (v Value) Bool() bool { return v.kind == Bool && v.num == 1 }

// Str returns a string, and the empty one for every other kind.
func (v Value) Str() string {
	if v.kind == String {
		return v.text()
	}
	return ""
}

// text returns the bytes of a string or an object.
func (v Value) text() string { return unsafe.String((*byte)(v.ptr), int(v.num)) }

// List returns the items of a list, and none for every other kind.
func (v Value) List() []Value {
	if v.kind == List {
		return unsafe.Slice((*Value)(v.ptr), int(v.num))
	}
	return nil
}

// Equal reports whether two values are of the same kind and content.
func (v Value) Equal(w Value) bool {
	if v.kind != w.kind || v.num != w.num {
		return false
	}
	switch v.kind {
	case String, Object:
		return v.text() == w.text()
	case List:
		return slices.EqualFunc(v.List(), w.List(), Value.Equal)
	}
	return true
}

// String writes the value as JSON.
func (v Value) String() string { return string(v.AppendJSON(nil)) }

// Brief writes the value as JSON for a message, shortened: of a long list or text only the beginning is written at all.
func (v Value) Brief() string {
	switch {
	case v.kind == List && v.num > MostQuoted:
		v.num = MostQuoted
	case (v.kind == String || v.kind == Object) && v.num > 2*MostQuoted:
		return Brief(string(textValue(v.kind, strings.ToValidUTF8(v.text()[:2*MostQuoted], "")).AppendJSON(nil)))
	}
	return Brief(v.String())
}

// AppendJSON appends the value as JSON.
func (v Value) AppendJSON(b []byte) []byte {
	switch v.kind {
	case Bool:
		return strconv.AppendBool(b, v.num == 1)
	case Int:
		return strconv.AppendInt(b, int64(v.num), 10)
	case Float:
		return appendFloat(b, math.Float64frombits(v.num))
	case String:
		return appendString(b, v.text())
	case List:
		b = append(b, '[')
		for i, item := range v.List() {
			if i > 0 {
				b = append(b, ',')
			}
			b = item.AppendJSON(b)
		}
		return append(b, ']')
	case Object:
		return append(b, v.text()...)
	}
	return append(b, "null"...)
}

// appendFloat keeps a fraction on whole floats, so that 1.0 is read back as a float and not as an integer. JSON has no word
// for what is not finite: that becomes null.
func appendFloat(b []byte, f float64) []byte {
	if math.IsInf(f, 0) || math.IsNaN(f) {
		return append(b, "null"...)
	}
	start := len(b)
	b = strconv.AppendFloat(b, f, 'g', -1, 64)
	for _, c := range b[start:] {
		if c == '.' || c == 'e' {
			return b
		}
	}
	return append(b, ".0"...)
}

// MarshalJSON writes the value as JSON.
func (v Value) MarshalJSON() ([]byte, error) { return v.AppendJSON(nil), nil }
