package torch

import (
	"github.com/modelverifier/verifier/internal/importer/torch/interp"
)

// What nn.Module registers: parts, weights and buffers, each under a name. A value that is set past nn.Module.__setattr__, in __dict__, in a
// list or in a dictionary, is none of them: parameters() does not have its weights.

// initModule is nn.Module.__init__, which begins with empty registries.
func (r *reader) initModule(x *interp.Instance) {
	if _, again := x.Get("training"); again {
		for _, c := range append(r.children(x), r.own(x)...) {
			x.Unset(c.name)
		}
		for _, n := range r.buffers[x] {
			x.Unset(n)
		}
		delete(r.buffers, x)
	}
	x.Set("training", r.training)
}

// noteBuffer keeps the names of buffers, which are tensors like others.
func (r *reader) noteBuffer(x *interp.Instance, name string) {
	r.buffers[x] = append(r.buffers[x], name)
}

// setAttr is nn.Module.__setattr__: a module must have been initialised before it is given parts. Parts and weights are registered,
// whatever property has their name; everything else is an attribute as of any object.
func (r *reader) setAttr(in *interp.Interp, a *interp.Args) interp.Value {
	x, name := self(a), r.partName(a.Pos[1])
	v := a.Pos[2]
	_, part := r.isModule(v)
	t, isTensor := v.(*Tensor)
	weight := isTensor && t.param != nil
	if _, ready := x.Get("training"); !ready {
		if part {
			in.Raise("AttributeError", "cannot assign module before Module.__init__() call")
		}
		if weight {
			in.Raise("AttributeError", "cannot assign parameters before Module.__init__() call")
		}
	}
	if part || weight || !in.SetProperty(x, name, v) {
		x.Set(name, v)
	}
	return nil
}

// registries are _modules, _parameters and _buffers, which programs read and write, and __dict__, which has what they do not.
func (r *reader) registries(c *interp.Class) {
	view := func(name string, of func(*interp.Instance) []child) {
		c.SetOwn(name, &interp.Property{Get: interp.Fn(name, func(in *interp.Interp, a *interp.Args) interp.Value {
			x, d := self(a), interp.NewDict()
			list := of(x)
			in.Spend(interp.EntryItems * int64(len(list)))
			for _, m := range list {
				d.Set(m.name, m.value)
			}
			d.Changed = func(k, v interp.Value) {
				if name == "_buffers" {
					r.noteBuffer(x, r.partName(k))
				}
				x.Set(r.partName(k), v)
			}
			d.Removed = func(k interp.Value) { x.Unset(r.partName(k)) }
			return d
		})})
	}
	view("_modules", r.children)
	view("_parameters", r.own)
	view("_buffers", r.ownBuffers)
	c.SetOwn("__dict__", &interp.Property{Get: interp.Fn("__dict__", func(in *interp.Interp, a *interp.Args) interp.Value {
		x := self(a)
		in.Spend(int64(len(x.Names())))
		registered := map[string]bool{}
		for _, m := range append(append(r.children(x), r.own(x)...), r.ownBuffers(x)...) {
			registered[m.name] = true
		}
		return x.Dict(func(name string) bool { return !registered[name] })
	})})
}

// ownBuffers lists the buffers of a module itself.
func (r *reader) ownBuffers(x *interp.Instance) []child {
	var out []child
	seen := map[string]bool{}
	r.in.Work(len(r.buffers[x]))
	for _, n := range r.buffers[x] {
		if v, ok := x.Get(n); ok && !seen[n] {
			seen[n] = true
			out = append(out, child{n, v})
		}
	}
	return out
}

// weightListings are parameters() and the like, of a module with its parts or, where recurse is false, of itself.
func (r *reader) weightListings(c *interp.Class) {
	list := func(name string, named bool, of func(*interp.Instance, bool) []child) {
		c.Method(name, func(in *interp.Interp, a *interp.Args) interp.Value {
			names := []string{"recurse"}
			if named {
				names = []string{"prefix", "recurse", "remove_duplicate"}
			}
			b := rest(a).Bind(in, name, names...)
			prefix, recurse := "", interp.Or(b[0], true)
			if named {
				prefix, _ = interp.Or(b[0], "").(string)
				recurse = interp.Or(b[1], true)
			}
			out := interp.NewList()
			for _, m := range of(self(a), in.Truth(recurse)) {
				if named {
					out.Items = append(out.Items, interp.NewTuple(join(prefix, m.name), m.value))
				} else {
					out.Items = append(out.Items, m.value)
				}
			}
			return in.Call(in.Function("iter"), &interp.Args{Pos: []interp.Value{out}})
		})
	}
	weights := func(x *interp.Instance, recurse bool) []child {
		if recurse {
			return r.parameters(x)
		}
		return r.own(x)
	}
	buffers := func(x *interp.Instance, recurse bool) []child {
		if !recurse {
			return r.ownBuffers(x)
		}
		var out []child
		for _, m := range r.modules(x) {
			for _, b := range r.ownBuffers(m.value.(*interp.Instance)) {
				out = append(out, child{join(m.name, b.name), b.value})
			}
		}
		return out
	}
	list("parameters", false, weights)
	list("named_parameters", true, weights)
	list("buffers", false, buffers)
	list("named_buffers", true, buffers)
}
