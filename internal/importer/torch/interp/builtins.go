package interp

import (
	"math"
	"strconv"
	"unicode"

	"github.com/modelverifier/verifier/internal/importer/torch/python"
)

var exceptions = [][2]string{
	{"BaseException", ""}, {"Exception", "BaseException"}, {"ArithmeticError", "Exception"}, {"ZeroDivisionError", "ArithmeticError"},
	{"OverflowError", "ArithmeticError"}, {"AssertionError", "Exception"}, {"AttributeError", "Exception"}, {"ImportError", "Exception"},
	{"ModuleNotFoundError", "ImportError"}, {"LookupError", "Exception"}, {"IndexError", "LookupError"}, {"KeyError", "LookupError"},
	{"NameError", "Exception"}, {"OSError", "Exception"}, {"FileNotFoundError", "OSError"}, {"RuntimeError", "Exception"},
	{"NotImplementedError", "RuntimeError"}, {"StopIteration", "Exception"}, {"TypeError", "Exception"}, {"ValueError", "Exception"},
	{"Warning", "Exception"}, {"UserWarning", "Warning"}, {"DeprecationWarning", "Warning"}, {"FutureWarning", "Warning"},
	{"KeyboardInterrupt", "BaseException"}, {"EnvironmentError", "Exception"}, {"RuntimeWarning", "Warning"}, {"RecursionError", "RuntimeError"},
}

func builtinNames() map[string]Value {
	out := map[string]Value{
		"object": objectClass, "int": intClass, "bool": boolClass, "float": floatClass, "str": strClass, "list": listClass,
		"tuple": tupleClass, "set": setClass, "frozenset": frozenSetClass, "dict": dictClass, "type": typeClass, "range": rangeClass,
		"slice": sliceClass, "NotImplemented": Symbol{"NotImplemented"}, "Ellipsis": python.Dots{}, "__name__": "model", "__debug__": true,
		"bytes": Symbol{"bytes"}, "complex": Symbol{"complex"}, "bytearray": Symbol{"bytearray"}, "memoryview": Symbol{"memoryview"},
	}
	for _, e := range exceptions {
		c := NewClass(e[0])
		if e[1] != "" {
			c = NewClass(e[0], out[e[1]].(*Class))
		} else {
			c.Method("__init__", func(_ *Interp, a *Args) Value {
				a.Pos[0].(*Instance).Set("args", NewTuple(a.Pos[1:]...))
				return nil
			})
		}
		out[e[0]] = c
	}
	for name, fn := range functions {
		out[name] = &Builtin{Name: name, Fn: fn}
	}
	return out
}

// Function returns a built-in function or type by its name.
func (in *Interp) Function(name string) Value { return in.builtins[name] }

var functions map[string]func(*Interp, *Args) Value

func init() {
	functions = map[string]func(*Interp, *Args) Value{
		"len":   func(in *Interp, a *Args) Value { return in.Len(in.one(a, "len")) },
		"print": func(*Interp, *Args) Value { return nil },
		"repr":  func(in *Interp, a *Args) Value { return in.repr(in.one(a, "repr")) },
		"id":    func(in *Interp, a *Args) Value { return in.Unknown("id() is not the same from run to run") },
		"hash":  func(in *Interp, a *Args) Value { return in.Unknown("hash() is not the same from run to run") },
		"isinstance": func(in *Interp, a *Args) Value {
			b := a.Bind(in, "isinstance", "object", "class")
			return in.isInstance(b[0], b[1])
		},
		"issubclass": func(in *Interp, a *Args) Value {
			b := a.Bind(in, "issubclass", "class", "of")
			c, ok := b[0].(*Class)
			d, ok2 := b[1].(*Class)
			if !ok || !ok2 {
				return in.Unknown("issubclass of a %s is not followed", TypeName(b[0]))
			}
			return c.Is(d)
		},
		"callable":  func(in *Interp, a *Args) Value { return callable(in.one(a, "callable")) },
		"hasattr":   hasAttr,
		"getattr":   getAttr,
		"setattr":   setAttr,
		"delattr":   func(in *Interp, a *Args) Value { in.delAttr(a.Pos[0], in.name(a.Pos[1])); return nil },
		"enumerate": enumerate,
		"zip":       zip,
		"map":       mapped,
		"filter":    filter,
		"reversed":  reversed,
		"sorted":    func(in *Interp, a *Args) Value { return NewList(in.sorted(in.Iterate(in.one(a, "sorted")), a)...) },
	}
}

