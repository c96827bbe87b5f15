package interp

import "slices"

// Class is a class of the source or a native one.
type Class struct {
	Name   string
	Bases  []*Class
	Module *Module
	File   string
	Line   int
	Doc    string

	mro    []*Class
	attrs  map[string]Value
	order  []string
	fields []field  // annotated names in the order of the class body
	data   []field  // those of a data class with its bases, once they were asked for
	opaque *Unknown // a base that is not known
	guess  string   // what is not known of its decorators
	// Lacks, of a native class, reports names that its instances certainly do not have.
	Lacks func(name string) bool
}

// Instance is an object.
type Instance struct {
	Class *Class
	attrs map[string]Value
	order []string        // with those of attributes that were removed since it was read
	plain map[string]bool // names that were set in __dict__, past __setattr__
	// places are those of the names in the order, kept from when the first attribute is removed.
	places map[string]int
	// Native is what a native class keeps in its instances.
	Native any
	// Made is the call that constructed it, in the user's own files.
	Made Place
}

// builtinTypes are those whose instances are not objects here: a class that derives from one cannot be followed.
var builtinTypes = map[string]bool{"int": true, "float": true, "str": true, "list": true, "tuple": true, "dict": true, "set": true, "frozenset": true, "bool": true, "type": true}

// NewClass makes a native class.
func NewClass(name string, bases ...*Class) *Class {
	c := &Class{Name: name, Bases: bases, attrs: map[string]Value{}}
	c.linearize()
	return c
}

// NewInstance makes an object without calling __init__.
func NewInstance(c *Class) *Instance { return &Instance{Class: c, attrs: map[string]Value{}} }

// Method adds a native method, and returns the class.
func (c *Class) Method(name string, fn func(*Interp, *Args) Value) *Class {
	c.SetOwn(name, &Builtin{Name: name, Method: true, Fn: fn})
	return c
}

// SetOwn sets an attribute of the class.
func (c *Class) SetOwn(name string, v Value) {
	if _, ok := c.attrs[name]; !ok {
		c.order = append(c.order, name)
	}
	c.attrs[name] = v
}

// Own returns an attribute of the class itself.
func (c *Class) Own(name string) (Value, bool) {
	v, ok := c.attrs[name]
	return v, ok
}

// Lookup finds an attribute along the method resolution order.
func (c *Class) Lookup(name string) (Value, bool) {
	for _, k := range c.mro {
		if v, ok := k.attrs[name]; ok {
			return v, true
		}
	}
	return nil, false
}

// lookups is how many classes of a long line are looked into in the time of one step.
const lookups = 8

// seek charges a look along the bases of a class. What few there are is in the step that asks.
func (in *Interp) seek(c *Class) { in.steps += len(c.mro) / lookups }

// Is reports whether the class is another one or derives from it.
func (c *Class) Is(other *Class) bool { return slices.Contains(c.mro, other) }

// Opaque returns the base that is not known, if there is one.
func (c *Class) Opaque() *Unknown {
	for _, k := range c.mro {
		if k.opaque != nil {
			return k.opaque
		}
	}
	return nil
}

// linearize computes the method resolution order (C3), and reports whether there is one.
func (c *Class) linearize() bool {
	var lists [][]*Class
	for _, b := range c.Bases {
		lists = append(lists, slices.Clone(b.mro))
	}
	lists = append(lists, slices.Clone(c.Bases))
	c.mro = []*Class{c}
	for {
		lists = slices.DeleteFunc(lists, func(l []*Class) bool { return len(l) == 0 })
		if len(lists) == 0 {
			return true
		}
		next := head(lists)
		if next == nil {
			return false
		}
		c.mro = append(c.mro, next)
		for i := range lists {
			if lists[i][0] == next {
				lists[i] = lists[i][1:]
			}
		}
	}
}

// head returns the first class that no list has behind its first place.
func head(lists [][]*Class) *Class {
	for _, l := range lists {
		blocked := slices.ContainsFunc(lists, func(o []*Class) bool { return slices.Contains(o[1:], l[0]) })
		if !blocked {
			return l[0]
		}
	}
	return nil
}

// Derive makes a native class derive from another one, first of all.
func (c *Class) Derive(base *Class) {
	c.Bases = append([]*Class{base}, slices.DeleteFunc(slices.Clone(c.Bases), func(b *Class) bool { return base.Is(b) })...)
	c.linearize()
}

// bindTo turns a class attribute into what reading it from an instance (or, where self is nil, from the class) gives.
func (in *Interp) bindTo(v, self Value, c *Class) Value {
	switch f := v.(type) {
	case *Func:
		if self != nil {
			return &Bound{f, self}
		}
	case *Builtin:
		if f.Method && self != nil {
			return &Bound{f, self}
		}
	case *StaticMethod:
		return f.Fn
	case *ClassMethod:
		return &Bound{f.Fn, c}
	case *Property:
		if self != nil {
			return in.Call(f.Get, &Args{Pos: []Value{self}})
		}
	}
	return v
}

// method finds a method of an instance by way of its class.
func (in *Interp) method(x *Instance, name string) (Value, bool) {
	in.seek(x.Class)
	v, ok := x.Class.Lookup(name)
	if !ok || v == nil {
		return nil, false
	}
	return in.bindTo(v, x, x.Class), true
}

