package wire

import (
	"errors"
	"reflect"
	"strconv"
	"unicode/utf8"
)

// large is the size from which on an answer is measured before it is written, into memory that is as large as it needs. One that is too large costs
// no more than that.
const large = 1 << 20

// errLarge is why the writing of an answer is begun again.
var errLarge = errors.New("wire: a large answer")

// measured is a slice with a capacity for a value behind what it has, or why there is none.
func (f *form) measured(b []byte, v reflect.Value) (out []byte, err error) {
	defer caught(&err)
	size := bounded(len(b) + f.size(v))
	return append(make([]byte, 0, size+slack), b...), nil
}

// bounded stops the writing or measuring of an answer that is too large.
func bounded(n int) int {
	if n > MaxBytes {
		panic(failure{ErrTooLarge})
	}
	return n
}

// short is a form whose values are small, or rare: they are measured by writing them.
func short(write func(b []byte, v reflect.Value) []byte) *form {
	return &form{write, func(v reflect.Value) int {
		var b [64]byte
		return len(write(b[:0], v))
	}}
}

// digits is how many bytes an integer has. An answer can have many thousands, each of which short would take memory for.
func digits(v reflect.Value) int {
	var b [len("-9223372036854775808")]byte
	return len(strconv.AppendInt(b[:0], v.Int(), 10))
}

// sizeOf is how many bytes a string has between quotes, with them.
func sizeOf(s string) int {
	n := len(s) + len(`""`)
	if isPlain(s) {
		return n
	}
	for at, size, r := escapeIn(s, 0); size > 0; at, size, r = escapeIn(s, at+size) {
		if n += len(`\u0000`) - size; r < utf8.RuneSelf && letters[r] != 0 {
			n -= len(`u000`)
		}
	}
	return n
}
