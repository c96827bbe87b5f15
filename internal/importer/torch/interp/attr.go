package interp

import "strings"

// Attr reads an attribute; it raises AttributeError where there is none.
func (in *Interp) Attr(v Value, name string) Value {
	got, ok := in.FindAttr(v, name)
	if !ok {
		if m, isModule := v.(*Module); isModule && !lacks(v, name) {
			u := in.Unknown("%s has nothing known by the name %s", strings.Trim(m.Name, "<>"), name)
			u.Harmless = holdsNoParts(m.Name) || m.Values != nil && m.Values(name)
			return u
		}
		in.noAttr(v, name)
	}
	return got
}

// FindAttr reads an attribute, and reports whether there is one.
func (in *Interp) FindAttr(v Value, name string) (Value, bool) {
	if name == "__class__" {
		if c, ok := in.TypeOf(v).(*Class); ok {
			return c, true
		}
	}
	switch x := v.(type) {
	case *Instance:
		return in.instanceAttr(x, name)
	case *Class:
		return in.classAttr(x, name)
	case *Module:
		return in.moduleAttr(x, name)
	case *Super:
		return in.superAttr(x, name)
	case *Unknown:
		return x, true
	case Attributed:
		return x.Attr(in, name)
	case *Func:
		return in.funcAttr(x, name)
	case *Bound, *Builtin, *Tuple, *Slice:
		if got, ok := in.smallAttr(v, name); ok {
			return got, true
		}
	case *Property:
		return propertyAttr(x, name)
	case Symbol:
		if c := in.typing(x, name); c != nil {
			return c, true
		}
	}
	return in.containerMethod(v, name)
}

// tryAttr reads an attribute where one may not be there, or may raise. What is not known of it is not nil.
func (in *Interp) tryAttr(v Value, name string) (got Value, found bool, not *Unknown) {
	err := in.Protect(func() { got, found = in.FindAttr(v, name) })
	if f, ok := err.(*Fault); ok {
		panic(f)
	}
	if u := in.uncertain(v, got, found); u != nil {
		return nil, false, u
	}
	found = found && err == nil
	in.believe(v, name, found)
	return got, found, nil
}

// uncertain is not nil where it is not known whether a value has an attribute: native modules and values have more than is known of
// them here.
func (in *Interp) uncertain(v, got Value, found bool) *Unknown {
	switch x := v.(type) {
	case *Module:
		if x.File == "" && !found {
			return in.Unknown("whether %s has a certain name is not known", x.Name)
		}
	case Attributed:
		if u, ok := got.(*Unknown); ok && found {
			return u
		}
	}
	return nil
}

// smallAttr reads an attribute of a value that has few.
func (in *Interp) smallAttr(v Value, name string) (Value, bool) {
	switch x := v.(type) {
	case *Bound:
		switch name {
		case "__self__":
			return x.Self, true
		case "__func__":
			return x.Fn, true
		}
		return in.FindAttr(x.Fn, name)
	case *Builtin:
		if name == "__name__" {
			return x.Name, true
		}
		got, ok := x.Attrs[name]
		return got, ok
	case *Tuple:
		in.steps += len(x.Fields) / lookups
		for i, f := range x.Fields {
			if f == name {
				return x.Items[i], true
			}
		}
		if x.Class != nil {
			if m, ok := x.Class.Lookup(name); ok {
				return in.bindTo(m, x, x.Class), true
			}
		}
	case *Slice:
		switch name {
		case "start":
			return x.Lo, true
		case "stop":
			return x.Hi, true
		case "step":
			return x.Step, true
		}
	}
	return nil, false
}

// typing lets constants of typing and torch, of which only the name is known, have more of their kind.
func (in *Interp) typing(s Symbol, name string) Value {
	if name == "value" || name == "__name__" {
		return s.Name
	}
	if len(s.Name)+len(name) > maxSaid {
		return in.Unknown("a name of more than %d letters", maxSaid)
	}
	return Symbol{s.Name + "." + name}
}

func propertyAttr(p *Property, name string) (Value, bool) {
	switch name {
	case "setter":
		return &Builtin{Name: name, Fn: func(in *Interp, a *Args) Value { return &Property{p.Get, a.Pos[0]} }}, true
	case "getter", "deleter":
		return &Builtin{Name: name, Fn: func(in *Interp, a *Args) Value { return p }}, true
	}
	return nil, false
}

func (in *Interp) funcAttr(f *Func, name string) (Value, bool) {
	if v, ok := f.Attrs[name]; ok {
		return v, true
	}
	switch name {
	case "__name__", "__qualname__":
		return f.Name, true
	case "__doc__":
		return nil, true
	case "__module__":
		return f.module.Name, true
	case "__wrapped__":
		return nil, false
	}
	return nil, false
}

