package interp

import "slices"

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

// operated are the classes of PyTorch's containers, which have operators and lengths of their own.
var operated = []string{"Sequential", "ModuleList", "ModuleDict", "ParameterList", "ParameterDict", "BufferDict"}

// lacksMethods reports whether a value is a module or a class whose type certainly has none of Python's own methods of these names.
func lacksMethods(v Value, names ...string) bool {
	switch x := v.(type) {
	case *Class:
		_, members := x.Own("__members__")
		return NoInteger(x) && !members && slices.ContainsFunc(x.mro, func(k *Class) bool { return k.Lacks != nil })
	case *Instance:
		known := x.Native == nil
		for _, k := range x.Class.mro {
			ofSource := k.Line > 0 && k.Module != nil && !k.Module.ours()
			known = known && k.opaque == nil && k.guess == "" && (k == objectClass || ofSource || k.Lacks != nil && !slices.Contains(operated, k.Name))
			for _, n := range names {
				_, has := k.attrs[n]
				known = known && !has
			}
		}
		return known
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
