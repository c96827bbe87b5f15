package interp

import (
	"slices"
	"sort"
	"strings"
)

// containerMethod finds a method of a built-in container or string.
func (in *Interp) containerMethod(v Value, name string) (Value, bool) {
	var table map[string]func(*Interp, Value, *Args) Value
	switch v.(type) {
	case *List:
		table = listMethods
	case *Tuple:
		table = tupleMethods
	case *Dict:
		table = dictMethods
	case *Set:
		table = setMethods
	case string:
		table = textMethods
	case int64, float64, bool:
		table = numberMethods
	}
	if fn, ok := table[name]; ok {
		return &Builtin{Name: name, Fn: func(in *Interp, a *Args) Value { return in.charged(fn, v, a) }}, true
	}
	if strings.Contains(python3Methods[TypeName(v)], " "+name+" ") {
		return in.Unknown("the method %s of %s is not followed", name, TypeName(v)), true
	}
	return nil, false
}

// python3Methods are the methods that Python's types have and that are not followed: they are there, so that nothing concludes from
// their absence.
var python3Methods = map[string]string{
	"str": " center encode expandtabs format_map isidentifier isprintable istitle " +
		"ljust maketrans rjust swapcase title translate ",
	"dict":  " fromkeys ",
	"set":   " clear difference_update intersection_update isdisjoint issuperset pop remove symmetric_difference symmetric_difference_update ",
	"int":   " as_integer_ratio bit_count conjugate denominator from_bytes imag numerator real to_bytes ",
	"float": " as_integer_ratio conjugate fromhex hex imag real ",
	"bool":  " as_integer_ratio bit_count conjugate denominator imag numerator real ",
}

type method = func(*Interp, Value, *Args) Value

// charged calls a method, and charges what it goes over and what it gives. Those that give more than they were given charge that themselves.
func (in *Interp) charged(fn method, v Value, a *Args) Value {
	switch x := v.(type) {
	case string:
		in.work(len(x))
	case *List:
		in.work(len(x.Items)) // most of them copy it: others may go over the old one
	case *Tuple:
		in.work(len(x.Items))
	case *Dict:
		in.work(x.Len())
		in.hashKey(a)
	case *Set:
		in.work(x.d.Len())
		in.hashKey(a)
	}
	out := fn(in, v, a)
	switch made := out.(type) {
	case string:
		in.text(made)
	case *List:
		in.spend(int64(len(made.Items)))
	case *Dict:
		if made != v {
			in.spend(int64(made.Len()))
		}
	}
	return out
}

// hashKey charges the key that a method is given.
func (in *Interp) hashKey(a *Args) {
	if key, ok := a.Get("key", 0); ok {
		in.hash(key)
	}
}

func (in *Interp) one(a *Args, name string) Value {
	if len(a.Pos) < 1 {
		in.Doubt("TypeError", "%s() takes at least one argument", name)
	}
	return a.Pos[0]
}

var numberMethods map[string]method

func init() {
	numberMethods = map[string]method{
		"item":       func(_ *Interp, v Value, _ *Args) Value { return v },
		"astype":     castNumber,
		"tolist":     func(_ *Interp, v Value, _ *Args) Value { return v },
		"is_integer": func(_ *Interp, v Value, _ *Args) Value { f, _ := AsFloat(v); return f == float64(int64(f)) },
		"bit_length": func(_ *Interp, v Value, _ *Args) Value {
			n, _ := AsInt(v)
			bits := int64(0)
			for n = abs(n); n > 0; n >>= 1 {
				bits++
			}
			return bits
		},
	}
}

// castNumber is astype of a number that numpy gave.
func castNumber(in *Interp, v Value, a *Args) Value {
	name := strings.ToLower(TypeName(in.one(a, "astype")))
	switch x := a.Pos[0].(type) {
	case *Class:
		name = x.Name
	case *Builtin:
		name = x.Name
	case string:
		name = x
	}
	if strings.Contains(name, "int") || strings.Contains(name, "long") {
		return toInt(in, &Args{Pos: []Value{v}})
	}
	return toFloat(in, &Args{Pos: []Value{v}})
}

var listMethods map[string]method

