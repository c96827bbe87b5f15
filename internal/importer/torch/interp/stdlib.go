package interp

import (
	"math"
	"strings"
)

// standard are the packages of Python's library that models import: they are always there. Those that are not in libraries below
// have no members that are known.
var standard = map[string]bool{}

func init() {
	for _, n := range strings.Fields(`abc argparse ast asyncio base64 bisect builtins collections concurrent configparser contextlib copy csv
		dataclasses datetime decimal enum errno fractions functools gc getpass glob gzip hashlib heapq importlib inspect io itertools json
		logging math multiprocessing numbers operator os pathlib pickle pkgutil platform pprint queue random re shutil signal socket string
		struct subprocess sys tempfile textwrap threading time timeit traceback types typing typing_extensions unittest urllib uuid warnings
		weakref zipfile __future__`) {
		standard[n] = true
	}
}

// Native makes a native module of functions and values.
func Native(name string, attrs map[string]Value) *Module {
	m := &Module{Name: name, Attrs: map[string]Value{}}
	for k, v := range attrs {
		m.Attrs[k] = v
	}
	return m
}

// Fn makes a native function.
func Fn(name string, fn func(*Interp, *Args) Value) *Builtin { return &Builtin{Name: name, Fn: fn} }

// symbols is a module of which only names are known.
func symbols(name string, attrs map[string]Value) *Module {
	m := Native(name, attrs)
	m.Lookup = func(n string) (Value, bool) {
		return Symbol{name + "." + n}, !strings.HasPrefix(n, "__") && len(n) <= maxSaid
	}
	return m
}

// quiet is a module whose functions do nothing that matters.
func quiet(name string) *Module { return symbols(name, nil) }

// Libraries registers what is known of Python's standard library.
func (in *Interp) Libraries() {
	in.Quiet = append(in.Quiet, "typing.", "collections.", "contextlib.", "contextmanager", "warnings.", "logging.", "numbers.", "types.", "auto", "Generic",
		"bytes", "bytearray", "memoryview", "complex", "Counter", "ChainMap", "__future__.")
	add := func(m *Module) { in.Natives[m.Name] = m }
	add(Native("math", mathNames()))
	add(Native("functools", functoolsNames()))
	add(Native("itertools", itertoolsNames()))
	add(Native("operator", operatorNames()))
	add(Native("collections", collectionsNames()))
	add(symbols("collections.abc", nil))
	add(symbols("typing", map[string]Value{"TYPE_CHECKING": false, "NamedTuple": namedTupleClass, "OrderedDict": dictClass, "Generic": Symbol{"Generic"},
		"cast": Fn("cast", func(in *Interp, a *Args) Value { return a.Pos[1] })}))
	in.Natives["typing_extensions"] = in.Natives["typing"]
	add(Native("dataclasses", dataclassNames()))
	add(Native("enum", enumNames()))
	add(Native("copy", map[string]Value{
		"copy":     Fn("copy", func(in *Interp, a *Args) Value { return in.shallow(in.one(a, "copy")) }),
		"deepcopy": Fn("deepcopy", func(in *Interp, a *Args) Value { return in.DeepCopy(in.one(a, "deepcopy"), map[any]Value{}) }),
	}))
	add(Native("abc", map[string]Value{"ABC": NewClass("ABC"), "ABCMeta": Symbol{"ABCMeta"}, "abstractmethod": Fn("abstractmethod", identity),
		"abstractproperty": Fn("abstractproperty", functions["property"])}))
	add(symbols("contextlib", map[string]Value{"contextmanager": Fn("contextmanager", func(in *Interp, a *Args) Value { return Symbol{"contextmanager"} })}))
	add(Native("inspect", inspectNames()))
	add(symbols("types", map[string]Value{"SimpleNamespace": simpleNamespace}))
	add(local(Native("os", map[string]Value{"path": quiet("os.path"), "environ": NewDict(), "getenv": Fn("getenv", func(in *Interp, a *Args) Value {
		b := a.Bind(in, "getenv", "key", "default")
		return Or(b[1], nil)
	})}), "environ", "getenv"))
	in.Natives["os.path"] = quiet("os.path")
	add(local(Native("sys", map[string]Value{"version_info": NewTuple(int64(3), int64(11), int64(0)), "maxsize": int64(math.MaxInt64),
		"argv": NewList(), "platform": "linux"}), "version_info", "argv", "platform"))
	add(Native("random", nil))
	for _, n := range []string{"warnings", "logging", "numbers", "__future__"} {
		add(quiet(n))
	}
	in.system()
}

