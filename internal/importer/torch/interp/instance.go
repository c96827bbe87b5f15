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
		if x.places != nil {
			x.places[name] = len(x.order)
		}
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
	for _, n := range x.names() {
		if wanted == nil || wanted(n) {
			d.Set(n, x.attrs[n])
		}
	}
	d.Changed = func(k, v Value) { x.SetPlain(Str(k), v) }
	d.Removed = func(k Value) { x.Unset(Str(k)) }
	return d
}

// Unset removes an attribute. Its name stays in the order until the order is read, so that many are removed in the time of one reading.
func (x *Instance) Unset(name string) {
	if _, ok := x.attrs[name]; !ok {
		return
	}
	if x.places == nil {
		x.places = make(map[string]int, len(x.order))
		for i, n := range x.order {
			x.places[n] = i
		}
	}
	delete(x.attrs, name)
	delete(x.places, name)
	if len(x.order) > 2*len(x.places)+fewNames {
		x.names()
	}
}

// fewNames is how many removed names may stay in the order of an object however few others there are.
const fewNames = 16

// names are those of the attributes in the order in which they were set, without what was removed.
func (x *Instance) names() []string {
	if x.places == nil || len(x.order) == len(x.places) {
		return x.order
	}
	kept := make([]string, 0, len(x.places))
	for i, n := range x.order {
		if at, ok := x.places[n]; ok && at == i {
			x.places[n] = len(kept)
			kept = append(kept, n)
		}
	}
	x.order = kept
	return kept
}

// Names returns the names of the attributes in the order in which they were first set.
func (x *Instance) Names() []string { return slices.Clone(x.names()) }
