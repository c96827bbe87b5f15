package torch

import (
	"strconv"
	"strings"

	"github.com/modelverifier/verifier/internal/importer/torch/interp"
)

// nn.Module keeps its weights, buffers and parts as attributes here, in the order in which they are first set.

func (r *reader) isModule(v interp.Value) (*interp.Instance, bool) {
	x, ok := v.(*interp.Instance)
	return x, ok && x.Class.Is(r.moduleClass)
}

// child is a part or a weight of a module, with its name.
type child struct {
	name  string
	value interp.Value
}

// fewNames is how many attributes of a module are looked at in the step that asks for them.
const fewNames = 16

// look charges a look at all attributes of a module.
func (r *reader) look(names []string) { r.in.Work(2 * max(0, len(names)-fewNames)) }

// children lists the parts of a module in order.
func (r *reader) children(x *interp.Instance) []child {
	var out []child
	names := x.Names()
	r.look(names)
	for _, n := range names {
		v, _ := x.Get(n)
		if _, ok := r.isModule(v); ok && !strings.HasPrefix(n, "__") && !x.Plain(n) {
			out = append(out, child{n, v})
		}
	}
	return out
}

// own lists the weights of a module itself.
func (r *reader) own(x *interp.Instance) []child {
	var out []child
	names := x.Names()
	r.look(names)
	for _, n := range names {
		v, _ := x.Get(n)
		if t, ok := v.(*Tensor); ok && t.param != nil && !x.Plain(n) {
			out = append(out, child{n, v})
		}
	}
	return out
}

// maxParts is how deep modules may lie in each other.
const maxParts = 200

