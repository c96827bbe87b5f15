package interp

// metaclass says why a class is not known: what its metaclass does when it is made or called is not followed.
func (in *Interp) metaclass(name string, v Value) *Unknown {
	switch m := v.(type) {
	case *Unknown:
		return m
	case *Class:
		for _, hook := range []string{"__call__", "__new__", "__init__", "__prepare__"} {
			if _, own := m.Lookup(hook); own && m.Line > 0 {
				return in.Unknown("the metaclass %s of class %s is not followed", m.Name, name)
			}
		}
	}
	return nil
}

// initSubclass calls __init_subclass__ of the bases of a new class.
func (in *Interp) initSubclass(c *Class, named []KV) {
	for _, k := range c.mro[1:] {
		hook, ok := k.attrs["__init_subclass__"]
		if !ok {
			continue
		}
		if m, isMethod := hook.(*ClassMethod); isMethod {
			hook = m.Fn
		}
		if f, isFunc := hook.(*Func); isFunc {
			in.Call(f, &Args{Pos: []Value{c}, Kw: named})
		}
		return
	}
}