func (in *Interp) moduleAttr(m *Module, name string) (Value, bool) {
	if name == "__dict__" {
		return &namespace{m}, true
	}
	if why := m.guessed[name]; why != "" {
		in.Guess("%s", why)
	}
	if m.Local[name] {
		in.Guess("%s.%s differs from machine to machine", m.Name, name)
	}
	if v, ok := m.Attrs[name]; ok {
		if l, isLazy := v.(*lazy); isLazy {
			v = in.resolve(l)
			m.Attrs[name] = v
		}
		return v, true
	}
	if sub := in.Natives[m.Name+"."+name]; sub != nil {
		return sub, true
	}
	if m.Lookup != nil {
		if v, ok := m.Lookup(name); ok {
			return v, true
		}
	}
	if v, ok := in.completed(m, name); ok {
		return v, true
	}
	if len(m.stars) > 0 {
		if v, ok := in.fromStars(m, name); ok {
			return v, true
		}
	}
	if sub := in.find(strings.Trim(m.Name, "<>") + "." + name); sub != nil {
		return sub, true
	}
	return nil, false
}

// SetAttr sets an attribute.
func (in *Interp) SetAttr(v Value, name string, x Value) {
	switch o := v.(type) {
	case *Instance:
		in.setInstance(o, name, x)
	case *Class:
		in.keep(o, name)
		own(x, o)
		o.SetOwn(name, x)
	case *Module:
		o.Attrs[name] = x
	case *Func:
		if o.Attrs == nil {
			o.Attrs = map[string]Value{}
		}
		o.Attrs[name] = x
	case *Unknown, Symbol:
	case Assignable:
		if !o.SetAttr(in, name, x) {
			in.Doubt("AttributeError", "'%s' object has no attribute '%s'", TypeName(v), name)
		}
	case *Builtin, *Bound:
	default:
		in.raiseFor([]Value{v}, "AttributeError", "'%s' object has no attribute '%s'", TypeName(v), name)
	}
}

func (in *Interp) setInstance(o *Instance, name string, x Value) {
	if m, ok := in.method(o, "__setattr__"); ok {
		in.Call(m, &Args{Pos: []Value{name, x}})
		return
	}
	if !in.SetProperty(o, name, x) {
		o.Set(name, x)
	}
}

// SetProperty calls the setter of a property of that name, and reports whether there is one.
func (in *Interp) SetProperty(o *Instance, name string, x Value) bool {
	p, _ := o.Class.Lookup(name)
	prop, ok := p.(*Property)
	if !ok {
		return false
	}
	if prop.Set == nil {
		in.Raise("AttributeError", "can't set attribute '%s'", name)
	}
	in.Call(prop.Set, &Args{Pos: []Value{o, x}})
	return true
}

// inheritedGetAttr is super().__getattr__ and object.__getattribute__ of an instance.
func (in *Interp) inheritedGetAttr(s *Super, name string) (Value, bool) {
	x, ok := s.self.(*Instance)
	if !ok {
		return nil, false
	}
	return &Builtin{Name: name, Fn: func(in *Interp, a *Args) Value {
		wanted := in.name(in.one(a, name))
		if v, has := x.attrs[wanted]; has {
			return v
		}
		if v, has := x.Class.Lookup(wanted); has && name == "__getattribute__" {
			return in.bindTo(v, x, x.Class)
		}
		if lacks(x, wanted) {
			in.Raise("AttributeError", "'%s' object has no attribute '%s'", x.Class.Name, wanted)
		}
		in.Doubt("AttributeError", "'%s' object has no attribute '%s'", x.Class.Name, wanted)
		return nil
	}}, true
}

// DelAttr removes an attribute.
func (in *Interp) delAttr(v Value, name string) {
	if x, ok := v.(*Instance); ok {
		if _, has := x.Get(name); has {
			x.Unset(name)
			return
		}
		in.Raise("AttributeError", "%s", name)
	}
	in.Fault("an attribute of a %s is deleted", TypeName(v))
}

// objectMethod is object.__setattr__(x, …) and its like, which pass over what the class of x does.
func objectMethod(name string) Value {
	return &Builtin{Name: name, Fn: func(in *Interp, a *Args) Value {
		x, ok := in.one(a, name).(*Instance)
		if !ok || len(a.Pos) < 2 {
			in.Fault("object.%s of a %s is not followed", name, TypeName(a.Pos[0]))
		}
		at := in.name(a.Pos[1])
		switch {
		case name == "__delattr__":
			in.delAttr(x, at)
		case name == "__setattr__" && len(a.Pos) == 3:
			x.SetPlain(at, a.Pos[2])
		default:
			return in.Attr(x, at)
		}
		return nil
	}}
}
