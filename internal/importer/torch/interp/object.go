package interp

import (
	"math"
	"strings"
	"unicode/utf8"

	"github.com/modelverifier/verifier/internal/importer/torch/python"
)

// What a native value may do. One that lacks an interface cannot be used that way.
type (
	// Attributed values have attributes.
	Attributed interface {
		Attr(in *Interp, name string) (Value, bool)
	}
	// Assignable values have attributes that can be set.
	Assignable interface {
		SetAttr(in *Interp, name string, v Value) bool
	}
	// Callable values can be called.
	Callable interface {
		Call(in *Interp, args *Args) Value
	}
	// Indexed values have items.
	Indexed interface {
		Item(in *Interp, index Value) Value
	}
	// IndexAssignable values have items that can be set.
	IndexAssignable interface {
		SetItem(in *Interp, index, v Value)
	}
	// Operand values take part in arithmetic and comparisons; swapped says that the value stood on the right.
	Operand interface {
		Operate(in *Interp, op string, other Value, swapped bool) (Value, bool)
	}
	// Iterable values can be iterated over.
	Iterable interface {
		Iterate(in *Interp) []Value
	}
	// Sized values have a length.
	Sized interface {
		Length(in *Interp) Value
	}
	// Counted values are whole numbers once somebody needs them to be.
	Counted interface{ Count(in *Interp) int64 }
	// Judged values are true or false; known is false where that cannot be said.
	Judged interface {
		Truth() (value, known bool)
	}
)

// Truth is whether Python takes a value for true. It gives up where that is not known.
func (in *Interp) Truth(v Value) bool {
	switch x := v.(type) {
	case nil:
		return false
	case bool:
		return x
	case int64:
		return x != 0
	case float64:
		return x != 0
	case string:
		return x != ""
	case *List:
		return len(x.Items) > 0
	case *Tuple:
		return len(x.Items) > 0
	case *Dict:
		return x.Len() > 0
	case *Set:
		return x.d.Len() > 0
	case *Range:
		return x.Len() > 0
	case Assumed:
		in.Guess("%s", x.Why)
		return x.Value
	case Symbol:
		in.Guess("a condition depends on %s, of which only the name is known", x.Name)
		return true
	case *Unknown:
		at := in.Spot()
		panic(&Fault{at.File, at.Line, "a condition depends on a value that is not known: " + x.reason(), true})
	case *Instance:
		return in.instanceTruth(x)
	case Judged:
		value, known := x.Truth()
		if !known {
			in.Fault("a condition depends on the values of a %s", TypeName(v))
		}
		return value
	}
	return true
}

func (in *Interp) instanceTruth(x *Instance) bool {
	in.nest("a truth") // of an object whose __bool__ gives one
	defer in.unnest()
	if m, ok := in.method(x, "__bool__"); ok {
		return in.Truth(in.Call(m, &Args{}))
	}
	if m, ok := in.method(x, "__len__"); ok {
		return in.Truth(in.Call(m, &Args{}))
	}
	return true
}

func (u *Unknown) reason() string {
	if u.File == "" {
		return u.Why
	}
	f := Fault{File: u.File, Line: u.Line, Message: u.Why}
	return f.Error()
}

// Reason says why a value is unknown, with its place.
func (u *Unknown) Reason() string { return u.reason() }

// Iterate returns the items of an iterable.
func (in *Interp) Iterate(v Value) []Value {
	switch x := v.(type) {
	case *List:
		in.work(len(x.Items))
		return append([]Value(nil), x.Items...)
	case *Tuple:
		in.glance(len(x.Items))
		return x.Items
	case *Set:
		in.work(x.d.Len())
		return x.d.Keys()
	case *Dict:
		in.work(x.Len())
		return x.Keys()
	case string:
		in.spend(int64(len(x)))
		out := make([]Value, 0, len(x))
		for _, r := range x {
			out = append(out, string(r))
		}
		return out
	case *Range:
		in.spend(x.Len())
		out := make([]Value, 0, x.Len())
		for i := range x.Len() {
			out = append(out, x.Start+i*x.Step)
		}
		return out
	case *Iterator:
		rest := x.items[x.at:]
		in.glance(len(rest))
		x.at = len(x.items)
		return rest
	case *Unknown:
		in.Fault("a loop goes over a value that is not known: %s", x.reason())
	case Iterable:
		return x.Iterate(in)
	case *Instance:
		if m, ok := in.method(x, "__iter__"); ok {
			in.nest("an iterator") // of an object whose __iter__ gives one
			defer in.unnest()
			return in.Iterate(in.Call(m, &Args{}))
		}
	case *Class:
		if members, ok := x.Own("__members__"); ok {
			in.work(members.(*Dict).Len())
			return members.(*Dict).Values()
		}
	}
	in.raiseFor([]Value{v}, "TypeError", "'%s' object is not iterable", TypeName(v))
	return nil
}

// Len is the number of items.
func (in *Interp) Len(v Value) Value {
	switch x := v.(type) {
	case *List:
		return int64(len(x.Items))
	case *Tuple:
		return int64(len(x.Items))
	case *Dict:
		return int64(x.Len())
	case *Set:
		return int64(x.d.Len())
	case string:
		in.work(len(x))
		return int64(utf8.RuneCountInString(x))
	case *Range:
		return x.Len()
	case *Unknown:
		return x
	case Sized:
		return x.Length(in)
	case *Instance:
		if m, ok := in.method(x, "__len__"); ok {
			return in.Call(m, &Args{})
		}
	case *Class:
		if members, ok := x.Own("__members__"); ok {
			return int64(members.(*Dict).Len())
		}
	}
	if lacksMethods(v, "__len__") {
		in.Raise("TypeError", "object of type '%s' has no len()", TypeName(v))
	}
	in.raiseFor([]Value{v}, "TypeError", "object of type '%s' has no len()", TypeName(v))
	return nil
}