// InstanceAttr reads an attribute of an instance as Python does.
func (in *Interp) instanceAttr(x *Instance, name string) (Value, bool) {
	in.seek(x.Class)
	v, ok := x.Class.Lookup(name)
	if _, isProperty := v.(*Property); ok && isProperty {
		return in.bindTo(v, x, x.Class), true
	}
	if own, has := x.attrs[name]; has {
		return own, true
	}
	if ok {
		return in.bindTo(v, x, x.Class), true
	}
	switch name {
	case "__class__":
		return x.Class, true
	case "__module__", "__doc__":
		return in.classAttr(x.Class, name)
	case "__dict__":
		in.spend(EntryItems * int64(len(x.attrs)))
		return x.Dict(nil), true
	}
	if g, ok := in.method(x, "__getattr__"); ok {
		return in.Call(g, &Args{Pos: []Value{name}}), true
	}
	if u := x.Class.Opaque(); u != nil {
		return u, true
	}
	return nil, false
}

func (in *Interp) classAttr(c *Class, name string) (Value, bool) {
	in.seek(c)
	if v, ok := c.Lookup(name); ok {
		return in.bindTo(v, nil, c), true
	}
	if c == objectClass && (name == "__setattr__" || name == "__getattribute__" || name == "__delattr__") {
		return objectMethod(name), true
	}
	switch name {
	case "__name__", "__qualname__":
		return c.Name, true
	case "__module__":
		if c.Module != nil {
			return c.Module.Name, true
		}
		return "builtins", true
	case "__doc__":
		return nil, true
	case "__init__", "__new__", "__init_subclass__":
		return &Builtin{Name: name, Method: true, Fn: func(*Interp, *Args) Value { return nil }}, true
	case "__mro__":
		in.spend(int64(len(c.mro)))
		out := NewTuple()
		for _, k := range c.mro {
			out.Items = append(out.Items, k)
		}
		return out, true
	case "__dict__":
		in.spend(EntryItems * int64(len(c.order)))
		d := NewDict()
		for _, n := range c.order {
			d.Set(n, c.attrs[n])
		}
		return d, true
	}
	if u := c.Opaque(); u != nil {
		return u, true
	}
	return nil, false
}

func (in *Interp) superAttr(s *Super, name string) (Value, bool) {
	in.seek(s.of)
	i := slices.Index(s.of.mro, s.after)
	for _, k := range s.of.mro[i+1:] {
		if v, ok := k.attrs[name]; ok {
			self := s.self
			if _, isClass := self.(*Class); isClass {
				self = nil
			}
			return in.bindTo(v, self, s.of), true
		}
	}
	if u := s.of.Opaque(); u != nil {
		return u, true
	}
	switch name {
	case "__init__", "__init_subclass__", "__setattr__", "__post_init__":
		if name == "__setattr__" {
			return &Builtin{Name: name, Fn: func(in *Interp, a *Args) Value {
				if x, ok := s.self.(*Instance); ok && len(a.Pos) == 2 {
					x.SetPlain(Str(a.Pos[0]), a.Pos[1])
				}
				return nil
			}}, true
		}
		return &Builtin{Name: name, Fn: func(*Interp, *Args) Value { return nil }}, true
	case "__getattr__", "__getattribute__":
		return in.inheritedGetAttr(s, name)
	case "__delattr__":
		return &Builtin{Name: name, Fn: func(in *Interp, a *Args) Value {
			in.delAttr(s.self, Str(in.one(a, name)))
			return nil
		}}, true
	case "__new__":
		return &Builtin{Name: name, Fn: func(in *Interp, a *Args) Value {
			if len(a.Pos) > 0 {
				if c, ok := a.Pos[0].(*Class); ok {
					return NewInstance(c)
				}
			}
			return NewInstance(s.of)
		}}, true
	}
	return nil, false
}

// construct calls a class.
func (in *Interp) construct(c *Class, args *Args) Value {
	if u := c.Opaque(); u != nil {
		return in.Unknown("class %s derives from what is not known: %s", c.Name, u.reason())
	}
	if n, ok := c.Lookup("__new__"); ok {
		pos := append([]Value{c}, args.Pos...)
		if s, static := n.(*StaticMethod); static {
			n = s.Fn
		}
		made := in.Call(n, &Args{pos, args.Kw})
		if x, ok := made.(*Instance); !ok || !x.Class.Is(c) {
			return made
		} else {
			return in.initialise(x, args)
		}
	}
	return in.initialise(NewInstance(c), args)
}

func (in *Interp) initialise(x *Instance, args *Args) Value {
	in.seek(x.Class)
	for _, k := range x.Class.mro {
		if k.guess != "" {
			in.Guess("class %s is decorated by what is not known: %s", k.Name, k.guess)
		}
	}
	x.Made = in.called(x.Class.Name)
	init, ok := in.method(x, "__init__")
	if ok {
		in.Call(init, args)
	} else if len(args.Pos)+len(args.Kw) > 0 {
		in.Doubt("TypeError", "%s() takes no arguments", x.Class.Name)
	}
	return x
}