func identity(in *Interp, a *Args) Value { return in.one(a, "decorator") }

func mathNames() map[string]Value {
	out := map[string]Value{"pi": math.Pi, "e": math.E, "inf": math.Inf(1), "tau": 2 * math.Pi, "nan": math.NaN()}
	for name, f := range map[string]func(float64) float64{
		"sqrt": math.Sqrt, "exp": math.Exp, "sin": math.Sin, "cos": math.Cos, "tan": math.Tan, "tanh": math.Tanh, "log2": math.Log2,
		"log10": math.Log10, "fabs": math.Abs, "erf": math.Erf, "atan": math.Atan, "log1p": math.Log1p, "radians": func(x float64) float64 { return x * math.Pi / 180 },
	} {
		out[name] = Fn(name, func(in *Interp, a *Args) Value { return in.number(in.one(a, name), f) })
	}
	for name, f := range map[string]func(float64) float64{"ceil": math.Ceil, "floor": math.Floor, "trunc": math.Trunc} {
		out[name] = Fn(name, func(in *Interp, a *Args) Value {
			if n, ok := AsInt(in.one(a, name)); ok {
				return n
			}
			if u, ok := a.Pos[0].(Operand); ok { // a symbolic size stays one
				return u
			}
			return toInt(in, &Args{Pos: []Value{in.number(a.Pos[0], f)}})
		})
	}
	out["log"] = Fn("log", func(in *Interp, a *Args) Value {
		v := in.number(in.one(a, "log"), math.Log)
		if len(a.Pos) == 2 {
			return in.Binary("/", v, in.number(a.Pos[1], math.Log))
		}
		return v
	})
	out["pow"] = Fn("pow", func(in *Interp, a *Args) Value {
		return in.Binary("**", toFloat(in, &Args{Pos: a.Pos[:1]}), a.Pos[1])
	})
	out["prod"] = Fn("prod", func(in *Interp, a *Args) Value {
		n := Value(int64(1))
		for _, v := range in.Iterate(in.one(a, "prod")) {
			in.step()
			n = in.Binary("*", n, v)
		}
		return n
	})
	out["gcd"] = Fn("gcd", func(in *Interp, a *Args) Value {
		x, _ := AsInt(a.Pos[0])
		y, _ := AsInt(a.Pos[1])
		for y != 0 {
			x, y = y, x%y
		}
		return abs(x)
	})
	out["isnan"] = Fn("isnan", func(in *Interp, a *Args) Value { f, _ := AsFloat(a.Pos[0]); return math.IsNaN(f) })
	return out
}

func (in *Interp) number(v Value, f func(float64) float64) Value {
	switch x := v.(type) {
	case *Unknown:
		return x
	case interface{ ToNumber(*Interp) Value }:
		v = x.ToNumber(in)
	case Counted:
		v = x.Count(in)
	}
	x, ok := AsFloat(v)
	if !ok {
		return in.Unknown("a function of math is given a %s", TypeName(v))
	}
	r := f(x)
	if math.IsNaN(r) && !math.IsNaN(x) {
		in.Raise("ValueError", "math domain error")
	}
	return r
}

