package interp

// env is a scope: names, and where to look for others.
type env struct {
	vars    map[string]Value
	up      *env
	module  *Module
	class   bool            // names of a class body are not seen by its functions
	globals map[string]bool // declared global here
	outer   map[string]bool // declared nonlocal here
	notes   *[]field        // of a class body: annotated names, for dataclasses
}

// field is an annotated name of a class body.
type field struct {
	name       string
	annotation string
}

func (e *env) child() *env { return &env{vars: map[string]Value{}, up: e, module: e.module} }

// lookup finds a name.
func (in *Interp) lookup(e *env, name string) (Value, bool) {
	passed := 0
	for s := e; s != nil; s = s.up {
		if passed++; passed%lookups == 0 {
			in.steps++
		}
		if s.class && s != e {
			continue
		}
		if v, ok := s.vars[name]; ok {
			if s.module != nil && s == s.module.env {
				if why := s.module.guessed[name]; why != "" {
					in.Guess("%s", why)
				}
			}
			if l, isLazy := v.(*lazy); isLazy {
				v = in.resolve(l)
				s.vars[name] = v
			}
			return v, true
		}
	}
	v, ok := in.builtins[name]
	if m := e.module; !ok && m != nil && len(m.stars) > 0 {
		return in.fromStars(m, name)
	}
	return v, ok
}

// bindName binds a name where Python would.
func (in *Interp) bindName(e *env, name string, v Value) {
	switch {
	case e.globals[name]:
		e.module.env.vars[name] = v
		return
	case e.outer[name]:
		for s := e.up; s != nil; s = s.up {
			in.step()
			if _, ok := s.vars[name]; ok && !s.class {
				s.vars[name] = v
				return
			}
		}
	}
	e.vars[name] = v
}
