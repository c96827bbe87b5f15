package interp

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Dict is a dictionary that keeps the order of its keys.
type Dict struct {
	keys, vals []Value
	index      map[any]int // the number of each key
	numbers    []int       // those of keys, which ascend; nil where each is the place of its key, as in a dictionary that lost none
	plain      int         // how many of the first keys are known to equal no other than is said, for noKey
	Default    Value       // of a defaultdict: the callable that makes missing values

	// Changed and Removed, of a dictionary that stands for something else such as the attributes of an object, are told of its changes.
	Changed func(k, v Value)
	Removed func(k Value)
}

// NewDict makes an empty dictionary.
func NewDict() *Dict { return &Dict{index: map[any]int{}} }

// key turns a value into what Go can compare; numbers that are equal in Python are equal keys.
func key(v Value) (any, bool) {
	switch x := v.(type) {
	case bool:
		if x {
			return int64(1), true
		}
		return int64(0), true
	case float64:
		if n := int64(x); float64(n) == x {
			return n, true
		}
		return x, true
	case *Tuple:
		var b strings.Builder
		ok := tupleKey(&b, x)
		return b.String(), ok
	case *List, *Dict, *Set, *Unknown:
		return nil, false
	case string:
		return "s" + x, true
	}
	return v, true
}

// tupleKey writes the key of a tuple. Texts come with their length, so that no item looks like two, and tuples inside it are written where
// they are, so that none is copied as often as it lies deep.
func tupleKey(b *strings.Builder, t *Tuple) bool {
	b.WriteString("tuple:")
	for _, item := range t.Items {
		if inner, ok := item.(*Tuple); ok {
			if !tupleKey(b, inner) {
				return false
			}
			continue
		}
		k, ok := key(item)
		if !ok {
			return false
		}
		switch x := k.(type) {
		case string:
			b.WriteString(strconv.Itoa(len(x)) + "'" + x + "',")
		case *Func, *Class:
			fmt.Fprintf(b, "%p,", x)
		case *Instance:
			if _, own := x.Class.Lookup("__eq__"); !own { // it is equal to itself alone
				fmt.Fprintf(b, "%p,", x)
				continue
			}
			b.WriteString(Repr(k) + ",")
		default:
			b.WriteString(Repr(k) + ",")
		}
	}
	b.WriteByte(';')
	return true
}

// Len is the number of keys.
func (d *Dict) Len() int { return len(d.keys) }

// Keys returns the keys in order.
func (d *Dict) Keys() []Value { return append([]Value(nil), d.keys...) }

// Values returns the values in the order of the keys.
func (d *Dict) Values() []Value { return append([]Value(nil), d.vals...) }

// Get returns the value of a key.
func (d *Dict) Get(k Value) (Value, bool) {
	h, ok := key(k)
	if !ok {
		return nil, false
	}
	i, ok := d.place(h)
	if !ok {
		return nil, false
	}
	return d.vals[i], true
}

// place finds what key gave among the keys.
func (d *Dict) place(h any) (int, bool) {
	n, ok := d.index[h]
	if !ok || d.numbers == nil {
		return n, ok
	}
	return slices.BinarySearch(d.numbers, n)
}

// Set sets a key, and reports whether it can be one.
func (d *Dict) Set(k, v Value) bool {
	h, ok := key(k)
	if !ok {
		return false
	}
	if d.index == nil {
		d.index = map[any]int{}
	}
	if d.Changed != nil {
		d.Changed(k, v)
	}
	if i, ok := d.place(h); ok {
		d.vals[i] = v
		return true
	}
	number := len(d.keys)
	if d.numbers != nil {
		if n := len(d.numbers); n > 0 {
			number = d.numbers[n-1] + 1
		}
		d.numbers = append(d.numbers, number)
	}
	d.index[h] = number
	d.keys, d.vals = append(d.keys, k), append(d.vals, v)
	return true
}

// Delete removes a key, and returns what it had.
func (d *Dict) Delete(k Value) (Value, bool) {
	h, ok := key(k)
	if !ok {
		return nil, false
	}
	i, ok := d.place(h)
	if !ok {
		return nil, false
	}
	v := d.vals[i]
	if d.Removed != nil {
		d.Removed(k)
	}
	delete(d.index, h)
	d.plain = min(d.plain, i)
	if n := len(d.keys) - 1; i == n { // what is set next goes elsewhere: others may go over these
		d.keys, d.vals = d.keys[:n:n], d.vals[:n:n]
		if d.numbers != nil {
			d.numbers = d.numbers[:n]
		}
		return v, true
	}
	if d.numbers == nil {
		d.numbers = make([]int, len(d.keys))
		for at := range d.numbers {
			d.numbers[at] = at
		}
	}
	d.numbers = slices.Delete(d.numbers, i, i+1)
	d.keys = append(d.keys[:i:i], d.keys[i+1:]...)
	d.vals = append(d.vals[:i:i], d.vals[i+1:]...)
	return v, true
}

// clear removes all keys.
func (d *Dict) clear() {
	keys := d.keys
	d.keys, d.vals, d.numbers, d.plain = nil, nil, nil, 0
	d.index = map[any]int{}
	if d.Removed != nil {
		for _, k := range keys {
			d.Removed(k)
		}
	}
}

func (d *Dict) copy() *Dict {
	out := NewDict()
	out.Default = d.Default
	for i, k := range d.keys {
		out.Set(k, d.vals[i])
	}
	return out
}
