package interp

import (
	"cmp"
	"strings"
)

// Compare is a op b, a bool or an unknown.
func (in *Interp) Compare(op string, a, b Value) Value {
	a, b = in.named(a), in.named(b)
	in.weigh(a)
	in.weigh(b)
	switch op {
	case "is":
		return in.same(a, b)
	case "is not":
		return in.Unary("not", in.same(a, b))
	case "in", "not in":
		v := in.contains(b, a)
		if op == "not in" {
			return in.Unary("not", v)
		}
		return v
	}
	if o, ok := a.(Operand); ok {
		if v, done := o.Operate(in, op, b, false); done {
			return v
		}
	}
	if o, ok := b.(Operand); ok {
		if v, done := o.Operate(in, op, a, true); done {
			return v
		}
	}
	if u := firstUnknown(a, b); u != nil {
		return u
	}
	if v, ok := in.richly(op, a, b); ok {
		return v
	}
	switch op {
	case "==":
		return in.Equal(a, b)
	case "!=":
		return !in.Equal(a, b)
	}
	c := in.order(op, a, b)
	switch op {
	case "<":
		return c < 0
	case ">":
		return c > 0
	case "<=":
		return c <= 0
	}
	return c >= 0
}

// comparisons are the methods of the operators, and of those with the operands swapped.
var comparisons = map[string][2]string{"<": {"__lt__", "__gt__"}, ">": {"__gt__", "__lt__"}, "<=": {"__le__", "__ge__"}, ">=": {"__ge__", "__le__"},
	"!=": {"__ne__", "__ne__"}}

// richly compares by a method of the first operand's class, else by one of the second's.
func (in *Interp) richly(op string, a, b Value) (Value, bool) {
	for i, name := range comparisons[op] {
		x, other := a, b
		if i == 1 {
			x, other = b, a
		}
		if o, ok := x.(*Instance); ok {
			if m, ok := in.method(o, name); ok {
				return in.Call(m, &Args{Pos: []Value{other}}), true
			}
		}
	}
	return nil, false
}

func firstUnknown(values ...Value) *Unknown {
	for _, v := range values {
		if u, ok := v.(*Unknown); ok {
			return u
		}
	}
	return nil
}

func (in *Interp) same(a, b Value) Value {
	if u := firstUnknown(a, b); u != nil {
		return u
	}
	if x, ok := a.(string); ok {
		in.work(len(x)) // texts of one content are taken for one object
	}
	return Is(a, b)
}

// Equal is a == b for values that are known.
func (in *Interp) Equal(a, b Value) bool {
	in.step()
	in.nest("a comparison")
	defer in.unnest()
	if x, ok := AsFloat(a); ok {
		if y, ok := AsFloat(b); ok {
			return x == y
		}
		return false
	}
	switch x := a.(type) {
	case *List:
		y, ok := b.(*List)
		return ok && in.equalAll(x.Items, y.Items)
	case *Tuple:
		y, ok := b.(*Tuple)
		return ok && in.equalAll(x.Items, y.Items)
	case *Range:
		y, ok := b.(*Range)
		return ok && *x == *y
	case *Dict:
		y, ok := b.(*Dict)
		if !ok || x.Len() != y.Len() {
			return false
		}
		in.work(x.Len())
		in.hashAll(x)
		for i, k := range x.keys {
			if v, has := y.Get(k); !has || !in.Equal(x.vals[i], v) {
				return false
			}
		}
		return true
	case *Set:
		y, ok := b.(*Set)
		return ok && x.d.Len() == y.d.Len() && in.setOp("-", x, y).(*Set).d.Len() == 0
	case *Instance:
		if m, ok := in.method(x, "__eq__"); ok {
			return in.Truth(in.Call(m, &Args{Pos: []Value{b}}))
		}
	case *Bound:
		y, ok := b.(*Bound)
		return ok && x.Fn == y.Fn && x.Self == y.Self
	}
	switch b.(type) {
	case *List, *Tuple, *Dict, *Set:
		return false
	}
	if x, ok := a.(string); ok {
		in.work(len(x))
	}
	return a == b
}

func (in *Interp) equalAll(a, b []Value) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if u := firstUnknown(a[i], b[i]); u != nil {
			in.Fault("a comparison depends on a value that is not known: %s", u.reason())
		}
		if v := in.Compare("==", a[i], b[i]); !in.Truth(v) {
			return false
		}
	}
	return true
}

// order compares two values that have one.
func (in *Interp) order(op string, a, b Value) int {
	in.step()
	if x, ok := AsInt(a); ok {
		if y, ok := AsInt(b); ok {
			return cmp.Compare(x, y)
		}
	}
	if x, ok := AsFloat(a); ok {
		if y, ok := AsFloat(b); ok {
			return cmp.Compare(x, y)
		}
	}
	in.nest("a comparison")
	defer in.unnest()
	if x, ok := a.(string); ok {
		if y, ok := b.(string); ok {
			in.work(min(len(x), len(y)))
			return strings.Compare(x, y)
		}
	}
	x, xOK := items(a)
	y, yOK := items(b)
	if xOK && yOK {
		for i := range min(len(x), len(y)) {
			if c := in.order(op, x[i], y[i]); c != 0 {
				return c
			}
		}
		return cmp.Compare(len(x), len(y))
	}
	in.raiseFor([]Value{a, b}, "TypeError", "'%s' not supported between instances of '%s' and '%s'", op, TypeName(a), TypeName(b))
	return 0
}

func items(v Value) ([]Value, bool) {
	switch x := v.(type) {
	case *List:
		return x.Items, true
	case *Tuple:
		return x.Items, true
	}
	return nil, false
}

func (in *Interp) contains(c, v Value) Value {
	if u := firstUnknown(c, v); u != nil {
		return u
	}
	switch x := c.(type) {
	case string:
		s, ok := v.(string)
		if !ok {
			in.raiseFor([]Value{v}, "TypeError", "'in <string>' requires string as left operand")
		}
		in.work(len(x))
		return strings.Contains(x, s)
	case *Dict:
		in.hash(v)
		_, ok := x.Get(v)
		if !ok && in.register(v) {
			_, ok = x.Get(v)
		}
		return ok
	case *Set:
		in.hash(v)
		_, ok := x.d.Get(v)
		if !ok && in.register(v) {
			_, ok = x.d.Get(v)
		}
		return ok
	case *Range:
		n, ok := AsInt(v)
		return ok && x.Len() > 0 && (n-x.Start)%x.Step == 0 && (n-x.Start)/x.Step >= 0 && (n-x.Start)/x.Step < x.Len()
	case interface{ Contains(*Interp, Value) Value }:
		return x.Contains(in, v)
	case *Instance:
		if m, ok := in.method(x, "__contains__"); ok {
			return in.Call(m, &Args{Pos: []Value{v}})
		}
	}
	for _, item := range in.Iterate(c) {
		if Is(item, v) {
			return true
		}
		if u := firstUnknown(item); u != nil {
			return u
		}
		if eq := in.Compare("==", item, v); in.Truth(eq) {
			return true
		}
	}
	return false
}
