package interp

import (
	"maps"
)

// Copier is a native value that deepcopy must copy; memo holds what has been copied.
type Copier interface {
	DeepCopy(in *Interp, memo map[any]Value) Value
}

// shallow is copy.copy.
func (in *Interp) shallow(v Value) Value {
	switch x := v.(type) {
	case *List:
		return NewList(in.Iterate(x)...)
	case *Dict:
		in.spend(int64(x.Len()))
		for _, k := range x.keys {
			in.hash(k)
		}
		return x.copy()
	case *Set:
		return in.newSet(x.d.Keys())
	case *Instance:
		out := &Instance{Class: x.Class, attrs: map[string]Value{}, order: x.Names(), plain: maps.Clone(x.plain), Native: x.Native, Made: x.Made}
		in.spend(int64(len(x.attrs)))
		for k, v := range x.attrs {
			out.attrs[k] = v
		}
		return out
	}
	return v
}

// DeepCopy is copy.deepcopy: what is shared inside stays shared in the copy.
func (in *Interp) DeepCopy(v Value, memo map[any]Value) Value {
	in.spend(1)
	in.nest("a copy")
	defer in.unnest()
	switch v.(type) {
	case *List, *Dict, *Set, *Tuple, *Instance, *Partial, *Bound, Copier:
	default:
		return v
	}
	if done, ok := memo[v]; ok {
		return done
	}
	switch x := v.(type) {
	case *List:
		out := NewList()
		memo[v] = out
		for _, item := range x.Items {
			out.Items = append(out.Items, in.DeepCopy(item, memo))
		}
		return out
	case *Tuple:
		out := &Tuple{Class: x.Class, Fields: x.Fields}
		for _, item := range x.Items {
			out.Items = append(out.Items, in.DeepCopy(item, memo))
		}
		memo[v] = out
		return out
	case *Dict:
		out := NewDict()
		out.Default = x.Default
		memo[v] = out
		for i, k := range x.keys {
			in.hash(k)
			out.Set(k, in.DeepCopy(x.vals[i], memo))
		}
		return out
	case *Set:
		return in.newSet(x.d.Keys())
	case *Instance:
		out := &Instance{Class: x.Class, attrs: map[string]Value{}, order: x.Names(), plain: maps.Clone(x.plain), Native: x.Native, Made: x.Made}
		memo[v] = out
		if c, ok := x.Native.(Copier); ok {
			out.Native = c.DeepCopy(in, memo)
		}
		for _, k := range x.names() {
			out.attrs[k] = in.DeepCopy(x.attrs[k], memo)
		}
		return out
	case *Bound:
		return &Bound{x.Fn, in.DeepCopy(x.Self, memo)}
	case Copier:
		out := x.DeepCopy(in, memo)
		memo[v] = out
		return out
	}
	return v
}
