package interp

import (
	"math"
	"strconv"
	"strings"
)

// The built-in types, as classes. They are made in init, since what they do leads back to them.
var objectClass, intClass, boolClass, floatClass, strClass, listClass, tupleClass, setClass, frozenSetClass, dictClass, noneClass, functionClass, typeClass, moduleClass, rangeClass, sliceClass *Class

func init() {
	objectClass = NewClass("object")
	intClass = newType("int", toInt)
	boolClass = newType("bool", func(in *Interp, a *Args) Value {
		if len(a.Pos) == 0 {
			return false
		}
		if u, ok := a.Pos[0].(*Unknown); ok {
			return u
		}
		return in.Truth(a.Pos[0])
	}, intClass)
	floatClass = newType("float", toFloat)
	strClass = newType("str", func(in *Interp, a *Args) Value {
		if len(a.Pos) == 0 {
			return ""
		}
		if u, ok := a.Pos[0].(*Unknown); ok {
			return u
		}
		return in.str(a.Pos[0])
	})
	listClass = newType("list", func(in *Interp, a *Args) Value { return NewList(in.optionalItems(a)...) })
	tupleClass = newType("tuple", func(in *Interp, a *Args) Value { return NewTuple(in.optionalItems(a)...) })
	setClass = newType("set", func(in *Interp, a *Args) Value { return in.newSet(in.optionalItems(a)) })
	frozenSetClass = newType("frozenset", func(in *Interp, a *Args) Value { return in.newSet(in.optionalItems(a)) })
	dictClass = newType("dict", func(in *Interp, a *Args) Value {
		d := NewDict()
		dictMethods["update"](in, d, a)
		return d
	})
	noneClass = NewClass("NoneType")
	functionClass = NewClass("function")
	moduleClass = NewClass("module")
	rangeClass = newType("range", toRange)
	sliceClass = newType("slice", func(in *Interp, a *Args) Value {
		b := a.Bind(in, "slice", "a", "b", "c")
		if len(a.Pos) == 1 {
			return &Slice{Hi: b[0]}
		}
		return &Slice{Or(b[0], nil), Or(b[1], nil), Or(b[2], nil)}
	})
}

func init() {
	typeClass = newType("type", func(in *Interp, a *Args) Value {
		if len(a.Pos) != 1 {
			in.Fault("type() makes a class, which is not followed")
		}
		return in.TypeOf(a.Pos[0])
	})
	share(objectClass, intClass, boolClass, floatClass, strClass, listClass, tupleClass, setClass, frozenSetClass, dictClass, noneClass,
		functionClass, typeClass, moduleClass, rangeClass, sliceClass)
}

// IntClass is the class of whole numbers.
func IntClass() *Class { return intClass }

// newType makes a class whose call gives a built-in value.
func newType(name string, make func(*Interp, *Args) Value, bases ...*Class) *Class {
	c := NewClass(name, bases...)
	c.SetOwn("__new__", &Builtin{Name: name, Fn: func(in *Interp, a *Args) Value { return make(in, &Args{a.Pos[1:], a.Kw}) }})
	return c
}

func (in *Interp) optionalItems(a *Args) []Value {
	if len(a.Pos) == 0 {
		return nil
	}
	items := in.Iterate(a.Pos[0])
	in.spend(int64(len(items)))
	return append([]Value(nil), items...)
}

// TypeOf is type(v).
func (in *Interp) TypeOf(v Value) Value {
	switch x := v.(type) {
	case nil:
		return noneClass
	case bool:
		return boolClass
	case int64:
		return intClass
	case float64:
		return floatClass
	case string:
		return strClass
	case *List:
		return listClass
	case *Tuple:
		if x.Class != nil {
			return x.Class
		}
		return tupleClass
	case *Dict:
		return dictClass
	case *Set:
		return setClass
	case *Range:
		return rangeClass
	case *Slice:
		return sliceClass
	case *Func, *Builtin, *Bound:
		return functionClass
	case *Class:
		return typeClass
	case *Module:
		return moduleClass
	case *Instance:
		return x.Class
	case interface{ ClassOf() *Class }:
		return x.ClassOf()
	case *Unknown:
		return x
	}
	return in.Unknown("the type of a %s is not known", TypeName(v))
}

func toInt(in *Interp, a *Args) Value {
	if len(a.Pos) == 0 {
		return int64(0)
	}
	switch x := a.Pos[0].(type) {
	case float64:
		if math.IsNaN(x) || math.Abs(x) >= 1<<62 {
			return in.Unknown("a number does not fit in 64 bits")
		}
		return int64(x)
	case string:
		in.work(len(x))
		n, err := strconv.ParseInt(strings.TrimSpace(x), 10, 64)
		if err != nil {
			in.Raise("ValueError", "invalid literal for int() with base 10: %s", Repr(x))
		}
		return n
	case interface{ ToNumber(*Interp) Value }:
		return toInt(in, &Args{Pos: []Value{x.ToNumber(in)}})
	case Operand, *Unknown: // a symbolic number stays one
		return x
	}
	if n, ok := AsInt(a.Pos[0]); ok {
		return n
	}
	in.raiseFor(a.Pos[:1], "TypeError", "int() argument must be a string or a number, not '%s'", TypeName(a.Pos[0]))
	return nil
}