func init() {
	for name, fn := range map[string]func(*Interp, *Args) Value{
		"sum":   sum,
		"min":   func(in *Interp, a *Args) Value { return in.extreme("<", a) },
		"max":   func(in *Interp, a *Args) Value { return in.extreme(">", a) },
		"abs":   absolute,
		"round": round,
		"pow":   func(in *Interp, a *Args) Value { return in.Binary("**", a.Pos[0], a.Pos[1]) },
		"divmod": func(in *Interp, a *Args) Value {
			return NewTuple(in.Binary("//", a.Pos[0], a.Pos[1]), in.Binary("%", a.Pos[0], a.Pos[1]))
		},
		"any":  func(in *Interp, a *Args) Value { return in.anyOf(a, true) },
		"all":  func(in *Interp, a *Args) Value { return in.anyOf(a, false) },
		"iter": func(in *Interp, a *Args) Value { return &Iterator{items: in.Iterate(in.one(a, "iter"))} },
		"next": next,
		"vars": func(in *Interp, a *Args) Value {
			if m, ok := in.one(a, "vars").(*Module); ok {
				return &namespace{m}
			}
			return in.Attr(a.Pos[0], "__dict__")
		},
		"property":     func(in *Interp, a *Args) Value { return &Property{Get: in.one(a, "property")} },
		"staticmethod": func(in *Interp, a *Args) Value { return &StaticMethod{in.one(a, "staticmethod")} },
		"classmethod":  func(in *Interp, a *Args) Value { return &ClassMethod{in.one(a, "classmethod")} },
		"globals":      func(in *Interp, a *Args) Value { return in.globals() },
		"eval":         func(in *Interp, a *Args) Value { return in.evalText(a) },
		"chr":          character,
		"ord":          func(in *Interp, a *Args) Value { return int64([]rune(clip(Str(in.one(a, "ord"))) + " ")[0]) },
		"bin": func(in *Interp, a *Args) Value {
			n, _ := AsInt(in.one(a, "bin"))
			return "0b" + strconv.FormatInt(n, 2)
		},
		"input":  func(in *Interp, a *Args) Value { return in.Unknown("input() reads what a user types") },
		"exec":   func(in *Interp, a *Args) Value { in.Fault("exec() is not followed"); return nil },
		"format": func(in *Interp, a *Args) Value { return in.str(in.one(a, "format")) },
	} {
		functions[name] = fn
	}
}

func hasAttr(in *Interp, a *Args) Value {
	b := a.Bind(in, "hasattr", "object", "name")
	if u := firstUnknown(b...); u != nil {
		return u
	}
	_, found, u := in.tryAttr(b[0], in.name(b[1]))
	if u != nil {
		return u
	}
	return found
}

func getAttr(in *Interp, a *Args) Value {
	b := a.Bind(in, "getattr", "object", "name", "default")
	if u := firstUnknown(b[:2]...); u != nil {
		return u
	}
	if _, missing := b[2].(Missing); missing {
		return in.Attr(b[0], in.name(b[1]))
	}
	got, found, u := in.tryAttr(b[0], in.name(b[1]))
	switch {
	case u != nil:
		return u
	case !found:
		return b[2]
	}
	return got
}

func setAttr(in *Interp, a *Args) Value {
	b := a.Bind(in, "setattr", "object", "name", "value")
	name, ok := b[1].(string)
	if !ok {
		in.Fault("setattr with a name that is not known")
	}
	in.SetAttr(b[0], in.name(name), b[2])
	return nil
}

func enumerate(in *Interp, a *Args) Value {
	b := a.Bind(in, "enumerate", "iterable", "start")
	start, _ := AsInt(Or(b[1], int64(0)))
	items := in.Iterate(b[0])
	out := make([]Value, len(items))
	in.spend(int64(len(items)))
	for i, v := range items {
		out[i] = NewTuple(start+int64(i), v)
	}
	return &Iterator{items: out}
}

func zip(in *Interp, a *Args) Value {
	var lists [][]Value
	n := math.MaxInt
	for _, v := range a.Pos {
		items := in.Iterate(v)
		lists = append(lists, items)
		n = min(n, len(items))
	}
	if len(lists) == 0 {
		return &Iterator{}
	}
	in.spend(int64(n * len(lists)))
	out := make([]Value, n)
	for i := range n {
		t := &Tuple{}
		for _, l := range lists {
			t.Items = append(t.Items, l[i])
		}
		out[i] = t
	}
	return &Iterator{items: out}
}

func mapped(in *Interp, a *Args) Value {
	rows := zip(in, &Args{Pos: a.Pos[1:]}).(*Iterator)
	in.spend(int64(len(rows.items)))
	out := make([]Value, len(rows.items))
	for i, row := range rows.items {
		out[i] = in.Call(a.Pos[0], &Args{Pos: row.(*Tuple).Items})
	}
	return &Iterator{items: out}
}