// Len is the number of values of the range.
func (r *Range) Len() int64 {
	switch {
	case r.Step > 0 && r.Stop > r.Start:
		return (r.Stop-r.Start-1)/r.Step + 1
	case r.Step < 0 && r.Stop < r.Start:
		return (r.Start-r.Stop-1)/-r.Step + 1
	}
	return 0
}

// Item is v[index].
func (in *Interp) Item(v, index Value) Value {
	if u, ok := index.(*Unknown); ok {
		if _, native := v.(Indexed); !native {
			return u
		}
	}
	switch x := v.(type) {
	case *List:
		if s, ok := index.(*Slice); ok {
			return NewList(in.cut(x.Items, s)...)
		}
		return x.Items[in.position(index, len(x.Items), "list")]
	case *Tuple:
		if s, ok := index.(*Slice); ok {
			return NewTuple(in.cut(x.Items, s)...)
		}
		return x.Items[in.position(index, len(x.Items), "tuple")]
	case string:
		return in.textItem(x, index)
	case *Dict:
		in.hash(index)
		if got, ok := x.Get(index); ok {
			return got
		}
		if in.register(index) {
			return in.Item(v, index)
		}
		if x.Default != nil {
			made := in.Call(x.Default, &Args{})
			x.Set(index, made)
			return made
		}
		in.noKey(x, index)
	case *Range:
		if s, ok := index.(*Slice); ok {
			return NewList(in.cut(in.Iterate(x), s)...)
		}
		return x.Start + int64(in.position(index, int(min(x.Len(), math.MaxInt32)), "range"))*x.Step
	case *Unknown:
		return x
	case Indexed:
		return x.Item(in, index)
	case *Instance:
		if m, ok := in.method(x, "__getitem__"); ok {
			return in.Call(m, &Args{Pos: []Value{index}})
		}
	case *Class:
		return in.classItem(x, index)
	case *Builtin, Symbol, *Func:
		return x // a generic alias: list[int], Optional[X]
	}
	in.raiseFor([]Value{v}, "TypeError", "'%s' object is not subscriptable", TypeName(v))
	return nil
}

func (in *Interp) classItem(c *Class, index Value) Value {
	if members, ok := c.Own("__members__"); ok {
		in.hash(index)
		if m, ok := members.(*Dict).Get(index); ok {
			return m
		}
		in.Doubt("KeyError", "%s", Repr(index))
	}
	if m, ok := c.Lookup("__class_getitem__"); ok {
		return in.Call(in.bindTo(m, nil, c), &Args{Pos: []Value{index}})
	}
	return c
}

func (in *Interp) textItem(s string, index Value) Value {
	in.work(len(s))
	r := []rune(s)
	if cut, ok := index.(*Slice); ok {
		lo, hi, step := in.Bounds(cut, int64(len(r)))
		var b strings.Builder
		for i := lo; step > 0 && i < hi || step < 0 && i > hi; i += step {
			b.WriteRune(r[i])
		}
		return in.text(b.String())
	}
	return string(r[in.position(index, len(r), "string")])
}

// SetItem is v[index] = x.
func (in *Interp) SetItem(v, index, x Value) {
	switch c := v.(type) {
	case *List:
		if s, ok := index.(*Slice); ok {
			in.setSlice(c, s, x)
			return
		}
		c.Items[in.position(index, len(c.Items), "list")] = x
	case *Dict:
		in.spend(1)
		in.hash(index)
		if !c.Set(index, x) {
			in.Fault("a dictionary key is a %s", TypeName(index))
		}
	case IndexAssignable:
		c.SetItem(in, index, x)
	case *Unknown:
	case *Instance:
		m, ok := in.method(c, "__setitem__")
		if !ok {
			in.Doubt("TypeError", "'%s' object does not support item assignment", TypeName(v))
		}
		in.Call(m, &Args{Pos: []Value{index, x}})
	default:
		in.raiseFor([]Value{v}, "TypeError", "'%s' object does not support item assignment", TypeName(v))
	}
}

// Int is a whole number, or one that a symbolic size stands for.
func (in *Interp) Int(v Value) (int64, bool) {
	if c, ok := v.(Counted); ok {
		return c.Count(in), true
	}
	return AsInt(v)
}

// AsInt is a whole number, where True is 1.
func AsInt(v Value) (int64, bool) {
	switch x := v.(type) {
	case int64:
		return x, true
	case bool:
		if x {
			return 1, true
		}
		return 0, true
	}
	return 0, false
}

// AsFloat is a number.
func AsFloat(v Value) (float64, bool) {
	if f, ok := v.(float64); ok {
		return f, true
	}
	n, ok := AsInt(v)
	return float64(n), ok
}

// Is reports whether two values are the same object, as far as Python's "is" is used.
func Is(a, b Value) bool {
	switch a.(type) {
	case nil, bool, int64, string, Symbol, python.Dots:
		return a == b
	case float64:
		return false
	}
	switch b.(type) {
	case nil, bool, int64, string, float64:
		return false
	}
	return a == b
}
