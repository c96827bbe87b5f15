package gguf

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/modelverifier/verifier/internal/graph"
)

// maxItems is how many items of a list are kept: enough for one number per layer, not for the words of a tokenizer.
const maxItems = 4096

// maxKept is how many items of lists are kept together.
const maxKept = 1 << 20

// maxNesting bounds lists of lists.
const maxNesting = 4

// Entry is one fact of a file's metadata.
type Entry struct {
	Key   string
	Value Value
}

// Value is the value of a fact.
type Value struct {
	Type  ValueType
	Of    ValueType // of a list: the type of its items
	Len   int64     // of a list: how many items it has
	Items []Value   // of a list: the items, or none where it is longer than is kept or holds strings
	bits  uint64
	text  string
}

// Text returns a string.
func (v *Value) Text() (string, bool) {
	if v == nil {
		return "", false
	}
	return v.text, v.Type == String
}

// Int returns a whole number that fits.
func (v *Value) Int() (int64, bool) {
	if v == nil {
		return 0, false
	}
	switch v.Type {
	case Int8, Int16, Int32, Int64:
		return int64(v.bits), true
	case Uint8, Uint16, Uint32, Uint64:
		return int64(v.bits), v.bits <= math.MaxInt64
	}
	return 0, false
}

// Float returns any number.
func (v *Value) Float() (float64, bool) {
	if v == nil {
		return 0, false
	}
	switch v.Type {
	case Float32:
		return float64(math.Float32frombits(uint32(v.bits))), true
	case Float64:
		return math.Float64frombits(v.bits), true
	}
	n, ok := v.Int()
	return float64(n), ok
}

// Bool returns a truth value.
func (v *Value) Bool() (value, ok bool) {
	if v == nil {
		return false, false
	}
	return v.bits != 0, v.Type == Bool
}

// Ints returns a list of whole numbers.
func (v *Value) Ints() ([]int64, bool) {
	if v == nil || v.Type != Array || int64(len(v.Items)) != v.Len {
		return nil, false
	}
	out := make([]int64, len(v.Items))
	for i := range v.Items {
		n, ok := v.Items[i].Int()
		if !ok {
			return nil, false
		}
		out[i] = n
	}
	return out, true
}

// String writes a value for people.
func (v Value) String() string {
	switch v.Type {
	case String:
		return strconv.Quote(v.text)
	case Bool:
		return strconv.FormatBool(v.bits != 0)
	case Array:
		if int64(len(v.Items)) != v.Len {
			return fmt.Sprintf("%d of %s", v.Len, v.Of)
		}
		items := make([]string, len(v.Items))
		for i := range v.Items {
			items[i] = v.Items[i].String()
		}
		return "[" + strings.Join(items, ",") + "]"
	case Uint64:
		return strconv.FormatUint(v.bits, 10)
	case Float32, Float64:
		f, _ := v.Float()
		return strconv.FormatFloat(f, 'g', -1, int(8*widthOf[v.Type]))
	}
	n, _ := v.Int()
	return strconv.FormatInt(n, 10)
}

// metadata reads the entries in front of the tensors.
func (c *cursor) metadata(n int64) ([]Entry, error) {
	const least = 8 + 4 + 1
	if n > c.left()/least {
		return nil, c.errorf("says that it has %d entries of metadata, which the %d bytes that are left cannot hold", n, c.left())
	}
	out := make([]Entry, 0, n)
	seen := make(map[string]struct{}, n)
	for i := range n {
		key, e := c.text(maxKeyBytes, fmt.Sprintf("the key of entry %d", i))
		if e != nil {
			return nil, e
		}
		if seen[key] = struct{}{}; len(seen) != len(out)+1 {
			return nil, c.errorf("has the key %q twice", key)
		}
		kind, e := c.kind(key)
		if e != nil {
			return nil, e
		}
		v, e := c.value(kind, key, 0)
		if e != nil {
			return nil, e
		}
		out = append(out, Entry{key, v})
	}
	return out, nil
}

func (c *cursor) kind(key string) (ValueType, *graph.Error) {
	n, e := c.uint(4)
	if e == nil && n >= uint64(valueTypes) {
		e = c.errorf("%s is of type %d, which is not known", clip(key), n)
	}
	return ValueType(n), e
}

// value reads a value of a type.
func (c *cursor) value(kind ValueType, key string, depth int) (v Value, e *graph.Error) {
	v.Type = kind
	switch kind {
	case String:
		v.text, e = c.text(maxTextBytes, clip(key))
		return v, e
	case Array:
		return c.list(v, key, depth)
	}
	v.bits, e = c.uint(widthOf[kind])
	switch kind {
	case Bool:
		if e == nil && v.bits > 1 {
			e = c.errorf("%s is %d, which is neither true nor false", clip(key), v.bits)
		}
	case Int8:
		v.bits = uint64(int8(v.bits))
	case Int16:
		v.bits = uint64(int16(v.bits))
	case Int32:
		v.bits = uint64(int32(v.bits))
	}
	return v, e
}

// list reads a list, or steps over it where it is not kept.
func (c *cursor) list(v Value, key string, depth int) (Value, *graph.Error) {
	var e *graph.Error
	if depth == maxNesting {
		return v, c.errorf("%s is nested more than %d deep", clip(key), maxNesting)
	}
	if v.Of, e = c.kind(key); e != nil {
		return v, e
	}
	n, e := c.uint(8)
	if e != nil {
		return v, e
	}
	least := max(widthOf[v.Of], 1)
	switch v.Of {
	case String:
		least = 8
	case Array:
		least = 12
	}
	if n > uint64(c.left()/least) {
		return v, c.errorf("is cut short: %s should have %d items, but %d bytes are left", clip(key), n, c.left())
	}
	v.Len = int64(n)
	if v.Of == String {
		return v, c.skipTexts(v.Len, key)
	}
	if v.Of != Array && v.Len > maxItems {
		return v, c.advance(v.Len * widthOf[v.Of])
	}
	if v.Len > maxItems {
		return v, limited(c.errorf("%s holds %d lists; %d can be read", clip(key), v.Len, maxItems), maxItems)
	}
	if c.kept += v.Len; c.kept > maxKept {
		return v, limited(c.errorf("has lists of more than %d items together, at %s", maxKept, clip(key)), maxKept)
	}
	v.Items = make([]Value, 0, v.Len)
	for range v.Len {
		item, e := c.value(v.Of, key, depth+1)
		if e != nil {
			return v, e
		}
		v.Items = append(v.Items, item)
	}
	return v, nil
}

// skipTexts steps over strings, such as the words of a tokenizer, which are bytes and need not be UTF-8.
func (c *cursor) skipTexts(n int64, key string) *graph.Error {
	for range n {
		length, e := c.length("an item of " + clip(key))
		if e == nil {
			e = c.advance(length)
		}
		if e != nil {
			return e
		}
	}
	return nil
}

// clip quotes a key for a message.
func clip(key string) string {
	if len(key) > 100 {
		key = strings.ToValidUTF8(key[:100], "") + "…"
	}
	return strconv.Quote(key)
}
