package interp

import (
	"fmt"
	"strings"
)

// Dict is a dictionary that keeps the order of its keys.
type Dict struct {
	keys, vals []Value
	index      map[any]int
	Default    Value // of a defaultdict: the callable that makes missing values

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
		b.WriteString("tuple:")
		for _, item := range x.Items {
			k, ok := key(item)
			if !ok {
				return nil, false
			}
			if s, text := k.(string); text {
				fmt.Fprintf(&b, "%d'%s',", len(s), s) // with its length, so that no item looks like two
				continue
			}
			b.WriteString(Repr(k) + ",")
		}
		return b.String(), true
	case *List, *Dict, *Set, *Unknown:
		return nil, false
	case string:
		return "s" + x, true
	}
	return v, true
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
	i, ok := d.index[h]
	if !ok {
		return nil, false
	}
	return d.vals[i], true
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
	if i, ok := d.index[h]; ok {
		d.vals[i] = v
		return true
	}
	d.index[h] = len(d.keys)
	d.keys, d.vals = append(d.keys, k), append(d.vals, v)
	return true
}

// Delete removes a key, and returns what it had.
func (d *Dict) Delete(k Value) (Value, bool) {
	h, ok := key(k)
	if !ok {
		return nil, false
	}
	i, ok := d.index[h]
	if !ok {
		return nil, false
	}
	v := d.vals[i]
	if d.Removed != nil {
		d.Removed(k)
	}
	d.keys = append(d.keys[:i:i], d.keys[i+1:]...)
	d.vals = append(d.vals[:i:i], d.vals[i+1:]...)
	delete(d.index, h)
	for other, at := range d.index {
		if at > i {
			d.index[other] = at - 1
		}
	}
	return v, true
}

// clear removes all keys.
func (d *Dict) clear() {
	for _, k := range d.Keys() {
		d.Delete(k)
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
