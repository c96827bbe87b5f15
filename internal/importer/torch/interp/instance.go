package interp

import "slices"

// Get returns an attribute of the object itself.
func (x *Instance) Get(name string) (Value, bool) {
	v, ok := x.attrs[name]
	return v, ok
}

// Set sets an attribute of the object itself.
func (x *Instance) Set(name string, v Value) {
	if _, ok := x.attrs[name]; !ok {
		x.order = append(x.order, name)
	}
	delete(x.plain, name)
	x.attrs[name] = v
}

// SetPlain sets an attribute as object.__setattr__ and __dict__ do: a module among them is no part of this one.
func (x *Instance) SetPlain(name string, v Value) {
	x.Set(name, v)
	if x.plain == nil {
		x.plain = map[string]bool{}
	}
	x.plain[name] = true
}

// Plain reports whether an attribute was set past __setattr__.
func (x *Instance) Plain(name string) bool { return x.plain[name] }

// Dict is __dict__, with the attributes that are wanted: what is set in it becomes an attribute.
func (x *Instance) Dict(wanted func(name string) bool) *Dict {
	d := NewDict()
	for _, n := range x.order {
		if wanted == nil || wanted(n) {
			d.Set(n, x.attrs[n])
		}
	}
	d.Changed = func(k, v Value) { x.SetPlain(Str(k), v) }
	d.Removed = func(k Value) { x.Unset(Str(k)) }
	return d
}

// Unset removes an attribute.
func (x *Instance) Unset(name string) {
	delete(x.attrs, name)
	x.order = slices.DeleteFunc(x.order, func(s string) bool { return s == name })
}

// Names returns the names of the attributes in the order in which they were first set.
func (x *Instance) Names() []string { return slices.Clone(x.order) }