func init() {
	listMethods = map[string]method{
		"append": func(in *Interp, v Value, a *Args) Value {
			in.spend(1)
			l := v.(*List)
			l.Items = append(l.Items, in.one(a, "append"))
			return nil
		},
		"extend": func(in *Interp, v Value, a *Args) Value {
			in.inPlace("+", v, in.one(a, "extend"))
			return nil
		},
		"insert": func(in *Interp, v Value, a *Args) Value {
			in.spend(1)
			l := v.(*List)
			if len(a.Pos) != 2 {
				in.Raise("TypeError", "insert expected 2 arguments")
			}
			lo, _, _ := in.Bounds(&Slice{Lo: a.Pos[0]}, int64(len(l.Items)))
			l.Items = slices.Insert(slices.Clone(l.Items), int(lo), a.Pos[1])
			return nil
		},
		"pop": func(in *Interp, v Value, a *Args) Value {
			l := v.(*List)
			at := Value(int64(-1))
			if len(a.Pos) > 0 {
				at = a.Pos[0]
			}
			i := in.position(at, len(l.Items), "pop from list:")
			x := l.Items[i]
			if n := len(l.Items) - 1; i == n {
				l.Items = l.Items[:n:n] // what is appended next goes elsewhere: others may go over this
				return x
			}
			l.Items = slices.Delete(slices.Clone(l.Items), i, i+1)
			return x
		},
		"copy":  func(in *Interp, v Value, _ *Args) Value { return NewList(in.Iterate(v)...) },
		"clear": func(_ *Interp, v Value, _ *Args) Value { v.(*List).Items = nil; return nil },
		"reverse": func(_ *Interp, v Value, _ *Args) Value {
			l := v.(*List)
			l.Items = slices.Clone(l.Items)
			slices.Reverse(l.Items)
			return nil
		},
		"sort": func(in *Interp, v Value, a *Args) Value {
			l := v.(*List)
			l.Items = in.sorted(l.Items, a)
			return nil
		},
		"remove": func(in *Interp, v Value, a *Args) Value {
			l := v.(*List)
			i := in.indexOf(l.Items, in.one(a, "remove"))
			l.Items = slices.Delete(slices.Clone(l.Items), i, i+1)
			return nil
		},
		"index": func(in *Interp, v Value, a *Args) Value { return tupleMethods["index"](in, v, a) },
		"count": func(in *Interp, v Value, a *Args) Value { return tupleMethods["count"](in, v, a) },
	}
}

func (in *Interp) indexOf(list []Value, v Value) int {
	for i, item := range list {
		if Is(item, v) || in.Truth(in.Compare("==", item, v)) {
			return i
		}
	}
	in.Doubt("ValueError", "%s is not in list", Repr(v))
	return 0
}

var tupleMethods map[string]method

func init() {
	tupleMethods = map[string]method{
		"index": func(in *Interp, v Value, a *Args) Value {
			list, _ := items(v)
			return int64(in.indexOf(list, in.one(a, "index")))
		},
		"count": func(in *Interp, v Value, a *Args) Value {
			n, list := int64(0), in.Iterate(v)
			for _, item := range list {
				if in.Truth(in.Compare("==", item, in.one(a, "count"))) {
					n++
				}
			}
			return n
		},
		"_asdict": func(_ *Interp, v Value, _ *Args) Value {
			d, t := NewDict(), v.(*Tuple)
			for i, f := range t.Fields {
				d.Set(f, t.Items[i])
			}
			return d
		},
		"_replace": func(in *Interp, v Value, a *Args) Value {
			t := v.(*Tuple)
			out := &Tuple{slices.Clone(t.Items), t.Class, t.Fields}
			for _, kw := range a.Kw {
				if i := slices.Index(t.Fields, kw.Name); i >= 0 {
					out.Items[i] = kw.Value
				}
			}
			return out
		},
		"numel": func(in *Interp, v Value, _ *Args) Value { // of torch.Size
			n := Value(int64(1))
			for _, x := range in.Iterate(v) {
				n = in.Binary("*", n, x)
			}
			return n
		},
	}
}

var dictMethods map[string]method

func init() {
	dictMethods = map[string]method{
		"keys":   func(_ *Interp, v Value, _ *Args) Value { return NewList(v.(*Dict).Keys()...) },
		"values": func(_ *Interp, v Value, _ *Args) Value { return NewList(v.(*Dict).Values()...) },
		"items": func(_ *Interp, v Value, _ *Args) Value {
			out, d := NewList(), v.(*Dict)
			for i, k := range d.keys {
				out.Items = append(out.Items, NewTuple(k, d.vals[i]))
			}
			return out
		},
		"get": func(in *Interp, v Value, a *Args) Value {
			b := a.Bind(in, "get", "key", "default")
			if got, ok := v.(*Dict).Get(b[0]); ok {
				return got
			}
			return Or(b[1], nil)
		},
		"pop": func(in *Interp, v Value, a *Args) Value {
			b := a.Bind(in, "pop", "key", "default")
			if got, ok := v.(*Dict).Delete(b[0]); ok {
				return got
			}
			if _, missing := b[1].(Missing); missing {
				in.noKey(v.(*Dict), b[0])
			}
			return b[1]
		},
		"setdefault": func(in *Interp, v Value, a *Args) Value {
			b := a.Bind(in, "setdefault", "key", "default")
			if got, ok := v.(*Dict).Get(b[0]); ok {
				return got
			}
			in.SetItem(v, b[0], Or(b[1], nil))
			return Or(b[1], nil)
		},
	}
}

