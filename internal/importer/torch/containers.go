package torch

import (
	"slices"
	"strings"

	"github.com/modelverifier/verifier/internal/importer/torch/interp"
)

// The containers of torch.nn: their parts are attributes named by position or key.

// parts lists the items of a container: parts, weights, and None, in order.
func (r *reader) parts(x *interp.Instance) []child {
	names := x.Names()
	r.look(names)
	out := make([]child, 0, len(names))
	for _, n := range names {
		if n == "training" || n == "__length" {
			continue
		}
		v, _ := x.Get(n)
		_, isModule := r.isModule(v)
		t, isTensor := v.(*Tensor)
		_, unknown := v.(*interp.Unknown)
		if isModule || unknown || isTensor && t.param != nil || v == nil && isPosition(n) {
			out = append(out, child{n, v})
		}
	}
	return out
}

// isPosition reports whether a name is that of an item of a list.
func isPosition(name string) bool { return name != "" && strings.Trim(name, "0123456789") == "" }

// renumber gives the parts of a list the names of their positions.
func (r *reader) renumber(x *interp.Instance, items []interp.Value) {
	for _, p := range r.parts(x) {
		x.Unset(p.name)
	}
	r.in.Work(8 * len(items)) // each is set under a name of its own
	for i, v := range items {
		x.Set(index(i), v)
	}
}

func (r *reader) values(x *interp.Instance) []interp.Value {
	parts := r.parts(x)
	out := make([]interp.Value, len(parts))
	for i, c := range parts {
		out[i] = c.value
	}
	return out
}

// begin is super().__init__() of a container.
func (r *reader) begin(a *interp.Args) *interp.Instance {
	x := self(a)
	x.Set("training", r.training)
	return x
}

// makeList builds ModuleList and ParameterList.
func (r *reader) makeList(name string) *interp.Class {
	c := interp.NewClass(name, r.moduleClass)
	c.Method("__init__", func(in *interp.Interp, a *interp.Args) interp.Value {
		x := r.begin(a)
		if len(a.Pos) > 1 && a.Pos[1] != nil {
			for i, v := range in.Iterate(a.Pos[1]) {
				r.put(x, index(i), v)
			}
		}
		return nil
	})
	r.listMethods(c)
	r.longer(c)
	return c
}

// put adds an item to a container. One that is not known is kept as such: the count says that it lacks it.
func (r *reader) put(x *interp.Instance, name string, v interp.Value) {
	if t, ok := v.(*Tensor); ok && t.param == nil && strings.HasPrefix(x.Class.Name, "Parameter") {
		v = r.newParam(t.shape) // as ParameterList and ParameterDict do
	}
	x.Set(name, v)
}

// putAll adds the items of a dictionary under its keys.
func (r *reader) putAll(x *interp.Instance, d *interp.Dict) {
	r.in.Work(d.Len())
	values := d.Values()
	for i, k := range d.Keys() {
		r.put(x, r.partName(k), values[i])
	}
}

// listMethods are what lists and Sequential share.
func (r *reader) listMethods(c *interp.Class) {
	c.Method("__len__", func(in *interp.Interp, a *interp.Args) interp.Value { return int64(len(r.parts(self(a)))) })
	c.Method("__iter__", func(in *interp.Interp, a *interp.Args) interp.Value { return interp.NewList(r.values(self(a))...) })
	c.Method("__getitem__", func(in *interp.Interp, a *interp.Args) interp.Value {
		got := in.Item(interp.NewList(r.values(self(a))...), a.Pos[1])
		if l, ok := got.(*interp.List); ok { // a slice is a container of the same class
			x := interp.NewInstance(c)
			x.Set("training", r.training)
			for i, v := range l.Items {
				x.Set(index(i), v)
			}
			return x
		}
		return got
	})
	c.Method("__setitem__", func(in *interp.Interp, a *interp.Args) interp.Value {
		parts := r.parts(self(a))
		i, ok := interp.AsInt(a.Pos[1])
		if i < 0 {
			i += int64(len(parts))
		}
		if !ok || i < 0 || i >= int64(len(parts)) {
			in.Doubt("IndexError", "index out of range")
		}
		r.put(self(a), parts[i].name, a.Pos[2])
		return nil
	})
	c.Method("__delitem__", func(in *interp.Interp, a *interp.Args) interp.Value {
		l := interp.NewList(r.values(self(a))...)
		if s, ok := a.Pos[1].(*interp.Slice); ok {
			in.SetItem(l, s, interp.NewList())
		} else {
			in.CallMethod(l, "pop", a.Pos[1])
		}
		r.renumber(self(a), l.Items)
		return nil
	})
	c.Method("__add__", func(in *interp.Interp, a *interp.Args) interp.Value {
		x := interp.NewInstance(c)
		x.Set("training", r.training)
		for i, v := range append(r.values(self(a)), in.Iterate(a.Pos[1])...) {
			x.Set(index(i), v)
		}
		return x
	})
}