// walk visits a module and all of its parts once, with their paths.
func (r *reader) walk(x *interp.Instance, path string, seen map[*interp.Instance]bool, visit func(string, *interp.Instance)) {
	if seen[x] {
		return
	}
	if len(seen) > 200_000 {
		r.in.Fault("the model has more than 200000 modules")
	}
	if strings.Count(path, ".") > maxParts {
		r.in.Fault("modules are nested more than %d deep", maxParts)
	}
	r.in.Spend(1 + int64(len(path))/16)
	seen[x] = true
	visit(path, x)
	for _, c := range r.children(x) {
		r.walk(c.value.(*interp.Instance), join(path, c.name), seen, visit)
	}
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// modules lists the paths and modules below one, itself first.
func (r *reader) modules(x *interp.Instance) []child {
	var out []child
	r.walk(x, "", map[*interp.Instance]bool{}, func(path string, m *interp.Instance) { out = append(out, child{path, m}) })
	return out
}

// itemsOfWeight is what listing a weight is charged: its name is made anew, looked up and kept.
const itemsOfWeight = 8

// parameters lists every weight once.
func (r *reader) parameters(x *interp.Instance) []child {
	var out []child
	seen := map[*Param]bool{}
	for _, m := range r.modules(x) {
		for _, p := range r.own(m.value.(*interp.Instance)) {
			if t := p.value.(*Tensor); !seen[t.param] {
				r.in.Spend(itemsOfWeight)
				seen[t.param] = true
				out = append(out, child{join(m.name, p.name), t})
			}
		}
	}
	return out
}

func self(a *interp.Args) *interp.Instance { return a.Pos[0].(*interp.Instance) }

func rest(a *interp.Args) *interp.Args { return &interp.Args{Pos: a.Pos[1:], Kw: a.Kw} }

// partName is the name that a part is registered under. Two parts under a name that is not known would be one.
func (r *reader) partName(v interp.Value) string {
	s, ok := v.(string)
	if !ok {
		r.in.Fault("a part of a module has a name that is a %s", interp.TypeName(v))
	}
	return s
}

// makeModuleClass builds nn.Module.
func (r *reader) makeModuleClass() *interp.Class {
	c := interp.NewClass("Module")
	c.Method("__init__", func(in *interp.Interp, a *interp.Args) interp.Value {
		r.initModule(self(a))
		return nil
	})
	c.Method("__call__", func(in *interp.Interp, a *interp.Args) interp.Value { return r.callModule(self(a), rest(a)) })
	c.Method("forward", func(in *interp.Interp, a *interp.Args) interp.Value {
		in.Raise("NotImplementedError", "Module [%s] is missing the required \"forward\" function", self(a).Class.Name)
		return nil
	})
	set := func(in *interp.Interp, a *interp.Args) interp.Value {
		b := rest(a).Bind(in, "register", "name", "value", "persistent")
		self(a).Set(r.partName(b[0]), b[1])
		return nil
	}
	for _, n := range []string{"add_module", "register_module", "register_parameter"} {
		c.Method(n, func(in *interp.Interp, a *interp.Args) interp.Value {
			b := rest(a).Bind(in, n, "name", map[bool]string{true: "param", false: "module"}[n == "register_parameter"])
			self(a).Set(r.partName(b[0]), b[1])
			return nil
		})
	}
	c.Method("register_buffer", func(in *interp.Interp, a *interp.Args) interp.Value {
		b := rest(a).Bind(in, "register_buffer", "name", "tensor", "persistent")
		if t, ok := b[1].(*Tensor); ok && t.param != nil {
			b[1] = t.clone()
		}
		r.noteBuffer(self(a), r.partName(b[0]))
		return set(in, &interp.Args{Pos: []interp.Value{a.Pos[0], b[0], b[1]}})
	})
	same := func(in *interp.Interp, a *interp.Args) interp.Value { return a.Pos[0] }
	for _, n := range []string{"eval", "train", "cuda", "cpu", "share_memory", "compile"} {
		c.Method(n, same)
	}
	c.Method("requires_grad_", r.freeze)
	for _, n := range []string{"to", "float", "half", "double", "bfloat16", "type", "to_empty"} {
		c.Method(n, func(in *interp.Interp, a *interp.Args) interp.Value {
			r.cast = true // which of its weights get another width is not followed
			return a.Pos[0]
		})
	}
	quietMethods(c)
	c.Lacks = lacking("module")
	c.Method("__setattr__", r.setAttr)
	c.Method("apply", func(in *interp.Interp, a *interp.Args) interp.Value {
		for _, m := range r.modules(self(a)) {
			in.Call(a.Pos[1], &interp.Args{Pos: []interp.Value{m.value}})
		}
		return a.Pos[0]
	})
	c.Method("get_submodule", func(in *interp.Interp, a *interp.Args) interp.Value {
		v := a.Pos[0]
		for _, part := range strings.Split(interp.Str(a.Pos[1]), ".") {
			v = in.Attr(v, part)
		}
		return v
	})
	r.listings(c)
	return c
}

// quietMethods are those that change nothing that a graph says.
func quietMethods(c *interp.Class) {
	none := func(*interp.Interp, *interp.Args) interp.Value { return nil }
	for _, n := range []string{"zero_grad", "__init_subclass__"} {
		c.Method(n, none)
	}
	for _, n := range []string{"load_state_dict", "_register_load_state_dict_pre_hook", "register_backward_hook", "register_full_backward_hook",
		"register_full_backward_pre_hook", "register_state_dict_pre_hook", "_register_state_dict_hook", "register_state_dict_post_hook", "register_load_state_dict_pre_hook",
		"register_load_state_dict_post_hook"} {
		c.Method(n, handle(n))
	}
	for _, n := range []string{"register_forward_hook", "register_forward_pre_hook"} {
		c.Method(n, func(in *interp.Interp, a *interp.Args) interp.Value {
			in.Guess("what the hooks of a module change is not followed")
			return handle(n)(in, a)
		})
	}
}

// handle is a method that changes nothing here and gives something that cannot hold a part of a model.
func handle(name string) func(*interp.Interp, *interp.Args) interp.Value {
	return func(in *interp.Interp, _ *interp.Args) interp.Value {
		u := in.Unknown("what %s gives is not known", name)
		u.Harmless = true
		return u
	}
}

// listings are the methods that list parts and weights.
func (r *reader) listings(c *interp.Class) {
	list := func(name string, named bool, of func(*interp.Instance) []child) {
		c.Method(name, func(in *interp.Interp, a *interp.Args) interp.Value {
			out := interp.NewList()
			for _, m := range of(self(a)) {
				if named {
					out.Items = append(out.Items, interp.NewTuple(m.name, m.value))
				} else {
					out.Items = append(out.Items, m.value)
				}
			}
			return in.Call(in.Function("iter"), &interp.Args{Pos: []interp.Value{out}})
		})
	}
	list("children", false, r.children)
	list("named_children", true, r.children)
	list("modules", false, r.modules)
	list("named_modules", true, r.modules)
	r.weightListings(c)
	c.SetOwn("state_dict", &interp.Builtin{Name: "state_dict", Method: true, Fn: func(in *interp.Interp, a *interp.Args) interp.Value {
		d := interp.NewDict()
		for _, p := range r.parameters(self(a)) {
			d.Set(p.name, p.value)
		}
		return d
	}})
	r.registries(c)
}

// callModule calls forward in the scope of the module.
func (r *reader) callModule(x *interp.Instance, a *interp.Args) interp.Value {
	saved := r.scopes
	if path, ok := r.paths[x]; ok {
		r.scopes = append(r.scopes[:len(r.scopes):len(r.scopes)], path)
	}
	if r.flattens[x] {
		a = r.flattened(a)
	}
	out := r.in.Call(r.in.Attr(x, "forward"), a)
	r.scopes = saved
	return out
}

// scope is the path of the module that is running.
func (r *reader) scope() string {
	if len(r.scopes) == 0 {
		return ""
	}
	return r.scopes[len(r.scopes)-1]
}

// index names the parts of a list by their positions.
func index(i int) string { return strconv.Itoa(i) }