func functoolsNames() map[string]Value {
	cache := Fn("lru_cache", func(in *Interp, a *Args) Value {
		if len(a.Pos) == 1 && callable(a.Pos[0]) {
			return a.Pos[0]
		}
		return Fn("cache", identity)
	})
	return map[string]Value{
		"partial": Fn("partial", func(in *Interp, a *Args) Value {
			fn, bound := in.one(a, "partial"), a
			return &Partial{fn, bound}
		}),
		"wraps":           Fn("wraps", wraps),
		"lru_cache":       cache,
		"cache":           Fn("cache", identity),
		"total_ordering":  Fn("total_ordering", identity),
		"cached_property": Fn("cached_property", functions["property"]),
		"singledispatch":  Fn("singledispatch", identity),
		"update_wrapper":  Fn("update_wrapper", identity),
		"reduce": Fn("reduce", func(in *Interp, a *Args) Value {
			items := in.Iterate(a.Pos[1])
			if len(a.Pos) > 2 {
				items = append([]Value{a.Pos[2]}, items...)
			}
			if len(items) == 0 {
				in.Raise("TypeError", "reduce() of empty iterable with no initial value")
			}
			acc := items[0]
			for _, v := range items[1:] {
				acc = in.Call(a.Pos[0], &Args{Pos: []Value{acc, v}})
			}
			return acc
		}),
	}
}

// wraps marks a function as standing for another, which signatures are then read from.
func wraps(in *Interp, a *Args) Value {
	wrapped := in.one(a, "wraps")
	return Fn("wraps", func(in *Interp, a *Args) Value {
		f, ok := in.one(a, "wraps").(*Func)
		if !ok {
			return a.Pos[0]
		}
		if f.Attrs == nil {
			f.Attrs = map[string]Value{}
		}
		f.Attrs["__wrapped__"] = wrapped
		if name, ok := in.FindAttr(wrapped, "__name__"); ok {
			f.Attrs["__name__"] = name
		}
		return f
	})
}

// Unwrap follows functools.wraps to the function that is meant.
func Unwrap(v Value) Value {
	for range 32 {
		f, ok := v.(*Func)
		if !ok || f.Attrs["__wrapped__"] == nil {
			break
		}
		v = f.Attrs["__wrapped__"]
	}
	return v
}

// Partial is functools.partial.
type Partial struct {
	fn    Value
	bound *Args
}

// Call calls the function with the arguments that were kept first.
func (p *Partial) Call(in *Interp, a *Args) Value {
	in.work(len(p.bound.Kw) * (1 + len(a.Kw)))
	out := &Args{Pos: append(append([]Value(nil), p.bound.Pos[1:]...), a.Pos...)}
	for _, kw := range p.bound.Kw {
		if _, over := a.Get(kw.Name, -1); !over {
			out.Kw = append(out.Kw, kw)
		}
	}
	out.Kw = append(out.Kw, a.Kw...)
	return in.Call(p.fn, out)
}

// Attr gives func, args and keywords.
func (p *Partial) Attr(in *Interp, name string) (Value, bool) {
	switch name {
	case "func":
		return p.fn, true
	case "args":
		return NewTuple(p.bound.Pos[1:]...), true
	case "keywords":
		d := NewDict()
		for _, kw := range p.bound.Kw {
			d.Set(kw.Name, kw.Value)
		}
		return d, true
	}
	return nil, false
}

func operatorNames() map[string]Value {
	out := map[string]Value{}
	for op, name := range dunders {
		out[name] = Fn(name, func(in *Interp, a *Args) Value { return in.Binary(op, a.Pos[0], a.Pos[1]) })
	}
	out["itemgetter"] = Fn("itemgetter", func(in *Interp, g *Args) Value {
		return Fn("itemgetter", func(in *Interp, a *Args) Value { return in.Item(a.Pos[0], g.Pos[0]) })
	})
	out["attrgetter"] = Fn("attrgetter", func(in *Interp, g *Args) Value {
		return Fn("attrgetter", func(in *Interp, a *Args) Value { return in.Attr(a.Pos[0], in.name(g.Pos[0])) })
	})
	return out
}