func init() {
	for name, fn := range map[string]method{
		"update": func(in *Interp, v Value, a *Args) Value {
			for _, o := range a.Pos {
				in.update(v.(*Dict), o)
			}
			for _, kw := range a.Kw {
				in.SetItem(v, kw.Name, kw.Value)
			}
			return nil
		},
		"copy":  func(in *Interp, v Value, _ *Args) Value { in.hashAll(v.(*Dict)); return v.(*Dict).copy() },
		"clear": func(_ *Interp, v Value, _ *Args) Value { v.(*Dict).clear(); return nil },
		"popitem": func(in *Interp, v Value, _ *Args) Value {
			d := v.(*Dict)
			if d.Len() == 0 {
				in.Raise("KeyError", "popitem(): dictionary is empty")
			}
			k := d.keys[d.Len()-1]
			got, _ := d.Delete(k)
			return NewTuple(k, got)
		},
		"move_to_end": func(_ *Interp, v Value, a *Args) Value {
			d := v.(*Dict)
			if got, ok := d.Delete(a.Pos[0]); ok {
				d.Set(a.Pos[0], got)
			}
			return nil
		},
	} {
		dictMethods[name] = fn
	}
}

var setMethods map[string]method

func init() {
	setMethods = map[string]method{
		"add": func(in *Interp, v Value, a *Args) Value {
			in.spend(1)
			v.(*Set).d.Set(in.one(a, "add"), true)
			return nil
		},
		"update": func(in *Interp, v Value, a *Args) Value {
			for _, x := range in.Iterate(in.one(a, "update")) {
				in.spend(1)
				in.hash(x)
				v.(*Set).d.Set(x, true)
			}
			return nil
		},
		"discard": func(in *Interp, v Value, a *Args) Value { v.(*Set).d.Delete(in.one(a, "discard")); return nil },
		"union": func(in *Interp, v Value, a *Args) Value {
			return in.setOp("|", v.(*Set), in.newSet(in.Iterate(in.one(a, "union"))))
		},
		"intersection": func(in *Interp, v Value, a *Args) Value {
			return in.setOp("&", v.(*Set), in.newSet(in.Iterate(in.one(a, "intersection"))))
		},
		"difference": func(in *Interp, v Value, a *Args) Value {
			return in.setOp("-", v.(*Set), in.newSet(in.Iterate(in.one(a, "difference"))))
		},
		"issubset": func(in *Interp, v Value, a *Args) Value {
			return in.setOp("-", v.(*Set), in.newSet(in.Iterate(in.one(a, "issubset")))).(*Set).d.Len() == 0
		},
		"copy": func(in *Interp, v Value, _ *Args) Value { return in.newSet(v.(*Set).d.Keys()) },
	}
}

// sorted is sorted(…, key=, reverse=).
func (in *Interp) sorted(list []Value, a *Args) []Value {
	type pair struct{ key, value Value }
	keyFn, _ := a.Get("key", -1)
	in.spend(int64(len(list)))
	pairs := make([]pair, len(list))
	for i, v := range list {
		pairs[i] = pair{v, v}
		if keyFn != nil {
			pairs[i].key = in.Call(keyFn, &Args{Pos: []Value{v}})
		}
		if u := firstUnknown(pairs[i].key); u != nil {
			in.Fault("a list is sorted by what is not known: %s", u.reason())
		}
	}
	reverse := false
	if r, ok := a.Get("reverse", -1); ok {
		reverse = in.Truth(r)
	}
	sort.SliceStable(pairs, func(i, j int) bool {
		if reverse {
			return in.order("<", pairs[j].key, pairs[i].key) < 0
		}
		return in.order("<", pairs[i].key, pairs[j].key) < 0
	})
	out := make([]Value, len(pairs))
	for i := range pairs {
		out[i] = pairs[i].value
	}
	return out
}
