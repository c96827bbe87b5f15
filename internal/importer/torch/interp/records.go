package interp

import (
	"slices"
	"strings"
)

// This file has the classes that Python makes of declarations: data classes, named tuples, enumerations, namespaces.

func dataclassNames() map[string]Value {
	return map[string]Value{
		"dataclass": Fn("dataclass", func(in *Interp, a *Args) Value {
			if len(a.Pos) == 1 {
				return makeDataclass(in, a.Pos[0])
			}
			return Fn("dataclass", func(in *Interp, a *Args) Value { return makeDataclass(in, in.one(a, "dataclass")) })
		}),
		"field": Fn("field", func(in *Interp, a *Args) Value {
			f := &fieldSpec{}
			f.value, f.hasValue = a.Get("default", -1)
			f.factory, _ = a.Get("default_factory", -1)
			if init, ok := a.Get("init", -1); ok && init == false {
				f.hidden = true
			}
			return f
		}),
		"asdict": Fn("asdict", func(in *Interp, a *Args) Value { return in.Attr(in.one(a, "asdict"), "__dict__") }),
		"replace": Fn("replace", func(in *Interp, a *Args) Value {
			x, ok := in.shallow(in.one(a, "replace")).(*Instance)
			if !ok {
				return in.Unknown("replace of what is no data class")
			}
			for _, kw := range a.Kw {
				x.Set(kw.Name, kw.Value)
			}
			return x
		}),
		"fields": Fn("fields", func(in *Interp, a *Args) Value {
			c, ok := in.one(a, "fields").(*Class)
			if x, isInstance := a.Pos[0].(*Instance); isInstance {
				c, ok = x.Class, true
			}
			if !ok {
				return in.Unknown("fields of what is no data class")
			}
			out := NewTuple()
			in.spend(objectSteps * int64(len(dataFields(c)))) // each is an object
			for _, f := range dataFields(c) {
				x := NewInstance(objectClass)
				x.Set("name", f.name)
				out.Items = append(out.Items, x)
			}
			return out
		}),
		"is_dataclass": Fn("is_dataclass", func(in *Interp, a *Args) Value {
			x, ok := in.one(a, "is_dataclass").(*Instance)
			return ok && len(dataFields(x.Class)) > 0
		}),
		"InitVar": Symbol{"InitVar"}, "KW_ONLY": Symbol{"KW_ONLY"}, "MISSING": Symbol{"MISSING"},
	}
}

// fieldSpec is what dataclasses.field() gives.
type fieldSpec struct {
	value    Value
	hasValue bool
	factory  Value
	hidden   bool
}

// dataFields lists the fields of a data class, those of its bases first.
func dataFields(c *Class) []field {
	if c.data != nil {
		return c.data
	}
	out, seen := []field{}, map[string]bool{}
	for _, k := range slices.Backward(c.mro) {
		for _, f := range k.fields {
			if f.annotation == "ClassVar" || f.annotation == "KW_ONLY" || seen[f.name] {
				continue
			}
			seen[f.name] = true
			out = append(out, f)
		}
	}
	if c.Module != nil { // a native class is that of other imports, too
		c.data = out
	}
	return out
}

func makeDataclass(in *Interp, v Value) Value {
	c, ok := v.(*Class)
	if !ok {
		return v
	}
	in.keep(c, "__dataclass_params__")
	if _, own := c.Own("__init__"); own {
		return c
	}
	c.Method("__init__", func(in *Interp, a *Args) Value {
		self := a.Pos[0].(*Instance)
		var names []string
		in.work(len(dataFields(c)) * len(c.mro)) // each is looked up
		for _, f := range dataFields(c) {
			if d, _ := c.Lookup(f.name); d != nil {
				if spec, ok := d.(*fieldSpec); ok && spec.hidden {
					continue
				}
			}
			names = append(names, f.name)
		}
		given := (&Args{a.Pos[1:], a.Kw}).Bind(in, c.Name, names...)
		for _, f := range dataFields(c) {
			v := Value(Missing{})
			if len(names) > 0 && names[0] == f.name {
				v, names, given = given[0], names[1:], given[1:]
			}
			if _, missing := v.(Missing); missing {
				v = in.fieldDefault(c, f.name)
			}
			in.SetAttr(self, f.name, v)
		}
		if post, ok := in.method(self, "__post_init__"); ok {
			in.Call(post, &Args{})
		}
		return nil
	})
	return c
}