func toFloat(in *Interp, a *Args) Value {
	if len(a.Pos) == 0 {
		return 0.0
	}
	switch x := a.Pos[0].(type) {
	case string:
		in.work(len(x))
		f, err := strconv.ParseFloat(strings.ToLower(strings.TrimSpace(x)), 64)
		if err != nil && !math.IsInf(f, 0) {
			in.Raise("ValueError", "could not convert string to float: %s", Repr(x))
		}
		return f
	case interface{ ToNumber(*Interp) Value }:
		return toFloat(in, &Args{Pos: []Value{x.ToNumber(in)}})
	case Operand, *Unknown:
		return x
	}
	if f, ok := AsFloat(a.Pos[0]); ok {
		return f
	}
	in.raiseFor(a.Pos[:1], "TypeError", "float() argument must be a string or a number, not '%s'", TypeName(a.Pos[0]))
	return nil
}

func toRange(in *Interp, a *Args) Value {
	n := make([]int64, 0, 3)
	for _, v := range a.Pos {
		i, ok := in.Int(v)
		if !ok {
			if u, unknown := v.(*Unknown); unknown {
				return u
			}
			if _, operand := v.(Operand); operand {
				return in.Unknown("a range ends at a %s, whose value is not known", TypeName(v))
			}
			if lacksMethods(v, "__index__") {
				in.Raise("TypeError", "'%s' object cannot be interpreted as an integer", TypeName(v))
			}
			in.raiseFor([]Value{v}, "TypeError", "'%s' object cannot be interpreted as an integer", TypeName(v))
		}
		n = append(n, i)
	}
	switch len(n) {
	case 1:
		return &Range{0, n[0], 1}
	case 2:
		return &Range{n[0], n[1], 1}
	case 3:
		if n[2] == 0 {
			in.Raise("ValueError", "range() arg 3 must not be zero")
		}
		return &Range{n[0], n[1], n[2]}
	}
	in.Raise("TypeError", "range expected 1 to 3 arguments, got %d", len(n))
	return nil
}

// abstract are the names of typing and collections.abc that isinstance may meet.
var abstract = map[string]func(Value) bool{
	"Sequence": func(v Value) bool { _, ok := items(v); _, text := v.(string); return ok || text },
	"Iterable": func(v Value) bool {
		switch v.(type) {
		case *List, *Tuple, *Dict, *Set, *Range, string, *Iterator, Iterable:
			return true
		}
		return false
	},
	"Mapping":  func(v Value) bool { _, ok := v.(*Dict); return ok },
	"Callable": callable,
	"Number":   func(v Value) bool { _, ok := AsFloat(v); return ok },
	"Integral": func(v Value) bool { _, ok := AsInt(v); return ok },
	"Real":     func(v Value) bool { _, ok := AsFloat(v); return ok },
	"List":     func(v Value) bool { _, ok := v.(*List); return ok },
	"Tuple":    func(v Value) bool { _, ok := v.(*Tuple); return ok },
	"Dict":     func(v Value) bool { _, ok := v.(*Dict); return ok },
}

// plainABC reports whether it is certain which of Python's own containers and numbers are of an abstract class.
func plainABC(full, name string, v Value) bool {
	if full != "collections.abc."+name && full != "typing."+name || name != "Iterable" && name != "Sequence" && name != "Mapping" {
		return false
	}
	switch x := v.(type) {
	case nil, bool, int64, float64, string, *List, *Dict:
		return true
	case *Tuple:
		return x.Class == nil
	}
	return false
}

func callable(v Value) bool {
	switch x := v.(type) {
	case *Func, *Bound, *Builtin, *Class, Callable:
		return true
	case *Instance:
		_, ok := x.Class.Lookup("__call__")
		return ok
	}
	return false
}

// isInstance is isinstance(v, class).
func (in *Interp) isInstance(v, class Value) Value {
	in.step()
	in.nest("a tuple of classes")
	defer in.unnest()
	if u := firstUnknown(v); u != nil {
		return u
	}
	switch c := class.(type) {
	case *Class:
		if c == objectClass {
			return true
		}
		t, ok := in.TypeOf(v).(*Class)
		if _, symbol := v.(Symbol); symbol || !ok {
			in.Guess("the type of a %s is not known", TypeName(v))
		}
		return ok && (t.Is(c) || c == tupleClass && isTuple(v))
	case *Tuple:
		var unknown *Unknown
		for _, item := range c.Items {
			switch r := in.isInstance(v, item).(type) {
			case bool:
				if r {
					return true
				}
			case *Unknown:
				unknown = r
			}
		}
		if unknown != nil {
			return unknown
		}
		return false
	case Symbol:
		name := c.Name[strings.LastIndexByte(c.Name, '.')+1:]
		if !plainABC(c.Name, name, v) {
			in.Guess("whether a %s is a %s is not known", TypeName(v), c.Name)
		}
		if test, ok := abstract[name]; ok {
			return test(v)
		}
		return false
	case *Builtin:
		if c.Name == "partial" { // functools.partial is a class
			_, is := v.(*Partial)
			return is
		}
	case *Unknown:
		switch v.(type) { // what is not known cannot be a number, a string or a container
		case nil, bool, int64, float64, string, *List, *Tuple, *Dict:
			return false
		}
		return c
	}
	if noType(class) {
		in.Raise("TypeError", "isinstance() arg 2 must be a type, a tuple of types, or a union, not %s", TypeName(class))
	}
	return in.Unknown("isinstance of a %s is not followed", TypeName(class))
}

func isTuple(v Value) bool { _, ok := v.(*Tuple); return ok }