func filter(in *Interp, a *Args) Value {
	b := a.Bind(in, "filter", "function", "iterable")
	var out []Value
	for _, v := range in.Iterate(b[1]) {
		in.spend(1)
		test := v
		if b[0] != nil {
			test = in.Call(b[0], &Args{Pos: []Value{v}})
		}
		if in.Truth(test) {
			out = append(out, v)
		}
	}
	return &Iterator{items: out}
}

func reversed(in *Interp, a *Args) Value {
	items := in.Iterate(in.one(a, "reversed"))
	in.spend(int64(len(items)))
	out := make([]Value, len(items))
	for i, v := range items {
		out[len(items)-1-i] = v
	}
	return &Iterator{items: out}
}

func sum(in *Interp, a *Args) Value {
	b := a.Bind(in, "sum", "iterable", "start")
	if u := firstUnknown(b[0]); u != nil {
		return u
	}
	total := Or(b[1], int64(0))
	for _, v := range in.Iterate(b[0]) {
		in.step()
		total = in.Binary("+", total, v)
	}
	return total
}

func (in *Interp) extreme(op string, a *Args) Value {
	list := a.Pos
	if len(list) == 1 {
		if u := firstUnknown(list[0]); u != nil {
			return u
		}
		list = in.Iterate(list[0])
	}
	if len(list) == 0 {
		if d, ok := a.Get("default", -1); ok {
			return d
		}
		in.Raise("ValueError", "min() or max() of nothing")
	}
	keyFn, _ := a.Get("key", -1)
	of := func(v Value) Value {
		if keyFn == nil {
			return v
		}
		return in.Call(keyFn, &Args{Pos: []Value{v}})
	}
	best, bestKey := list[0], of(list[0])
	for _, v := range list[1:] {
		in.step()
		k := of(v)
		r := in.Compare(op, k, bestKey)
		if u := firstUnknown(r); u != nil {
			return u
		}
		if in.Truth(r) {
			best, bestKey = v, k
		}
	}
	return best
}

func absolute(in *Interp, a *Args) Value {
	switch x := in.one(a, "abs").(type) {
	case float64:
		return math.Abs(x)
	case *Unknown:
		return x
	case Operand:
		return in.Call(in.Attr(x, "abs"), &Args{})
	}
	n, ok := AsInt(a.Pos[0])
	if !ok {
		in.Doubt("TypeError", "bad operand type for abs(): '%s'", TypeName(a.Pos[0]))
	}
	return abs(n)
}

func round(in *Interp, a *Args) Value {
	b := a.Bind(in, "round", "number", "ndigits")
	if u := firstUnknown(b[0]); u != nil {
		return u
	}
	f, ok := AsFloat(b[0])
	if !ok {
		return in.Unknown("round() of a %s", TypeName(b[0]))
	}
	if digits, ok := AsInt(b[1]); ok && digits != 0 {
		scale := math.Pow(10, float64(digits))
		return math.RoundToEven(f*scale) / scale
	}
	if _, isInt := AsInt(b[0]); isInt {
		return b[0]
	}
	return int64(math.RoundToEven(f))
}

// anyOf is any() where want is true, and all() where it is false.
func (in *Interp) anyOf(a *Args, want bool) Value {
	if u := firstUnknown(in.one(a, "any")); u != nil {
		return u
	}
	var unknown *Unknown
	for _, v := range in.Iterate(a.Pos[0]) {
		in.step()
		if u := firstUnknown(v); u != nil {
			unknown = u
			continue
		}
		if in.Truth(v) == want {
			return want
		}
	}
	if unknown != nil {
		return unknown
	}
	return !want
}

func next(in *Interp, a *Args) Value {
	b := a.Bind(in, "next", "iterator", "default")
	it, ok := b[0].(*Iterator)
	if !ok {
		if u := firstUnknown(b[0]); u != nil {
			return u
		}
		if x, isInstance := b[0].(*Instance); isInstance {
			if m, has := in.method(x, "__next__"); has {
				return in.Call(m, &Args{})
			}
		}
		in.raiseFor(b[:1], "TypeError", "'%s' object is not an iterator", TypeName(b[0]))
	}
	if it.at < len(it.items) {
		it.at++
		return it.items[it.at-1]
	}
	if _, missing := b[1].(Missing); missing {
		in.Doubt("StopIteration", "")
	}
	return b[1]
}

// character is chr, whose range ends where Unicode's does.
func character(in *Interp, a *Args) Value {
	n, _ := AsInt(in.one(a, "chr"))
	if n < 0 || n > unicode.MaxRune {
		in.Raise("ValueError", "chr() arg not in range(0x110000)")
	}
	return string(rune(n))
}