func (in *Interp) fieldDefault(c *Class, name string) Value {
	in.seek(c)
	d, ok := c.Lookup(name)
	if spec, isSpec := d.(*fieldSpec); isSpec {
		if spec.factory != nil {
			return in.Call(spec.factory, &Args{})
		}
		d, ok = spec.value, spec.hasValue
	}
	if !ok {
		in.Doubt("TypeError", "%s() missing 1 required positional argument: '%s'", c.Name, name)
	}
	return d
}

// DataFields lists the fields of a data class that have no default.
func (c *Class) RequiredFields() []string {
	var out []string
	for _, f := range dataFields(c) {
		if _, ok := c.Lookup(f.name); !ok {
			out = append(out, f.name)
		}
	}
	return out
}

var namedTupleClass = NewClass("NamedTuple")

func init() {
	share(namedTupleClass, simpleNamespace)
	namedTupleClass.SetOwn("__class_made__", Fn("NamedTuple", func(in *Interp, a *Args) Value {
		c := a.Pos[0].(*Class)
		in.keep(c, "__new__")
		var names []string
		for _, f := range c.fields {
			names = append(names, f.name)
		}
		c.SetOwn("__new__", tupleMaker(c, names))
		c.SetOwn("_fields", textTuple(names))
		return c
	}))
}

func textTuple(names []string) *Tuple {
	out := NewTuple()
	for _, n := range names {
		out.Items = append(out.Items, n)
	}
	return out
}

func tupleMaker(c *Class, names []string) *Builtin {
	return Fn(c.Name, func(in *Interp, a *Args) Value {
		items := (&Args{a.Pos[1:], a.Kw}).BindAll(in, c.Name, names...)
		for i := range items {
			if _, missing := items[i].(Missing); missing {
				if _, has := c.Lookup(names[i]); !has {
					in.Raise("TypeError", "%s() missing 1 required positional argument: '%s'", c.Name, names[i])
				}
				items[i] = in.fieldDefault(c, names[i])
			}
		}
		return &Tuple{items, c, names}
	})
}

func collectionsNames() map[string]Value {
	return map[string]Value{
		"OrderedDict": dictClass,
		"defaultdict": Fn("defaultdict", func(in *Interp, a *Args) Value {
			d := NewDict()
			if len(a.Pos) > 0 {
				d.Default = a.Pos[0]
			}
			return d
		}),
		"deque":   listClass,
		"Counter": Symbol{"Counter"}, "ChainMap": Symbol{"ChainMap"},
		"namedtuple": Fn("namedtuple", func(in *Interp, a *Args) Value {
			b := a.Bind(in, "namedtuple", "typename", "field_names", "defaults", "rename", "module")
			c := NewClass(Str(b[0]))
			var names []string
			if s, ok := b[1].(string); ok {
				names = strings.Fields(strings.ReplaceAll(s, ",", " "))
			} else {
				for _, v := range in.Iterate(b[1]) {
					names = append(names, Str(v))
				}
			}
			if d, ok := items(b[2]); ok && len(d) <= len(names) {
				for i, v := range d {
					c.SetOwn(names[len(names)-len(d)+i], v)
				}
			}
			c.SetOwn("__new__", tupleMaker(c, names))
			c.SetOwn("_fields", textTuple(names))
			return c
		}),
		"abc": symbols("collections.abc", nil),
	}
}

