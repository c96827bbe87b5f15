package interp

import (
	"slices"

	"github.com/modelverifier/verifier/internal/importer/torch/python"
)

// classDef makes a class of a definition.
func (in *Interp) classDef(e *env, s *python.ClassDef) Value {
	c := &Class{Name: s.Name, Module: e.module, File: in.frame.file, Line: s.Line(), attrs: map[string]Value{}}
	var named []KV
	for _, b := range s.Bases {
		if b.Name == "metaclass" {
			c.opaque = in.metaclass(s.Name, in.eval(e, b.Value))
			continue
		}
		if b.Name != "" {
			named = append(named, KV{b.Name, in.eval(e, b.Value)})
			continue
		}
		if b.Stars > 0 {
			continue
		}
		switch base := in.eval(e, b.Value).(type) {
		case *Class:
			c.Bases = append(c.Bases, base)
		case *Unknown:
			c.opaque = base
		case Symbol, *Builtin: // typing's generics, object
		default:
			in.Fault("the base of class %s is a %s", s.Name, TypeName(base))
		}
	}
	in.derive(c)
	if !slices.ContainsFunc(c.Bases, func(b *Class) bool { _, made := b.Lookup("__class_made__"); return made }) {
		for _, b := range c.Bases {
			if _, native := b.attrs["__new__"].(*Builtin); native && b.Module == nil && b.Line == 0 && builtinTypes[b.Name] {
				c.opaque = in.Unknown("a class that derives from %s", b.Name)
			}
		}
	}
	if !c.linearize() {
		in.Doubt("TypeError", "cannot create a consistent method resolution order for class %s", s.Name)
	}
	body := e.child()
	body.class, body.notes = true, &c.fields
	in.classBody(body, s.Body, c)
	in.initSubclass(c, named)
	for _, k := range c.mro {
		if hook, ok := k.attrs["__class_made__"].(*Builtin); ok {
			return hook.Fn(in, &Args{Pos: []Value{c}})
		}
	}
	return c
}

// classBody runs the body of a class statement by statement: what cannot be followed stays unknown until it is needed.
func (in *Interp) classBody(body *env, stmts []python.Stmt, c *Class) {
	for _, s := range stmts {
		names := kept(&in.seen.binds, s, func() []string { return defines(s) })
		in.spend(int64(len(names)))
		if err := in.Protect(func() { in.exec(body, []python.Stmt{s}) }); err != nil {
			for _, n := range names {
				body.vars[n] = &Unknown{Why: err.Error(), File: in.frame.file, Line: s.Line()}
			}
		}
		for _, n := range names {
			if v, ok := body.vars[n]; ok {
				own(v, c)
				c.SetOwn(n, v)
			}
		}
	}
}

// own tells functions which class they are defined in, for super().
func own(v Value, c *Class) {
	switch f := v.(type) {
	case *Func:
		if f.Class == nil {
			f.Class = c
		}
	case *StaticMethod:
		own(f.Fn, c)
	case *ClassMethod:
		own(f.Fn, c)
	case *Property:
		own(f.Get, c)
		own(f.Set, c)
	}
}
