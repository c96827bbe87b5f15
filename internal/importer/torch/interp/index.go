package interp

// NoInteger reports whether a value certainly cannot stand for an integer: it is no number, and its class has no __index__.
func NoInteger(v Value) bool {
	switch x := v.(type) {
	case nil, string, *List, *Dict, *Set, *Func:
		return true
	case *Tuple:
		return x.Class == nil
	case *Class:
		return x.opaque == nil && x.guess == ""
	case *Instance:
		if x.Native != nil {
			return false
		}
		for _, k := range x.Class.mro {
			if _, has := k.attrs["__index__"]; has || k.opaque != nil || k.guess != "" {
				return false
			}
		}
		return true
	}
	return false
}

// noType reports whether a value is certainly no class: it is a plain value, or an instance of a class whose bases are all known and that
// does not look like a class itself.
func noType(v Value) bool {
	switch x := v.(type) {
	case nil, bool, int64, float64, string, *List, *Dict, *Set, *Func:
		return true
	case *Instance:
		if x.Native != nil {
			return false
		}
		for _, k := range x.Class.mro {
			for _, hook := range []string{"__instancecheck__", "__bases__"} {
				if _, has := k.attrs[hook]; has || k.opaque != nil || k.guess != "" {
					return false
				}
			}
		}
		return true
	}
	return false
}