func enumNames() map[string]Value {
	enum := NewClass("Enum")
	enum.SetOwn("__class_made__", Fn("Enum", makeEnum))
	return map[string]Value{"Enum": enum, "IntEnum": NewClass("IntEnum", enum), "StrEnum": NewClass("StrEnum", enum), "Flag": NewClass("Flag", enum),
		"auto": Fn("auto", func(in *Interp, a *Args) Value { return Symbol{"auto"} }), "unique": Fn("unique", identity), "EnumMeta": Symbol{"EnumMeta"}}
}

func makeEnum(in *Interp, a *Args) Value {
	c, members := a.Pos[0].(*Class), NewDict()
	in.keep(c, "__members__")
	for _, n := range slices.Clone(c.order) {
		v := c.attrs[n]
		switch v.(type) {
		case *Func, *Builtin, *Property, *StaticMethod, *ClassMethod, *Class:
			continue
		}
		if strings.HasPrefix(n, "_") {
			continue
		}
		if v == (Symbol{"auto"}) {
			v = int64(members.Len() + 1)
		}
		in.spend(objectSteps)
		m := NewInstance(c)
		m.Set("name", n)
		m.Set("value", v)
		m.Set("_value_", v)
		members.Set(n, m)
		c.SetOwn(n, m)
	}
	if members.Len() > 0 {
		c.SetOwn("__members__", members)
	}
	return c
}

var simpleNamespace = NewClass("SimpleNamespace").Method("__init__", func(in *Interp, a *Args) Value {
	for _, kw := range a.Kw {
		a.Pos[0].(*Instance).Set(kw.Name, kw.Value)
	}
	return nil
})

// inspectNames is what torchvision's decorators read of signatures.
func inspectNames() map[string]Value {
	kinds := map[string]Value{}
	for _, k := range []string{"POSITIONAL_ONLY", "POSITIONAL_OR_KEYWORD", "VAR_POSITIONAL", "KEYWORD_ONLY", "VAR_KEYWORD", "empty"} {
		kinds[k] = Symbol{"Parameter." + k}
	}
	parameter := NewClass("Parameter")
	for k, v := range kinds {
		parameter.SetOwn(k, v)
	}
	return map[string]Value{
		"Parameter":  parameter,
		"isclass":    Fn("isclass", func(in *Interp, a *Args) Value { _, ok := in.one(a, "isclass").(*Class); return ok }),
		"isfunction": Fn("isfunction", func(in *Interp, a *Args) Value { _, ok := in.one(a, "isfunction").(*Func); return ok }),
		"signature": Fn("signature", func(in *Interp, a *Args) Value {
			fn, skip := in.one(a, "signature"), 0
			switch f := fn.(type) {
			case *Bound:
				fn, skip = f.Fn, 1
			case *Class:
				fn, _ = f.Lookup("__init__")
				skip = 1
			}
			f, ok := Unwrap(fn).(*Func)
			if !ok {
				return in.Unknown("the signature of a %s is not known", TypeName(fn))
			}
			params := NewDict()
			in.spend(objectSteps * int64(len(f.Params)))
			for i := skip; i < len(f.Params); i++ {
				p, x := &f.Params[i], NewInstance(parameter)
				kind := "POSITIONAL_OR_KEYWORD"
				switch {
				case p.Stars == 1:
					kind = "VAR_POSITIONAL"
				case p.Stars == 2:
					kind = "VAR_KEYWORD"
				case p.KeywordOnly:
					kind = "KEYWORD_ONLY"
				}
				x.Set("name", p.Name)
				x.Set("kind", kinds[kind])
				x.Set("default", f.Defaults[i])
				if _, missing := f.Defaults[i].(Missing); missing {
					x.Set("default", kinds["empty"])
				}
				params.Set(p.Name, x)
			}
			sig := NewInstance(objectClass)
			sig.Set("parameters", params)
			return sig
		}),
	}
}