// longer are the methods of lists that put in or take out at a place, which Sequential has, too.
func (r *reader) longer(c *interp.Class) {
	c.Method("append", func(in *interp.Interp, a *interp.Args) interp.Value {
		r.put(self(a), index(len(r.parts(self(a)))), a.Pos[1])
		return a.Pos[0]
	})
	c.Method("extend", func(in *interp.Interp, a *interp.Args) interp.Value {
		at := len(r.parts(self(a)))
		for i, v := range in.Iterate(a.Pos[1]) {
			r.put(self(a), index(at+i), v)
		}
		return a.Pos[0]
	})
	c.Method("insert", func(in *interp.Interp, a *interp.Args) interp.Value {
		items := r.values(self(a))
		lo, _, _ := in.Bounds(&interp.Slice{Lo: a.Pos[1]}, int64(len(items)))
		r.renumber(self(a), slices.Insert(items, int(lo), a.Pos[2]))
		return a.Pos[0]
	})
	c.Method("pop", func(in *interp.Interp, a *interp.Args) interp.Value {
		l := interp.NewList(r.values(self(a))...)
		got := in.CallMethod(l, "pop", a.Pos[1:]...)
		r.renumber(self(a), l.Items)
		return got
	})
}

// makeSequential builds Sequential.
func (r *reader) makeSequential() *interp.Class {
	c := interp.NewClass("Sequential", r.moduleClass)
	c.Lacks = lacking("layer")
	c.Method("__init__", func(in *interp.Interp, a *interp.Args) interp.Value {
		x := r.begin(a)
		if len(a.Pos) == 2 {
			if d, ok := a.Pos[1].(*interp.Dict); ok {
				r.putAll(x, d)
				return nil
			}
		}
		for i, v := range a.Pos[1:] {
			if _, ok := r.isModule(v); !ok {
				if _, unknown := v.(*interp.Unknown); !unknown {
					in.RaiseFor(v, "TypeError", "%s is not a Module subclass", interp.TypeName(v))
				}
			}
			r.put(x, index(i), v)
		}
		return nil
	})
	r.listMethods(c)
	r.longer(c)
	c.Method("forward", func(in *interp.Interp, a *interp.Args) interp.Value {
		if len(a.Pos) != 2 {
			in.Raise("TypeError", "forward() of Sequential takes one input")
		}
		x := a.Pos[1]
		for _, m := range r.values(self(a)) {
			x = in.Call(m, &interp.Args{Pos: []interp.Value{x}})
		}
		return x
	})
	return c
}

// makeModuleDict builds ModuleDict and ParameterDict.
func (r *reader) makeModuleDict(name string) *interp.Class {
	c := interp.NewClass(name, r.moduleClass)
	update := func(in *interp.Interp, x *interp.Instance, v interp.Value) {
		d, ok := v.(*interp.Dict)
		if !ok {
			d = in.Call(in.Function("dict"), &interp.Args{Pos: []interp.Value{v}}).(*interp.Dict)
		}
		r.putAll(x, d)
	}
	c.Method("__init__", func(in *interp.Interp, a *interp.Args) interp.Value {
		x := r.begin(a)
		if len(a.Pos) > 1 && a.Pos[1] != nil {
			update(in, x, a.Pos[1])
		}
		return nil
	})
	c.Method("update", func(in *interp.Interp, a *interp.Args) interp.Value { update(in, self(a), a.Pos[1]); return nil })
	c.Method("__len__", func(in *interp.Interp, a *interp.Args) interp.Value { return int64(len(r.parts(self(a)))) })
	keys := func(in *interp.Interp, a *interp.Args) interp.Value {
		out := interp.NewList()
		for _, p := range r.parts(self(a)) {
			out.Items = append(out.Items, p.name)
		}
		return out
	}
	c.Method("__iter__", keys).Method("keys", keys)
	c.Method("values", func(in *interp.Interp, a *interp.Args) interp.Value { return interp.NewList(r.values(self(a))...) })
	c.Method("items", func(in *interp.Interp, a *interp.Args) interp.Value {
		out := interp.NewList()
		for _, p := range r.parts(self(a)) {
			out.Items = append(out.Items, interp.NewTuple(p.name, p.value))
		}
		return out
	})
	c.Method("__getitem__", func(in *interp.Interp, a *interp.Args) interp.Value {
		v, ok := self(a).Get(interp.Str(a.Pos[1]))
		if !ok {
			in.Raise("KeyError", "%s", interp.Repr(a.Pos[1]))
		}
		return v
	})
	c.Method("__setitem__", func(in *interp.Interp, a *interp.Args) interp.Value {
		r.put(self(a), r.partName(a.Pos[1]), a.Pos[2])
		return nil
	})
	r.takes(c)
	c.Method("__contains__", func(in *interp.Interp, a *interp.Args) interp.Value {
		_, ok := self(a).Get(interp.Str(a.Pos[1]))
		return ok
	})
	return c
}

// takes are the methods of ModuleDict that remove items.
func (r *reader) takes(c *interp.Class) {
	c.Method("__delitem__", func(in *interp.Interp, a *interp.Args) interp.Value {
		r.take(self(a), a.Pos[1])
		return nil
	})
	c.Method("pop", func(in *interp.Interp, a *interp.Args) interp.Value { return r.take(self(a), a.Pos[1]) })
	c.Method("clear", func(in *interp.Interp, a *interp.Args) interp.Value {
		for _, p := range r.parts(self(a)) {
			self(a).Unset(p.name)
		}
		return nil
	})
}

// take removes an item of a ModuleDict, and returns it.
func (r *reader) take(x *interp.Instance, key interp.Value) interp.Value {
	v, ok := x.Get(interp.Str(key))
	if !ok {
		r.in.Raise("KeyError", "%s", interp.Repr(key))
	}
	x.Unset(interp.Str(key))
	return v
}
